// A driver's shared library, opened at run time: none is needed to build or to start.
#pragma once
#include <initializer_list>
#include <string>

namespace sonde {

class Library {
public:
    /// Opens the first of `names` that is there; `error()` says why none is. Never closed: drivers leave threads and
    /// exit handlers behind.
    Library(std::initializer_list<const char*> names);
    explicit operator bool() const { return handle_ != nullptr; }
    const std::string& error() const { return error_; }
    /// The file, links followed.
    std::string path() const;

    /// Sets `function` to the library's symbol, or to nullptr.
    template <class Function> bool load(Function*& function, const char* name) const {
        function = reinterpret_cast<Function*>(symbol(name));
        return function != nullptr;
    }

private:
    void* symbol(const char* name) const;
    void* handle_ = nullptr;
    std::string error_;
};

} // namespace sonde
