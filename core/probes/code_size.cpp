// code-size: instruction caches, by the size of a loop.
#include <cmath>
#include <map>

#include "core/analysis/level_findings.h"
#include "core/device/capability.h"
#include "core/listing/listing.h"
#include "core/measure/arithmetic.h"
#include "core/measure/asked_footprints.h"
#include "core/measure/compile_time.h"
#include "core/probes/arithmetic_options.h"

namespace sonde {

namespace {
constexpr std::uint32_t kChainsOfCode = 4; // independent ones: latency of the operation hides no miss
constexpr std::uint32_t kSchedulers = 4;   // subgroups that a core runs in one cycle, of most GPUs
constexpr std::uint64_t kSmallestCode = 1u << 10, kLargestCode = 1u << 20; // bytes
constexpr std::uint64_t kQuickCode[] = {
    8u << 10, 32u << 10, 64u << 10}; // a driver was seen to take 0.1 s for 32 KiB, and 9.5 s for 128
constexpr double kLeastPatience = 4; // seconds for one size, where a series has less
constexpr std::uint64_t kLargestSoftware =
    16u << 10; // LLVM takes some seconds for that, and minutes for eight times as much

enum class On { one_subgroup, one_per_scheduler, all_cores };
const Choice<On> kOn{"on",
    {{"one-subgroup", On::one_subgroup}, {"all-cores", On::all_cores}, {"one-per-scheduler", On::one_per_scheduler}}};

const Operation& code_operation() { return *find_operation("fma.f32"); }

KernelChoice code_of(const DeviceInfo& info, const Options& options, std::uint32_t repeat) {
    KernelChoice choice = arithmetic_kernel(info, code_operation(), kChainsOfCode, repeat);
    if (kOn.in(options) == On::one_per_scheduler)
        choice.group_size *= kSchedulers; // of one workgroup, so that they are on one core
    return choice;
}

KernelChoice code_size_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    return code_of(info, options, 16);
}

/// Bytes of an instruction, and how they are known.
struct InstructionSize {
    double bytes;
    std::string by;
};

InstructionSize instruction_size(const DeviceInfo& info, const Listing& listing) {
    if (const auto bytes = bytes_per_instruction(listing.kind, listing.text))
        return {*bytes, "by the addresses of the listing"};
    if (info.driver.find("NVIDIA") == std::string::npos && info.api != "cuda")
        return {8, "an estimate: no listing shows addresses"};
    const int capability = compute_capability(info.facts);
    const bool before_volta = capability > 0 && capability < 70;
    return {before_volta ? 8.0 : 16.0,
        fmt::format("as on NVIDIA's cards {} compute capability 7.0", before_volta ? "before" : "since")};
}

std::vector<std::uint64_t> code_sizes(const Bench& bench) {
    const bool software = bench.info.software || bench.info.cpu;
    const std::uint64_t largest = software ? kLargestSoftware : kLargestCode;
    if (bench.profile.blocks == 1) { // each is a kernel of its own
        if (software) return {kSmallestCode, 4 * kSmallestCode, kLargestSoftware};
        return {std::begin(kQuickCode), std::end(kQuickCode)};
    }
    std::vector<std::uint64_t> sizes;
    for (int half_octave = 0; sizes.empty() || sizes.back() < largest; ++half_octave)
        sizes.push_back(
            static_cast<std::uint64_t>(std::llround(kSmallestCode * std::exp2(half_octave / 2.0) / 64)) * 64);
    return sizes;
}

void measure_code_size(Bench& bench) {
    const Options& options = bench.request.id.options;
    if (bench.info.cpu && kOn.in(options) == On::one_per_scheduler)
        throw Unsupported("subgroups of a processor's core run one after another");
    bench.evidence.operation = code_operation().name;
    bench.wake_clocks();
    const KernelChoice smallest = code_size_kernel(bench.info, bench.path, options);
    const InstructionSize size = instruction_size(bench.info, bench.kernel(smallest)->listing());
    const std::uint32_t groups =
        kOn.in(options) == On::all_cores ? bench.info.cores * (bench.info.cpu ? 1 : kSchedulers) : 1;
    struct Code {
        std::uint32_t repeat = 0;
        std::unique_ptr<Arithmetic> chains{};
    };
    std::map<std::uint64_t, Code> codes; // all are compiled before anything is measured
    std::vector<std::uint64_t> sizes = asked_of(bench, code_sizes(bench), kSmallestCode, kLargestCode, 64);
    const double most_compiling = std::max(kLeastPatience, bench.profile.seconds);
    double seconds = 0; // to compile the last one
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::uint64_t bytes = sizes[i];
        const double begin = bench.device.now();
        const auto repeat = std::max(
            1u, static_cast<std::uint32_t>(std::lround(static_cast<double>(bytes) / (kChainsOfCode * size.bytes))));
        const KernelChoice choice = code_of(bench.info, options, repeat);
        const Code& code = codes[bytes] = {repeat, std::make_unique<Arithmetic>(bench, choice, groups)};
        code.chains->timed(groups, 1, 1); // some compile at the first launch
        const double before = seconds;
        seconds = bench.first_took(choice, bench.device.now() - begin);
        if (i + 1 == sizes.size()) continue;
        const double next = predicted_seconds(i ? sizes[i - 1] : 0, before, bytes, seconds, sizes[i + 1]);
        if (next < most_compiling) continue;
        bench.ending = {.bytes = bytes,
            .why = fmt::format("the driver took {:.3g} s to compile it, {:.3g} times as long "
                               "as {}, and would take about {:.3g} s for {}; a series of profile {} has {:g} s",
                seconds, before > 0 ? seconds / before : 1, format_bytes(i ? sizes[i - 1] : bytes), next,
                format_bytes(sizes[i + 1]), bench.profile.name, most_compiling)};
        sizes.resize(i + 1);
    }
    const auto prepare = [&](std::uint64_t bytes, const std::string&) {
        const Code& code = codes.at(bytes);
        return Work{.most = code.chains->most_rounds(), .x = code.repeat * kChainsOfCode * size.bytes};
    };
    const auto dispatch = [&](std::uint64_t bytes, std::uint32_t rounds) {
        const Code& code = codes.at(bytes);
        return code.chains->timed(groups, rounds, static_cast<double>(rounds) * code.repeat * kChainsOfCode);
    };
    bench.kernel(smallest); // whose listing is shown: reading that of the largest takes longer than measuring it
    bench.measure({.prepare = prepare, .dispatch = dispatch}, sizes);
    bench.evidence.footprint = fmt::format("a loop of {} of {} bytes each, {}; the listing is that of a loop of {}",
        code_operation().name, fmt::format("{:.3g}", size.bytes), size.by, smallest.repeat * kChainsOfCode);
    bench.evidence.shape = {.group_size = smallest.group_size, .groups = groups};
}

