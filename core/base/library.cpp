// Shared libraries of POSIX.
#include "core/base/library.h"

#include <dlfcn.h>

namespace sonde {

Library::Library(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (handle_) return;
        if (error_.empty()) error_ = dlerror();
    }
}

void* Library::symbol(const char* name) const { return dlsym(handle_, name); }

} // namespace sonde
