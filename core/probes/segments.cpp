// segments: the whole memory in chunks, each one's rate and latency, and what pairs of them do to each other. Where the chunks are not
// alike there is a slow segment (the GTX 970's last half gigabyte), or memory that is not the card's own.
#include <bit>
#include <chrono>
#include <limits>
#include <map>
#include <numeric>

#include "core/analysis/traffic.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

enum class Test { read, write, two_reads, two_writes, read_write };
static const Choice<Test> kTest{"test", {{"read", Test::read}, {"write", Test::write}, {"two-reads", Test::two_reads}, {"two-writes", Test::two_writes}, {"read-write", Test::read_write}}};

static KernelChoice segments_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return {.name = "two_buffers", .group_size = info.cpu ? info.subgroup : std::min(512u, info.largest_group), .defines = {{"WIDTH", "1"}, {"LOADS", std::to_string(kLoadsInFlight)}, {"TURNS", "1"}}, .b = find_path("global")};
}

namespace {
constexpr std::uint64_t kMebibyte = 1 << 20;
constexpr std::uint64_t kLargestChunk = 512 * kMebibyte, kSmallestChunk = 8 * kMebibyte;
constexpr std::size_t kChunksAtLeast = 32;
constexpr double kAllocatingBriefly = 0.75; // seconds

/// Which of A and B is read or written, and by whom.
struct Task {
    bool together = false, write_a = false, write_b = false;
};

/// A piece of the memory, filled with words e + salt.
struct Chunk {
    std::unique_ptr<Buffer> memory;
    std::uint32_t salt = 0;
};

/// The chunks of all memory that is to be had. They go with it, whatever happens.
class Chunks {
public:
    /// A power of two that cuts the memory in 32 pieces or more. A processor's memory is everyone's: a sixteenth of it is taken. No more are
    /// allocated than `seconds` allow: a driver may take five for all of a large card.
    Chunks(Bench& bench, double seconds) : chunk_bytes_(std::clamp(std::bit_floor(bench.info.memory_bytes / (bench.info.cpu ? 256 : 32)), kSmallestChunk, kLargestChunk)) {
        const DeviceInfo& info = bench.info;
        chunk_bytes_ = std::min(chunk_bytes_, std::bit_floor(info.reach_of(bench.path.space).bytes));
        // What a desktop and this program's other buffers need stays free: to the point of paging is too far.
        const std::uint64_t reserve = std::max(info.memory_bytes / 32, 4 * kSmallestChunk), all = info.cpu ? info.memory_bytes / 16 : info.memory_bytes - std::min(reserve, info.memory_bytes);
        const auto begin = std::chrono::steady_clock::now();
        bool in_time = true;
        try {
            while ((chunks.size() + 1) * chunk_bytes_ <= all) {
                in_time = chunks.size() < kChunksAtLeast || std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds;
                if (!in_time) break;
                bench.step(fmt::format("allocate chunk {} of {}", chunks.size(), format_bytes(static_cast<double>(chunk_bytes_))));
                auto memory = bench.device.allocate(bench.path.space, chunk_bytes_);
                if (memory->placement().device_local == false) {
                    ended_ = fmt::format("chunk {} was not placed in the device's own memory", chunks.size());
                    break;
                }
                chunks.push_back({std::move(memory), 0});
            }
        } catch (const DoesNotFit& error) {
            ended_ = error.what();
        }
        if (!ended_.empty()) { // whoever needs memory next shall find some
            for (int i = 0; i < 2 && chunks.size() > 2; ++i) chunks.pop_back();
            bench.end_reason = fmt::format("ends at {}: {}", format_bytes(static_cast<double>(chunks.size() * chunk_bytes_)), ended_);
        }
        if (!in_time) bench.end_reason = fmt::format("ends at {}: in a short run there is no time to allocate more", format_bytes(static_cast<double>(chunks.size() * chunk_bytes_)));
        if (chunks.size() < 4) throw Unsupported(fmt::format("{} chunks of {} are too few for a map{}", chunks.size(), format_bytes(static_cast<double>(chunk_bytes_)), ended_.empty() ? "" : ": " + ended_));
        const Placement placement = chunks[0].memory->placement();
        bench.evidence.placement = {.device_local = placement.device_local, .text = placement.text};
        bench.evidence.chunk_bytes = chunk_bytes_;
        bench.evidence.chunks = chunks.size();
        bench.evidence.memory_bytes = info.memory_bytes;
        if (info.host_link_bytes_per_second > 0) bench.evidence.host_link_gb_per_s = info.host_link_bytes_per_second / 1e9;
    }
    std::uint64_t chunk_bytes() const { return chunk_bytes_; }
    std::vector<Chunk> chunks;

private:
    std::uint64_t chunk_bytes_;
    std::string ended_;
};

/// Reads and writes one chunk, or two at once.
class Traffic {
public:
    Traffic(Bench& bench, std::uint64_t chunk_bytes)
        : bench_(bench), shape_(shape_of(bench.info, chunk_bytes)), kernel_(bench.kernel(segments_kernel(bench.info, bench.path, {}))), result_(bench.allocate_result(std::size_t{shape_.group_size} * shape_.groups)), summer_(bench),
          tiles_(static_cast<std::uint32_t>(chunk_bytes / 4 / (shape_.group_size * kLoadsInFlight))) {
        bench.evidence.shape = {.group_size = shape_.group_size, .groups = shape_.groups, .loads_in_flight = kLoadsInFlight};
    }

