// What of a probe's answer is compared: by what its curve goes, how far its values move from run to run, and which of its conclusions stand alone.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/compare/side.h"

namespace sonde {

/// footprint: a staircase, whose levels are compared. amount: each x is a case of its own, such as a number of workgroups. place: one value by
/// where it was taken, such as by core: only the middle says something of the card.
enum class Axis { footprint, amount, place };

struct Compared {
    std::string_view probe;
    Axis axis;
    /// Standard deviation from run to run that blocks of one run cannot show, of a logarithm. Blocks share the memory that a series has, and so
    /// the slice of the last level in which a single line lies, and what the host did meanwhile.
    double run_noise;
};
/// Throws Error for a probe that the table does not have.
const Compared& compared(std::string_view probe);
/// amount for one that it does not have.
Axis axis_of(std::string_view probe);

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
