// bandwidth-latency: what a dependent load takes while all other cores stream reads, writes or atomic additions, by the
// rate that these reach; in a cache, in DRAM, or in host memory.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <span>
#include <tuple>

#include <fmt/ranges.h>

#include "core/measure/chase.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
enum class Load { reads = 1, writes, atomics }; // OPERATION of kernels/bandwidth_latency.h
const Choice<Load> kLoad{"load", {{"reads", Load::reads}, {"writes", Load::writes}, {"atomics", Load::atomics}}};
enum class Where { cache, dram, host };
const Choice<Where> kWhere{option::level, {{"LLC", Where::cache}, {"DRAM", Where::dram}, {"host", Where::host}}};

bool lies_there(std::string_view path, const Options& options) {
    return (path_named(path).space == Space::host) == (kWhere.in(options) == Where::host);
}

constexpr std::uint32_t kStreamLoads = 8, kFlagWords = 32;
constexpr std::uint32_t kTilesPerLoad = 64; // of a chain: more are not streamed meanwhile
constexpr double kWaitsPerLoad = 1500;      // rounds of arithmetic, likewise
constexpr double kHostLonger = 8;           // times a pair: where the link is full, single loads take 2 to 20 us
constexpr std::uint64_t kPercentStep = 10;
constexpr std::uint32_t kLongestWait = 1u << 20; // rounds of arithmetic between two tiles
constexpr double kLittle = 0.05;                 // of the unthrottled rate: longer waits are not asked for
constexpr std::uint32_t kShortTrial = 1024, kLongTrial = 8192; // loads of a chain, by whose dispatches a rate is known

KernelChoice kernel_of(const DeviceInfo& info, Load load) {
    return {.name = "bandwidth_latency",
        .group_size = info.cpu ? info.subgroup : std::min(1024u, info.largest_group),
        .defines = {{"FLAGS", "1"}, {"LOADS", std::to_string(kStreamLoads)},
            {"OPERATION", std::to_string(static_cast<int>(load))}, {"TURNS", "1"}},
        .chases = true};
}
KernelChoice bandwidth_latency_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    return kernel_of(info, kLoad.in(options));
}

/// Bytes that are streamed, and those of the chain. Both lie in the LLC, or each beyond it several times; of host
/// memory as far as that reaches.
struct Regions {
    std::uint64_t stream, chain;
};
Regions regions_of(const Bench& bench, Where where, std::uint64_t most) {
    const std::uint64_t cache = bench.last_level(), two_tiles_each = std::uint64_t{2} * bench.info.cores *
                                                                     kernel_of(bench.info, Load::reads).group_size *
                                                                     kStreamLoads * 4;
    const Regions beyond{8 * cache, 4 * std::bit_floor(cache)};
    if (where == Where::host)
        return {std::min(beyond.stream, most / 2), std::min(beyond.chain, std::bit_floor(most / 4))};
    return where == Where::dram ? beyond
                                : Regions{std::clamp(two_tiles_each, cache / 4, cache / 2), std::bit_floor(cache / 16)};
}

/// Each workgroup goes through tiles of its own, round and round.
kernel_args::BandwidthLatency own_tiles(std::uint32_t tiles, std::uint32_t groups) {
    return {.steps = 0,
        .start = 0,
        .warm = 0,
        .lanes = 0,
        .flag = 0,
        .raised = 0,
        .tiles = tiles,
        .start_factor = 1,
        .step_base = groups,
        .step_factor = 0,
        .step_range = 1,
        .most = 0,
        .wait = 0,
        .salt = 0};
}
/// Each goes through all of them, in an order of its own: what one has read, its L1 does not keep for long.
kernel_args::BandwidthLatency all_tiles(const kernel_args::Read& order) {
    kernel_args::BandwidthLatency args = own_tiles(order.tiles, order.step_base);
    args.start_factor = order.start_factor;
    args.step_factor = order.step_factor;
    args.step_range = order.step_range;
    return args;
}

