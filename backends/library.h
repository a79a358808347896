// A driver's shared library, opened at run time: none is needed to build or to start.
#pragma once
#include <dlfcn.h>
#include <initializer_list>
#include <string>

#include "core/base/error.h"

namespace sonde {

class Library {
public:
    /// Opens the first of `names` that is there; `error()` says why none is.
    Library(std::initializer_list<const char*> names) {
        for (const char* name : names) {
            handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
            if (handle_) return;
            if (error_.empty()) error_ = dlerror();
        }
    }
    // Never closed: drivers leave threads and exit handlers behind.
    explicit operator bool() const { return handle_ != nullptr; }
    const std::string& error() const { return error_; }

    /// Sets `function` to the library's symbol, or to nullptr.
    template <class Function> bool load(Function*& function, const char* name) const {
        function = reinterpret_cast<Function*>(dlsym(handle_, name));
        return function != nullptr;
    }

private:
    void* handle_ = nullptr;
    std::string error_;
};

} // namespace sonde
