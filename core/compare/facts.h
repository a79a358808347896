// Conclusions of a series that are compared by themselves, beside its curve.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/compare/side.h"

namespace sonde {

/// A conclusion that is a number and not a curve's value: a line's bytes, the banks, how far translation reaches.
struct FoundFact {
    std::string kind, name, unit;    // "line", "L1", "bytes"
    std::pair<double, double> range; // between which it lies; equal for one that is exact
    std::string item() const;        // "line of L1"
    bool operator==(const FoundFact&) const = default;
};
/// Those that every recording of the subject has to this question, in the file's order; ranges of several recordings joined.
std::vector<FoundFact> facts_of(const Side&, const SeriesKey&);

} // namespace sonde