std::string time_at(const Point& point) {
    return fmt::format("{} at {}",
        point.cycles ? fmt::format("{:.3g} cycles", *point.cycles) : fmt::format("{:.3g} ns", *point.median),
        format_bytes(point.x));
}

/// "0.27 ns at 1 KiB, 0.5 ns at 16 KiB"; of times that only fall, which no cache makes: "0.41 to 0.84 ns at 1-16 KiB,
/// no rise with size".
std::string times_by_size(const std::vector<Point>& points) {
    constexpr double kAlike = 1.05; // times
    const bool cycles = std::ranges::all_of(points, [](const Point& point) { return point.cycles.has_value(); });
    const auto time = [&](const Point& point) { return cycles ? *point.cycles : *point.median; };
    double least = time(points.front()), most = least;
    bool rises = false;
    for (const Point& point : points) {
        rises = rises || time(point) > kAlike * least;
        least = std::min(least, time(point)), most = std::max(most, time(point));
    }
    if (!rises && most > kAlike * least)
        return fmt::format("{:.2g} to {:.2g} {} at {}, no rise with size", least, most, cycles ? "cycles" : "ns",
            format_byte_range(points.front().x, points.back().x));
    std::vector<std::string> values;
    values.reserve(points.size());
    for (const Point& point : points) values.push_back(time_at(point));
    return fmt::format("{}", fmt::join(values, ", "));
}

