// segments: the whole memory in chunks, each one's rate and latency, and what pairs of them do to each other. Where the
// chunks are not alike there is a slow segment (the GTX 970's last half gigabyte), or memory that is not the card's
// own.
#include <map>

#include "core/base/statistics.h"
#include "core/probes/segments.h"

namespace sonde {

namespace {
/// Pairs: each chunk beside one of another speed class (of its own, where there is one class) and then, roughly, beside
/// a second one; both sides given work for the same time. What the first pair brings together is the point's value; how
/// that compares with each alone goes to the evidence.
class PairsOfChunks {
public:
    PairsOfChunks(Bench& bench, Chunks& all, Traffic& traffic, bool write_a, bool write_b)
        : bench_(bench),
          all_(all),
          traffic_(traffic),
          task_{.of = 2, .on_b = 1, .write_a = write_a, .write_b = write_b},
          alone_a_(rates_alone(bench, all, traffic, write_a)),
          alone_b_(write_a == write_b ? alone_a_ : rates_alone(bench, all, traffic, write_b)),
          classes_(speed_classes(alone_a_)) {
        for (const CurvePoint& point : alone_a_) bench.evidence.alone_gb_per_s.push_back(point.y);
    }

    void measure() {
        bench_.each_block([&](int block) {
            bench_.sweep(block, offsets(all_), [&](std::uint64_t x, const std::string& text) {
                const std::size_t i = x / all_.chunk_bytes();
                bench_.step("pair " + text);
                return together(i, *beside(i, false), block);
            });
        });
        bench_.evidence.overlap = overlaps(); // by chunk
        measure_outliers(bench_.evidence.overlap);
        overlap_.clear();
        for (std::size_t i = 0; i < all_.chunks.size(); ++i)
            if (const auto other = beside(i, true)) together(i, *other, std::nullopt);
        bench_.evidence.overlap_second = overlaps();
    }

private:
    /// Which chunk that is; nullopt: there is no second one.
    std::optional<std::size_t> beside(std::size_t i, bool second) const {
        const std::vector<std::size_t>& fast = classes_[0].chunks;
        if (classes_.size() == 1) return second ? fast[(i + fast.size() / 2) % fast.size()] : fast[i == 0 ? 1 : 0];
        const std::vector<std::size_t>& others = std::ranges::binary_search(fast, i) ? classes_.back().chunks : fast;
        return !second             ? std::optional(others.front())
               : others.size() > 1 ? std::optional(others.back())
                                   : std::nullopt;
    }

    /// ns for a byte of both, in a block's point or roughly.
    double together(std::size_t i, std::size_t other, std::optional<int> block) {
        const double share = alone_b_[other].y / alone_a_[i].y; // of the other's tiles to this one's, for the same time
        const double more = std::max(1.0, share);               // it is the faster one's that the limits are for
        const auto granule = std::max(1u, static_cast<std::uint32_t>(traffic_.passes(1, true) / more)),
                   most = static_cast<std::uint32_t>(traffic_.most(true) / more);
        const auto dispatch = [&](std::uint32_t count) {
            return traffic_.timed(task_, all_.chunks[i], &all_.chunks[other], count, share);
        };
        const double ns = block ? bench_.take_pairs(static_cast<double>(i * all_.chunk_bytes()), *block,
                                      {.granule = granule, .most = most}, dispatch)
                                : bench_.rough_slope(granule, most, dispatch);
        // In one ns alone this chunk moves a, the other b = share * a; together 1 / ns of both.
        overlap_[i] = ns * (alone_a_[i].y + alone_b_[other].y);
        return ns;
    }

    std::vector<double> overlaps() const {
        std::vector<double> values;
        values.reserve(overlap_.size());
        for (const auto& [i, value] : overlap_) values.push_back(value);
        return values;
    }

    /// Those among themselves.
    void measure_outliers(const std::vector<double>& values) {
        const double usual = median(values);
        std::vector<std::size_t> outliers;
        for (const auto& [i, value] : overlap_)
            if (std::abs(value / usual - 1) > 0.1 && outliers.size() < 8) outliers.push_back(i);
        for (std::size_t i = 0; i < outliers.size(); ++i)
            for (std::size_t j = i + 1; j < outliers.size(); ++j) {
                bench_.step(fmt::format("pair of chunks {} and {}", outliers[i], outliers[j]));
                const double ns = together(outliers[i], outliers[j], std::nullopt);
                bench_.evidence.outlier_pairs.push_back(
                    {.chunks = {outliers[i], outliers[j]}, .gb_per_s = 1 / ns, .overlap = overlap_[outliers[i]]});
            }
    }

