// A driver's shared library, opened at run time: none is needed to build or to start.
#pragma once
#include <initializer_list>
#include <string>

namespace sonde {

/// The name that a library has on this system.
constexpr const char* name_here([[maybe_unused]] const char* posix, [[maybe_unused]] const char* windows) {
#ifdef _WIN32
    return windows;
#else
    return posix;
#endif
}

class Library {
public:
    /// Opens the first of `names` that is there; `error()` says why none is. Never closed: drivers leave threads and
    /// exit handlers behind. On Windows names that end in .dll are looked for, elsewhere all others.
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