/// The chain's workgroup and the others, in one dispatch.
class Contest {
public:
    Contest(Bench& bench, Load load, const Regions& regions)
        : bench_(bench),
          load_(load),
          geometry_{.shape = {kernel_of(bench.info, load).group_size, bench.info.cores - 1},
              .loads = kStreamLoads,
              .width = 1},
          lanes_(chase_lanes(bench.info)),
          slots_(static_cast<std::uint32_t>(regions.chain / slot_bytes(bench.info, bench.path))),
          shift_(static_cast<std::uint32_t>(std::countr_zero(slot_bytes(bench.info, bench.path) / 4))),
          kernel_(bench.kernel(kernel_of(bench.info, load))),
          filler_(load == Load::writes ? kernel_ : bench.compile(kernel_of(bench.info, Load::writes))),
          builder_(bench.helper_kernel("chain", chain_defines(bench.path))),
          result_(bench.allocate_result(result_words())),
          summer_(bench) {
        const auto order = order_of(bench.info, geometry_, regions.stream);
        const std::uint32_t groups = geometry_.shape.groups;
        if (order.tiles < groups)
            throw Unsupported(fmt::format("{} are too few for {} workgroups", format_bytes(regions.stream), groups));
        args_ = load == Load::reads ? all_tiles(order) : own_tiles(order.tiles / groups * groups, groups);
        first_ = (args_.tiles * geometry_.tile() + kLineWords - 1) / kLineWords * kLineWords;
    }

    void new_memory() {
        const std::uint64_t flags = std::uint64_t{first_} + (std::uint64_t{slots_} << shift_),
                            words = flags + std::uint64_t{geometry_.shape.groups + 1} * kFlagWords;
        memory_.reset();
        memory_ = bench_.allocate(words * 4, words * 4);
        chain_ = Chain({.slots = slots_, .shift = shift_, .first = first_}, bench_.next_seed());
        bench_.run_helper(*builder_, *memory_, slots_, chain_.kernel_args());
        args_.flag = static_cast<std::uint32_t>(flags);
        args_.raised = 0;
        position_ = 0;
        grown_ = 0;
        const std::vector<std::uint32_t> none((geometry_.shape.groups + 1) * std::size_t{kFlagWords}, 0);
        const Copy copy{.from_host = none.data(),
            .to = memory_.get(),
            .bytes = none.size() * 4,
            .to_offset = static_cast<std::size_t>(flags * 4)};
        bench_.device.copy({&copy, 1});
        fill();
        timed(slots_ <= kWalkedOnce ? (slots_ + 63) / 64 * 64 : 0); // brings a small chain
    }

    /// Of all tiles.
    std::uint64_t streamed_bytes() const { return std::uint64_t{args_.tiles} * geometry_.tile() * 4; }

    /// So many rounds between two tiles; nullopt: nobody streams.
    void set_wait(std::optional<std::uint32_t> wait) {
        streams_ = wait.has_value();
        args_.wait = wait.value_or(0);
    }

    Sample timed(std::uint32_t steps) {
        args_.steps = steps;
        args_.most = streams_ ? most_tiles(steps) : 0;
        args_.start = chain_.walk(position_);
        args_.lanes = lanes_;
        const std::uint32_t groups = geometry_.shape.groups + 1;
        auto [sample, out] = bench_.launch(
            *kernel_, args_, {.a = memory_.get(), .out = *result_, .groups = groups}, steps, result_words());
        ++args_.raised;
        position_ += steps;
        check(out);
        sample.cycles = clock_difference(bench_.info, {out.begin(), out.begin() + 4});
        return sample;
    }

    /// GB/s of the stream while the chain is walked.
    double rate() {
        std::array<Sample, 2> samples;
        std::array<double, 2> bytes{};
        for (std::size_t i = 0; i < 2; ++i)
            samples[i] = timed((i ? kLongTrial : kShortTrial) * (bench_.info.cpu ? 16 : 1)), bytes[i] = streamed_;
        const auto ns = [](const Sample& sample) { return sample.device_ns.value_or(sample.host_ns); };
        return std::max(0.0, (bytes[1] - bytes[0]) / (ns(samples[1]) - ns(samples[0])));
    }

private:
    static constexpr std::uint32_t kWalkedOnce = 1u << 16; // slots of a chain that a cache is to hold

    std::size_t result_words() const {
        return 4 + 2 * std::size_t{geometry_.shape.groups + 1} * geometry_.shape.group_size;
    }

    /// A processor's system may let the chase wait for as long as it likes.
    std::uint32_t most_tiles(std::uint32_t steps) const {
        const double per_load = std::clamp(kWaitsPerLoad / std::max(1u, args_.wait), 1.0, double{kTilesPerLoad});
        return bench_.info.cpu ? 1u << 28
                               : kTilesPerLoad * 64 + static_cast<std::uint32_t>(std::min(steps * per_load, 1e9));
    }