    Bench& bench_;
    Chunks& all_;
    Traffic& traffic_;
    const Task task_;
    const std::vector<CurvePoint> alone_a_, alone_b_;
    const std::vector<SpeedClass> classes_;
    std::map<std::size_t, double> overlap_; // 1: as if the other were not there; 2: they take turns
};

void measure_pairs(Bench& bench, Chunks& all, Traffic& traffic, bool write_a, bool write_b) {
    bench.step("fill all chunks");
    for (Chunk& chunk : all.chunks) traffic.write_whole(chunk);
    bench.wake_again();
    PairsOfChunks(bench, all, traffic, write_a, write_b).measure();
}

void measure_rates(Bench& bench, Chunks& all, Traffic& traffic, bool write) {
    const std::vector<std::uint64_t> xs = offsets(all, step_of(bench, all, 4));
    bench.step("fill the chunks");
    for (const std::uint64_t x : xs) traffic.write_whole(all.chunks[x / all.chunk_bytes()]);
    bench.wake_again();
    const std::uint32_t granule = traffic.passes(1); // a whole chunk: shorter walks tell of interruptions
    const auto dispatch = [&](std::uint64_t x, std::uint32_t count) {
        return traffic.timed({.write_a = write}, all.chunks[x / all.chunk_bytes()], nullptr, count);
    };
    bench.measure({.work = {.granule = granule, .most = traffic.most(false)}, .dispatch = dispatch}, xs);
}
} // namespace

static void measure_segment_latency(Bench& bench) {
    bench.wake_clocks();
    Chase chase(bench);
    bench.ending.reset(); // the footprint is a chunk, however far the path reaches
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
    std::vector<FindingRow> rows{
        {"places", static_cast<double>(curve.size()), "places"}, {"the last of them at", curve.back().x, "bytes"}};
    for (const SpeedClass& each : classes) {
        const double bytes = static_cast<double>(each.chunks.size()) * (curve[1].x - curve[0].x),
                     begin = curve[each.chunks[0]].x;
        parts.push_back(
            fmt::format("{:.4g} ns in {} from {} on", 1 / each.rate, format_bytes(bytes), format_bytes(begin)));
        if (classes.size() == 1) continue;
        const std::string segment = fmt::format("segment {}", parts.size());
        rows.push_back({"a load from " + segment, 1 / each.rate, series.unit});
        rows.push_back({segment + " holds", bytes, "bytes"});
        rows.push_back({segment + " begins at", begin, "bytes"});
    }
    if (classes.size() == 1) rows.push_back({"a load", median(latencies), series.unit, std::pair(*least, *most)});
    const std::string text =
        classes.size() > 1
            ? fmt::format("a load takes {}", fmt::join(parts, ", "))
            : fmt::format("no segment of other latency seen in {} places from 0 to {}: {:.0f} ns ({:.0f} to {:.0f})",
                  curve.size(), format_bytes(curve.back().x), median(latencies), *least, *most);
    return {finding_of(series, {.kind = "segments",
                                   .name = classes.size() == 1 ? "latency" : "latencies",
                                   .value = median(latencies),
                                   .rows = std::move(rows),
                                   .text = text})};
}

static void measure_segments(Bench& bench) {
    const SegmentTest test = option::segment_test.in(bench.request.id.options);
    bench.wake_clocks();
    Chunks all(bench, seconds_to_allocate(bench));
    Traffic traffic(bench, all.chunk_bytes());
    if (test == SegmentTest::read || test == SegmentTest::write)
        measure_rates(bench, all, traffic, test == SegmentTest::write);
    else measure_pairs(bench, all, traffic, test == SegmentTest::two_writes, test != SegmentTest::two_reads);
}

namespace {
/// A class's bytes: what was measured (each point stands for all up to the next one), and that with the rest of the
/// memory behind it, which was left free.
std::pair<double, double> bytes_of(const SpeedClass& each, const Series& series, const std::vector<CurvePoint>& curve) {
    const double chunk = curve[1].x - curve[0].x, measured = static_cast<double>(each.chunks.size()) * chunk;
    const double rest =
        static_cast<double>(series.evidence.memory_bytes.value_or(0)) - static_cast<double>(curve.size()) * chunk;
    return {measured, each.chunks.back() + 1 == curve.size() && rest > 0 ? measured + rest : measured};
}

std::vector<Finding> rate_findings(const Series& series, const std::vector<CurvePoint>& curve) {
    constexpr double kFarBelow = 20;                                         // times slower than the card's own memory
    const double host_link = series.evidence.host_link_gb_per_s.value_or(0); // 0: unknown, and nothing is concluded
    const auto chunk_bytes = static_cast<double>(series.evidence.chunk_bytes.value_or(0));
    const auto classes = speed_classes(curve);
    const std::string& test = option::segment_test.word(series.id.options);
    const auto [least, most] = std::minmax_element(
        curve.begin(), curve.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; });
    if (classes.size() == 1)
        return {finding_of(series,
            {.name = "uniform",
                .value = classes[0].rate,
                .capacity_bytes = bytes_of(classes[0], series, curve),
                .rows = {{"chunks, none of them slow", static_cast<double>(curve.size()), "chunks"},
                    {"bytes of a chunk", chunk_bytes, "bytes"},
                    {"they lie within", curve.back().x + chunk_bytes, "bytes"},
                    {"rate of a chunk", classes[0].rate, series.unit, std::pair(least->y, most->y)}},
                .text = fmt::format("no slow segment seen in {} chunks of {} over {}: this kernel {}s {} ({} to {})",
                    curve.size(), format_bytes(chunk_bytes), format_bytes(curve.back().x + chunk_bytes), test,
                    format_si(classes[0].rate * 1e9, "B/s"), format_si(least->y * 1e9, "B/s"),
                    format_si(most->y * 1e9, "B/s"))})};
    std::vector<Finding> findings;
    for (const SpeedClass& each : classes) {
        const bool fast = &each == &classes[0];
        const double slower = classes[0].rate / each.rate, begin = curve[each.chunks[0]].x,
                     other = curve[classes[fast ? 1 : 0].chunks[0]].x;
        const auto bytes = bytes_of(each, series, curve);
        Conclusion conclusion{.value = each.rate, .sides = std::pair{begin, other}};
        for (const std::size_t i : each.chunks) conclusion.x.push_back(curve[i].x);
        findings.push_back(finding_of(series, conclusion, fast ? "fast" : "slow", series.unit, [&](double rate) {
            const bool far = !fast && rate < host_link && slower > kFarBelow;
            return fmt::format("{} from {} on {} {:.4g} GB/s: {}{}", format_byte_range(bytes.first, bytes.second),
                format_bytes(begin), test, rate,
                fast ? "the fast segment" : fmt::format("a segment {:.3g} times slower", slower),
                far ? ", like memory behind the host link" : "");
        }));
        findings.back().capacity_bytes = bytes;
        const std::string segment = fast                  ? "fast segment"
                                    : classes.size() == 2 ? "slow segment"
                                                          : fmt::format("slow segment {}", findings.size() - 1);
        findings.back().rows = {{segment, each.rate, series.unit}, {segment + " holds", bytes.first, "bytes", bytes},
            {segment + " begins at", begin, "bytes"}};
        if (!fast) findings.back().rows.push_back({segment + ", times slower", slower, "times"});
    }
    return findings;
}

/// What a chunk that is read and another that is written, both of one speed class, move together, beside the rates of
/// reads alone and of writes alone. A pair's overlap is the time of a byte of both, times the rates of each alone: it
/// tells the second one.
Finding mixed_finding(
    const Series& series, const std::vector<CurvePoint>& together, const std::vector<CurvePoint>& reads_alone) {
    std::vector<double> rates, reads, writes;
    for (std::size_t i = 0; i < together.size(); ++i) {
        rates.push_back(together[i].y), reads.push_back(reads_alone[i].y);
        writes.push_back(series.evidence.overlap[i] * together[i].y - reads_alone[i].y);
    }
    const auto rate = [](const std::vector<double>& of) { return format_si(median(of) * 1e9, "B/s"); };
    const double read = median(reads), written = median(writes), share = 100 * median(rates) / read;
    return finding_of(
        series, {.name = "mixed",
                    .value = share,
                    .unit = "% of reads alone",
                    .rows = {{"a chunk read and another written", median(rates), series.unit},
                        {"share of it read", 100 * read / (read + written), "%"}, {"reads alone", read, series.unit},
                        {"writes alone", written, series.unit}, {"together, of reads alone", share, "%"},
                        {"pairs", static_cast<double>(rates.size()), "pairs"}},
                    .text = fmt::format("one chunk read and another written move {} together (median of {} pairs, "
                                        "{:.0f} % of it read); this kernel's reads alone {}, writes alone {}",
                        rate(rates), rates.size(), 100 * read / (read + written), rate(reads), rate(writes))});
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
    if (alike && option::segment_test.in(series.id.options) == SegmentTest::read_write)
        return {mixed_finding(series, curve, alone)};
    const std::string name = times < kTogether    ? "together"
                             : alike              ? "alike"
                             : times > kExclusive ? "exclusive"
                                                  : "partly exclusive";
    const std::string& test = option::segment_test.word(series.id.options);
    const std::string who = alike ? fmt::format("two of {} equally fast chunks at once ({})", curve.size(), test)
                                  : fmt::format("a chunk of {:.4g} GB/s and one of {:.4g} GB/s at once ({})",
                                        classes[0].rate, classes.back().rate, test);
    const char* what = times < kTogether    ? "Neither slows the other"
                       : alike              ? "No two work side by side"
                       : times > kExclusive ? "One blocks the other"
                                            : "They slow each other";
    const std::vector<double>& seconds = series.evidence.overlap_second;
    const std::string second =
        seconds.empty() ? "" : fmt::format(" ({:.2f} times with another partner; medians of pairs)", median(seconds));
    std::vector<FindingRow> rows{{"two chunks at once, times one alone", times, "times"}};
    if (!seconds.empty()) rows.push_back({"with another partner, times one alone", median(seconds), "times"});
    if (!alike)
        rows.push_back({"the fast chunk alone", classes[0].rate, series.unit}),
            rows.push_back({"the slow chunk alone", classes.back().rate, series.unit});
    return {finding_of(
        series, {.name = name,
                    .value = times,
                    .unit = "times as long",
                    .rows = std::move(rows),
                    .text = fmt::format("{} take {:.2f} times as long as one alone{}. {}", who, times, second, what)})};
}
} // namespace

