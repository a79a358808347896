// Findings from a series: what every probe's conclusions have in common. Confidence comes from the spread of the
// samples, or is left out.
#pragma once
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/structure.h"
#include "core/data/finding.h"

namespace sonde {

/// The point with the highest value; `curve` is not empty.
const CurvePoint& highest(std::span<const CurvePoint> curve);

/// By more than a tenth.
bool is_much_lower(const CurvePoint& rate, const CurvePoint& best);

/// Whether the listing of a series shows, in the place of a matrix form's own instruction, the one that stands in for
/// it (MatrixForm::emulated_by).
bool is_emulated(const Series&, std::string_view stand_in);

/// Unit of a finding of two kinds of operation that one chain takes in turn, and how near 1 its value is where that
/// costs nothing.
inline constexpr std::string_view kTimesMeanOfBoth = "times the mean of both";
inline constexpr double kAtMean = 0.03;
inline bool is_mean_of_both(double times) { return std::abs(times - 1) <= kAtMean; }

/// The neighbours of a point, which is an element of the curve, itself among them, whose values are within `share` of
/// its own.
std::span<const CurvePoint> plateau_around(
    std::span<const CurvePoint> curve, const CurvePoint& point, double share = 0.03);

/// Medians of a point's pairs in the series' unit, one for each block; none where the file has no samples.
std::vector<double> values_by_block(const Series&, const Point&);
/// A rate's least and greatest median of a block, where they lie so far apart (5 %, and farther than the pairs of each
/// of the two) that no block may have the median of all.
std::optional<std::pair<double, double>> rates_of_blocks(const Series&, double x);

/// "2 MiB", "4096 cells", "2-4 MiB", "4096 to 8192 cells".
std::string place_text(const AxisText&, double from, double to);
std::string place_text(const AxisText&, double x);

/// "mma.f16.f32.m16n8k16 latency": of an operation that depends on the one before.
std::string latency_finding(std::string_view operation);
/// `found` with the series' identity. Its kind is the probe's name and its unit the series' where it names none.
Finding finding_of(const Series&, Finding found);

/// The same without a sentence: all that it says are numbers and names.
Finding told_by_rows(Finding found, std::vector<FindingRow> rows);

/// The finding that a conclusion is: `text` of its value (null: none), or the reason why it has none. Confidence: as
/// far as the curve's shape shows, times the chance that the two sides of the decision differ by more than their
/// samples scatter (Welch's test); absent where neither is known.
Finding finding_of(const Series&, const Conclusion&, const std::string& name, const std::string& unit,
    const std::function<std::string(double value)>& text);

/// The finding of two_groups() on a series by cores or pairs of them. `who`, `does`: "cores" and "load one line in".
/// The value is what lies between the fastest and the slowest.
Finding groups_finding(const Series&, std::string_view who, std::string_view does);

} // namespace sonde
