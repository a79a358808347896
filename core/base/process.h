// A child process with pipes on its standard streams.
#pragma once
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace sonde {

/// Set by a signal handler: waiting for children stops as soon as possible.
extern volatile std::sig_atomic_t stop_asked;

/// The file that this process runs.
std::string own_program();

class ChildProcess {
public:
    /// Throws Error when the program cannot be started.
    explicit ChildProcess(const std::vector<std::string>& command);
    ~ChildProcess(); // kills and reaps
    ChildProcess(const ChildProcess&) = delete;

    /// False when the child no longer reads, or reads nothing for `seconds`.
    bool send(std::string_view bytes, double seconds);
    enum class Event { line, silence, ended, flood, interrupted };
    /// The next line of its output, or what happened instead within `seconds`.
    Event next(std::string& line, double seconds);
    /// "was killed by SIGSEGV", "exited with 1"; kills it if it still runs.
    std::string ending();
    /// The last it wrote on standard error, at most 2 KiB.
    const std::string& last_words() const { return errors_; }
    /// After `ending`: what it exited with by itself.
    std::optional<int> exit_code() const { return exit_code_; }
    void kill();
    /// Lets it end by itself: its input ends, and after `seconds` it is asked to, and after as many again it is killed.
    void dismiss(double seconds);

private:
    bool read_errors();
    bool wait_for_end(double seconds);
    pid_t pid_ = -1;
    int in_ = -1, out_ = -1, err_ = -1;
    std::string buffer_, errors_;
    std::optional<int> exit_code_;
};

} // namespace sonde
