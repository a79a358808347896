// A child process with pipes on its standard streams.
#pragma once
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

namespace native {
class Child;
}

constexpr int kInterrupted = 130; // the exit code of what SIGINT, SIGTERM or SIGHUP stopped

/// Set by a signal handler: waiting for children stops as soon as possible.
extern std::atomic<int> stop_asked; // without a lock, so that a handler may

/// From now on a signal asks this process to stop. The second time ends it at once, but for what comes twice by itself:
/// from a terminal that closes, and from timeout(1), which tells the program and its group.
void listen_for_interrupts();
/// What a terminal sends to a whole group, the parent decides on.
void leave_interrupts_to_parent();

/// The words of this process's command line in UTF-8: `arguments` of main, where these are.
char** own_arguments(char** arguments);
/// The file that this process runs.
std::string own_program();
/// This process is killed where its parent dies.
void end_with_parent();
/// Returns when standard input has ended, and takes what comes until then; no stream's lock is held.
void wait_for_end_of_input();
/// Whether a process is neither this one nor another child of its parent, as the workers of one run are. False for one
/// that cannot be seen from here: its number may be that of another container.
bool is_of_another_run(std::uint32_t pid);

/// The first of these programs that is on the PATH.
std::optional<std::string> find_program(std::initializer_list<std::string_view> names);

/// Runs a program of the PATH, without a shell and without input, and returns what it wrote on standard output.
/// Throws Error (one line) where it cannot be started or does not succeed, with the first line of what it wrote on
/// standard error, or where that is nothing on standard output.
std::string run_program(const std::vector<std::string>& command);

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
    /// The last line that it wrote on standard error, printable and at most 200 bytes.
    std::string last_line() const;
    /// Takes the next whole line that it wrote there, which is told no more.
    std::optional<std::string> next_words();
    /// The first it wrote there.
    const std::string& first_words() const { return first_errors_; }
    /// What its output ended with after the last whole line.
    const std::string& rest() const { return buffer_; }
    void end_input();
    /// After `ending`: what it exited with by itself.
    std::optional<int> exit_code() const { return exit_code_; }
    void kill();
    /// Lets it end by itself: its input ends, and after `seconds` it is asked to, and after as many again it is killed.
    void dismiss(double seconds);

private:
    bool read_errors();
    bool wait_for_end(double seconds);
    std::unique_ptr<native::Child> child_;
    std::string buffer_, errors_, first_errors_;
    std::optional<int> exit_code_;
};

/// What a child started and left behind is killed when this goes, but for what made itself a session of its own (ssh's
/// shared connections).
struct NoOrphans {
    NoOrphans();
    ~NoOrphans();
    NoOrphans(const NoOrphans&) = delete;
};

} // namespace sonde
