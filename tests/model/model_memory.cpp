// Lookup and replacement.
#include "tests/model/model_memory.h"

#include <algorithm>
#include <bit>

namespace sonde {

SimulatedCache::SimulatedCache(const CacheModel& model, std::uint64_t seed)
    : model_(model),
      line_shift_(std::countr_zero(model.line)),
      sector_shift_(std::countr_zero(model.sector)),
      random_(seed) {
    const std::uint64_t lines = std::max<std::uint64_t>(1, model.bytes >> line_shift_);
    // Random replacement knows no sets: any line may go, of as many as are drawn.
    if (model_.replacement == Replacement::random) model_.ways = 16;
    sets_ = std::max<std::uint64_t>(1, lines / model_.ways);
    tags_.resize(sets_ * model_.ways);
    used_.resize(tags_.size());
    sectors_.resize(tags_.size());
    drop();
}

std::uint64_t SimulatedCache::set_of(std::uint64_t number) const {
    if (model_.replacement == Replacement::lru) return number % sets_;
    const std::uint64_t hash = (number ^ (number >> 23)) * 0x9e3779b97f4a7c15ull;
    return (hash >> 20) % sets_;
}

bool SimulatedCache::access(std::uint64_t address) {
    const auto number = static_cast<std::uint32_t>(address >> line_shift_);
    const auto sector =
        static_cast<std::uint8_t>(1u << ((address >> sector_shift_) & ((1u << (line_shift_ - sector_shift_)) - 1)));
    const std::size_t begin = set_of(number) * model_.ways, end = begin + model_.ways;
    ++time_;
    if (model_.half && number % 2 == 1) return false;
    for (std::size_t line = begin; line != end; ++line)
        if (tags_[line] == number) {
            used_[line] = time_;
            const bool hit = sectors_[line] & sector;
            sectors_[line] |= sector;
            return hit;
        }
    std::size_t victim =
        static_cast<std::size_t>(std::min_element(&used_[begin], &used_[begin] + model_.ways) - used_.data());
    if (model_.replacement == Replacement::random && tags_[victim] != kNoLine)
        victim = begin + random_.next() % model_.ways;
    tags_[victim] = number;
    used_[victim] = time_;
    sectors_[victim] = sector;
    return false;
}

void SimulatedCache::expect(std::uint64_t address) const {
    const std::size_t begin = set_of(address >> line_shift_) * model_.ways;
    __builtin_prefetch(&tags_[begin]);
    __builtin_prefetch(&used_[begin]);
    __builtin_prefetch(&sectors_[begin]);
}

void SimulatedCache::drop() {
    std::fill(tags_.begin(), tags_.end(), kNoLine);
    std::fill(used_.begin(), used_.end(), 0u);
}

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