static std::vector<Finding> segments_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.size() < 4 || series.evidence.chunk_bytes.value_or(0) == 0) return {};
    const SegmentTest test = option::segment_test.in(series.id.options);
    return test == SegmentTest::read || test == SegmentTest::write ? rate_findings(series, curve)
                                                                   : pair_findings(series, curve);
}

/// Where it ends is compared, how fast it is a curve's value; chunks that are all alike are no segments.
static bool is_segment(const Finding& found) {
    return (found.name == "fast" || found.name == "slow") && found.capacity_bytes;
}

const Probe kSegments{
    .name = "segments",
    .question = "Is all of DRAM equally fast?",
    .explanation = "The whole memory in chunks: the rate of each, and of pairs at the same time, each chunk beside two "
                   "others. A slow segment, or memory behind the host link, stands out as a step.",
    .picture = "Flat over the whole memory; a step or a dip is a slower part.",
    .method = "Skybuck's CUDA Memory Bandwidth Performance Test (2015), which measures the memory block by block",
    .x = {"offset", "bytes", Axis::place},
    .unit = "GB/s",
    .chart = Chart::memory_map,
    .run_noise = run_noise::alike,
    .structure = true,
    .compared = {{"segments", "{} segment", is_segment}},
    .paths = {"global"},
    .variants = option::segment_test.each(),
    .quick = {.seconds = 1.15, .variants = 1},
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
    .structure = true,
    .paths = {"global"},
    .quick = {.seconds = 0.81},
    .run = measure_segment_latency,
    .findings = segment_latency_findings,
    .kernel = latency_kernel,
};

} // namespace sonde
