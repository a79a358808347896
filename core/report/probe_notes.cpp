// The probes as the page's scripts read them.
#include "core/report/probe_notes.h"

#include <array>

#include "core/probes/probe.h"

namespace sonde {

namespace {
Json note_of(const Probe* probe) {
    constexpr std::array kAxes{"footprint", "amount", "place"};
    constexpr std::array kCharts{"curve", "cores", "core_pairs", "memory_map", "facts"};
    if (!probe) return {{"question", ""}, {"explanation", ""}, {"chart", kCharts[0]}, {"axis", kAxes[1]}};
    return {{"question", probe->question}, {"explanation", probe->explanation}, {"chart", kCharts[static_cast<std::size_t>(probe->chart)]}, {"axis", kAxes[static_cast<std::size_t>(probe->x.axis)]}};
}
} // namespace

Json probe_notes(std::span<const Run> runs) {
    Json notes = Json::object();
    for (const Run& run : runs)
        for (const Series& series : run.series)
            if (!notes.contains(series.id.probe)) notes[series.id.probe] = note_of(find_probe(series.id.probe));
    return notes;
}

} // namespace sonde
