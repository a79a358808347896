// Conclusions of a series that are compared by themselves, beside its curve.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/compare/side.h"

namespace sonde {

/// A finding that is a number of its own and not a point of the curve: line size, number of banks, TLB reach.
struct FoundFact {
    std::string kind, name, unit;    // "line", "L1", "bytes"
    std::pair<double, double> range; // between which it lies; equal for one that is exact
    std::string item() const;        // "line of L1"
    bool operator==(const FoundFact&) const = default;
};
/// Those that every recording of the subject has to this question, in the file's order; ranges of several recordings joined.
std::vector<FoundFact> facts_of(const Side&, const SeriesKey&);

} // namespace sonde
