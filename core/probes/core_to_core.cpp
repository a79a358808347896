// handoff: two work-items hand a count to and fro by compare-and-swap: how long one hand-off takes.
#include <algorithm>

#include <fmt/format.h>

#include "core/measure/structure_probe.h"
#include "core/probes/probes.h"

namespace sonde {

static KernelChoice handoff_kernel(const DeviceInfo& info, const Path&, const Options& options);

namespace {
constexpr std::uint32_t kNobody = 0xFFFFFFFFu;
constexpr std::uint32_t kCellWords = 96;    // the count and two claims, a line apart
constexpr std::uint32_t kResultWords = 17;  // eight a party, and the count
constexpr std::uint32_t kGranule = 64;      // hand-offs: even, or the wrong party would end the count
constexpr std::uint32_t kTrial = 64;
constexpr std::uint32_t kAttempts = 16;     // of a dispatch: a processor's other thread may just not run
constexpr std::uint32_t kAttemptsInTurn = 4; // after so many in which the second has not begun, it never will
constexpr std::uint32_t kPatience = 1u << 11, kPatienceCpu = 1u << 18; // trips of 16 tries that a party waits besides those that it needs
constexpr std::uint32_t kMostDoublings = 4;    // of twice as many workgroups, until both cores are met
constexpr double kPairsPerSecond = 750;     // of a series' time: a pair of cores takes 2 ms with all its dispatches, and the first block may take longer
constexpr double kLaterShare = 0.125;       // of the pairs, in the blocks behind the first
constexpr double kShortSlope = 0.1;         // times the profile's: of some hundred hand-offs, which no launch is quicker than

bool by_core(const Options& options) { return options.at("scope") == "cores"; }
bool in_workgroup(const Options& options) { return options.at("scope") == "work-items" || options.at("scope") == "subgroups"; }

/// Why the two cannot exist, or cannot reach one cell; asked before anything is compiled.
void refuse(const Bench& bench) {
    const auto& options = bench.request.id.options;
    const bool local = bench.path.stage == Stage::scratchpad;
    if (local && !in_workgroup(options)) throw Unsupported("two workgroups have no scratchpad in common");
    if (by_core(options) && bench.info.core_name.empty()) throw Unsupported("nothing tells a kernel the core that it runs on");
    if (options.at("scope") == "subgroups" && bench.info.subgroup == 1) throw Unsupported("work-items run one by one here: there are no waves");
    const KernelChoice choice = handoff_kernel(bench.info, bench.path, options);
    if (choice.group_size > bench.info.largest_group) throw Unsupported(fmt::format("a workgroup has at most {} work-item{}", bench.info.largest_group, bench.info.largest_group == 1 ? "" : "s"));
}

struct Attempt {
    bool finished = false, met = true; // met: both parties found their cores
    std::uint32_t count = 0, tries = 0;
    Sample sample{};
};

class Handoff {
public:
    explicit Handoff(Bench& bench)
        : bench_(bench), local_(bench.path.stage == Stage::scratchpad), inside_(in_workgroup(bench.request.id.options)), by_core_(by_core(bench.request.id.options)),
          second_(bench.request.id.options.at("scope") == "work-items" ? 1 : bench.request.id.options.at("scope") == "subgroups" ? bench.info.subgroup : kNobody),
          kernel_(bench.kernel(handoff_kernel(bench.info, bench.path, bench.request.id.options))), groups_(inside_ ? 1 : by_core_ ? bench.info.cores : 2),
          cells_(bench.allocate(kCellWords * 4, kCellWords * 4)), result_(bench.allocate_result(kResultWords)) {}

    /// Between the two cores, where the series is about cores.
    void between(std::uint32_t first, std::uint32_t second) { cores_[0] = first, cores_[1] = second; }

    /// Throws Unsupported where the first party gives up before the second one has begun, however often it is tried.
    void check() {
        Attempt attempt;
        std::uint32_t in_turn = 0;
        for (std::uint32_t i = 0; i < kAttempts && in_turn < kAttemptsInTurn && !attempt.finished; ++i) {
            attempt = launch(kTrial);
            in_turn = attempt.count <= 2 ? in_turn + 1 : 0;
        }
        if (!attempt.finished && in_turn > 0)
            throw Unsupported(fmt::format("the two work-items run one after another here: the first gave up after {} tries before the second began", attempt.tries));
        if (!attempt.finished) give_up(attempt, kTrial);
        bench_.evidence["attempts_per_exchange"] = attempt.tries / static_cast<double>(kTrial);
    }

