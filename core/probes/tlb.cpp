// tlb: latency by the span over which one and the same number of lines is spread. The number is such that caches behave
// alike at every span; what rises with the span is translation.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kLine = 128;            // bytes: a line each, at the most
constexpr std::uint64_t kNumbered = 1ull << 32; // words that 32 bits can number
constexpr double kMostOfMemory = 0.75;
constexpr std::uint64_t kMostBriefly = 32ull
                                       << 30; // in several allocations: a driver may take seconds to give them all
constexpr std::uint32_t kMostScale = 6;
constexpr std::uint64_t kMostOfPart = 8ull
                                      << 30; // bytes of one allocation of several: its words are numbered by 32 bits

/// Lines that miss L1 wherever they lie, and hit the last one.
std::uint32_t lines_for(const std::vector<Level>& levels, std::uint64_t memory) {
    const double first = levels.empty() ? 0 : levels.front().capacity_on;
    const double last = levels.size() < 3 ? static_cast<double>(memory) / 64 : levels[levels.size() - 2].capacity_on;
    const double wanted = std::max(8 * first, 8192.0 * kLine), most = std::max(last / 4, 4 * first);
    return wanted <= most ? std::bit_ceil(static_cast<std::uint32_t>(wanted / kLine))
                          : std::bit_floor(static_cast<std::uint32_t>(most / kLine));
}

/// Spans from two lines a slot on, so that each has a line of its own choice: two an octave, every other one with three
/// quarters of the lines.
struct Span {
    std::uint64_t bytes;
    ChainShape shape;
};
std::vector<Span> spans(std::uint32_t lines, std::uint64_t largest, bool addresses) {
    std::vector<Span> result;
    for (std::uint32_t log2 = static_cast<std::uint32_t>(std::countr_zero(kLine / 4)) + 1;; ++log2)
        for (const std::uint32_t wanted : {lines / 4 * 3, lines}) {
            const auto slots = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(wanted, (largest / 4) >> log2)); // the last fills the memory
            const std::uint64_t words = std::uint64_t{slots} << log2;
            std::uint32_t scale = 0;
            while (words >> scale >= kNumbered) ++scale;
            if (slots < lines / 4 * 3 || scale > (addresses ? kMostScale : 0)) return result;
            if (result.empty() || words * 4 > result.back().bytes)
                result.push_back({words * 4, {.slots = slots, .shift = log2 - scale, .spread = true, .scale = scale}});
        }
}

/// Most of the memory where links are addresses, in several allocations where one may not be so large; elsewhere as far
/// as a latency sweep goes.
void take_memory(Bench& bench, Chase& chase) {
    if (bench.path.link_words != 2 || bench.info.cpu) return chase.new_memory(chase.largest());
    const std::uint64_t reach = bench.info.reach_of(bench.path.space).bytes;
    auto most = static_cast<std::uint64_t>(kMostOfMemory * static_cast<double>(bench.info.memory_free));
    const bool briefly = is_brief(bench.profile) && reach < most && most > kMostBriefly;
    if (briefly) most = kMostBriefly;
    bench.ending = briefly ? Ending{.bytes = most, .why = kNoTimeToAllocate}
                           : Ending{.by = EndedBy::memory, .bytes = most, .why = "three quarters of the memory"};
    if (reach >= most) return chase.new_memory(std::max(chase.largest(), most));
    const std::uint64_t part = std::min(std::bit_floor(reach), kMostOfPart);
    chase.new_memory(std::max<std::size_t>(most / part, 1), part);
}
} // namespace

static void measure_tlb(Bench& bench) {
    bench.wake_clocks();
    Chase chase(bench);
    chase.new_memory();
    const auto levels = chase.levels();
    take_memory(bench, chase);
    const std::uint64_t largest = chase.memory_bytes();
    const std::uint32_t lines = lines_for(levels, bench.info.memory_bytes);
    bench.evidence.lines = lines;
    const auto all = spans(lines, largest, bench.path.link_words == 2);
    if (all.size() < 6)
        throw Unsupported(
            fmt::format("{} of memory are too few to spread {} lines over", format_bytes(largest), lines));
    std::vector<std::uint64_t> xs;
    xs.reserve(all.size());
    for (const Span& span : all) xs.push_back(span.bytes);
    sweep_shapes(bench, chase, xs, [&](std::uint64_t x) {
        return std::find_if(all.begin(), all.end(), [&](const Span& span) { return span.bytes == x; })->shape;
    });
}

