// Shared libraries of POSIX.
#include "core/base/library.h"

#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <string_view>

namespace sonde {

Library::Library(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (std::string_view(name).ends_with(".dll")) continue; // of another system
        handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (handle_) return;
        if (error_.empty()) error_ = dlerror();
    }
}

/// A handle is what dlinfo would give for it (RTLD_DI_LINKMAP), which is of a newer glibc where the program is to start
/// on older ones.
std::string Library::path() const {
    const std::string name = static_cast<const link_map*>(handle_)->l_name;
    std::error_code none;
    const auto file = std::filesystem::canonical(name, none);
    return none ? name : file.string();
}

void* Library::symbol(const char* name) const { return dlsym(handle_, name); }

} // namespace sonde