    /// Every word of the tiles becomes its number.
    void fill() {
        kernel_args::BandwidthLatency args = own_tiles(args_.tiles, geometry_.shape.groups);
        args.most = (args_.tiles + geometry_.shape.groups - 1) / geometry_.shape.groups;
        args.flag = args_.flag;
        args.raised = args_.raised;
        bench_.launch(*filler_, args, {.a = memory_.get(), .out = *result_, .groups = geometry_.shape.groups + 1}, 1);
    }

    /// For each number of tiles that a member's work-items did: the sum of the first words' numbers of these tiles.
    std::map<std::uint32_t, std::uint32_t> sums_of(std::uint32_t member, std::span<const std::uint32_t> items) const {
        std::map<std::uint32_t, std::uint32_t> sums;
        for (std::size_t item = 0; item < items.size(); item += 2) sums[items[item]] = 0;
        const std::uint32_t step = args_.step_base + member * args_.step_factor % args_.step_range;
        std::uint32_t tile = member * args_.start_factor % args_.tiles, n = 0, sum = 0;
        for (auto& [count, known] : sums) {
            for (; n < count; ++n) {
                sum += tile * geometry_.tile();
                tile += step;
                tile = tile >= args_.tiles ? tile - args_.tiles : tile;
            }
            known = sum;
        }
        return sums;
    }

    void check(const std::vector<std::uint32_t>& out) {
        const std::uint32_t size = geometry_.shape.group_size, end = chain_.walk(position_);
        for (std::uint32_t lane = 0; lane < lanes_; ++lane)
            if (out[4 + 2 * lane] != end)
                throw Error(fmt::format("the chase ended at {}, the host's walk at {}", out[4 + 2 * lane], end));
        std::uint32_t changed = 0; // by how much the sum of all words has grown
        std::uint64_t tiles = 0;   // of single work-items
        for (std::uint32_t member = 0; member < geometry_.shape.groups; ++member) {
            const std::span<const std::uint32_t> items =
                std::span(out).subspan(4 + 2 * std::size_t{member + 1} * size, 2 * std::size_t{size});
            const auto sums = load_ == Load::reads ? sums_of(member, items) : std::map<std::uint32_t, std::uint32_t>();
            for (std::uint32_t item = 0; item < size; ++item) {
                const std::uint32_t count = items[2 * item], read = items[2 * item + 1];
                if (streams_ && count == args_.most)
                    throw Error(fmt::format("a workgroup had streamed {} tiles before the chase ended", count));
                const std::uint32_t expected = sums.empty()
                                                   ? 0
                                                   : kStreamLoads * (sums.at(count) + count * item) +
                                                         count * size * (kStreamLoads * (kStreamLoads - 1) / 2);
                if (read != expected)
                    throw Error(
                        fmt::format("work-item {} of workgroup {} read words of sum {:#010x}, the host's is {:#010x}",
                            item, member + 1, read, expected));
                tiles += count;
                changed += kStreamLoads * (load_ == Load::writes
                                                  ? std::min(count, args_.tiles / geometry_.shape.groups) * args_.salt
                                              : load_ == Load::atomics ? count
                                                                       : 0);
            }
        }
        streamed_ = static_cast<double>(tiles) * kStreamLoads * 4;
        if (load_ != Load::reads && tiles > 0) check_memory(changed);
        bench_.checked("the chase's last link, and the sum of every word read, written or added to, of every dispatch "
                       "against the host's");
    }

    /// Writes leave their salt in the tiles that they came by, which are made as they were; additions stay.
    void check_memory(std::uint32_t changed) {
        const std::uint64_t words = std::uint64_t{args_.tiles} * geometry_.tile();
        if (load_ == Load::atomics) changed = grown_ += changed;
        const auto expected =
                       static_cast<std::uint32_t>(words % 2 ? (words - 1) / 2 * words : words / 2 * (words - 1)) +
                       changed,
                   found = summer_.sum(*memory_, words * 4);
        if (found != expected)
            throw Error(
                fmt::format("the words streamed to add up to {:#010x}, the host's sum is {:#010x}", found, expected));
        if (load_ == Load::writes) fill();
        args_.salt = bench_.next_seed();
    }

    Bench& bench_;
    const Load load_;
    const Geometry geometry_; // of those that stream
    const std::uint32_t lanes_, slots_, shift_;
    std::shared_ptr<Kernel> kernel_, filler_, builder_;
    std::unique_ptr<Buffer> result_, memory_;
    MemorySum summer_;
    kernel_args::BandwidthLatency args_{};
    std::uint32_t first_ = 0, grown_ = 0;
    Chain chain_{1, 0, 0};
    std::uint64_t position_ = 0;
    bool streams_ = false;
    double streamed_ = 0; // bytes, by the last dispatch
};

