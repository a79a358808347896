// Progress on a terminal: lines that are rewritten in place, one for each machine.
#pragma once
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

} // namespace sonde
