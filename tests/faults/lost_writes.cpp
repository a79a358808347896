// LD_PRELOAD: a power loss at the end of the process, or wherever it stops. What is written to a file reaches it with
// the next fdatasync or fsync alone; a write behind one that was not synced ends the process, for it would be lost.
#include <dlfcn.h>
#include <map>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace {
constexpr int kUnsynced = 86; // the exit code that tells it

std::map<int, std::string>& pending() {
    static auto* const by_descriptor = new std::map<int, std::string>; // never destroyed: others write until the end
    return *by_descriptor;
}

template <class Function> Function real(const char* name) { return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name)); }

bool is_file(int descriptor) {
    struct stat status {};
    return descriptor > STDERR_FILENO && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

int synced(int descriptor, const char* name) {
    static const auto write_to = real<ssize_t (*)(int, const void*, size_t)>("write");
    std::string text;
    std::swap(text, pending()[descriptor]);
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t n = write_to(descriptor, text.data() + at, text.size() - at);
        if (n <= 0) return -1;
        at += static_cast<std::size_t>(n);
    }
    return real<int (*)(int)>(name)(descriptor);
}
} // namespace

extern "C" ssize_t write(int descriptor, const void* data, size_t size) {
    static const auto write_to = real<ssize_t (*)(int, const void*, size_t)>("write");
    if (!is_file(descriptor)) return write_to(descriptor, data, size);
    if (!pending()[descriptor].empty()) _exit(kUnsynced);
    pending()[descriptor].assign(static_cast<const char*>(data), size);
    return static_cast<ssize_t>(size);
}
extern "C" int fdatasync(int descriptor) { return synced(descriptor, "fdatasync"); }
extern "C" int fsync(int descriptor) { return synced(descriptor, "fsync"); }
