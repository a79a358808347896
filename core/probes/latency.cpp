// latency: a chase along one random cycle over all slots of a footprint, by footprint; by all lanes of a subgroup or
// some, at one address or some bytes apart.
#include <bit>
#include <cmath>

#include "core/analysis/level_findings.h"
#include "core/data/footprints.h"
#include "core/measure/chase.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kMostLanes = 128;
constexpr std::uint32_t kAllLanes = ~0u;
constexpr std::uint64_t kMostBehindFirst = 8 << 20; // bytes: a walk of as many lines brings them all
constexpr std::size_t kReferencePairs = 9;          // of one lane's walk

std::optional<std::uint32_t> parse_lanes(const std::string& text) {
    const auto number = number_of<std::uint32_t>(text);
    return text == "all"                                     ? std::optional(kAllLanes)
           : number.value_or(0) == 0 || *number > kMostLanes ? std::nullopt
                                                             : number;
}

const Setting<std::uint32_t> kLanes{option::lanes, "active lanes of the subgroup, 1 to 128, or all", parse_lanes};

/// Both options: the cost of lanes at a few footprints. One of them: a sweep by footprint.
bool at_few_footprints(const Options& options) { return kLanes.in(options) && option::apart.in(options); }
std::uint32_t link_bytes(const Path& path) { return path.link_words * 4; }

/// nullopt: nothing was asked for. Throws Unsupported where the path or the device has no such lanes.
std::optional<WalkingLanes> lanes_of(const DeviceInfo& info, const Path& path, const Options& options) {
    const auto lanes = kLanes.in(options), apart = option::apart.in(options);
    if (!lanes && !apart) return std::nullopt;
    const bool some = path.stage == Stage::nothing || path.stage == Stage::scratchpad;
    if (!some || path.uniform || path.space == Space::image2d)
        throw Unsupported("lanes cannot be chosen on this path: it has one address for all, or an array for each");
    const std::uint32_t active = lanes.value_or(kAllLanes);
    if (active != kAllLanes && active > info.subgroup)
        throw Unsupported(fmt::format("a subgroup has {} lane{}", info.subgroup, info.subgroup == 1 ? "" : "s"));
    if (apart.value_or(0) % link_bytes(path) != 0)
        throw Unsupported(fmt::format("a link on this path has {} bytes", link_bytes(path)));
    return WalkingLanes{.active = std::min(active, info.subgroup), .apart = apart.value_or(0)};
}

/// Half of the path's first level, if the links of all lanes fit there, and one behind it: between its end and that of
/// the last level, in logarithms.
std::vector<std::uint64_t> few_footprints(Bench& bench, std::uint64_t row) {
    Chase plain(bench);
    plain.new_memory(std::min(plain.largest(), kFirstLevelEnds));
    const auto levels = plain.levels(kFirstLevelEnds);
    const double ends = levels.empty() ? 0 : levels[0].capacity_on;
    std::vector<std::uint64_t> footprints;
    const auto add = [&](double bytes) { footprints.push_back(static_cast<std::uint64_t>(bytes) / row * row); };
    if (static_cast<double>(row) <= ends) add(std::max(ends / 2, static_cast<double>(row)));
    if (levels.size() > 1)
        add(std::min(std::sqrt(ends * static_cast<double>(bench.last_level())), static_cast<double>(kMostBehindFirst)));
    std::erase(footprints, 0u);
    if (footprints.empty())
        throw Unsupported(fmt::format("the links of all lanes, {}, do not fit L1 of this path", format_bytes(row)));
    return distinct(footprints);
}

void measure_lanes(Bench& bench, const WalkingLanes& lanes) {
    const std::uint64_t row = std::max(slot_bytes(bench.info, bench.path), std::bit_ceil(lanes.active * lanes.apart));
    const auto footprints = few_footprints(bench, row);
    Chase chase(bench, {.lanes = lanes});
    const auto chain = [&](std::uint64_t size, const std::string& text) {
        chase.build(size);
        double& alone = bench.evidence.one_lane_ns[static_cast<double>(size)];
        if (alone > 0) return;
        bench.step("one lane over " + text);
        chase.set_active(1);
        alone = bench.rough_slope(
            64, chase.most_steps(), [&](std::uint32_t steps) { return chase.timed(steps); }, kReferencePairs);
        chase.set_active(lanes.active);
    };
    bench.measure(chase.experiment(chain, [&](int) { chase.new_memory(footprints.back()); }), footprints);
}

void measure_latency(Bench& bench) {
    const Options& options = bench.request.id.options;
    const auto lanes = lanes_of(bench.info, bench.path, options);
    bench.wake_clocks();
    if (at_few_footprints(options)) return measure_lanes(bench, *lanes);
    Chase(bench, {.lanes = lanes}).sweep_footprints();
}

/// "34.0 cycles", or ns where the counter counts no cycles. `ns` is a part of the point's value or another's.
std::string cost_text(const Point& point, double ns, const char* digits) {
    const double value = point.cycles ? ns * *point.cycles / *point.median : ns;
    return fmt::format(fmt::runtime(digits), value) + (point.cycles ? " cycles" : " ns");
}

constexpr double kAsOfOne = 0.015; // share by which walks of one footprint differ without a cause

