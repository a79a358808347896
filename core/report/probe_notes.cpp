// The table of probes as the page's scripts read it.
#include "core/report/probe_notes.h"

#include <algorithm>
#include <array>

#include "core/compare/facts.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
struct Drawing {
    std::string_view probe, chart, explanation = {}; // chart: curve, bars, cores, memory_map, core_pairs, facts
};
constexpr std::array kDrawings{
    Drawing{"latency", "curve", "One work-item follows a chain of pointers in random order, so that each load waits for the one before. The time per load is a staircase: a step where the footprint outgrows a level."},
    Drawing{"bandwidth", "curve", "Every core reads the whole footprint with independent loads. The rate drops where the footprint outgrows a level."},
    Drawing{"map", "cores"},
    Drawing{"neighbours", "cores"},
    Drawing{"segments", "memory_map"},
    Drawing{"segment-latency", "memory_map"},
    Drawing{"handoff", "core_pairs"},
    Drawing{"room", "facts"},
};

/// until Probe has it: its `chart`, `axis` and `explanation`
Json drawing_of(const Probe& probe) {
    constexpr std::array kAxes{"footprint", "amount", "place"};
    const auto found = std::find_if(kDrawings.begin(), kDrawings.end(), [&](const Drawing& each) { return each.probe == probe.name; });
    const Drawing drawing = found == kDrawings.end() ? Drawing{probe.name, "curve"} : *found;
    return {{"chart", drawing.chart}, {"axis", kAxes[static_cast<std::size_t>(axis_of(probe.name))]}, {"explanation", drawing.explanation}};
}
} // namespace

Json probe_notes(std::span<const Run> runs) {
    Json notes = Json::object();
    for (const Run& run : runs)
        for (const Series& series : run.series) {
            Json& note = notes[series.id.probe];
            if (!note.is_null()) continue;
            const Probe* probe = find_probe(series.id.probe);
            note = probe ? drawing_of(*probe) : Json{{"chart", "curve"}, {"axis", "amount"}, {"explanation", ""}};
            note["question"] = probe ? probe->question : "";
        }
    return notes;
}

} // namespace sonde
