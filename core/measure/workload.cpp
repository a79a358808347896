#include "core/measure/workload.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/base/text.h"

namespace sonde {

namespace {
constexpr std::uint32_t kMostStepsQueued = 1024; // of a dispatch
constexpr std::uint32_t kWorkgroupItems = 256;   // work-items, on a GPU
constexpr std::uint32_t kGroupsOfProcessor = 4; // for each of its cores: a thread that is held up leaves work to others
} // namespace

void measure_workload(Bench& bench, const std::vector<std::uint64_t>& xs,
    const std::function<std::unique_ptr<Workload>(std::uint64_t)>& make) {
    std::unique_ptr<Workload> workload;
    std::uint64_t steps = 0; // since it was made
    const auto prepare = [&](std::uint64_t x, const std::string&) {
        workload.reset(); // its memory is the next one's
        workload = make(x);
        steps = 0;
        Demand demand = workload->demand();
        demand.from_x = static_cast<double>(x);
        std::erase_if(bench.evidence.demand, [&](const Demand& other) { return other.from_x == demand.from_x; });
        bench.evidence.demand.push_back(demand);
        return Work{.most = kMostStepsQueued};
    };
    const auto dispatch = [&](std::uint64_t, std::uint32_t count) {
        std::vector<Launch> launches;
        for (std::uint32_t n = 0; n < count; ++n) workload->append(launches, steps++);
        return bench.launch_all(launches, workload->units() * count);
    };
    bench.measure({.prepare = prepare, .dispatch = dispatch, .verify = [&] { workload->check(steps); }}, xs);
    std::ranges::sort(bench.evidence.demand, {}, &Demand::from_x);
}

std::vector<std::uint64_t> powers_of_two(
    const Profile& profile, std::uint64_t least, const std::function<bool(std::uint64_t)>& fits) {
    std::uint64_t largest = least;
    while (fits(largest * 2)) largest *= 2;
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t size = largest; size >= least; size /= profile.blocks == 1 ? 8 : 2) sizes.push_back(size);
    std::ranges::reverse(sizes);
    return sizes;
}

std::uint32_t workload_group_size(const DeviceInfo& info) {
    return info.cpu ? info.subgroup : std::bit_floor(std::min(kWorkgroupItems, info.largest_group));
}

Share share_of(const DeviceInfo& info, std::uint64_t items) {
    const std::uint32_t group_size = workload_group_size(info);
    const std::uint64_t all = std::max<std::uint64_t>(1, items / group_size), most = std::bit_floor(info.most_groups),
                        wanted = info.cpu ? std::bit_floor(info.cores * kGroupsOfProcessor) : most;
    const std::uint64_t needed =
        info.loop_trips ? std::bit_ceil(all / (info.loop_trips / 2) + 1) : 1; // a work-item's share is a loop
    const auto groups = static_cast<std::uint32_t>(std::min(all, std::max(std::min(wanted, most), needed)));
    return {group_size, groups, static_cast<std::uint32_t>(items / groups)};
}

namespace {
/// What a unit of work asks for; of one that is an operation itself, operations by byte. None where its unit is a
/// byte: the operation's name says the rest.
std::vector<FindingRow> demand_rows(const Demand& demand, const std::string& unit) {
    std::vector<FindingRow> rows;
    if (std::abs(demand.read_bytes + demand.written_bytes - 1) < 1e-9) return rows;
    const bool inverse = demand.operations == 1;
    const auto bytes = [&](double number, const char* what, const char* own) {
        if (number > 0)
            rows.push_back(inverse ? FindingRow{fmt::format("operations for a byte {}", what), 1 / number, "times"}
                                   : FindingRow{own, number, "bytes"});
    };
    const auto count = [&](double number, const char* what) {
        if (number > 0) rows.push_back({fmt::format("{} for it", what), number, what});
    };
    if (!unit.empty()) rows.push_back({.place = "unit of work", .text = unit});
    bytes(demand.read_bytes, "read", "read for it");
    bytes(demand.written_bytes, "written", "written for it");
    if (!inverse) count(demand.operations, "operations");
    count(demand.atomics, "atomic additions");
    count(demand.random_loads, "random loads");
    bytes(demand.tile_bytes, "of tiles", "of tiles for it");
    bytes(demand.scratchpad_bytes, "of the scratchpad", "of the scratchpad for it");
    return rows;
}
} // namespace

/// Of its largest size; nullptr: not known.
static const Demand* last_demand(const Series& series) {
    return series.evidence.demand.empty() ? nullptr : &series.evidence.demand.back();
}

/// The highest rate, and from which size to which it is reached.
struct BestSizes {
    double rate, from, to;
};
/// Where every block of it is above the rate of the largest size.
static std::optional<BestSizes> best_sizes(const Series& series, std::span<const CurvePoint> curve) {
    constexpr double kAbove = 1.03; // times the last one
    const CurvePoint& best = highest(curve);
    const auto plateau = plateau_around(curve, best);
    const auto point = std::ranges::find(series.points, best.x, &Point::x);
    const auto blocks = point == series.points.end() ? std::vector<double>() : values_by_block(series, *point);
    if (plateau.back().x >= curve.back().x || (!blocks.empty() && std::ranges::min(blocks) < kAbove * curve.back().y))
        return std::nullopt;
    return BestSizes{best.y, plateau.front().x, plateau.back().x};
}

std::vector<Finding> workload_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    const CurvePoint& last = curve.back();
    const Demand* demand = last_demand(series);
    const std::string& unit_of_x = series.x.unit;
    const std::string rate = demand && demand->operations == 1 ? "GFLOP/s" : series.unit;
    std::vector<FindingRow> rows{
        {"the largest", last.y, rate}, {fmt::format("{} of the largest", series.x.name), last.x, unit_of_x}};
    if (const auto best = best_sizes(series, curve)) {
        rows.push_back({"at best", best->rate, rate});
        rows.push_back(
            {fmt::format("{} of the best", series.x.name), best->to, unit_of_x, std::pair(best->from, best->to)});
    }
    if (demand) std::ranges::move(demand_rows(*demand, series.evidence.unit_of_work), std::back_inserter(rows));
    return {finding_of(series, {.name = "largest", .value = last.y, .rows = std::move(rows), .x = {last.x}})};
}

void keep_library(Bench& bench, std::uint64_t x, const LibraryKernel& kernel) {
    LibraryEvidence& by = bench.evidence.library ? *bench.evidence.library : bench.evidence.library.emplace();
    by.name = kernel.library, by.version = kernel.version, by.file = kernel.file,
    by.algorithms[std::to_string(x)] = kernel.algorithm;
}

std::vector<Finding> library_findings(const Series& series, const DeviceInfo& device) {
    std::vector<Finding> found = workload_findings(series, device);
    if (const auto& library = series.evidence.library)
        for (Finding& finding : found)
            finding.rows.push_back({.place = "library", .text = fmt::format("{} {}", library->name, library->version)});
    return found;
}

} // namespace sonde
