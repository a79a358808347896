// associativity: how many lines that differ in high address bits alone stay in L1 together.
#include <bit>
#include <cmath>

#include "core/analysis/level_findings.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kMostLines = 128;
constexpr double kStays = 0.08; // of the way from a hit to a miss

/// The most lines at `stride` bytes that hit together, found by doubling and bisection; 0: all that were tried.
/// `measure`: ns of a load.
template <class Measure> std::uint32_t most_that_hit(const Measure& measure, double hit, double miss) {
    const auto hits = [&](std::uint32_t lines) { return measure(lines) <= hit + kStays * (miss - hit); };
    std::uint32_t inside = 1, outside = 2;
    while (outside <= kMostLines && hits(outside)) {
        inside = outside;
        outside *= 2;
    }
    if (outside > kMostLines) return 0;
    while (outside - inside > 1) {
        const std::uint32_t middle = (inside + outside) / 2;
        (hits(middle) ? inside : outside) = middle;
    }
    return inside;
}
} // namespace

static void measure_associativity(Bench& bench) {
    bench.wake_clocks();
    Chase chase(bench);
    chase.new_memory();
    const auto levels = chase.levels(kFirstLevelEnds);
    const Level level = level_of(levels, 0);
    const double hit = level.latency, miss = levels[1].latency;
    const std::uint64_t base = std::bit_ceil(static_cast<std::uint64_t>(level.capacity_on));
    const auto build = [&](std::uint32_t lines, std::uint64_t stride) {
        chase.build({.slots = lines, .shift = static_cast<std::uint32_t>(std::countr_zero(stride / 4))},
            fmt::format("{} lines at {}", lines, format_bytes(stride)));
    };
    if (2 * base * kMostLines > chase.largest())
        throw Unsupported(fmt::format("this path's memory ends at {}", format_bytes(chase.largest())));
    const auto timed = [&](std::uint32_t steps) { return chase.timed(steps); };
    const auto rough = [&](std::uint64_t stride) {
        return most_that_hit(
            [&](std::uint32_t lines) {
                build(lines, stride);
                return bench.rough_slope(64, chase.most_steps(), timed);
            },
            hit, miss);
    };
    bench.each_block([&](int block) {
        if (block > 0) chase.new_memory(chase.memory()->bytes());
        std::uint32_t found[3] = {0, 0, 0}; // at half of a way, at the whole level, at twice that
        found[1] = most_that_hit(
            [&](std::uint32_t lines) {
                build(lines, base);
                return bench.take_pairs(lines, block, {.granule = 64, .most = chase.most_steps()}, timed);
            },
            hit, miss);
        found[2] = rough(2 * base);
        const std::uint64_t way =
            found[1]
                ? std::bit_floor(static_cast<std::uint64_t>(level.capacity_off.value_or(level.capacity_on)) / found[1])
                : 0;
        if (way / 2 >= chase.granule() && found[1] * 2 < kMostLines) found[0] = rough(way / 2);
        bench.evidence.ways.push_back(
            {.half_way = found[0], .level = found[1], .double_level = found[2], .stride_bytes = base});
        const Conclusion conclusion =
            associativity(std::vector<double>{double(found[0]), double(found[1]), double(found[2])}, kMostLines,
                static_cast<double>(base), bench.info.cpu);
        if (!conclusion.value) bench.evidence.inconclusive = conclusion.reason;
    });
}

static std::vector<Finding> associativity_findings(const Series& series, const DeviceInfo& device) {
    std::optional<Conclusion> agreed;
    for (const WaysEvidence& found : series.evidence.ways) {
        const Conclusion block =
            associativity(std::vector<double>{double(found.half_way), double(found.level), double(found.double_level)},
                kMostLines, static_cast<double>(found.stride_bytes), device.cpu);
        if (agreed && block.value != agreed->value) agreed = Conclusion::inconclusive("blocks disagree");
        if (!agreed) agreed = block;
    }
    if (!agreed) return {};
    if (hides_l2(series, device)) agreed = Conclusion::inconclusive(kNoMiss);
    return {finding_of(
        series, *agreed, "L1", "ways", [](double ways) { return fmt::format("L1 has {:.0f} ways per set", ways); })};
}

const Probe kAssociativity{
    .name = "associativity",
    .question = "Associativity of L1?",
    .explanation = "Lines that differ only in high address bits fall into one set, unless the index is hashed. The "
                   "number of them that still hit together is the number of ways.",
    .picture = "Flat up to the number of ways, then a rise; no rise where the index is hashed.",
    .method = literature::kSaavedra,
    .x = {"lines"},
    .run_noise = run_noise::alike,
    .structure = true,
    .compared = {{"associativity", "ways of {}"}},
    .paths = {"global", "global.ca", "global.uniform", "global.pointer", "texel", "constant"},
    .accepts = {option::carveout},
    .quick = {.seconds = 0.21, .paths = {"global"}},
    .run = measure_associativity,
    .findings = associativity_findings,
    .kernel = latency_kernel,
};

} // namespace sonde