    /// What a chunk begins with: every word its number, and a salt.
    void write_whole(Chunk& chunk) { timed({.write_a = true}, chunk, nullptr, passes(1)); }

    /// `count_a` tiles of A by each workgroup that works on it, in proportion `share_b` of B. Steps are bytes of both.
    Sample timed(const Task& task, Chunk& a, Chunk* b, std::uint32_t count_a, double share_b = 1) {
        const auto count_b = static_cast<std::uint32_t>(std::max(1.0, std::round(count_a * share_b)));
        // What is written in part keeps its salt: whichever launch wrote a word, the host must know it.
        if (task.write_a && writes_all(task, count_a)) a.salt = bench_.next_seed();
        if (b && task.write_b && writes_all(task, count_b)) b->salt = bench_.next_seed();
        const kernel_args::TwoBuffers args{.together = task.together, .tiles_a = tiles_, .count_a = count_a, .write_a = task.write_a, .salt_a = a.salt,
                                     .tiles_b = tiles_, .count_b = count_b, .write_b = task.write_b, .salt_b = b ? b->salt : 0};
        const double tiles = task.together ? (count_a + count_b) * (shape_.groups / 2.0) : static_cast<double>(count_a) * shape_.groups;
        const auto [sample, out] = bench_.launch(*kernel_, args, {.a = a.memory.get(), .b = b ? b->memory.get() : nullptr, .out = *result_, .groups = shape_.groups}, tiles * tile_words() * 4,
                                                 std::size_t{shape_.group_size} * shape_.groups);
        check(task, a, b, std::accumulate(out.begin(), out.end(), 0u), count_a, count_b);
        return sample;
    }

    /// Tiles of a workgroup for that many passes over a chunk, all workgroups or half of them working on it: every element is then written.
    std::uint32_t passes(std::uint32_t count, bool together = false) const {
        const std::uint32_t groups = together ? shape_.groups / 2 : shape_.groups;
        return (tiles_ + groups - 1) / groups * count;
    }
    std::uint32_t most(bool together) const { return std::max(passes(1, together) * 8, bench_.info.loop_trips ? bench_.info.loop_trips - 8 : 1u << 20); }

private:
    /// So many workgroups that half of them come through a chunk eight times (a slope's longer walk) without too many loop trips.
    static Shape shape_of(const DeviceInfo& info, std::uint64_t chunk_bytes) {
        const std::uint32_t group_size = info.cpu ? info.subgroup : std::min(512u, info.largest_group), filling = info.cores * (info.cpu ? 1 : 4);
        const std::uint64_t trips = 8 * chunk_bytes / (group_size * kLoadsInFlight * 4), needed = info.loop_trips ? trips / (info.loop_trips / 2) + 1 : 1;
        return {group_size, std::max(filling / 2 + filling % 2, static_cast<std::uint32_t>(needed)) * 2};
    }
    std::uint32_t tile_words() const { return shape_.group_size * kLoadsInFlight; }
    bool writes_all(const Task& task, std::uint32_t count) const { return std::uint64_t{task.together ? shape_.groups / 2 : shape_.groups} * count >= tiles_; }