constexpr std::size_t kFewestSpans = 4; // in which a step would show

static std::string time_text(double time) {
    return time < 10 ? fmt::format("{:.1f}", time) : fmt::format("{:.0f}", time);
}

namespace {
struct MissCost {
    std::string text;
    FindingRow row;
};
} // namespace

/// "a miss costs 65 ns (fit of ...)"; where a rise to a span before `next` is no such share of one cost, how much more
/// loads take there.
static MissCost cost_of_miss(std::span<const CurvePoint> curve, const TranslationLevel& level, double next,
    const std::string& name, const std::string& unit) {
    const auto [beyond, fits] = rise_beyond(curve, level, next);
    if (fits)
        return {fmt::format(
                    "a miss costs {} {} (fit of cost x (1 - reach / span) to the rise)", time_text(level.cost), unit),
            {"a miss of " + name, level.cost, unit}};
    const auto [least, most] = std::ranges::minmax(beyond, {}, &CurvePoint::y);
    return {fmt::format("loads take {} to {} {} more at {}", time_text(least.y), time_text(most.y), unit,
                format_byte_range(beyond.front().x, beyond.back().x)),
        {"more for a load beyond " + name, beyond.back().y, unit, std::pair(least.y, most.y)}};
}

static std::vector<Finding> tlb_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    std::vector<Finding> findings;
    const auto at_one_clock = curve_at_one_clock(series);
    const auto levels = translation_levels(at_one_clock);
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const double next = i + 1 < levels.size() ? levels[i + 1].low : curve.back().x;
        const std::string name = fmt::format("TLB{}", i + 1);
        MissCost cost = cost_of_miss(at_one_clock, levels[i], next, name, series.unit);
        findings.push_back(finding_of(series,
            {.name = name,
                .value = levels[i].reach,
                .unit = "bytes",
                .capacity_bytes = std::pair{levels[i].low, std::optional(levels[i].high)},
                .confidence = levels[i].confidence,
                .rows = {{"reach of " + name, levels[i].reach, "bytes", std::pair(levels[i].low, levels[i].high)},
                    cost.row},
                .text = fmt::format("TLB reach {}; {}", format_byte_range(levels[i].low, levels[i].high), cost.text)}));
    }
    if (findings.empty() && curve.size() < kFewestSpans)
        return {finding_of(series,
            Conclusion::inconclusive(fmt::format("{} span{} measured", curve.size(), curve.size() == 1 ? "" : "s")),
            "TLB1", "bytes", nullptr)};
    if (findings.empty())
        findings = {finding_of(series, Conclusion::none_seen("no TLB miss seen up to " + format_bytes(curve.back().x)),
            "TLB1", "bytes", nullptr)};
    return findings;
}

const Probe kTlb{
    .name = "tlb",
    .question = "TLB reach and miss cost?",
    .explanation = "A fixed number of cache lines is spread over a growing span. Cache hit rates are the same at every "
                   "span; latency that rises with the span is address translation.",
    .picture = "Flat as long as the pages' translations are cached, then a step for each level of the TLB.",
    .method = literature::kSaavedra,
    .x = {"span", "bytes"},
    .role = [](const Options& options) { return options.empty() ? Role::translation : Role::none; },
    .run_noise = run_noise::alike,
    .structure = true,
    .compared = {{"tlb", "reach of {}"}},
    .any_path = true,
    .published = {.size = "reach of {}", .other = "miss cost of {}"},
    .paths = {"global", "global.pointer"},
    .quick = {.seconds = 1.27, .paths = {"global.pointer"}},
    .run = measure_tlb,
    .findings = tlb_findings,
    .kernel = latency_kernel,
};

} // namespace sonde