/// Waits for shares of the unthrottled rate, and the rates that they give.
class Throttle {
public:
    Throttle(Bench& bench, Contest& contest) : contest_(contest) {
        for (std::uint32_t wait = 0; wait <= kLongestWait; wait = std::max(1u, 2 * wait)) {
            bench.step(fmt::format("rate with {} rounds between tiles", wait));
            rates_.emplace_back(wait, rate(wait));
            if (rates_.back().second < kLittle * unthrottled()) break;
        }
        if (!(unthrottled() > 0))
            throw Unsupported(
                "the workgroups run one after another here: nothing was streamed while the chain was walked");
        bench.evidence.unthrottled_gb_per_s = unthrottled();
    }
    double unthrottled() const { return rates_[0].second; }

    /// Sets the wait for that many percent; returns how many these are, measured.
    double aim(std::uint64_t percent) {
        if (percent == 0 || percent == 100) contest_.set_wait(percent ? std::optional(0u) : std::nullopt);
        if (percent == 0 || percent == 100) return static_cast<double>(percent);
        const auto known = waits_.find(percent);
        const std::uint32_t wait =
            known == waits_.end() ? wait_for(static_cast<double>(percent) / 100 * unthrottled()) : known->second.first;
        if (known == waits_.end()) waits_[percent] = {wait, std::round(100 * rate(wait) / unthrottled())};
        contest_.set_wait(wait);
        return waits_[percent].second;
    }

private:
    double rate(std::uint32_t wait) {
        contest_.set_wait(wait);
        return contest_.rate();
    }

    /// Between two waits that were tried, the time of a tile rises with the wait.
    std::uint32_t wait_for(double wanted) const {
        const auto slower = std::ranges::find_if(rates_, [&](const auto& each) { return each.second < wanted; });
        if (slower == rates_.end()) return rates_.back().first;
        if (slower == rates_.begin()) return 0;
        const auto& [less, fast] = *std::prev(slower);
        const auto& [more, slow] = *slower;
        const double share = slow > 0 ? (1 / wanted - 1 / fast) / (1 / slow - 1 / fast) : 0;
        return less + static_cast<std::uint32_t>(std::lround(std::clamp(share, 0.0, 1.0) * (more - less)));
    }

    Contest& contest_;
    std::vector<std::pair<std::uint32_t, double>> rates_;
    std::map<std::uint64_t, std::pair<std::uint32_t, double>> waits_; // by percent that were asked for
};

void measure_bandwidth_latency(Bench& bench) {
    const Options& options = bench.request.id.options;
    if (bench.info.cores < 2)
        throw Unsupported("the driver reports fewer than two cores: none is left to stream beside the chase");
    if (bench.info.loop_trips)
        throw Unsupported(fmt::format(
            "this driver ends a loop after {} trips: streams would end before the chase", bench.info.loop_trips));
    if (!lies_there(bench.path.name, options))
        throw Unsupported("level=host is measured on path host (--path host), the other levels on path global");
    const std::uint64_t most = bench.largest_footprint().bytes;
    const Regions regions = regions_of(bench, kWhere.in(options), most);
    if (const std::uint64_t all = regions.stream + regions.chain; all > most)
        throw Unsupported(fmt::format("{} are needed, {} are to be had", format_bytes(all), format_bytes(most)));
    bench.wake_clocks();
    Contest contest(bench, kLoad.in(options), regions);
    std::optional<Throttle> throttle;
    const auto begin = [&](int) {
        contest.new_memory();
        if (!throttle) throttle.emplace(bench, contest);
    };
    const auto prepare = [&](std::uint64_t percent, const std::string&) {
        const double reached = throttle->aim(percent);
        return Work{.granule = 64,
            .most = 1u << 24,
            .times_longer = bench.path.space == Space::host ? kHostLonger : 1,
            .x = reached};
    };
    std::vector<std::uint64_t> percents;
    for (std::uint64_t percent = 0; percent <= 100; percent += kPercentStep) percents.push_back(percent);
    bench.evidence.operation = kLoad.word(options);
    bench.evidence.footprint_bytes = regions.chain;
    bench.evidence.streamed_bytes = contest.streamed_bytes();
    bench.measure({.begin = begin,
                      .prepare = prepare,
                      .dispatch = [&](std::uint64_t, std::uint32_t steps) { return contest.timed(steps); }},
        percents);
    const KernelChoice choice = kernel_of(bench.info, kLoad.in(options));
    bench.evidence.shape = {
        .group_size = choice.group_size, .groups = bench.info.cores - 1, .loads_in_flight = kStreamLoads};
    bench.evidence.chase_shape = {.group_size = chase_lanes(bench.info), .groups = 1, .loads_in_flight = 1};
}

