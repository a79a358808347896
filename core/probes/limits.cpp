// room: the most scratchpad that a workgroup can have, and the most constant memory that a kernel can: by trying, beside what the driver says.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/measure/structure_probe.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint64_t kTriedTimes = 4; // what the driver says: more than that is taken for no limit

/// Tries sizes and remembers the largest one that worked, the smallest one that did not, and why.
class Trials {
public:
    Trials(Bench& bench, Chase& chase) : bench_(bench), chase_(chase) {}

    /// A chase over all of it, its answer checked.
    void attempt(std::uint64_t bytes) {
        try {
            chase_.new_memory(bytes);
            if (chase_.memory()->bytes() < bytes) throw DoesNotFit(bench_.end_reason.substr(bench_.end_reason.find(": ") + 2)); // it took what there was
            chase_.build(bytes);
            bench_.take_pairs(static_cast<double>(bytes), 0, 64, chase_.most_steps(), [&](std::uint32_t steps) { return chase_.timed(steps); });
            taken_ = std::max(taken_, bytes);
        } catch (const DoesNotFit& error) { // a wrong answer or a lost device is no limit
            if (refused_ && bytes >= *refused_) return;
            refused_ = bytes;
            refusal_ = error.what();
        }
    }

    std::uint64_t taken() const { return taken_; }
    const std::optional<std::uint64_t>& refused() const { return refused_; }
    const std::string& refusal() const { return refusal_; }

private:
    Bench& bench_;
    Chase& chase_;
    std::uint64_t taken_ = 0;
    std::optional<std::uint64_t> refused_;
    std::string refusal_;
};

std::uint64_t said(const Bench& bench) {
    return bench.path.stage == Stage::scratchpad ? bench.info.scratchpad_bytes : bench.info.reach_of(bench.path.space).bytes;
}
} // namespace

static void measure_room(Bench& bench) {
    if (bench.info.cpu && bench.path.stage == Stage::scratchpad) throw Unsupported("a processor's scratchpad is ordinary memory");
    bench.wake_clocks();
    Chase chase(bench);
    const std::uint64_t granule = chase.granule(), all = said(bench) / granule;
    Trials trials(bench, chase);
    for (std::uint64_t times = 1; times <= kTriedTimes && !trials.refused(); times *= 2) trials.attempt(times * all * granule);
    while (trials.refused() && trials.taken() + granule < *trials.refused()) trials.attempt((trials.taken() + *trials.refused()) / 2 / granule * granule);
    if (trials.taken() == 0) throw Error(trials.refusal());
    bench.end_reason = trials.refused() ? fmt::format("ends before {}: {}", format_bytes(static_cast<double>(*trials.refused())), trials.refusal())
                                        : fmt::format("ends at {} times what the driver says", kTriedTimes);
    bench.evidence["reported_bytes"] = said(bench);
    bench.evidence["accepted_bytes"] = trials.taken();
    bench.evidence["rejected_bytes"] = trials.refused() ? Json(*trials.refused()) : Json(nullptr);
}

static std::vector<Finding> room_findings(const Series& series, const Json&) {
    const auto taken = series.evidence.find("accepted_bytes");
    if (taken == series.evidence.end()) return {};
    const double bytes = *taken, driver = series.evidence.value("reported_bytes", 0.0);
    const Json refused = series.evidence.value("rejected_bytes", Json(nullptr));
    const bool scratchpad = series.id.path == "scratchpad";
    Conclusion conclusion{bytes, bytes, refused.is_number() ? refused.get<double>() : std::numeric_limits<double>::infinity(), 0.95, "", {}};
    for (const CurvePoint& point : curve_of(series)) conclusion.x.push_back(point.bytes);
    return as_finding(series, conclusion, "limits", scratchpad ? "scratchpad" : "constant", "bytes", [&](double) {
        const std::string who = scratchpad ? "a workgroup can have" : "a kernel can have", what = scratchpad ? "scratchpad" : "constant memory";
        const std::string tried = refused.is_number() ? fmt::format("{} {} of {}", who, format_bytes(bytes), what) : fmt::format("{} {} of {} at least", who, format_bytes(bytes), what);
        if (bytes == driver) return tried + ", as the driver says";
        return fmt::format("{}, {} than the {} that the driver says", tried, bytes < driver ? "less" : "more", format_bytes(driver));
    });
}

const Probe kLimits{
    .name = "limits",
    .question = "Largest scratchpad per workgroup and constant memory per kernel?",
    .explanation = "Sizes are tried up to a multiple of what the driver reports, each with a chase over all of it whose result is checked.",
    .x_name = "requested",
    .x_unit = "bytes",
    .unit = "ns",
    .measure = Measure::time_per_step,
    .axis = Axis::place,
    .chart = Chart::facts,
    .run_noise = run_noise::alike,
    .paths = {"scratchpad", "constant"},
    .variants = {{}},
    .accepts = {},
    .quick = {.paths = {}, .variants = 0},
    .run = measure_room,
    .findings = room_findings,
    .kernel = latency_kernel,
};

} // namespace sonde
