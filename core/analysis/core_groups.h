// Groups of cores by how long pairs of them take to exchange a word.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sonde {

/// Places of two cores in the list of cores, and what they take. A pair may be given in both orders: the mean counts, once.
struct PairTime {
    std::size_t first, second;
    double time;
};

struct CoreGroups {
    std::vector<std::size_t> near{}, far{};              // places of the cores, ascending; `near` is the group of the faster pairs
    double within_near = 0, within_far = 0, across = 0; // medians over the pairs
};

/// The split of the cores into two groups for which three means (within the one, within the other, across) leave the least squares of ln time, by
/// moving one core after the other from several beginnings. nullopt where it explains less than a fifth of the variance or less than three
/// times what a split of the same times explains when they are shuffled among the pairs; or for fewer than four cores.
std::optional<CoreGroups> core_groups(std::span<const PairTime> pairs);

} // namespace sonde
