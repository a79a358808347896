// limits: the largest scratchpad of a workgroup and constant memory of a kernel, by trying, beside what the driver
// reports.
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint64_t kTriedTimes = 4; // what the driver reports: more is not tried

/// Whether a kernel runs that declares so much by itself.
bool runs_as_array(Bench& bench, std::uint64_t bytes) {
    const auto measuring = bench.measuring; // of what the points are
    bool runs = true;
    try {
        Chase chase(bench, {.static_bytes = static_cast<std::uint32_t>(bytes)});
        chase.new_memory(bytes);
        chase.build(bytes);
        chase.timed(64);
    } catch (const Refusal&) { // a wrong answer or a lost device is no limit
        runs = false;
    }
    bench.measuring = measuring;
    return runs;
}

void measure_limits(Bench& bench) {
    const bool scratchpad = bench.path.stage == Stage::scratchpad;
    if (bench.info.cpu && scratchpad) throw Unsupported("a processor's scratchpad is ordinary memory");
    bench.wake_clocks();
    Chase chase(bench);
    const std::uint64_t reported =
                            scratchpad ? bench.info.scratchpad_bytes : bench.info.reach_of(bench.path.space).bytes,
                        granule = chase.granule();
    std::uint64_t taken = 0, refused = 0; // 0: none yet
    std::string refusal;
    const auto attempt = [&](std::uint64_t bytes) { // a chase over all of it, its answer checked
        try {
            chase.new_memory(bytes);
            if (chase.memory()->bytes() < bytes) throw DoesNotFit(bench.ending.value().why); // it took what there was
            chase.build(bytes);
            bench.take_pairs(static_cast<double>(bytes), 0, {.granule = 64, .most = chase.most_steps()},
                [&](std::uint32_t steps) { return chase.timed(steps); });
            taken = bytes;
        } catch (const DoesNotFit& error) { // a wrong answer or a lost device is no limit
            refused = bytes;
            refusal = error.what();
        }
    };
    for (std::uint64_t times = 1; times <= kTriedTimes && !refused; times *= 2)
        attempt(times * (reported / granule) * granule);
    while (refused && taken + granule < refused) attempt((taken + refused) / 2 / granule * granule);
    if (taken == 0) throw Error(refusal);
    bench.ending = refused ? Ending{.by = EndedBy::device, .before = static_cast<double>(refused), .why = refusal}
                           : Ending{.why = fmt::format("ends at {} times what the driver reports", kTriedTimes)};
    bench.evidence.reported_bytes = reported;
    bench.evidence.accepted_bytes = taken;
    if (refused) bench.evidence.rejected_bytes = refused;
    const std::uint64_t whole = reported / granule * granule;
    if (scratchpad && taken < whole) bench.evidence.static_bytes = runs_as_array(bench, whole) ? whole : 0;
}

std::vector<Finding> limits_findings(const Series& series, const DeviceInfo&) {
    const Evidence& tried = series.evidence;
    if (!tried.accepted_bytes) return {};
    const auto bytes = static_cast<double>(*tried.accepted_bytes),
               reported = static_cast<double>(tried.reported_bytes.value_or(0));
    const bool scratchpad = series.id.path == "scratchpad", refused = tried.rejected_bytes.has_value();
    const std::string text = fmt::format("{} of {} {}{}{}", refused ? "limit" : "no limit",
        scratchpad ? "scratchpad per workgroup" : "constant memory", refused ? "is " : "seen up to ",
        format_bytes(bytes),
        bytes == reported ? std::string(", as the driver reports")
                          : fmt::format(", {} than the {} that the driver reports", bytes < reported ? "less" : "more",
                                format_bytes(reported)));
    const std::string what = scratchpad ? "scratchpad of a workgroup" : "constant memory";
    std::vector<FindingRow> rows{{what + ", most that runs", bytes, "bytes"}};
    if (refused) rows.push_back({what + ", least refused", static_cast<double>(*tried.rejected_bytes), "bytes"});
    rows.push_back({what + ", by the driver", reported, "bytes"});
    return {finding_of(series, {.name = scratchpad ? "scratchpad" : "constant",
                                   .value = bytes,
                                   .unit = "bytes",
                                   .rows = std::move(rows),
                                   .text = text})};
}
} // namespace

const Probe kLimits{
    .name = "limits",
    .question = "Largest scratchpad per workgroup and constant memory per kernel?",
    .explanation = "Sizes are tried up to a multiple of what the driver reports, each with a chase over all of it "
                   "whose result is checked.",
    .picture = "A table of sizes that were taken and refused, beside what the driver reports.",
    .x = {"requested", "bytes", Axis::place},
    .chart = Chart::facts,
    .run_noise = run_noise::alike,
    .compared = {{"limits", "limit of {}"}},
    .published = {.method = "", .size = "limit of {}", .other = "limit of {}"}, // a limit is what an API says it is
    .paths = {"scratchpad", "constant"},
    .quick = {.seconds = 0.08},
    .run = measure_limits,
    .findings = limits_findings,
    .kernel = latency_kernel,
};

} // namespace sonde
