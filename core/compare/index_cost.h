// What the code beside a load by index costs through two APIs of one card (its address, a check of its bounds), and
// which differences that is.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/compare/comparison.h"

namespace sonde {

/// Of loads by index beside loads by pointer, both within L1, in the comparison's unit: cycles or ns.
struct IndexCost {
    double a = 0, b = 0;
    std::string unit{};
    double more() const { return b - a; }
};

/// nullopt: either path was not measured, loads by pointer differ, or an index costs the same on both sides.
/// `comparisons`: of one pair of sides.
std::optional<IndexCost> index_cost(const std::vector<Comparison>& comparisons);

/// Names the index as the cause (`Comparison::by_index`) of those differences of a load by index whose interval holds
/// what an index costs more, of each pair of sides. To be called after judge().
void explain_by_index(std::vector<Comparison>& comparisons);

} // namespace sonde
