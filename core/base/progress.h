// Progress on a terminal: lines that are rewritten in place, one for each machine.
#pragma once
#include <chrono>
#include <iosfwd>
#include <mutex>
#include <string>
#include <vector>

namespace sonde {

/// Used by several threads at once. Does nothing where `on` is false; `plain`: each text is a line of its own.
class ProgressBoard {
public:
    ProgressBoard(std::ostream& out, bool on, std::size_t lines, bool plain = false) : out_(out), on_(on), plain_(plain), lines_(lines) {}
    void set(std::size_t line, std::string text);
    /// Writes `text` to the stream above the lines, which go on below it.
    void print(std::ostream& out, const std::string& text);
    void clear();

private:
    void draw();
    void wipe();
    std::mutex mutex_;
    std::ostream& out_;
    bool on_, plain_, drawn_ = false;
    std::vector<std::string> lines_;
};

/// What is measured, how far, how long still: a board's first line.
class Progress {
public:
    Progress(ProgressBoard& board, std::size_t all, double seconds_each)
        : board_(board), all_(all), seconds_each_(seconds_each) {}
    void begin(const std::string& what);
    void end() { ++done_; }

private:
    ProgressBoard& board_;
    std::size_t all_, done_ = 0;
    double seconds_each_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace sonde