    /// What one side's workgroups read in `count` tiles each, sweeping side by side over words e + salt.
    std::uint32_t sum_of(std::uint32_t members, std::uint32_t count, std::uint32_t salt) const {
        const std::uint64_t visits = std::uint64_t{members} * count, rounds = visits / tiles_, rest = visits % tiles_;
        const auto prefix = [&](std::uint64_t tiles) { // sum of the words of that many tiles
            const std::uint64_t words = tiles * tile_words();
            return static_cast<std::uint32_t>(words % 2 ? (words - 1) / 2 * words : words / 2 * (words - 1)) + static_cast<std::uint32_t>(words) * salt;
        };
        return static_cast<std::uint32_t>(rounds) * prefix(tiles_) + prefix(rest);
    }

    void check(const Task& task, const Chunk& a, const Chunk* b, std::uint32_t found, std::uint32_t count_a, std::uint32_t count_b) {
        const std::uint32_t members = task.together ? shape_.groups / 2 : shape_.groups;
        const auto side = [&](bool writes, std::uint32_t count, std::uint32_t salt) { return writes ? members * shape_.group_size * count : sum_of(members, count, salt); };
        const std::uint32_t expected = side(task.write_a, count_a, a.salt) + (task.together ? side(task.write_b, count_b, b->salt) : 0);
        if (found != expected) throw Error(fmt::format("what was read adds up to {:#010x}, the host's sum is {:#010x}", found, expected));
        if (task.write_a && writes_all(task, count_a)) check_written(a);
        if (task.together && task.write_b && writes_all(task, count_b)) check_written(*b);
        bench_.checked("the sum of every word read in every dispatch, and of every word written by those that write all, against the host's");
    }

    void check_written(const Chunk& chunk) {
        const std::uint32_t found = summer_.sum(*chunk.memory, std::uint64_t{tiles_} * tile_words() * 4);
        if (const std::uint32_t expected = sum_of(1, tiles_, chunk.salt); found != expected) throw Error(fmt::format("the words written add up to {:#010x}, the host's sum is {:#010x}", found, expected));
    }

