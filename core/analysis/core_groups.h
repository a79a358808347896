// Groups of cores by how long pairs of them take to exchange a word, and of cores and lines by how far each line is
// from each core.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sonde {

/// Places of two cores in the list of cores, and what they take. A pair may be given in both orders: the mean counts,
/// once.
struct PairTime {
    std::size_t first, second;
    double time;
};

struct CoreGroups {
    std::vector<std::size_t> near{}, far{}; // places of the cores, ascending; `near` is the group of the faster pairs
    double within_near = 0, within_far = 0, across = 0; // medians over the pairs
};

/// The split of the cores into two groups for which three means (within the one, within the other, across) leave the
/// least squares of ln time, by moving one core after the other from several beginnings. nullopt where it explains less
/// than a fifth of the variance or less than three times what a split of the same times explains when they are shuffled
/// among the pairs; or for fewer than four cores.
std::optional<CoreGroups> core_groups(std::span<const PairTime> pairs);

/// The two parts of a cache, each with the cores that are near to it and the lines that live in it, by their places.
struct CacheParts {
    std::array<std::vector<std::size_t>, 2> cores{}, lines{};
    double near = 0, far = 0; // medians over cores and lines of one part, and of different ones
};

/// `times[core][line]`: of a load; all rows are as long. Cores and lines are split as core_groups splits cores, by what
/// is left of ln time once each core's mean and each line's are taken off. nullopt where that finds no split, or the
/// far part is less than 3 % farther.
std::optional<CacheParts> cache_parts(const std::vector<std::vector<double>>& times);

} // namespace sonde
