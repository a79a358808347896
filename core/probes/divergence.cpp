// divergence: what it costs when the lanes of a subgroup take different branches.
#include <map>

#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kMostPaths = 32, kBranchSteps = 256; // of kernels/divergence.h: branches, steps of one
constexpr std::uint32_t kMostBranchRounds = 4096;            // of a dispatch, that the host follows

const Choice<bool> kIsLone{"split", {{"balanced", false}, {"one-lane", true}}};

KernelChoice divergence_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return {.name = "divergence", .group_size = std::max(1u, info.subgroup)};
}

struct SplitSubgroup {
    Bench& bench;
    const KernelChoice choice = divergence_kernel(bench.info, bench.path, {});
    const bool lone = kIsLone.in(bench.request.id.options);
    const std::shared_ptr<Kernel> kernel = bench.kernel(choice);
    const std::unique_ptr<Buffer> result = bench.allocate_result(4 + std::size_t{choice.group_size});
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> known =
        {}; // every lane's number, by paths and rounds

    /// What the lanes hold after so many rounds.
    const std::vector<std::uint32_t>& expected(std::uint32_t paths, std::uint32_t rounds) {
        const auto found = known.upper_bound({paths, rounds});
        std::uint32_t done = 0;
        std::vector<std::uint32_t> numbers(choice.group_size);
        for (std::uint32_t lane = 0; lane < choice.group_size; ++lane) numbers[lane] = lane;
        if (found != known.begin() && std::prev(found)->first.first == paths)
            done = std::prev(found)->first.second, numbers = std::prev(found)->second;
        for (std::uint32_t lane = 0; lane < choice.group_size; ++lane) {
            const std::uint32_t branch = !lone              ? lane % paths
                                         : lane + 1 < paths ? lane + 1
                                                            : 0,
                                constant = branch * 2654435761u + 1013904223u;
            for (std::uint32_t step = 0; step < (rounds - done) * kBranchSteps; ++step)
                numbers[lane] = numbers[lane] * numbers[lane] + constant;
        }
        return known[{paths, rounds}] = std::move(numbers);
    }

    Sample timed(std::uint32_t paths, std::uint32_t rounds) {
        auto [sample, out] =
            bench.launch(*kernel, kernel_args::Divergence{.rounds = rounds, .paths = paths, .lone = lone},
                {.out = *result}, rounds, 4 + std::size_t{choice.group_size});
        const std::vector<std::uint32_t>& numbers = expected(paths, rounds);
        for (std::uint32_t lane = 0; lane < choice.group_size; ++lane)
            if (out[4 + lane] != numbers[lane])
                throw Error(fmt::format("lane {} of {} paths holds {:#010x} after {} rounds, the host {:#010x}", lane,
                    paths, out[4 + lane], rounds, numbers[lane]));
        bench.checked("the number of every lane against the host's, in every dispatch");
        sample.cycles = clock_difference(bench.info, out);
        return sample;
    }
};

void measure_divergence(Bench& bench) {
    if (bench.info.subgroup <= 1) throw Unsupported("work-items run one after another: there is no subgroup to split");
    bench.wake_clocks();
    SplitSubgroup split{.bench = bench};
    std::vector<std::uint64_t> paths;
    for (std::uint32_t number = 1; number <= std::min(bench.info.subgroup, kMostPaths); number *= 2)
        paths.push_back(number);
    if (bench.profile.blocks > 1 && paths.back() >= 4)
        for (std::uint32_t number = 4; number < paths.back(); number *= 2) paths.push_back(number * 3 / 2);
    const std::uint32_t most =
        bench.info.loop_trips ? std::min(kMostBranchRounds, bench.info.loop_trips - 1) : kMostBranchRounds;
    bench.measure(
        {.work = {.most = most},
            .dispatch = [&](std::uint64_t number,
                            std::uint32_t rounds) { return split.timed(static_cast<std::uint32_t>(number), rounds); }},
        distinct(std::move(paths)));
    bench.evidence.shape = {.group_size = split.choice.group_size, .groups = 1};
}

std::vector<Finding> divergence_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.empty() || curve.front().x != 1) return {};
    const CurvePoint &one = curve.front(), &all = curve.back();
    std::vector<FindingRow> rows{{"one path", one.y, series.unit, {}, series.points.front().cycles}};
    std::vector<double> places{one.x};
    for (const std::size_t place : distinct<std::size_t>({1, curve.size() - 1})) {
        if (place == 0 || place >= curve.size()) continue;
        rows.push_back({fmt::format("{:g} paths, times one", curve[place].x), curve[place].y / one.y, "times"});
        places.push_back(curve[place].x);
    }
    const bool split = curve.size() > 1;
    if (split) rows.push_back({"for each path, times one", all.y / one.y / all.x, "times"});
    return {finding_of(series, {.name = kIsLone.word(series.id.options),
                                   .value = split ? std::optional(all.y / one.y / all.x) : std::nullopt,
                                   .no_value = split ? std::nullopt : std::optional(NoValue::inconclusive),
                                   .unit = "times the paths",
                                   .rows = std::move(rows),
                                   .x = std::move(places)})};
}
} // namespace

const Probe kDivergence{
    .name = "divergence",
    .question = "Cost of a subgroup whose lanes take different branches?",
    .explanation = "One subgroup goes round a loop in which its lanes take 1 to 32 branches, all equally long: split "
                   "evenly (balanced), or with a single lane in each branch but the first (one-lane). "
                   "The time is that of a round.",
    .picture = "A straight line where branches run one after another, however few lanes take them. Flat where all of "
               "them are run in any case.",
    .method = literature::kWong,
    .x = {"paths"},
    .value_of = "a trip of the loop",
    .run_noise = run_noise::levels,
    .paths = {"global"},
    .variants = kIsLone.each(),
    .accepts = {option::subgroup},
    .quick = {.seconds = 0.09, .variants = 2},
    .run = measure_divergence,
    .findings = divergence_findings,
    .kernel = divergence_kernel,
};

} // namespace sonde
