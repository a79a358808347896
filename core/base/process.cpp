// Starting, feeding, hearing and ending a child process.
#include "core/base/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"

extern char** environ;

namespace sonde {

std::atomic<int> stop_asked = 0;
static_assert(std::atomic<int>::is_always_lock_free);

namespace {
constexpr std::size_t kLongestLine = 16u << 20;
constexpr std::size_t kLastWords = 65536;
constexpr std::size_t kPiece = 65536; // bytes read at once
constexpr double kBetweenLooks = 0.2; // seconds: a signal may interrupt the wait of another thread

/// Of a time that may be longer than an int holds: an hour at the most, for loops that look again.
int milliseconds(double seconds) { return static_cast<int>(std::min(seconds, 3600.0) * 1000) + 1; }

struct Pipe {
    Descriptor read, write;
};
Pipe make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error(fmt::format("pipe: {}", std::strerror(errno)));
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::string signal_name(int signal) {
    for (const auto& [number, name] : {std::pair{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},
             {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"},
             {SIGSYS, "SIGSYS"}, {SIGPIPE, "SIGPIPE"}})
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

void end_with_parent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

void wait_for_end_of_input() {
    char ignored;
    for (ssize_t n; (n = read(STDIN_FILENO, &ignored, 1)) > 0 || (n < 0 && errno == EINTR);) {
    }
}

bool is_of_another_run(std::uint32_t pid) {
    if (pid == static_cast<std::uint32_t>(getpid())) return false;
    std::ifstream status(fmt::format("/proc/{}/status", pid));
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("PPid:")) return std::strtol(line.c_str() + 5, nullptr, 10) != getppid();
    return false;
}

std::optional<std::string> find_program(std::initializer_list<std::string_view> names) {
    const char* path = std::getenv("PATH");
    for (const std::string_view name : names)
        for (const std::string& folder : path ? split(path, ':') : std::vector<std::string>{})
            if (access((std::filesystem::path(folder) / name).c_str(), X_OK) == 0) return std::string(name);
    return std::nullopt;
}

std::string run_program(const std::vector<std::string>& command) {
    constexpr double kForever = 1e6; // seconds
    ChildProcess child(command);
    child.end_input();
    std::string text, line;
    while (child.next(line, kForever) == ChildProcess::Event::line) text += line + "\n";
    const std::string ending = child.ending(),
                      words = child.first_words().empty() ? text + child.rest() : child.first_words();
    const std::string first_line = words.substr(0, words.find('\n')); // none of many that a signal ended
    if (child.exit_code() != 0)
        throw Error(fmt::format("{} {}{}{}", command[0], ending, first_line.empty() ? "" : ": ", first_line));
    return text + child.rest();
}

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
    Pipe in = make_pipe(), out = make_pipe(), err = make_pipe();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.write.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write.get(), STDERR_FILENO);
    std::vector<char*> argv;
    argv.reserve(command.size() + 1);
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const int code = posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0) throw Error(fmt::format("cannot start {}: {}", command[0], std::strerror(code)));
    in_ = std::move(in.write);
    out_ = std::move(out.read);
    err_ = std::move(err.read);
    for (const Descriptor* end : {&in_, &out_, &err_}) fcntl(end->get(), F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() { kill(); }

bool ChildProcess::send(std::string_view bytes, double seconds) {
    while (!bytes.empty()) {
        pollfd descriptor{in_.get(), POLLOUT, 0};
        const int ready = poll(&descriptor, 1, milliseconds(seconds));
        if (stop_asked || (ready == 0 && seconds < 3600)) return false;
        const ssize_t n = write(in_.get(), bytes.data(), bytes.size());
        if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
        else if (errno != EAGAIN && errno != EINTR) return false;
    }
    return true;
}

bool ChildProcess::read_errors() {
    std::array<char, 4096> piece;
    ssize_t n;
    while ((n = read(err_.get(), piece.data(), piece.size())) > 0) {
        errors_.append(piece.data(), static_cast<std::size_t>(n));
        if (first_errors_.empty()) first_errors_.assign(piece.data(), static_cast<std::size_t>(n));
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
        pollfd descriptors[] = {{out_.get(), POLLIN, 0}, {errors_open ? err_.get() : -1, POLLIN, 0}};
        const int ready = poll(descriptors, 2, milliseconds(std::min(left, kBetweenLooks)));
        if (stop_asked) return Event::interrupted;
        if (ready <= 0) continue;
        if (descriptors[1].revents) errors_open = read_errors();
        if (!descriptors[0].revents) continue;
        const std::size_t before = buffer_.size();
        buffer_.resize(before + kPiece);
        const ssize_t n = read(out_.get(), buffer_.data() + before, kPiece);
        buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
        if (n == 0) {
            read_errors();
            return Event::ended;
        }
    }
}

std::string ChildProcess::last_line() const {
    std::string words = errors_;
    while (words.ends_with('\n') || words.ends_with('\r')) words.pop_back();
    if (const auto line = words.rfind('\n'); line != std::string::npos) words.erase(0, line + 1);
    return printable(words.substr(0, 200));
}

std::optional<std::string> ChildProcess::next_words() {
    read_errors();
    const auto end = errors_.find('\n');
    if (end == std::string::npos) return std::nullopt;
    std::string line = errors_.substr(0, end);
    errors_.erase(0, end + 1);
    if (line.ends_with('\r')) line.pop_back();
    return line;
}

/// True once it has ended. It is reaped under the lock: nobody signals a process that has come to bear its number.
bool ChildProcess::reap(int options) {
    const std::lock_guard lock(mutex_);
    if (pid_ > 0 && waitpid(pid_, &status_, options) == 0) return false;
    pid_ = -1;
    return true;
}

void ChildProcess::send_signal(int signal) const {
    const std::lock_guard lock(mutex_);
    if (pid_ > 0) ::kill(pid_, signal);
}

void ChildProcess::kill() {
    send_signal(SIGKILL);
    reap(0);
}

bool ChildProcess::wait_for_end(double seconds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!reap(WNOHANG)) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

void ChildProcess::dismiss(double seconds) {
    if (pid_ <= 0) return;
    in_.close();
    out_.close(); // who still writes learns that nobody listens
    if (wait_for_end(seconds)) return;
    send_signal(SIGTERM);
    if (!wait_for_end(seconds)) kill();
}

std::string ChildProcess::ending() {
    if (pid_ <= 0) return "was ended";
    // Its output has ended: give it a moment to die of its own cause, so that the signal is its own and not ours.
    if (!wait_for_end(1)) {
        kill();
        return "closed its output and went on, so it was killed";
    }
    if (WIFSIGNALED(status_)) return fmt::format("was killed by {}", signal_name(WTERMSIG(status_)));
    const int code = WEXITSTATUS(status_);
    exit_code_ = code;
    // A launcher's shell tells of a signal by its number above 128.
    return fmt::format(
        "exited with {}{}", code, code > 128 && code < 160 ? fmt::format(" ({})", signal_name(code - 128)) : "");
}

NoOrphans::NoOrphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

NoOrphans::~NoOrphans() {
    std::error_code error;
    for (bool found = true; found;) {
        found = false;
        for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
            std::ifstream children(task.path() / "children");
            for (pid_t child; children >> child;) {
                if (getpgid(child) != getpgrp() || kill(child, SIGKILL) != 0) continue;
                waitpid(child, nullptr, 0);
                found = true; // what it had started is ours now
            }
        }
    }
}

} // namespace sonde
