// Processes of POSIX and Linux.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <poll.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/native.h"
#include "core/base/process.h"
#include "core/base/text.h"

extern char** environ;

namespace sonde {

namespace {
constexpr std::size_t kPiece = 65536; // bytes read at once

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

void on_interrupt(int signal) {
    constexpr std::chrono::milliseconds kOfOneMind{300};
    static std::chrono::steady_clock::time_point first;
    const auto now = std::chrono::steady_clock::now();
    if (stop_asked && signal != SIGHUP && now - first > kOfOneMind) std::_Exit(kInterrupted);
    if (!stop_asked) first = now;
    stop_asked = 1;
}
} // namespace

char** own_arguments(char** arguments) { return arguments; }

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

void listen_for_interrupts() {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, on_interrupt);
    if (std::signal(SIGHUP, on_interrupt) == SIG_IGN) std::signal(SIGHUP, SIG_IGN); // nohup
}

void leave_interrupts_to_parent() {
    for (const int signal : {SIGINT, SIGHUP}) std::signal(signal, SIG_IGN); // which a terminal sends to all
}

struct native::Child::Parts {
    void send(int signal) const {
        const std::lock_guard lock(mutex);
        if (pid > 0) ::kill(pid, signal);
    }
    bool reap(int options) {
        const std::lock_guard lock(mutex);
        if (pid > 0 && waitpid(pid, &status, options) == 0) return false;
        pid = -1;
        return true;
    }

    Descriptor in, out, err;
    mutable std::mutex mutex; // of the two below
    int pid = -1, status = 0;
};

native::Child::Child(const std::vector<std::string>& command) : parts_(std::make_unique<Parts>()) {
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
    const int code = posix_spawnp(&parts_->pid, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0) throw Error(fmt::format("cannot start {}: {}", command[0], std::strerror(code)));
    parts_->in = std::move(in.write);
    parts_->out = std::move(out.read);
    parts_->err = std::move(err.read);
    for (const Descriptor* end : {&parts_->in, &parts_->out, &parts_->err}) fcntl(end->get(), F_SETFL, O_NONBLOCK);
}

native::Child::~Child() = default;

bool native::Child::wait_to_write(double seconds) {
    pollfd descriptor{parts_->in.get(), POLLOUT, 0};
    return poll(&descriptor, 1, milliseconds(seconds)) != 0;
}

bool native::Child::write(std::string_view& bytes) {
    const ssize_t n = ::write(parts_->in.get(), bytes.data(), bytes.size());
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
    return n > 0 || errno == EAGAIN || errno == EINTR;
}

void native::Child::end_input() { parts_->in.close(); }
void native::Child::end_output() { parts_->out.close(); }

void native::Child::wait_to_read(bool errors_too, double seconds) {
    pollfd descriptors[] = {{parts_->out.get(), POLLIN, 0}, {errors_too ? parts_->err.get() : -1, POLLIN, 0}};
    poll(descriptors, 2, milliseconds(seconds));
}

bool native::Child::read(Stream stream, std::string& text) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const Descriptor& from = stream == output ? parts_->out : parts_->err;
    const ssize_t n = ::read(from.get(), text.data() + before, kPiece);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    return n != 0;
}

bool native::Child::has_ended() { return parts_->reap(WNOHANG); }
void native::Child::wait_for_end() { parts_->reap(0); }

bool native::Child::is_reaped() const {
    const std::lock_guard lock(parts_->mutex);
    return parts_->pid <= 0;
}

void native::Child::kill() const { parts_->send(SIGKILL); }
void native::Child::ask_to_end() const { parts_->send(SIGTERM); }

std::string native::Child::ending(std::optional<int>& exit_code) const {
    if (WIFSIGNALED(parts_->status)) return fmt::format("was killed by {}", signal_name(WTERMSIG(parts_->status)));
    const int code = WEXITSTATUS(parts_->status);
    exit_code = code;
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
