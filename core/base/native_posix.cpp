// Files, standard streams, the terminal and devices of POSIX.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/native.h"

namespace sonde::native {

namespace fs = std::filesystem;

static_assert(input == STDIN_FILENO && output == STDOUT_FILENO && errors == STDERR_FILENO);

int create(const fs::path& path) { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644); }

int open(const fs::path& path) { return ::open(path.c_str(), O_RDWR | O_CLOEXEC); }

int create_beside(fs::path& name) {
    std::string made = name.string() + ".XXXXXX";
    const int number = mkostemp(made.data(), O_CLOEXEC);
    if (number >= 0) name = made;
    return number;
}

bool make_folder_beside(fs::path& name) {
    std::string made = name.string() + ".XXXXXX";
    const bool is_made = mkdtemp(made.data()) != nullptr;
    name = made;
    return is_made;
}

bool close(int number) { return ::close(number) == 0; }

int duplicate(int number) { return fcntl(number, F_DUPFD_CLOEXEC, 0); }

void replace(int number, int like) { dup2(like, number); }

std::ptrdiff_t write(int number, std::string_view bytes) { return ::write(number, bytes.data(), bytes.size()); }

bool lock(int number) { return flock(number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

bool is_removed(int number) {
    struct stat status {};
    return fstat(number, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 0;
}

/// What cannot be synced has no error of its own.
static bool arrived(int status) { return status == 0 || (errno != EIO && errno != ENOSPC && errno != EDQUOT); }

bool sync(int number) { return arrived(fdatasync(number)); }

bool sync_folder(const fs::path& path) {
    const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return folder.get() < 0 || arrived(fsync(folder.get()));
}

bool cut_off(int number, std::uint64_t bytes) {
    const auto end = static_cast<off_t>(bytes);
    return ftruncate(number, end) == 0 && lseek(number, end, SEEK_SET) >= 0;
}

bool let_others_read(int number) {
    const mode_t mask = umask(0);
    umask(mask);
    return fchmod(number, 0666 & ~mask) == 0;
}

bool rename(const fs::path& from, const fs::path& to) { return ::rename(from.c_str(), to.c_str()) == 0; }

void open_standard_streams() {
    for (const int number : {input, output, errors})
        while (fcntl(number, F_GETFD) < 0)
            if (::open("/dev/null", O_RDWR) < 0) std::_Exit(1); // takes the lowest number that is free
}

void writing_fails_with_errors() {
    for (const int number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);
}

bool has_no_reader(int number) {
    pollfd pipe{.fd = number, .events = POLLOUT, .revents = 0};
    return poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLERR) != 0;
}

void wait_for_no_reader(int number) {
    pollfd reader{number, 0, 0};
    while (poll(&reader, 1, -1) <= 0) {
    }
}

bool is_terminal(Stream stream) { return isatty(stream); }

std::size_t columns(Stream stream) {
    winsize size{};
    return ioctl(stream, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool has_styles(Stream stream) {
    const char* terminal = std::getenv("TERM");
    return isatty(stream) && terminal && std::string_view(terminal) != "dumb";
}

bool control(const std::string& node, unsigned long request, void* argument) {
    const Descriptor opened(::open(node.c_str(), O_RDWR | O_CLOEXEC));
    return opened.get() >= 0 && ioctl(opened.get(), request, argument) == 0;
}

} // namespace sonde::native