/// Nothing where it does not come to twice that of an idle memory; else between which rates it does: the last up to
/// which all quartiles lie below, and the first from which on all lie above.
std::vector<Finding> doubling_findings(
    const Series& series, std::span<const Point> points, const std::string& unthrottled) {
    constexpr double kTimes = 2;
    const double idle = *points.front().median;
    const auto times = [&](const Point& point) { return *point.median / idle; };
    const std::string &level = kWhere.word(series.id.options), &load = kLoad.word(series.id.options),
                      name = level + " " + load + " doubled";
    const std::string latency = fmt::format(
        "under {}, the latency of {}", load, kWhere.in(series.id.options) == Where::host ? "host memory" : level);
    if (times(*std::ranges::max_element(points, {}, times)) < kTimes) return {};
    const auto below = [&](const Point& point) { return point.high.value_or(*point.median) < kTimes * idle; };
    const auto above = [&](const Point& point) { return point.low.value_or(*point.median) >= kTimes * idle; };
    const auto low = std::prev(std::find_if_not(std::next(points.begin()), points.end(), below));
    const auto high = std::find_if_not(points.rbegin(), points.rend(), above).base();
    const bool back = std::any_of(high, points.end(), [&](const Point& point) {
        return times(point) < times(*high) / kTimes;
    }); // a higher load that costs much less: the load orders nothing
    if (high == points.end() || back) {
        std::vector<std::string> beyond;
        for (auto point = std::next(low); point != points.end(); ++point)
            beyond.push_back(fmt::format("{:.3g} times at {:.0f} %", times(*point), point->x));
        return {finding_of(series,
            Conclusion::none_seen(fmt::format(
                "{} is less than twice the idle one up to {:.0f} % of the unthrottled {}; above that it varies: {}",
                latency, low->x, unthrottled, fmt::join(beyond, ", "))),
            name, "%", {})};
    }
    const Conclusion doubled{.value = high->x,
        .low = low->x,
        .high = high->x,
        .x = {points.front().x, low->x, high->x},
        .sides = std::pair{low->x, high->x}};
    Finding found = finding_of(series, doubled, name, "%", [&](double) {
        return fmt::format(
            "{} doubles between {:.0f} and {:.0f} % of the unthrottled {} ({:.2f} and {:.2f} times the idle one)",
            latency, low->x, high->x, unthrottled, times(*low), times(*high));
    });
    found.rows = {{"share of that at which it doubles", high->x, "%", std::pair(low->x, high->x)}};
    return {found};
}

/// What the others do meanwhile, and where: ". All others add u32 to neighbouring words of 480 MiB; the chain spans 128
/// MiB".
std::string conditions_text(const Series& series) {
    const Load load = kLoad.in(series.id.options);
    const auto& [chain, streamed] = std::tie(series.evidence.footprint_bytes, series.evidence.streamed_bytes);
    std::string text = fmt::format(". All others {} neighbouring words{}",
        load == Load::reads    ? "read"
        : load == Load::writes ? "write"
                               : "add u32 to",
        streamed ? " of " + format_bytes(*streamed) : "");
    if (chain) text += fmt::format("; the chain spans {}", format_bytes(*chain));
    return text;
}

constexpr double kAddedBytes = 4; // of an addition

/// What a load takes beside idle cores, at about half of the unthrottled rate and at that.
std::vector<FindingRow> rows_of_load(
    const CurvePoint& idle, const CurvePoint& half, const CurvePoint& full, double rate, bool adds) {
    std::vector<FindingRow> rows{{"beside idle cores", idle.y, "ns", {}}};
    if (half.x > 0 && half.x < full.x)
        rows.push_back({fmt::format("at {:.0f} % of the unthrottled rate", half.x), half.y, "ns", {}});
    rows.push_back({"at the unthrottled rate", full.y, "ns", {}});
    rows.push_back({"unthrottled rate", adds ? rate / kAddedBytes : rate, adds ? "Gop/s" : "GB/s", {}});
    return rows;
}

