// Lookup and replacement.
#include "tests/model/model_memory.h"

#include <algorithm>

namespace sonde {

SimulatedCache::SimulatedCache(const CacheModel& model, std::uint64_t seed) : model_(model), random_(seed) {
    const std::uint64_t lines = std::max<std::uint64_t>(1, model.bytes / model.line);
    // Random replacement knows no sets: any line may go, of as many as are drawn.
    if (model_.replacement == Replacement::random) model_.ways = 16;
    sets_ = std::max<std::uint64_t>(1, lines / model_.ways);
    lines_.resize(sets_ * model_.ways);
}

std::uint64_t SimulatedCache::set_of(std::uint64_t number) const {
    if (model_.replacement == Replacement::lru) return number % sets_;
    const std::uint64_t hash = (number ^ (number >> 23)) * 0x9e3779b97f4a7c15ull;
    return (hash >> 20) % sets_;
}

bool SimulatedCache::access(std::uint64_t address) {
    const std::uint64_t number = address / model_.line;
    const std::uint32_t sector = 1u << (address % model_.line / model_.sector);
    Line* const set = &lines_[set_of(number) * model_.ways];
    Line* const end = set + model_.ways;
    ++time_;
    for (Line* line = set; line != end; ++line)
        if (line->tag == number) {
            line->used = time_;
            const bool hit = line->sectors & sector;
            line->sectors |= sector;
            return hit;
        }
    Line* victim = std::min_element(set, end, [](const Line& a, const Line& b) { return a.used < b.used; });
    if (model_.replacement == Replacement::random && victim->tag != ~0ull) victim = set + random_.next() % model_.ways;
    *victim = {number, time_, sector};
    return false;
}

void SimulatedCache::drop() { std::fill(lines_.begin(), lines_.end(), Line{}); }

bool SimulatedTlb::access(std::uint64_t address) {
    const std::uint64_t page = address / model_.page;
    const auto found = known_.find(page);
    if (found != known_.end()) {
        used_.splice(used_.begin(), used_, found->second);
        return true;
    }
    if (used_.size() >= model_.entries) {
        known_.erase(used_.back());
        used_.pop_back();
    }
    used_.push_front(page);
    known_[page] = used_.begin();
    return false;
}

} // namespace sonde
