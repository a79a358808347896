// Which series of results files a command takes: the same words for every command that reads them.
#pragma once
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/card_view.h"
#include "core/data/results.h"
#include "core/device/device.h"

namespace sonde {

/// Words behind --device, --probe and --path; none of a kind: all.
struct SeriesWords {
    std::vector<std::string> devices{}, probes{}, paths{};
    bool empty() const { return devices.empty() && probes.empty() && paths.empty(); }
};

/// An option that chooses among series.
struct Selector {
    std::string_view name, about; // "path"; for --help
    std::vector<std::string> SeriesWords::*words;
    bool (*chooses)(const std::string& word, const Series&, const DeviceInfo&);
    /// What chooses the series, for who mistyped a word.
    std::vector<std::string> (*names)(const Series&);
};
std::span<const Selector> selectors();

/// Whether the words choose that series of the run.
bool is_chosen(const SeriesWords&, const Series&, const Run&);

template <class Runs> std::vector<const Run*> pointers_to(const Runs& runs) {
    std::vector<const Run*> all;
    all.reserve(runs.size());
    for (const Run& run : runs) all.push_back(&run);
    return all;
}

/// Whether they choose a question: devices say nothing of it.
bool asks(const SeriesWords&, const SeriesKey&);

/// Throws UsageError for a word that chooses none of these runs' series, or none of those that the options before it
/// leave, with the nearest names that do. `file`: of the runs, as a person knows it.
void check_choice(const SeriesWords&, std::span<const Run* const> runs, const std::string& file);

/// Cards of which series that are not chosen are left out: levels and their names are those of the whole.
void leave_out(std::vector<Card>& cards, const SeriesWords&, std::span<const Run> runs);

} // namespace sonde
