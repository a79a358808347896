// A rule about APIs whose kernels read no clock of the core: cycles from a chain whose steps another API of the same card counts.
#include <algorithm>

#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
/// A dependent operation as one device runs it.
struct KnownStep {
    const Curve* curve = nullptr;
    double ns = 0;
    std::optional<double> cycles{};
};

std::vector<KnownStep> steps_of(const Card& card, std::string_view operation) {
    std::vector<KnownStep> steps;
    for (const Curve* curve : curves_of(card, "operation")) {
        const auto& points = curve->series->points;
        const auto longest = std::ranges::max_element(points, {}, &Point::x);
        if (curve->series->id.options != Options{{"operation", std::string(operation)}} || longest == points.end() || !longest->median || curve->device->cpu) continue;
        steps.push_back({curve, *longest->median, curve->device->core_cycles ? longest->cycles : std::nullopt});
    }
    return steps;
}

/// "L1 34.1, L2 262"; empty: the device's loads were not measured.
std::string derived_levels(const Curve* latency, double mhz) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; latency && i < latency->levels.size(); ++i)
        if (latency->levels[i].value && !latency->levels[i].cycles) texts.push_back(fmt::format("{} {:.4g}", latency->level_names[i], *latency->levels[i].value * mhz / 1e3));
    return fmt::format("{}", fmt::join(texts, ", "));
}
} // namespace

const Rule derived_cycles{"derived_cycles", "path", "Cycles where an API has no clock of the core", [](const Card& card, Statements& out) {
    for (const char* operation : {"fma.f32", "mad.u32"}) {
        const auto steps = steps_of(card, operation);
        const auto known = std::ranges::find_if(steps, [](const KnownStep& step) { return step.cycles.has_value(); });
        if (known == steps.end()) continue;
        for (const KnownStep& step : steps) {
            if (step.cycles || step.ns <= 0 || step.curve->device->core_cycles) continue;
            const double mhz = *known->cycles / step.ns * 1e3;
            const Curve* latency = plain_curve(card, "latency", device_text(step.curve), "global");
            const std::string levels = derived_levels(latency, mhz);
            if (levels.empty()) continue;
            say(out, {latency, step.curve, known->curve}, "Derived cycles of a load, as {} has no clock of the core: {}. A step of {} takes {:.4g} cycles through {} and {:.4g} ns here, which is {:.0f} MHz.", device_text(step.curve), levels,
                operation, *known->cycles, device_text(known->curve), step.ns, mhz);
        }
        return;
    }
}};

} // namespace sonde
