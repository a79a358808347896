// line: how much a miss of a level brings (two loads of a slot, by their distance), and the line that is looked up as a
// whole (slots that span 1.7 times what the level holds, by stride: half as many lines fit, and of so many a cache
// misses enough however it replaces). An index that is not hashed spoils that: at twice the stride half as many lines
// lie in half of the sets. So the strides are taken a second time, each slot's load moved by a choice of its own, which
// reaches all sets; these decide.
#include <bit>

#include "core/analysis/card_view.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint64_t kDistances[] = {16, 32, 48, 64, 96, 128, 160, 192, 256};
constexpr std::uint64_t kStrides[] = {32, 64, 128, 256, 512, 1024};
constexpr double kSpanned = 1.7;
constexpr std::uint32_t kFetchSlot = 512;  // bytes: no two slots share what one fetch brings
constexpr std::uint32_t kLikelyLine = 128; // bytes
constexpr std::uint32_t kLeastStride = 32; // bytes

const Choice<std::size_t> kLevel{option::level, {{"1", 0}, {"2", 1}}};

/// So many slots that their lines do not fit the level, if lines are no larger than likely.
ChainShape fetch_shape(const Chase& chase, const Level& level, std::uint64_t distance) {
    const double wanted = 4 * level.capacity_on / kLikelyLine;
    const auto slots = static_cast<std::uint64_t>(std::min(wanted, static_cast<double>(chase.largest() / kFetchSlot)));
    if (static_cast<double>(slots) * kLikelyLine < 2 * level.capacity_on)
        throw Unsupported(fmt::format("this path's memory ends at {}: too little to miss a level of {}",
            format_bytes(chase.largest()), format_bytes(level.capacity_on)));
    return {.slots = static_cast<std::uint32_t>(slots),
        .shift = std::countr_zero(kFetchSlot / 4),
        .second = static_cast<std::uint32_t>(distance / 4)};
}

ChainShape stride_shape(const Level& level, std::uint64_t stride, bool spread = false) {
    const double bytes = kSpanned * level.capacity_off.value_or(level.capacity_on);
    return {.slots = static_cast<std::uint32_t>(bytes / static_cast<double>(stride)),
        .shift = static_cast<std::uint32_t>(std::countr_zero(stride / 4)),
        .spread = spread};
}

/// In the evidence, not reported as points.
void note_moved_loads(Bench& bench, Chase& chase, const Level& level) {
    for (const std::uint64_t stride : kStrides) {
        if (stride == kLeastStride) continue; // leaves no choice
        chase.build(stride_shape(level, stride, true), fmt::format("{} bytes of stride, moved within", stride));
        const double ns =
            bench.rough_slope(64, chase.most_steps(), [&](std::uint32_t steps) { return chase.timed(steps); });
        bench.evidence.offset_within_line.push_back({stride, ns});
    }
}

std::vector<CurvePoint> moved_loads_in(const Evidence& evidence) {
    std::vector<CurvePoint> curve;
    for (const MovedLoads& point : evidence.offset_within_line)
        curve.push_back({static_cast<double>(point.bytes), point.ns});
    return curve;
}
} // namespace

namespace {
/// Strides beyond the line at which loads still miss where they are not shifted, and the share that does.
struct UnlikeStrides {
    double first = 0, last = 0, least = 1, most = 0;

    std::string text() const {
        const std::string low = fmt::format("{:.0f}", 100 * least), high = fmt::format("{:.0f}", 100 * most);
        return fmt::format(", by addresses shifted by part of a stride; at unshifted strides of {}{:.0f} bytes {}{} % "
                           "of loads miss, cause unknown",
            first < last ? fmt::format("{:.0f} to ", first) : "", last, low == high ? "" : low + " to ", high);
    }
};
} // namespace

