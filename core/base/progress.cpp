// Progress lines, by the three control sequences that every terminal knows.
#include "core/base/progress.h"

#include <ostream>

namespace sonde {

void ProgressBoard::wipe() {
    if (!drawn_) return;
    out_ << "\r\033[K";
    for (std::size_t i = 1; i < lines_.size(); ++i) out_ << "\033[A\033[K";
    drawn_ = false;
}

void ProgressBoard::draw() {
    for (std::size_t i = 0; i < lines_.size(); ++i) out_ << (i ? "\n" : "") << lines_[i];
    out_ << std::flush;
    drawn_ = true;
}

void ProgressBoard::set(std::size_t line, std::string text) {
    if (!on_) return;
    const std::lock_guard lock(mutex_);
    if (plain_) {
        out_ << text << std::endl;
        return;
    }
    lines_.at(line) = std::move(text);
    wipe();
    draw();
}

void ProgressBoard::print(std::ostream& out, const std::string& text) {
    const std::lock_guard lock(mutex_);
    const bool drawn = drawn_;
    wipe();
    out_.flush();
    out << text << std::flush;
    if (drawn) draw();
}

void ProgressBoard::clear() {
    const std::lock_guard lock(mutex_);
    wipe();
    out_.flush();
}

} // namespace sonde