std::vector<Finding> bandwidth_latency_findings(const Series& series, const DeviceInfo& device) {
    constexpr double kSameRate = 5, kOneLatency = 1.5; // percent; times
    std::vector<Point> points = series.points;
    std::erase_if(points, [](const Point& point) { return !point.median; });
    const auto curve = curve_of(series);
    const double rate = series.evidence.unthrottled_gb_per_s.value_or(0);
    if (curve.size() < 2 || curve.front().x != 0 || !(rate > 0)) return {};
    const auto unthrottled = std::ranges::find(curve, 100.0, &CurvePoint::x); // some wait between tiles may reach more
    const CurvePoint &idle = curve.front(), &full = unthrottled != curve.end() ? *unthrottled : curve.back();
    const auto half =
        std::ranges::min_element(curve, {}, [](const CurvePoint& point) { return std::abs(point.x - 50); });
    const auto time = [](const CurvePoint& point) { return format_si(point.y * 1e-9, "s"); };
    const bool adds = kLoad.in(series.id.options) == Load::atomics;
    const auto rate_at = [&](const CurvePoint& point) {
        return adds ? fmt::format(
                          "{} of {:g} bytes", format_si(point.x / 100 * rate / kAddedBytes * 1e9, "op/s"), kAddedBytes)
                    : format_si(point.x / 100 * rate * 1e9, "B/s");
    };
    const auto text = [&](const CurvePoint& point) { return fmt::format("{} at {}", time(point), rate_at(point)); };
    CurvePoint least = full, most = full; // of almost the same rate
    for (const CurvePoint& point : curve) {
        if (std::abs(point.x - full.x) > kSameRate) continue;
        if (point.y < least.y) least = point;
        if (point.y > most.y) most = point;
    }
    const auto by_rate = [](const CurvePoint& a, const CurvePoint& b) { return a.x < b.x; };
    const bool resolved = most.y < kOneLatency * least.y;
    const std::string times = resolved ? fmt::format(" ({:.2f} times the idle one)", full.y / idle.y) : "";
    const std::string& level = kWhere.word(series.id.options);
    const Where where = kWhere.in(series.id.options);
    const std::string memory = where == Where::host                  ? "memory allocated on the host"
                               : where == Where::cache && device.cpu ? "the LLC that the system reports"
                                                                     : level; // a guest is told of more than its share
    const std::string among = half->x > 0 && half->x < full.x ? text(*half) + ", " : "";
    std::vector<Finding> found = doubling_findings(series, points, rate_at({.x = 100}));
    found.insert(found.begin(),
        finding_of(series,
            {.name = level + " " + kLoad.word(series.id.options),
                .value = resolved ? std::optional(full.y / idle.y) : std::nullopt,
                .no_value = resolved ? std::nullopt : std::optional(NoValue::inconclusive),
                .unit = "times",
                .rows = rows_of_load(idle, *half, full, rate, adds),
                .text = fmt::format("a load from {} takes {} beside idle cores, {}{}{}{}", memory, time(idle), among,
                    resolved ? text(full)
                             : fmt::format("{}, but {}", text(std::min(least, most, by_rate)),
                                   text(std::max(least, most, by_rate))),
                    times, conditions_text(series)),
                .x = {idle.x, half->x, full.x}}));
    return found;
}
} // namespace

const Probe kBandwidthLatency{
    .name = "bandwidth-latency",
    .question = "Load latency while other cores stream?",
    .explanation = "One subgroup on one core follows a chain, while all other cores stream reads, writes or atomic "
                   "additions through the same level (a cache, DRAM, host memory), in one dispatch. A wait between "
                   "their tiles throttles them. The axis is the rate reached, in percent of the unthrottled one.",
    .picture = "Flat, then a rise towards 100 %: queues form where the level is saturated.",
    .method = literature::kMess,
    .x = {"rate", "%"},
    .run_noise = run_noise::by_cores,
    .paths = {"global", "host"},
    .variants = kWhere.each({"LLC", "DRAM"}) * kLoad.each() + kWhere.each({"host"}) * kLoad.each(),
    .quick = {.seconds = 0.57, .paths = {"global"}, .variants = 1},
    .run = measure_bandwidth_latency,
    .findings = bandwidth_latency_findings,
    .kernel = bandwidth_latency_kernel,
    .by_default = lies_there,
};

} // namespace sonde
