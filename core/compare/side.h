// One side of a comparison: a device as one run saw it, or several, and its curves in the units by which noise is
// judged.
#pragma once
#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/card_view.h"
#include "core/analysis/published.h"
#include "core/data/finding.h"
#include "core/data/results.h"

namespace sonde {

/// A device in a run, and the card as that whole run shows it, which has the levels. The run outlives what points at
/// it.
struct DeviceRun {
    const Run* run = nullptr;
    const DeviceRecord* device = nullptr;
    std::shared_ptr<const Card> card{};            // none, where the card has no series
    std::function<bool(const SeriesKey&)> asked{}; // none: whatever the run answers is compared

    bool compares(const SeriesKey& question) const { return !asked || asked(question); }

    /// nullptr: it does not answer that question.
    const Curve* curve(const SeriesKey&) const;
};
/// One for each device of the run, in its order.
std::vector<DeviceRun> recordings_of(const Run&);

struct Side {
    std::string label{};                 // what the output calls it
    std::vector<DeviceRun> recordings{}; // not empty; all of one card, driver and API
    const DeviceRecord& device() const { return *recordings.front().device; }
};

/// The questions that a subject has an answer to (a series that is ok), in the order of its first recording.
std::vector<SeriesKey> questions_of(const Side&);
/// Of files that other tools wrote: what has no curve, of the side's device.
std::vector<PublishedFigure> figures_of(const Side&);
/// Series that a comparison leaves out although they have values, each with the reason that the file gives: one line
/// each.
std::vector<std::string> unstable_series(const Side&);

/// How values are put: as measured, or so that clock, core count or the DRAM's peak cancel out.
enum class View { ns, cycles, per_clock, dram_peak };
std::optional<View> view_of(std::string_view name); // "ns", "cycles", "per-clock", "dram-peak"

/// Values of one unit by footprint, as natural logarithms.
using LogCurve = std::map<double, double>;

/// The answer of a subject. A unit is a block of its run (own chain, own time), or a whole run where there are several:
/// never a sample, for samples of one block share what chance did to that block (Hurlbert 1984, "Pseudoreplication and
/// the design of ecological experiments").
struct Replicates {
    const Side* side = nullptr;
    SeriesKey question{};
    std::string unit{}; // "ns", "cycles", "GB/s", "B/clk/core", "% of peak"
    bool rate = false;  // more is faster
    bool of_runs = false;
    bool of_processor = false; // threads of a processor, placed as its system likes
    bool imported = false;     // another tool's
    std::vector<LogCurve> units{};
    LogCurve scatter{};            // standard deviation of ln of a sample, by the quartiles of each footprint
    std::vector<Finding> levels{}; // as the card's view has them; `x`: the footprints on each
    bool by_latency = false;       // of a rate: they are the latency's; else this curve's own
    std::vector<std::vector<ShapeChoice>> shapes{}; // of each recording that chose among launch shapes, by footprint
    std::map<double, double> launch_ns{}; // of a workload, by place: the shortest launch that its dispatches, timed by
                                          // the host's clock, can be made of
    std::string why_not{}; // one line, where the view needs what the file does not have; then all else is empty
};
Replicates replicates_of(const Side&, const SeriesKey&, View);

/// The median of all units at each footprint.
LogCurve middle_of(const std::vector<LogCurve>& units);

/// Values of the units: of each the median on those of the footprints that it has. Units that have none are left out.
std::vector<double> unit_values(const Replicates&, const std::vector<double>& footprints);

/// The launch shapes that were taken there: "4x512x4", or several, in order; "" where the probe chooses none.
std::string shapes_at(const Replicates&, const std::vector<double>& footprints);
/// By how much the rates of the sides' shapes differed where both were tried, at the trials before and behind each
/// footprint, as ln: the median; 0 where the shapes are the same.
double shapes_apart(const Replicates& a, const Replicates& b, const std::vector<double>& footprints);

/// Where a level ends: from the smallest last footprint on it to the largest first one off it, over all units. nullopt
/// where the curve ends on it, or where not every unit shows it by itself: then noise had a part in where it was seen
/// to end.
std::optional<std::pair<double, double>> capacity_range(const Replicates&, const Finding& level);

/// How many levels every single unit has on these footprints; nullopt where they do not agree or have none.
std::optional<std::size_t> agreed_levels(const Replicates&, const std::vector<double>& footprints);

/// A finding that is a number of its own and not a point of the curve: line size, number of banks, TLB reach.
struct FoundFact {
    std::string kind, name, unit;    // "line", "L1", "bytes"
    std::string item;                // "line of L1"
    std::pair<double, double> range; // between which it lies; equal for one that is exact
    std::optional<double> cost{};    // of a reach: what a miss takes
    bool same(const FoundFact& other) const { return kind == other.kind && name == other.name && unit == other.unit; }
};
/// Those that every recording of the side has to this question, in the first one's order; ranges of several recordings
/// joined.
std::vector<FoundFact> facts_of(const Side&, const SeriesKey&);

} // namespace sonde