std::vector<FindingRow> rows_by_size(const std::vector<Point>& points, const std::string& unit) {
    std::vector<FindingRow> rows;
    rows.reserve(points.size());
    for (const Point& point : points)
        rows.push_back({"an instruction in a loop of " + format_bytes(point.x), *point.median, unit, {}, point.cycles});
    return rows;
}

/// The largest loops may take longer than the last plateau and be too few for one of their own: sets `on` to the last
/// size at that plateau's time; "; the largest measured takes 2.57 cycles at 128 KiB". "" where they do not.
std::string beyond_last_level(const Series& series, double level, double& on) {
    constexpr double kLonger = 1.05; // times
    const Point& largest = series.points.back();
    if (!largest.median || *largest.median <= kLonger * level) return "";
    for (const Point& point : series.points)
        if (point.median && *point.median <= kLonger * level) on = point.x;
    return fmt::format("; the largest measured takes {}", time_at(largest));
}

std::vector<Finding> code_size_findings(const Series& series, const DeviceInfo& device) {
    std::vector<Finding> findings;
    if (series.points.size() < kFewestForLevels) { // an edge would lie anywhere between two sizes
        std::vector<Point> points = series.points;
        std::erase_if(points, [](const Point& point) { return !point.median; });
        if (!points.empty())
            findings.push_back(
                finding_of(series, {.name = "instruction",
                                       .value = points.front().median,
                                       .rows = rows_by_size(points, series.unit),
                                       .text = fmt::format("an instruction of a subgroup, by the size of its loop: {}",
                                           times_by_size(points)),
                                       .x = {points.front().x}}));
        return findings;
    }
    for (Finding& level : level_findings(series, device)) {
        auto& [on, off] = *level.capacity_bytes;
        const std::string beyond = off ? "" : beyond_last_level(series, *level.value, on);
        std::string text = fmt::format("{} ns", fmt::format("{:.4g}", *level.value));
        if (level.cycles) text += fmt::format(" ({} cycles)", fmt::format("{:.3g}", *level.cycles));
        text += " an instruction of a subgroup, in loops of code of up to " +
                (off ? format_byte_range(on, *off)
                     : format_bytes(on) + (beyond.empty() ? ", the largest measured" : beyond));
        const std::string name = fmt::format("level {}", findings.size() + 1);
        std::vector<FindingRow> rows{{"an instruction, " + name, *level.value, series.unit, {}, level.cycles},
            {"code that " + name + " holds", on, "bytes"}};
        if (off) rows[1].range = std::pair(on, *off);
        if (!beyond.empty())
            rows.push_back({"an instruction in a loop of " + format_bytes(series.points.back().x),
                *series.points.back().median, series.unit, {}, series.points.back().cycles});
        findings.push_back(finding_of(series, {.name = name,
                                                  .value = level.value,
                                                  .cycles = level.cycles,
                                                  .capacity_bytes = level.capacity_bytes,
                                                  .confidence = level.confidence,
                                                  .rows = std::move(rows),
                                                  .text = text,
                                                  .x = level.x}));
    }
    return findings;
}
} // namespace

const Probe kCodeSize{
    .name = "code-size",
    .question = "Instruction caches?",
    .explanation = "A subgroup runs a loop of independent fused multiply-adds (fma.f32, four chains) again and again. "
                   "Where the loop is larger than an instruction cache, instructions come from the next one. Each size "
                   "is a kernel of its own.",
    .picture = "A staircase: flat while the loop fits the smallest instruction cache, a step behind each capacity (32 "
               "and 128 KiB on many cards).",
    .method = literature::kWong,
    .x = kFootprint,
    .run_noise = run_noise::levels,
    .published = {.method = "loop of code", .size = "capacity of {}"},
    .paths = {"global"},
    .variants = kOn.each(),
    .accepts = {option::footprint},
    .quick = {.seconds = 0.70, .variants = 2},
    .run = measure_code_size,
    .findings = code_size_findings,
    .kernel = code_size_kernel,
};

} // namespace sonde