    Bench& bench_;
    const Shape shape_;
    std::shared_ptr<Kernel> kernel_;
    std::unique_ptr<Buffer> result_;
    MemorySum summer_;
    const std::uint32_t tiles_;
};

double seconds_to_allocate(const Bench& bench) { return is_brief(bench.profile) ? kAllocatingBriefly : std::numeric_limits<double>::infinity(); }

/// Of every chunk, or of each `every`-th.
std::vector<std::uint64_t> offsets(const Chunks& all, std::size_t every = 1) {
    std::vector<std::uint64_t> xs;
    for (std::size_t i = 0; i < all.chunks.size(); i += every) xs.push_back(i * all.chunk_bytes());
    return xs;
}

/// Where time is short, and chunks are many, some of them tell whether there is a second segment.
std::size_t step_of(const Bench& bench, const Chunks& all, std::size_t briefly) { return is_brief(bench.profile) && all.chunks.size() > 64 ? briefly : 1; }

/// Every chunk's rate alone, from short walks. A slow one is measured again, the card's clocks awake: filling chunks keeps them low.
std::vector<CurvePoint> rates_alone(Bench& bench, Chunks& all, Traffic& traffic, bool write) {
    std::vector<CurvePoint> rates;
    const auto rate_of = [&](std::size_t i) {
        bench.step(fmt::format("{} chunk {}", write ? "write" : "read", i));
        return 1 / bench.rough_slope(traffic.passes(1), traffic.most(false), [&](std::uint32_t count) { return traffic.timed({.write_a = write}, all.chunks[i], nullptr, count); });
    };
    for (std::size_t i = 0; i < all.chunks.size(); ++i) rates.push_back({static_cast<double>(i * all.chunk_bytes()), rate_of(i)});
    const auto classes = speed_classes(rates);
    if (classes.size() > 1) bench.wake_again();
    for (std::size_t slower = 1; slower < classes.size(); ++slower)
        for (const std::size_t i : classes[slower].chunks) rates[i].y = std::max(rates[i].y, rate_of(i));
    return rates;
}

/// Pairs: each chunk beside one of another speed class (of its own, where there is one class), both sides given work for the same time. What
/// the pair brings together is the point's value; how that compares with each alone goes to the evidence.
void measure_pairs(Bench& bench, Chunks& all, Traffic& traffic, bool write_a, bool write_b) {
    bench.step("fill all chunks");
    for (Chunk& chunk : all.chunks) traffic.write_whole(chunk);
    bench.wake_again();
    const auto alone_a = rates_alone(bench, all, traffic, write_a), alone_b = write_a == write_b ? alone_a : rates_alone(bench, all, traffic, write_b);
    const auto classes = speed_classes(alone_a);
    const std::size_t fast = classes[0].chunks[0], slow = classes.back().chunks[0];
    for (const CurvePoint& point : alone_a) bench.evidence.alone_gb_per_s.push_back(point.y);
    std::map<std::size_t, double> overlap; // 1: as if the other were not there; 2: they take turns
    const auto together = [&](std::size_t i, std::size_t other, std::optional<int> block) { // in a block's point, or roughly
        const double share = alone_b[other].y / alone_a[i].y; // of the other's tiles to this one's, for the same time
        const double more = std::max(1.0, share);                         // it is the faster one's that the limits are for
        const auto granule = std::max(1u, static_cast<std::uint32_t>(traffic.passes(1, true) / more)), most = static_cast<std::uint32_t>(traffic.most(true) / more);
        const Task task{.together = true, .write_a = write_a, .write_b = write_b};
        const auto dispatch = [&](std::uint32_t count) { return traffic.timed(task, all.chunks[i], &all.chunks[other], count, share); };
        const double ns = block ? bench.take_pairs(static_cast<double>(i * all.chunk_bytes()), *block, granule, most, dispatch) : bench.rough_slope(granule, most, dispatch);
        // In one ns alone this chunk moves a, the other b = share * a; together 1 / ns of both.
        overlap[i] = ns * (alone_a[i].y + alone_b[other].y);
        return ns;
    };
    for (int block = 0; block < bench.profile.blocks; ++block)
        bench.sweep(block, offsets(all), [&](std::uint64_t x, const std::string& text) {
            const std::size_t i = x / all.chunk_bytes();
            const bool is_fast = std::binary_search(classes[0].chunks.begin(), classes[0].chunks.end(), i);
            std::size_t other = classes.size() > 1 && is_fast ? slow : fast;
            if (other == i) other = i == 0 ? 1 : 0;
            bench.step("pair " + text);
            return together(i, other, block);
        });
    std::vector<double> values;
    values.reserve(overlap.size());
    for (const auto& [i, value] : overlap) values.push_back(value);
    bench.evidence.overlap = values; // by chunk
    // The outliers among themselves.
    const double usual = median(values);
    std::vector<std::size_t> outliers;
    for (const auto& [i, value] : overlap)
        if (std::abs(value / usual - 1) > 0.1 && outliers.size() < 8) outliers.push_back(i);
    for (std::size_t i = 0; i < outliers.size(); ++i)
        for (std::size_t j = i + 1; j < outliers.size(); ++j) {
            bench.step(fmt::format("pair of chunks {} and {}", outliers[i], outliers[j]));
            const double ns = together(outliers[i], outliers[j], std::nullopt);
            bench.evidence.outlier_pairs.push_back({.chunks = {outliers[i], outliers[j]}, .gb_per_s = 1 / ns, .overlap = overlap[outliers[i]]});
        }
}

void measure_rates(Bench& bench, Chunks& all, Traffic& traffic, bool write) {
    const std::vector<std::uint64_t> xs = offsets(all, step_of(bench, all, 4));
    bench.step("fill the chunks");
    for (const std::uint64_t x : xs) traffic.write_whole(all.chunks[x / all.chunk_bytes()]);
    bench.wake_again();
    const std::uint32_t granule = traffic.passes(1); // a whole chunk: shorter walks tell of interruptions
    const auto dispatch = [&](std::uint64_t x, std::uint32_t count) { return traffic.timed({.write_a = write}, all.chunks[x / all.chunk_bytes()], nullptr, count); };
    bench.measure({.work = {.granule = granule, .most = traffic.most(false)}, .dispatch = dispatch}, xs);
}
} // namespace

