#include "core/measure/workload.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

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

namespace {
/// The workload in hand, and how long its step took at the least.
class Stepper {
public:
    Stepper(Bench& bench, const MakeWorkload& make) : bench_(bench), make_(make) {}
    void make(std::uint64_t x, std::uint64_t items) {
        if (workload_ && x == x_ && items == items_) return;
        workload_.reset(); // its memory is the next one's
        workload_ = make_(x, items);
        x_ = x, items_ = items, steps_ = 0, step_ns_ = std::numeric_limits<double>::infinity();
    }
    void drop() { workload_.reset(); }
    Sample run(std::uint32_t count) {
        std::vector<Launch> launches;
        for (std::uint32_t n = 0; n < count; ++n) workload_->append(launches, steps_++);
        const Sample sample = bench_.launch_all(launches, workload_->units() * count);
        step_ns_ = std::min(step_ns_, sample.host_ns / count);
        return sample;
    }
    void check() { workload_->check(steps_); }
    Demand demand() const {
        Demand demand = workload_->demand();
        demand.from_x = static_cast<double>(x_);
        return demand;
    }
    bool has_run() const { return steps_ > 0; }
    std::uint64_t x() const { return x_; }
    std::uint64_t items() const { return items_; }
    double step_ns() const { return step_ns_; }

private:
    Bench& bench_;
    const MakeWorkload& make_;
    std::unique_ptr<Workload> workload_;
    std::uint64_t x_ = 0, items_ = 0, steps_ = 0; // since it was made
    double step_ns_ = 0;
};

/// Items of the largest step, as far as the size `asked` goes, that fits into a dispatch's limit by what the last one
/// took; smaller ones are tried first where that says too little. Throws TooLong where none fits.
std::uint64_t fitting_items(const Bench& bench, Stepper& stepper, const StepItems& step, std::uint64_t asked) {
    constexpr double kOtherSize = 8; // times as long an item may take where it reads from a larger memory
    const std::uint64_t wanted = step.most ? step.most : asked,
                        fewest = std::min(std::max(step.fewest, step.hold_size ? asked : 0), wanted);
    for (;;) {
        const bool alike = stepper.has_run() && (!step.most || stepper.x() == asked);
        const auto lasts = [&](std::uint64_t items) {
            const double times = static_cast<double>(items) / static_cast<double>(stepper.items());
            return stepper.step_ns() * std::pow(times, step.power) * (alike ? 1 : kOtherSize);
        };
        std::uint64_t items = stepper.has_run() ? wanted : fewest;
        while (items > fewest && lasts(items) > bench.most_ns()) items /= 2;
        if (stepper.has_run() && items == wanted && lasts(items) <= bench.most_ns()) return items;
        if (alike && items <= stepper.items()) return bench.check_limit(lasts(items)), items;
        stepper.make(step.most ? asked : items, items);
        for (int times = 0; times < 2; ++times) stepper.run(1); // the first one holds the JIT
    }
}
} // namespace

void measure_workload(
    Bench& bench, const std::vector<std::uint64_t>& xs, const StepItems& step, const MakeWorkload& make) {
    Stepper stepper(bench, make);
    std::map<std::uint64_t, std::uint64_t> chosen; // items, by the size that was asked for
    const auto prepare = [&](std::uint64_t asked, const std::string&) {
        if (chosen.contains(asked)) stepper.drop(); // each block has memory of its own
        else
            chosen[asked] = !bench.info.cpu ? fitting_items(bench, stepper, step, asked)
                            : step.most     ? step.most
                                            : asked;
        const std::uint64_t items = chosen[asked], x = step.most ? asked : items;
        if (x < asked && !(bench.ending && bench.ending->by == EndedBy::dispatch))
            bench.ending = {.by = EndedBy::dispatch,
                .before = static_cast<double>(asked),
                .why = fmt::format("a step would last longer than {:g} ms", bench.request.dispatch_limit_ms)};
        stepper.make(x, items);
        const Demand demand = stepper.demand();
        std::erase_if(bench.evidence.demand, [&](const Demand& other) { return other.from_x == demand.from_x; });
        bench.evidence.demand.push_back(demand);
        return Work{.most = kMostStepsQueued, .x = static_cast<double>(x)};
    };
    const auto dispatch = [&](std::uint64_t, std::uint32_t count) { return stepper.run(count); };
    bench.measure({.prepare = prepare, .dispatch = dispatch, .verify = [&] { stepper.check(); }}, xs);
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