    Sample timed(std::uint32_t handoffs) {
        Attempt attempt;
        for (std::uint32_t i = 0; i < kAttempts; ++i)
            if (attempt = launch(handoffs); attempt.finished) return attempt.sample;
        if (!attempt.met) throw Error(fmt::format("none of {} workgroups met the cores {} and {}", groups_, cores_[0], cores_[1]));
        give_up(attempt, handoffs);
    }

    std::uint32_t most() const { return bench_.info.loop_trips ? 1u << 17 : 1u << 20; }

private:
    /// A processor may be busy with something else; on a card both parties are at work from the launch on.
    [[noreturn]] void give_up(const Attempt& attempt, std::uint32_t handoffs) const {
        const std::string text = fmt::format("a party gave up after {} tries, at {} of {} hand-offs", attempt.tries, attempt.count, handoffs);
        if (bench_.info.cpu) throw Unsupported("the two work-items seldom run at the same time here: " + text);
        throw Error(text);
    }

    void clear() {
        const std::vector<std::uint32_t> zeros(kCellWords, 0), nothing(kResultWords, kNobody);
        const Copy copies[] = {{.from_host = zeros.data(), .to = cells_.get(), .bytes = kCellWords * 4}, {.from_host = nothing.data(), .to = result_.get(), .bytes = kResultWords * 4}};
        bench_.device.copy(copies);
    }

    Attempt launch(std::uint32_t handoffs) {
        clear();
        std::uint32_t trips = handoffs + (bench_.info.cpu ? kPatienceCpu : kPatience);
        if (bench_.info.loop_trips) trips = std::min(trips, bench_.info.loop_trips - 1);
        const kernel_args::CoreToCore args{.handoffs = handoffs, .trips = trips, .second = second_, .first_core = cores_[0], .second_core = cores_[1], .stage = local_ ? 1u : 0u};
        const auto [sample, out] = bench_.launch(*kernel_, args, {.a = cells_.get(), .out = *result_, .groups = groups_, .scratchpad_bytes = local_ ? 16u : 0u}, handoffs, kResultWords);
        Attempt attempt{.count = local_ ? out[16] : bench_.read_words(*cells_, 1)[0], .tries = out[1] == kNobody ? 0 : out[1]};
        attempt.met = !by_core_ || (out[0] != kNobody && out[8] != kNobody && out[2] == cores_[0] && out[10] == cores_[1]);
        if (!attempt.met && groups_ < bench_.info.cores << kMostDoublings) groups_ *= 2;
        attempt.finished = attempt.met && attempt.count == handoffs && out[0] == handoffs && out[8] == handoffs + 1;
        if (attempt.finished) bench_.checked("the count that only rises if the two alternate, and what each of them would wait for next, of every dispatch");
        attempt.sample = sample;
        attempt.sample.cycles = clock_difference(bench_.info, {out.begin() + 4, out.begin() + 8});
        return attempt;
    }

    Bench& bench_;
    const bool local_, inside_, by_core_;
    const std::uint32_t second_;
    std::unique_ptr<Kernel> kernel_;
    std::uint32_t groups_, cores_[2] = {0, 0};
    std::unique_ptr<Buffer> cells_, result_;
};

/// Pairs as x: 1 + first * cores + second, by their places in the list of cores. No more than `most`, but one core's with all others: then
/// so many cores' pairs, evenly spaced.
std::vector<std::uint64_t> pairs_of(std::uint64_t cores, double most) {
    const auto pairs_in = [&](std::uint64_t rows) { return static_cast<double>(rows * (cores - 1) - rows * (rows - 1) / 2); };
    std::uint64_t rows = 1;
    while (rows < cores && pairs_in(rows + 1) <= most) ++rows;
    const auto is_row = [&](std::uint64_t core) { return (core * rows + cores - 1) / cores * cores / rows == core; }; // rows evenly spaced
    std::vector<std::uint64_t> pairs;
    for (std::uint64_t first = 0; first < cores; ++first)
        for (std::uint64_t second = 0; second < cores; ++second)
            if (is_row(first) && first != second && !(is_row(second) && second < first)) pairs.push_back(1 + first * cores + second);
    return pairs;
}

void note_left_out(Bench& bench, std::size_t pairs, std::size_t cores) {
    const std::size_t all = cores * (cores - 1) / 2;
    bench.evidence["pairs"] = pairs;
    bench.evidence["pairs_of_all_cores"] = all;
    if (pairs < all) bench.end_reason = fmt::format("{} of {} pairs of cores: for more there is no time", pairs, all);
}

const char* parties_text(const std::string& parties) { return parties == "work-items" ? "two lanes of one wave" : parties == "subgroups" ? "two waves of one workgroup" : "two workgroups"; }
} // namespace

static KernelChoice handoff_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    const std::string& parties = options.at("scope");
    KernelChoice choice{.name = "core_to_core", .group_size = chase_lanes(info), .defines = {}, .atomic = true};
    if (parties == "work-items") choice.group_size = std::max(2u, info.subgroup);
    if (parties == "subgroups") choice.group_size = 2 * info.subgroup;
    if (by_core(options)) choice.defines.emplace_back("BY_CORE", "1");
    choice.asks_for_core = by_core(options);
    return choice;
}