/// What a load of some lanes takes; what one more line costs, where one lane alone has the same level to itself.
std::optional<Finding> lanes_finding(const Series& series, const DeviceInfo& device, const Point& point) {
    const Evidence& evidence = series.evidence;
    const auto reference = at_x(evidence.one_lane_ns, point.x);
    const Path* path = find_path(series.id.path);
    if (!path || !point.median || !(*point.median > 0) || !reference) return std::nullopt;
    const std::uint32_t lanes = evidence.lanes.value_or(1), apart = option::apart.in(series.id.options).value_or(0),
                        line = slot_bytes(device, *path);
    const std::uint32_t lines = apart >= line ? lanes : ((lanes - 1) * apart + link_bytes(*path) + line - 1) / line;
    const std::string size = format_bytes(point.x);
    Finding found{.kind = "lanes", .name = size, .value = *point.median, .cycles = point.cycles, .x = {point.x}};
    const auto row = [&](const std::string& place, double ns) {
        const auto cycles = point.cycles ? std::optional(ns * *point.cycles / *point.median) : std::nullopt;
        found.rows.push_back({fmt::format("{} at {}", place, size), ns, series.unit, {}, cycles});
    };
    row(lanes == 1 ? "a load of one lane" : fmt::format("a load of {} lanes", lanes), *point.median);
    if (lanes == 1) {
        found.text = fmt::format(
            "a load of one lane takes {} at a footprint of {}", cost_text(point, *point.median, "{:.1f}"), size);
        return finding_of(series, std::move(found));
    }
    const std::string where = apart == 0 ? "at one address" : fmt::format("{} bytes apart", apart);
    found.text = fmt::format("a load of {} lanes {} takes {} at a footprint of {}", lanes, where,
        cost_text(point, *point.median, "{:.1f}"), size);
    // One lane alone reads a part of several lines' footprint: beyond the first level, another cache or partition may
    // hold that part.
    const auto first =
        std::ranges::find_if(evidence.levels, [](const LevelEvidence& level) { return level.off_bytes.has_value(); });
    const bool in_first = first == evidence.levels.end() || point.x < *first->off_bytes;
    if (lines > 1 && !in_first) return finding_of(series, std::move(found));
    if (std::abs(*point.median / *reference - 1) < kAsOfOne) {
        found.text += fmt::format(", within {:.1f} % of one lane's time", 100 * kAsOfOne);
        return finding_of(series, std::move(found));
    }
    found.text += fmt::format(", of one lane {}", cost_text(point, *reference, "{:.1f}"));
    row("of one lane", *reference);
    if (lines == 1) return finding_of(series, std::move(found)); // a step, whose slope nothing shows
    const double each = (*point.median - *reference) / (lines - 1);
    found.value = each;
    row("each further lane", each);
    if (point.cycles) found.cycles = each * *point.cycles / *point.median;
    found.text += fmt::format(": {} for each further lane", cost_text(point, each, "{:.2g}"));
    return finding_of(series, std::move(found));
}

std::vector<Finding> findings_of_latency(const Series& series, const DeviceInfo& device) {
    if (!at_few_footprints(series.id.options)) return latency_findings(series, device);
    std::vector<Finding> findings;
    for (const Point& point : series.points)
        if (auto found = lanes_finding(series, device, point)) findings.push_back(std::move(*found));
    return findings;
}

bool latency_by_default(std::string_view path, const Options& variant) {
    return variant.empty() || asks_for_cluster(variant) || path == "global";
}

/// What lanes cost is measured at a few footprints, which are no staircase.
Role latency_role(const Options& options) { return at_few_footprints(options) ? Role::none : Role::levels; }
} // namespace

KernelChoice latency_kernel(const DeviceInfo& info, const Path& path, const Options& options) {
    return lanes_of(info, path, options) ? some_lanes_kernel(info, path) : chase_kernel(info, path);
}

const Probe kLatency{
    .name = "latency",
    .question = "Load latency by footprint?",
    .explanation = "One subgroup follows a random cycle through a buffer; each load depends on the one before. "
                   "Plateaus are levels of the hierarchy, the edges between them their capacities. All lanes load from "
                   "one address; with `lanes` and `apart` fewer do, or each from an address of its own.",
    .picture = "A staircase: flat in L1 (20 to 60 ns on a GPU), a step to L2, a step to DRAM (300 to 600 ns); a "
               "further rise behind it is the TLB.",
    .method = literature::kSaavedra,
    .x = kFootprint,
    .role = latency_role,
    .run_noise = run_noise::levels,
    .published = {.size = "capacity of {}"},
    .paths = every_path(),
    .variants = std::vector<Options>(1) + kLanes.each({"1"}) * option::apart.each({"0"}) +
                kLanes.each({"all"}) * option::apart.each({"0", "4"}) +
                kLanes.each({"2", "4", "8", "16", "all"}) * option::apart.each({"128"}) +
                option::cluster.each({"4", "8", "16"}),
    .accepts = {option::carveout, option::banks, option::subgroup, option::cluster, kLanes, option::apart, option::peer,
        option::footprint},
    .quick = {.seconds = 0.48,
        // global.uniform: GCN's scalar cache, past which its `constant` goes
        .paths = {"global", "global.pointer", "global.uniform", "texel", "constant", "scratchpad", "peer", "peer.cg"},
        .variants = 1,
        .unasked = true},
    .run = measure_latency,
    .findings = findings_of_latency,
    .kernel = latency_kernel,
    .by_default = latency_by_default,
};

} // namespace sonde