static void measure_segment_latency(Bench& bench) {
    bench.wake_clocks();
    Chase chase(bench);
    bench.end_reason.clear(); // the footprint is a chunk, however far the path reaches
    Chunks all(bench, seconds_to_allocate(bench));
    const std::vector<std::uint64_t> xs = offsets(all, step_of(bench, all, 8));
    std::unique_ptr<Buffer>* taken = nullptr; // the chunk that is in the chase's hands
    const auto give_back = [&] {
        if (taken) chase.exchange_memory(*taken);
        taken = nullptr;
    };
    auto experiment = chase.experiment([&](std::uint64_t x, const std::string&) {
        give_back(); // where a point was broken off
        taken = &all.chunks[x / all.chunk_bytes()].memory;
        chase.exchange_memory(*taken);
        chase.build(all.chunk_bytes());
    });
    experiment.verify = give_back;
    bench.measure(experiment, xs);
}

static std::vector<Finding> segment_latency_findings(const Series& series, const DeviceInfo&) {
    auto curve = curve_of(series);
    if (curve.size() < 4) return {};
    std::vector<double> latencies;
    for (CurvePoint& point : curve) {
        latencies.push_back(point.y);
        point.y = 1 / point.y; // the fastest class first
    }
    const auto classes = speed_classes(curve);
    const auto [least, most] = std::minmax_element(latencies.begin(), latencies.end());
    std::vector<std::string> parts;
    parts.reserve(classes.size());
    for (const SpeedClass& each : classes)
        parts.push_back(fmt::format("{:.4g} ns in {} from {} on", 1 / each.rate, format_bytes(static_cast<double>(each.chunks.size()) * (curve[1].x - curve[0].x)), format_bytes(curve[each.chunks[0]].x)));
    const std::string text = classes.size() > 1 ? fmt::format("a load takes {}", fmt::join(parts, ", "))
                                                : fmt::format("no segment of other latency seen in {} places over {}: {:.0f} ns ({:.0f} to {:.0f})", curve.size(), format_bytes(curve.back().x), median(latencies), *least, *most);
    return {finding_of(series, {.kind = "segments", .name = classes.size() == 1 ? "latency" : "latencies", .value = median(latencies), .text = text})};
}

static void measure_segments(Bench& bench) {
    const Test test = kTest.in(bench.request.id.options);
    bench.wake_clocks();
    Chunks all(bench, seconds_to_allocate(bench));
    Traffic traffic(bench, all.chunk_bytes());
    if (test == Test::read || test == Test::write)
        measure_rates(bench, all, traffic, test == Test::write);
    else
        measure_pairs(bench, all, traffic, test == Test::two_writes, test != Test::two_reads);
}

namespace {
/// A class's bytes: what was measured (each point stands for all up to the next one), and that with the rest of the memory behind it, which
/// was left free.
std::pair<double, double> bytes_of(const SpeedClass& each, const Series& series, const std::vector<CurvePoint>& curve) {
    const double chunk = curve[1].x - curve[0].x, measured = static_cast<double>(each.chunks.size()) * chunk;
    const double rest = static_cast<double>(series.evidence.memory_bytes.value_or(0)) - static_cast<double>(curve.size()) * chunk;
    return {measured, each.chunks.back() + 1 == curve.size() && rest > 0 ? measured + rest : measured};
}

std::vector<Finding> rate_findings(const Series& series, const std::vector<CurvePoint>& curve) {
    constexpr double kFarBelow = 20; // times slower than the card's own memory
    const double host_link = series.evidence.host_link_gb_per_s.value_or(0); // 0: unknown, and nothing is concluded
    const auto classes = speed_classes(curve);
    const std::string& test = series.id.options.at("test");
    const auto [least, most] = std::minmax_element(curve.begin(), curve.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; });
    if (classes.size() == 1)
        return {finding_of(series, {.name = "uniform", .value = classes[0].rate, .capacity_bytes = bytes_of(classes[0], series, curve),
                                    .text = fmt::format("no slow segment seen in {} sampled in chunks of {} over {}: {} {} ({} to {})", format_bytes(static_cast<double>(curve.size() * series.evidence.chunk_bytes.value_or(0))), format_bytes(static_cast<double>(series.evidence.chunk_bytes.value_or(0))),
                                                        format_bytes(curve.back().x + static_cast<double>(series.evidence.chunk_bytes.value_or(0))), test, format_si(classes[0].rate * 1e9, "B/s"), format_si(least->y * 1e9, "B/s"), format_si(most->y * 1e9, "B/s"))})};
    std::vector<Finding> findings;
    for (const SpeedClass& each : classes) {
        const bool fast = &each == &classes[0];
        const double slower = classes[0].rate / each.rate, begin = curve[each.chunks[0]].x, other = curve[classes[fast ? 1 : 0].chunks[0]].x;
        const auto bytes = bytes_of(each, series, curve);
        Conclusion conclusion{.value = each.rate, .sides = std::pair{begin, other}};
        for (const std::size_t i : each.chunks) conclusion.x.push_back(curve[i].x);
        findings.push_back(finding_of(series, conclusion, fast ? "fast" : "slow", series.unit, [&](double rate) {
            const bool far = !fast && rate < host_link && slower > kFarBelow;
            return fmt::format("{} from {} on {} {:.4g} GB/s: {}{}", format_byte_range(bytes.first, bytes.second), format_bytes(begin), test, rate,
                               fast ? "the fast segment" : fmt::format("a segment {:.3g} times slower", slower), far ? ", like memory behind the host link" : "");
        }));
        findings.back().capacity_bytes = bytes;
    }
    return findings;
}