/// Where loads at unshifted strides beyond the line still miss, the shifted ones decide. nullopt: both agree.
static std::optional<UnlikeStrides> unlike_strides(
    std::span<const CurvePoint> plain, double line, double hit, double miss) {
    constexpr double kMisses = 0.25; // share of what a miss costs more
    UnlikeStrides unlike;
    for (const CurvePoint& point : plain) {
        const double share = std::clamp((point.y - hit) / (miss - hit), 0.0, 1.0);
        if (point.x <= line || share <= kMisses) continue;
        if (unlike.first == 0) unlike.first = point.x;
        unlike.last = point.x, unlike.least = std::min(unlike.least, share), unlike.most = std::max(unlike.most, share);
    }
    return unlike.last > 0 ? std::optional(unlike) : std::nullopt;
}

static void measure_line(Bench& bench) {
    const auto& options = bench.request.id.options;
    const bool fetch = option::fetch.in(options);
    bench.wake_clocks();
    Chase chase(bench, {.slot_bytes = fetch ? 0 : kLeastStride});
    chase.new_memory();
    const Level level = level_of(chase.levels(kLevel.in(options) == 0 ? kFirstLevelEnds : ~0ull), kLevel.in(options));
    const std::span<const std::uint64_t> xs = fetch ? std::span<const std::uint64_t>(kDistances) : kStrides;
    sweep_shapes(bench, chase, {xs.begin(), xs.end()},
        [&](std::uint64_t x) { return fetch ? fetch_shape(chase, level, x) : stride_shape(level, x); });
    if (!fetch) note_moved_loads(bench, chase, level);
}

static std::vector<Finding> line_findings(const Series& series, const DeviceInfo& device) {
    const auto& levels = series.evidence.levels;
    const std::size_t level = kLevel.in(series.id.options);
    if (level + 1 >= levels.size()) return {};
    const bool fetch = option::fetch.in(series.id.options);
    const auto curve = curve_of(series);
    Conclusion conclusion =
        fetch ? fetched_bytes(curve)
              : line_bytes(curve, moved_loads_in(series.evidence), levels[level].ns, levels[level + 1].ns);
    const auto unlike = fetch || !conclusion.value
                            ? std::nullopt
                            : unlike_strides(curve, *conclusion.value, levels[level].ns, levels[level + 1].ns);
    if (unlike && device.cpu)
        conclusion = Conclusion::inconclusive("unshifted strides and shifted ones do not agree; a processor also "
                                              "fetches neighbours of a line that is missed");
    const bool constant = find_path(series.id.path) && family_of(*find_path(series.id.path)) == Family::constant;
    const std::string name = fmt::format("{}L{}", constant ? "constant cache " : "", level + 1);
    Finding found = finding_of(series, conclusion, name, "bytes", [&](double bytes) {
        return fetch ? fmt::format("a miss of {} fetches {:.0f} bytes", name, bytes)
                     : fmt::format("{} has lines of {:.0f} bytes{}", name, bytes, unlike ? unlike->text() : "");
    });
    if (unlike && found.value)
        found.rows = {{"line of " + name, *found.value, "bytes"},
            {"missing strides, unshifted", unlike->last, "bytes", std::pair(unlike->first, unlike->last)},
            {"loads that miss there", unlike->most, "share", std::pair(unlike->least, unlike->most)}};
    if (fetch) found.kind = "fetch";
    return {found};
}

const Probe kLine{
    .name = "line",
    .question = "Cache line and bytes fetched per miss?",
    .explanation = "Two loads of one slot at growing distance show how many bytes a miss fetches. Slots at growing "
                   "stride, too many for the level, show the line: beyond its size half as many lines fit.",
    .picture = "test=fetch: fast up to the bytes that one miss fetches (32 or 64), slow beyond. test=line: a step "
               "where neighbours no longer lie in one line (128 bytes).",
    .method = literature::kSaavedra,
    .x = {"distance", "bytes"},
    .run_noise = run_noise::one_line,
    .structure = true,
    .compared = {{"line", "line of {}"}, {"fetch", "fetched on a miss of {}"}},
    .paths = {"global", "global.uniform", "global.pointer", "texel", "constant"},
    .variants = kLevel.each() * option::fetch.each(),
    .accepts = {option::carveout},
    .quick = {.seconds = 0.24, .paths = {"global"}, .variants = 2},
    .run = measure_line,
    .findings = line_findings,
    .kernel = latency_kernel,
};

} // namespace sonde
