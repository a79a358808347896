// Starting, feeding, hearing and ending a child process.
#include "core/base/process.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

extern char** environ;

namespace sonde {

volatile std::sig_atomic_t stop_asked = 0;

namespace {
constexpr std::size_t kLongestLine = 16u << 20;
constexpr std::size_t kLastWords = 2048;

struct PipeEnds {
    int read, write;
};
PipeEnds make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error(fmt::format("pipe: {}", std::strerror(errno)));
    return {ends[0], ends[1]};
}

std::string signal_name(int signal) {
    for (const auto& [number, name] : {std::pair{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"},
                                       {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"}, {SIGPIPE, "SIGPIPE"}})
        if (number == signal) return name;
    return fmt::format("signal {}", signal);
}
} // namespace

std::string own_program() {
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    if (n > 0) return {path, static_cast<std::size_t>(n)};
    return reinterpret_cast<const char*>(getauxval(AT_EXECFN)); // in a root without /proc: as the kernel was told
}

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
    const PipeEnds in = make_pipe(), out = make_pipe(), err = make_pipe();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.write, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write, STDERR_FILENO);
    std::vector<char*> argv;
    argv.reserve(command.size() + 1);
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const int code = posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in.read);
    close(out.write);
    close(err.write);
    in_ = in.write;
    out_ = out.read;
    err_ = err.read;
    if (code != 0) {
        pid_ = -1;
        throw Error(fmt::format("cannot start {}: {}", command[0], std::strerror(code)));
    }
    fcntl(in_, F_SETFL, O_NONBLOCK);
    fcntl(out_, F_SETFL, O_NONBLOCK);
    fcntl(err_, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
    kill();
    for (const int descriptor : {in_, out_, err_})
        if (descriptor >= 0) close(descriptor);
}

bool ChildProcess::send(std::string_view bytes, double seconds) {
    while (!bytes.empty()) {
        pollfd descriptor{in_, POLLOUT, 0};
        const int ready = poll(&descriptor, 1, static_cast<int>(seconds * 1000) + 1);
        if (stop_asked || ready == 0) return false;
        const ssize_t n = write(in_, bytes.data(), bytes.size());
        if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
        else if (errno != EAGAIN && errno != EINTR) return false;
    }
    return true;
}

bool ChildProcess::read_errors() {
    std::array<char, 4096> piece;
    ssize_t n;
    while ((n = read(err_, piece.data(), piece.size())) > 0) {
        errors_.append(piece.data(), static_cast<std::size_t>(n));
        if (errors_.size() > kLastWords) errors_.erase(0, errors_.size() - kLastWords);
    }
    return n != 0;
}

ChildProcess::Event ChildProcess::next(std::string& line, double seconds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    bool errors_open = true;
    for (;;) {
        if (const auto end = buffer_.find('\n'); end != std::string::npos) {
            line = buffer_.substr(0, end);
            buffer_.erase(0, end + 1);
            return Event::line;
        }
        if (buffer_.size() > kLongestLine) return Event::flood;
        const double left = std::chrono::duration<double>(deadline - std::chrono::steady_clock::now()).count();
        if (left <= 0) return Event::silence;
        pollfd descriptors[] = {{out_, POLLIN, 0}, {errors_open ? err_ : -1, POLLIN, 0}};
        const int ready = poll(descriptors, 2, static_cast<int>(left * 1000) + 1);
        if (stop_asked) return Event::interrupted;
        if (ready <= 0) continue;
        if (descriptors[1].revents) errors_open = read_errors();
        if (!descriptors[0].revents) continue;
        std::array<char, 65536> piece;
        const ssize_t n = read(out_, piece.data(), piece.size());
        if (n > 0) buffer_.append(piece.data(), static_cast<std::size_t>(n));
        if (n == 0) {
            read_errors();
            return Event::ended;
        }
    }
}

void ChildProcess::kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

bool ChildProcess::wait_for_end(double seconds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (waitpid(pid_, nullptr, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        usleep(2000);
    }
    pid_ = -1;
    return true;
}

void ChildProcess::dismiss(double seconds) {
    if (pid_ <= 0) return;
    close(std::exchange(in_, -1));
    close(std::exchange(out_, -1)); // who still writes learns that nobody listens
    if (wait_for_end(seconds)) return;
    ::kill(pid_, SIGTERM);
    if (!wait_for_end(seconds)) kill();
}

std::string ChildProcess::ending() {
    if (pid_ <= 0) return "was ended";
    int status = 0;
    // Its output has ended: give it a moment to die of its own cause, so that the signal is its own and not ours.
    for (int tries = 0; waitpid(pid_, &status, WNOHANG) == 0; ++tries) {
        if (tries == 200) {
            kill();
            return "closed its output and went on, so it was killed";
        }
        usleep(5000);
    }
    pid_ = -1;
    if (WIFSIGNALED(status)) return fmt::format("was killed by {}", signal_name(WTERMSIG(status)));
    const int code = WEXITSTATUS(status);
    exit_code_ = code;
    // A launcher's shell tells of a signal by its number above 128.
    return fmt::format("exited with {}{}", code, code > 128 && code < 160 ? fmt::format(" ({})", signal_name(code - 128)) : "");
}

} // namespace sonde