/// How chunks of different speed classes share the memory's bandwidth. Those of one class are expected to take turns.
std::vector<Finding> pair_findings(const Series& series, const std::vector<CurvePoint>& curve) {
    constexpr double kTogether = 1.3, kExclusive = 1.7;
    const std::vector<double>& overlaps = series.evidence.overlap;
    std::vector<CurvePoint> alone; // by chunk
    for (const double rate : series.evidence.alone_gb_per_s) alone.push_back({static_cast<double>(alone.size()), rate});
    if (alone.size() != curve.size() || overlaps.size() != curve.size()) return {};
    const auto classes = speed_classes(alone);
    const double times = median(overlaps);
    const bool alike = classes.size() == 1;
    const std::string name = times < kTogether ? "together" : alike ? "alike" : times > kExclusive ? "exclusive" : "partly exclusive";
    const std::string who = alike ? fmt::format("two chunks of one speed (of {})", curve.size()) : fmt::format("a chunk of {:.4g} GB/s and one of {:.4g} GB/s", classes[0].rate, classes.back().rate);
    const char* what = times < kTogether ? "neither slows the other" : alike ? "no second segment seen" : times > kExclusive ? "one blocks the other" : "they slow each other";
    return {finding_of(series, {.name = name, .value = times, .unit = "times as long",
                                .text = fmt::format("{} at once ({}) take {:.2f} times as long as one alone: {}", who, series.id.options.at("test"), times, what)})};
}
} // namespace

static std::vector<Finding> segments_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.size() < 4 || series.evidence.chunk_bytes.value_or(0) == 0) return {};
    const Test test = kTest.in(series.id.options);
    return test == Test::read || test == Test::write ? rate_findings(series, curve) : pair_findings(series, curve);
}

const Probe kSegments{
    .name = "segments",
    .question = "Is all of DRAM equally fast?",
    .explanation = "The whole memory in chunks: the rate of each, and of pairs at the same time. A slow segment, or memory behind the host link, stands out as a step.",
    .picture = "Flat over the whole memory; a step or a dip is a slower part.",
    .method = "Skybuck's CUDA Memory Bandwidth Performance Test (2015), which measures the memory block by block",
    .x = {"offset", "bytes", Axis::place},
    .unit = "GB/s",
    .chart = Chart::memory_map,
    .run_noise = run_noise::alike,
    .paths = {"global"},
    .variants = kTest.each(),
    .quick = {.paths = {}, .variants = 1},
    .run = measure_segments,
    .findings = segments_findings,
    .kernel = segments_kernel,
};

const Probe kSegmentLatency{
    .name = "segment-latency",
    .question = "Is all of DRAM at the same latency?",
    .explanation = "The whole memory in chunks: the latency of a chain within each.",
    .picture = "Flat over the whole memory; steps where a part lies behind another controller or chip.",
    .x = {"offset", "bytes", Axis::place},
    .chart = Chart::memory_map,
    .run_noise = run_noise::alike,
    .paths = {"global"},
    .run = measure_segment_latency,
    .findings = segment_latency_findings,
    .kernel = latency_kernel,
};

} // namespace sonde
