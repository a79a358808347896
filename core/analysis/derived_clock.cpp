#include "core/analysis/derived_clock.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/data/shared_options.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
/// A dependent operation as one device runs it.
struct KnownStep {
    const Curve* curve = nullptr;
    double ns = 0;
    std::optional<double> cycles{};
};

std::vector<KnownStep> steps_of(const Card& card, const std::string& operation) {
    std::vector<KnownStep> steps;
    for (const Curve& curve : card.curves) {
        const Series& series = *curve.series;
        const Point* taken = latency_point(series);
        const bool usable = curve.usable() && role_of(series.id) == Role::step &&
                            series.id.options == option::operation.as(operation) && !curve.device->cpu;
        if (usable && taken && taken->median.value_or(0) > 0)
            steps.push_back({&curve, *taken->median, curve.device->core_cycles ? taken->cycles : std::nullopt});
    }
    return steps;
}
} // namespace

const Point* latency_point(const Series& series) {
    const auto shown = std::ranges::find(series.points, kLatencySteps, &Point::x);
    if (shown != series.points.end()) return &*shown;
    const auto longest = std::ranges::max_element(series.points, {}, &Point::x);
    return longest == series.points.end() ? nullptr : &*longest;
}

std::string DerivedClock::note() const {
    return fmt::format(
        "* cycles of {} are derived, as its kernels read no clock of the core: a step of {} takes {:.4g} "
        "cycles through {} and {:.4g} ns here, which is {:.0f} MHz",
        step->series->id.device, operation, cycles, known->series->id.device, ns, mhz());
}

std::vector<DerivedClock> derived_clocks(const Card& card) {
    for (const char* operation : {"fma.f32", "mad.u32"}) {
        const auto steps = steps_of(card, operation);
        const auto known = std::ranges::find_if(steps, [](const KnownStep& step) { return step.cycles.has_value(); });
        if (known == steps.end()) continue;
        std::vector<DerivedClock> clocks;
        for (const KnownStep& step : steps)
            if (!step.curve->device->core_cycles)
                clocks.push_back({.step = step.curve,
                    .known = known->curve,
                    .operation = operation,
                    .ns = step.ns,
                    .cycles = *known->cycles});
        return clocks;
    }
    return {};
}

} // namespace sonde
