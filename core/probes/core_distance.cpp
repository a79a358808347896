// map: how far the last level is from each core: a walk on one core at a time, past the first level.
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/measure/structure_probe.h"
#include "core/probes/probes.h"

namespace sonde {

static KernelChoice map_kernel(const DeviceInfo& info, const Path& path, const Options&);

namespace {
constexpr std::uint32_t kMapWords = 8;       // that a workgroup leaves (kernels/map.h)
constexpr std::uint32_t kMostRounds = 4;  // of twice as many workgroups, until one meets the core asked for
constexpr double kSharedFrom = 1 << 20;  // bytes: a level so large is no core's own
constexpr std::uint32_t kNotOnCore = 0xFFFFFFFFu;

/// Launches that are met by one core out of all.
class Cores {
public:
    Cores(Bench& bench, Chase& chase)
        : bench_(bench), chase_(chase), kernel_(bench.kernel(map_kernel(bench.info, bench.path, {}))), groups_(bench.info.cores),
          result_(bench.allocate_result(std::size_t{kMapWords} * (bench.info.cores << kMostRounds))) {}

    /// The numbers of all cores that workgroups meet, ascending: they need not begin at 0, nor be without gaps.
    std::vector<std::uint64_t> all() {
        std::vector<std::uint64_t> numbers;
        const std::uint32_t groups = bench_.info.cores << kMostRounds;
        const auto out = launch(kNotOnCore, 0, groups).out;
        for (std::uint32_t group = 0; group < groups; ++group) numbers.push_back(out[group * kMapWords]);
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        return numbers;
    }

    Sample timed(std::uint32_t core, std::uint32_t steps) {
        for (;; groups_ *= 2) {
            auto [sample, out] = launch(core, steps, groups_);
            for (std::uint32_t group = 0; group < groups_; ++group) {
                const auto words = std::span(out).subspan(std::size_t{group} * kMapWords, kMapWords);
                if (words[0] != core || words[1] == kNotOnCore) continue;
                const std::uint32_t hops = warm_ + steps;
                if (words[1] != link_number(bench_.path, chase_.chain().walk(hops))) throw Error(fmt::format("the walk of {} hops on core {} ended in the wrong place", hops, core));
                bench_.checked("the last link of the walk against the host's");
                sample.cycles = clock_difference(bench_.info, {words.begin() + 2, words.end()});
                return sample;
            }
            if (groups_ >= bench_.info.cores << kMostRounds) throw Error(fmt::format("none of {} workgroups met core {}", groups_, core));
        }
    }

private:
    Launched launch(std::uint32_t core, std::uint32_t steps, std::uint32_t groups) {
        warm_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(chase_.chain().hops(), 1024) + 7) / 8 * 8;
        const kernel_args::Map args{.start = chase_.chain().start(), .core = core, .warm = warm_, .steps = steps, .stage = 0};
        return bench_.launch(*kernel_, args, {.a = chase_.memory(), .out = *result_, .groups = groups}, steps, std::size_t{kMapWords} * groups);
    }

    Bench& bench_;
    Chase& chase_;
    std::unique_ptr<Kernel> kernel_;
    std::uint32_t groups_, warm_ = 0;
    std::unique_ptr<Buffer> result_;
};

/// One line, which lies in one slice of the level that cores share, or half of what that level holds, which lies in all.
std::uint64_t footprint(const Bench& bench, const std::vector<Level>& levels, std::uint64_t granule) {
    if (bench.request.id.options.at("lines") == "one") return granule;
    const auto shared = std::find_if(levels.begin(), levels.end(), [](const Level& level) { return level.capacity_off && level.capacity_on >= kSharedFrom; });
    if (shared == levels.end()) throw Unsupported("this path shows no level that cores could share");
    return static_cast<std::uint64_t>(shared->capacity_on / 2) / granule * granule;
}
} // namespace

static KernelChoice map_kernel(const DeviceInfo& info, const Path& path, const Options&) {
    KernelChoice choice = chase_kernel(info, path);
    choice.name = "map";
    choice.asks_for_core = true;
    return choice;
}

static void measure_map(Bench& bench) {
    if (bench.info.core_name.empty()) throw Unsupported("nothing tells a kernel the core that it runs on");
    bench.wake_clocks();
    Chase chase(bench);
    chase.new_memory();
    const auto levels = chase.levels();
    chase.build(footprint(bench, levels, chase.granule()));
    bench.evidence["footprint_bytes"] = chase.chain().hops() * chase.granule();
    bench.evidence["core_number"] = bench.info.core_name;
    Cores cores(bench, chase);
    const auto numbers = cores.all();
    if (numbers.size() < 2) throw Unsupported("there is one core");
    const auto asked = cores_to_ask(bench, numbers, 4);
    bench.measure({.work = {.granule = 64, .most = chase.most_steps()}, .dispatch = [&](std::uint64_t core, std::uint32_t steps) { return cores.timed(static_cast<std::uint32_t>(core), steps); }}, asked);
}

static std::vector<Finding> map_findings(const Series& series, const Json&) {
    const auto curve = curve_of(series);
    const auto found = two_groups(curve);
    if (!found) return {};
    const Conclusion conclusion{found->most - found->least, 0, 0, found->confidence, "", {}};
    auto findings = as_finding(series, conclusion, "core-distance", "cores", series.unit, [&](double) {
        const std::string lines = series.id.options.at("lines") == "one" ? "one line of the shared level" : "the shared level as a whole";
        if (found->far_cores == 0) return fmt::format("{} cores are {:.4g} to {:.4g} {} from {}, without two groups among them", found->near_cores, found->least, found->most, series.unit, lines);
        return fmt::format("{} of {} cores are near {} ({:.4g} {}), {} are far ({:.4g} {})", found->near_cores, curve.size(), lines, found->near, series.unit, found->far_cores, found->far, series.unit);
    });
    for (Finding& finding : findings)
        for (const CurvePoint& point : curve) finding.x.push_back(point.bytes);
    return findings;
}

const Probe kCoreDistance{
    .name = "core-distance",
    .question = "L2 latency from each core?",
    .explanation = "One core at a time walks a chain in L2, in one line or in many. Groups of cores with different latency show the partitions of the chip.",
    .x_name = "core",
    .x_unit = "",
    .unit = "ns",
    .measure = Measure::time_per_step,
    .axis = Axis::place,
    .chart = Chart::cores,
    .run_noise = run_noise::one_line,
    .paths = {"global.cg"},
    .variants = {{{"lines", "one"}}, {{"lines", "many"}}},
    .accepts = {},
    .quick = {.paths = {}, .variants = 1},
    .run = measure_map,
    .findings = map_findings,
    .kernel = map_kernel,
};

} // namespace sonde