static void measure_handoff(Bench& bench) {
    refuse(bench);
    bench.wake_clocks();
    const bool cores = by_core(bench.request.id.options);
    std::vector<std::uint32_t> numbers;
    if (cores) {
        numbers = core_numbers(bench);
        bench.evidence["cores"] = numbers;
        bench.evidence["core_number"] = bench.info.core_name;
    }
    Handoff handoff(bench);
    if (cores) handoff.between(numbers[0], numbers[1]);
    else handoff.check();
    const double affordable = (bench.request.seconds > 0 ? std::min(bench.request.seconds, bench.profile.seconds) : bench.profile.seconds) * kPairsPerSecond;
    const auto prepare = [&](std::uint64_t pair, const std::string&) {
        if (cores) handoff.between(numbers[(pair - 1) / numbers.size()], numbers[(pair - 1) % numbers.size()]);
        return Work{.granule = kGranule, .most = handoff.most(), .times_longer = cores ? kShortSlope : 1};
    };
    for (int block = 0; block < bench.profile.blocks; ++block) {
        const auto pairs = cores ? pairs_of(numbers.size(), block == 0 ? affordable : affordable * kLaterShare) : std::vector<std::uint64_t>{1};
        if (block == 0 && cores) note_left_out(bench, pairs.size(), numbers.size());
        bench.measure_block({.prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t handoffs) { return handoff.timed(handoffs); }}, block, pairs);
    }
}

static std::vector<Finding> handoff_findings(const Series& series, const Json&) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    if (!by_core(series.id.options)) {
        const std::optional<double> cycles = series.points.front().cycles;
        const Conclusion conclusion{curve.front().latency, 0, 0, 0.9, "", {curve.front().bytes}};
        auto findings = as_finding(series, conclusion, "core-to-core", series.id.options.at("scope"), series.unit, [&](double ns) {
            return fmt::format("{} hand a word over in {:.4g} {}{}", parties_text(series.id.options.at("scope")), ns, series.unit, cycles ? fmt::format(" ({:.1f} cycles)", *cycles) : "");
        });
        for (Finding& finding : findings) finding.cycles = cycles;
        return findings;
    }
    const auto found = two_groups(curve);
    if (!found) return {};
    Conclusion conclusion{found->most - found->least, 0, 0, found->confidence, "", {}};
    for (const CurvePoint& point : curve) conclusion.x.push_back(point.bytes);
    return as_finding(series, conclusion, "core-to-core", "cores", series.unit, [&](double) {
        if (found->far_cores == 0) return fmt::format("cores hand a word over in {:.4g} to {:.4g} {}, without two groups among {} pairs", found->least, found->most, series.unit, curve.size());
        return fmt::format("of {} pairs of cores {} hand a word over in {:.4g} {}, {} in {:.4g} {}", curve.size(), found->near_cores, found->near, series.unit, found->far_cores, found->far, series.unit);
    });
}

const Probe kCoreToCore{
    .name = "core-to-core",
    .question = "Latency of an exchange between two work-items?",
    .explanation = "Two work-items pass a count to and fro by compare-and-swap: in one subgroup, in one workgroup, in two workgroups, or on two given cores.",
    .x_name = "pair",
    .x_unit = "",
    .unit = "ns",
    .measure = Measure::time_per_step,
    .axis = Axis::place,
    .chart = Chart::core_pairs,
    .run_noise = run_noise::in_step,
    .paths = {"scratchpad", "global"},
    .variants = {{{"scope", "work-items"}}, {{"scope", "subgroups"}}, {{"scope", "cores"}}, {{"scope", "workgroups"}}},
    .accepts = {},
    .quick = {.paths = {}, .variants = 1},
    .run = measure_handoff,
    .findings = handoff_findings,
    .kernel = handoff_kernel,
};

} // namespace sonde
