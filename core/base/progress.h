// Progress, a line for each machine: rewritten in place on a terminal.
#pragma once
#include <chrono>
#include <iosfwd>
#include <mutex>
#include <string>
#include <vector>

namespace sonde {

/// Used by several threads at once.
class ProgressBoard {
public:
    /// in_place: on a terminal. lines: each text is a line of its own. sparse: the same, but one in ten seconds at the
    /// most for each line.
    enum class Form { in_place, lines, sparse };
    ProgressBoard(std::ostream& out, Form form, std::size_t lines)
        : out_(out), form_(form), lines_(lines), told_(lines, std::chrono::steady_clock::now()) {}
    void set(std::size_t line, std::string text);
    /// Writes `text` to the stream above the lines, which go on below it.
    void print(std::ostream& out, const std::string& text);
    void clear();

private:
    void draw();
    void wipe();
    std::mutex mutex_;
    std::ostream& out_;
    Form form_;
    bool drawn_ = false;
    std::vector<std::string> lines_;
    std::vector<std::chrono::steady_clock::time_point> told_;
};

} // namespace sonde
