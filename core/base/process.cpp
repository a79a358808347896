// Starting, feeding, hearing and ending a child process.
#include "core/base/process.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/native.h"
#include "core/base/text.h"

namespace sonde {

std::atomic<int> stop_asked = 0;
static_assert(std::atomic<int>::is_always_lock_free);

namespace {
constexpr std::size_t kLongestLine = 16u << 20;
constexpr std::size_t kLastWords = 65536;
constexpr double kBetweenLooks = 0.2; // seconds: a signal may interrupt the wait of another thread
} // namespace

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

ChildProcess::ChildProcess(const std::vector<std::string>& command)
    : child_(std::make_unique<native::Child>(command)) {}

ChildProcess::~ChildProcess() { kill(); }

bool ChildProcess::send(std::string_view bytes, double seconds) {
    while (!bytes.empty()) {
        const bool ready = child_->wait_to_write(seconds);
        if (stop_asked || (!ready && seconds < 3600)) return false;
        if (!child_->write(bytes)) return false;
    }
    return true;
}

bool ChildProcess::read_errors() {
    for (std::string piece;; piece.clear()) {
        const bool open = child_->read(native::errors, piece);
        if (piece.empty()) return open;
        if (first_errors_.empty()) first_errors_ = piece;
        errors_ += piece;
        if (errors_.size() > kLastWords) errors_.erase(0, errors_.size() - kLastWords);
    }
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
        child_->wait_to_read(errors_open, std::min(left, kBetweenLooks));
        if (stop_asked) return Event::interrupted;
        if (errors_open) errors_open = read_errors();
        if (!child_->read(native::output, buffer_)) {
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

void ChildProcess::end_input() { child_->end_input(); }

void ChildProcess::kill() {
    child_->kill();
    child_->wait_for_end();
}

bool ChildProcess::wait_for_end(double seconds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!child_->has_ended()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

void ChildProcess::dismiss(double seconds) {
    if (child_->is_reaped()) return;
    child_->end_input();
    child_->end_output();
    if (wait_for_end(seconds)) return;
    child_->ask_to_end();
    if (!wait_for_end(seconds)) kill();
}

std::string ChildProcess::ending() {
    if (child_->is_reaped()) return "was ended";
    // Its output has ended: give it a moment to die of its own cause, so that the signal is its own and not ours.
    if (!wait_for_end(1)) {
        kill();
        return "closed its output and went on, so it was killed";
    }
    return child_->ending(exit_code_);
}

} // namespace sonde
