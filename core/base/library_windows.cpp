// Shared libraries of Windows.
#include "core/base/library.h"

#include <filesystem>
#include <string_view>

#include "core/base/wide_windows.h"

namespace sonde {

Library::Library(std::initializer_list<const char*> names) {
    for (const std::string_view name : names) {
        if (!name.ends_with(".dll")) continue; // of another system
        handle_ = reinterpret_cast<void*>(LoadLibraryW(wide(name).c_str()));
        if (handle_) return;
        if (error_.empty()) error_ = std::string(name) + ": " + words_of_error(GetLastError());
    }
    if (!handle_ && error_.empty()) error_ = "not looked for on Windows";
}

std::string Library::path() const {
    wchar_t path[4096];
    const DWORD size = GetModuleFileNameW(static_cast<HMODULE>(handle_), path, static_cast<DWORD>(std::size(path)));
    return narrow({path, size});
}

void* Library::symbol(const char* name) const {
    return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), name));
}

} // namespace sonde
