// channels: rate of many streams from DRAM by the distance between them: where they meet in few channels, they slow
// down.
#include "core/analysis/traffic.h"
#include "core/base/statistics.h"
#include "core/measure/pattern.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kStreamBytes = 4;  // of an element
constexpr std::uint32_t kStreamLine = 32;  // elements: what streams stand apart beside each other
constexpr std::uint64_t kLeastApart = 256; // bytes between streams
constexpr std::uint64_t kCacheUnlessKnown = 2 << 20;

/// Each lane is a stream; so are the subgroups that load at the same time. All advance a line once all streams had
/// their turn.
Pattern streams(std::uint64_t distance, std::uint32_t lanes, std::uint64_t bytes) {
    const auto apart = static_cast<std::uint32_t>(distance / 4);
    const std::uint32_t subgroups = std::bit_floor(static_cast<std::uint32_t>(bytes / distance / lanes)),
                        lines = std::max(1u, std::bit_floor(apart) / kStreamLine);
    return {.lanes = lanes,
        .across = lanes,
        .stride = apart,
        .row_mask = subgroups - 1,
        .row_shift = static_cast<std::uint32_t>(std::countr_zero(subgroups)),
        .window_across = apart * lanes,
        .window_down = kStreamLine,
        .windows = subgroups * lines,
        .windows_are = Pattern::Windows::in_rows};
}

KernelChoice channels_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return pattern_kernel(info, {.element_bytes = kStreamBytes, .windows = Pattern::Windows::in_rows});
}

void measure_channels(Bench& bench) {
    const std::uint32_t lanes = bench.info.subgroup;
    if (bench.info.cpu) throw Unsupported("on a processor streams compete in its caches");
    const std::uint64_t cache = bench.last_level(kCacheUnlessKnown);
    const std::uint64_t bytes =
        std::bit_floor(std::min(bench.largest_footprint().bytes, std::max<std::uint64_t>(32 * cache, 1ull << 30)));
    bench.wake_clocks();
    PatternRunner runner(bench, {.element_bytes = kStreamBytes, .windows = Pattern::Windows::in_rows}, bytes);
    std::vector<std::uint64_t> distances;
    for (std::uint64_t distance = kLeastApart; distance * lanes * 4 <= bytes; distance *= 2)
        distances.insert(distances.end(), {distance, distance + kStreamLine * 4});
    if (distances.size() < 8)
        throw Unsupported(fmt::format("{} are too few for streams far apart", format_bytes(bytes)));
    const auto prepare = [&](std::uint64_t distance, const std::string&) {
        runner.aim(streams(distance, lanes, runner.bytes()));
        return Work{.most = runner.most()};
    };
    bench.measure({.begin = [&](int) { runner.new_memory(); },
                      .prepare = prepare,
                      .dispatch = [&](std::uint64_t, std::uint32_t count) { return runner.timed(count); }},
        distances);
    bench.evidence.footprint_bytes = runner.bytes();
    bench.evidence.unit_of_work = "bytes that the lanes asked for, 4 of each line of 128";
}

std::vector<Finding> channels_findings(const Series& series, const DeviceInfo&) {
    std::vector<CurvePoint> apart, beside;
    for (const CurvePoint& point : curve_of(series)) (is_power_of_two(point.x) ? apart : beside).push_back(point);
    const Conclusion stripe = channel_stripe(apart, beside);
    Finding found = finding_of(series, stripe, "stripe", "bytes", [&](double distance) {
        return fmt::format("streams {} apart or more are up to {:.3g} times slower than with one line added: "
                           "consistent with channel conflicts",
            format_bytes(distance), stripe.high);
    });
    if (found.value)
        found.rows = {{"streams are slower from this distance on", *found.value, "bytes"},
            {"at most this many times", stripe.high, "times"}};
    return {found};
}
} // namespace

const Probe kChannels{
    .name = "channels",
    .question = "Do power-of-two strides cause channel conflicts?",
    .explanation = "Streams at a power-of-two distance read DRAM, then the same streams a line farther apart. Where "
                   "the first is slower, the streams meet in few memory channels.",
    .picture =
        "Equal at both distances where addresses are hashed; a dip at powers of two where streams meet in one channel.",
    .x = {"distance", "bytes"},
    .unit = "GB/s",
    .run_noise = run_noise::alike,
    .paths = {"global"},
    .quick = {.seconds = 0.29},
    .run = measure_channels,
    .findings = channels_findings,
    .kernel = channels_kernel,
};

} // namespace sonde
