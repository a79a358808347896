// co-issue: whether two kinds of operation add up.
#include <algorithm>

#include "core/analysis/findings.h"
#include "core/device/issue.h"
#include "core/measure/arithmetic.h"
#include "core/probes/arithmetic_options.h"

namespace sonde {

namespace {
constexpr double kOneAfterTheOther = 0.95; // times the rate of one kind after the other
constexpr double kAbovePossible = 1.05;    // times: the rates' own noise
constexpr double kFewSeconds = 12.5;       // percent
constexpr double kNoGain = 1.03;           // times the rate of one kind after the other
constexpr double kClearlyLess = 0.95;      // times the share of what is possible that half and half reaches
constexpr std::uint32_t kSubgroups = 4, kMostGroups = 8; // of a workgroup, and workgroups of a core: as in `rate`, so
                                                         // that chains of long latency fill the units too

struct KindPair {
    const Operation *first, *second;
};
KindPair kinds(std::string_view first, std::string_view second) {
    return {find_operation(first), find_operation(second)};
}

const Choice<KindPair> kPair{"pair",
    {{"f32+i32", kinds("fma.f32", "mad.u32")}, {"f32+f64", kinds("fma.f32", "fma.f64")},
        {"f32+special", kinds("fma.f32", "rcp.f32")}, {"f32+logic", kinds("fma.f32", "logic.u32")},
        {"f32+load", kinds("fma.f32", "load-global.u32")}, {"f32+scratchpad", kinds("fma.f32", "load-scratchpad.u32")},
        {"i32+load", kinds("mad.u32", "load-global.u32")}, {"i32+f16x2", kinds("mad.u32", "fma.f16x2")}}};

/// Dependent: one chain, each step of which takes the result of the one before. Else all of a work-item's chains are
/// independent.
const Choice<bool> kSteps{"steps", {{"dependent", true}}};
bool is_dependent(const Options& options) { return kSteps.asked(options); }

/// `seconds` of a work-item's chains are of the second kind; of dependent steps none, every second one or all.
KernelChoice kernel_of_share(const DeviceInfo& info, const Options& options, std::uint32_t seconds) {
    const KindPair& pair = kPair.in(options);
    const std::uint32_t steps = std::min(steps_of_trip(info, *pair.first), steps_of_trip(info, *pair.second));
    if (is_dependent(options))
        return alternating_kernel(info, seconds == kChainsOfTwo ? *pair.second : *pair.first,
            seconds ? *pair.second : *pair.first, steps / 2);
    const bool alone = seconds == 0 || seconds == kChainsOfTwo;
    KernelChoice choice =
        alone ? arithmetic_kernel(info, seconds ? *pair.second : *pair.first, kChainsOfTwo, steps / kChainsOfTwo)
              : arithmetic_kernel(info, *pair.first, *pair.second, seconds, steps / kChainsOfTwo);
    if (!info.cpu) choice.group_size = std::min(info.largest_group, choice.group_size * kSubgroups);
    return choice;
}
KernelChoice co_issue_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    return kernel_of_share(info, options, kChainsOfTwo / 2);
}

std::vector<std::uint64_t> co_issue_shares(const Options& options, const Profile& profile) {
    if (is_dependent(options)) return {0, kChainsOfTwo / 2, kChainsOfTwo};
    if (profile.blocks == 1) return {0, 1, 2, 4, 6, 8}; // each is a kernel of its own
    return {0, 1, 2, 3, 4, 5, 6, 7, 8};
}
std::vector<KernelChoice> co_issue_kernels(
    const DeviceInfo& info, const Path&, const Options& options, const Profile& profile) {
    std::vector<KernelChoice> kernels;
    for (const std::uint64_t seconds : co_issue_shares(options, profile))
        kernels.push_back(kernel_of_share(info, options, static_cast<std::uint32_t>(seconds)));
    return kernels;
}

void measure_co_issue(Bench& bench) {
    const Options& options = bench.request.id.options;
    const KindPair& pair = kPair.in(options);
    const KernelChoice half = co_issue_kernel(bench.info, bench.path, options);
    bench.evidence.operation = fmt::format("{} and {}", pair.first->name, pair.second->name);
    bench.wake_clocks();
    const std::uint32_t resident = bench.info.cpu || is_dependent(options)
                                       ? 1
                                       : std::clamp(bench.info.filling() / half.group_size, 1u, kMostGroups),
                        groups = bench.info.cores * resident;
    std::optional<Arithmetic> chains;
    chains.emplace(bench, half, groups); // what a device lacks shows here
    const auto prepare = [&](std::uint64_t seconds, const std::string&) {
        chains.emplace(bench, kernel_of_share(bench.info, options, static_cast<std::uint32_t>(seconds)), groups);
        return Work{.most = chains->most_rounds(), .x = 100.0 * static_cast<double>(seconds) / kChainsOfTwo};
    };
    const double trip =
        static_cast<double>(half.repeat) * (half.chains + half.second_chains) * half.group_size * groups;
    const auto dispatch = [&](std::uint64_t, std::uint32_t rounds) {
        Sample sample = chains->timed(groups, rounds, trip * rounds);
        if (resident > 1)
            sample.cycles.reset(); // a workgroup's own clock counts nothing of the time that it waits for others: 1.1
                                   // GHz were seen on a card at 1.98
        return sample;
    };
    bench.measure({.prepare = prepare, .dispatch = dispatch}, co_issue_shares(options, bench.profile));
    bench.kernel(half); // the evidence is of both kinds
    bench.evidence.shape = {.group_size = half.group_size, .groups = groups, .unroll = half.repeat};
}

/// What a step takes of one kind, of the other, and of both in turn.
std::vector<Finding> dependent_findings(const Series& series, const DeviceInfo& device) {
    std::vector<const Point*> points;
    for (const double share : {0.0, 100.0, 50.0}) {
        const auto point = std::ranges::find(series.points, share, &Point::x);
        if (point == series.points.end() || !point->median || *point->median <= 0) return {};
        points.push_back(&*point);
    }
    const bool cycles =
        device.core_cycles && std::ranges::all_of(points, [](const Point* point) { return point->cycles.has_value(); });
    const double at_once = static_cast<double>(std::max(1u, device.subgroup)) *
                           std::max(1u, device.cores); // work-items, each with a step under way
    std::vector<double> times;
    times.reserve(points.size());
    for (const Point* point : points) times.push_back(at_once * (cycles ? *point->cycles : 1 / *point->median));
    const KindPair& pair = kPair.in(series.id.options);
    const char* unit = cycles ? "cycles" : "ns";
    const double mean = (times[0] + times[1]) / 2, ratio = times[2] / mean;
    std::string text = fmt::format("in one chain, with logic that changes nothing behind each step: {} {:.3g} {} a "
                                   "step, {} {:.3g}, both in turn {:.3g}",
        pair.first->name, times[0], unit, pair.second->name, times[1], times[2]);
    text += is_mean_of_both(ratio) ? fmt::format(", their mean within {:.0f} %", 100 * kAtMean)
                                   : fmt::format(", {:.3g} {} {} than their mean", std::abs(times[2] - mean), unit,
                                         ratio > 1 ? "more" : "less");
    return {finding_of(
        series, {.name = kPair.word(series.id.options),
                    .value = ratio,
                    .unit = std::string(kTimesMeanOfBoth),
                    .rows = {{std::string(pair.first->name), times[0], unit, {}},
                        {std::string(pair.second->name), times[1], unit, {}}, {"both in turn", times[2], unit, {}},
                        {"times the mean of both", ratio, "times", {}}},
                    .text = text,
                    .x = {0, 50, 100}})};
}

/// What the cores' schedulers issue at the most, and what of it a step takes.
struct IssueLimit {
    double rate = 0;   // instructions in a ns, each of a work-item
    double second = 0; // instructions of a step of the second kind; the first kind of each pair is one
    double steps(double share) const { return rate / (1 - share + share * second); }
};
/// nullopt: the vendor documents none, or no listing shows a step's instructions.
std::optional<IssueLimit> issue_limit(const Series& series, const DeviceInfo& device) {
    const Evidence& evidence = series.evidence;
    const auto issued = documented_issue(device.facts);
    if (!issued || !evidence.clock || !evidence.kernel || evidence.kernel->step_instructions.empty())
        return std::nullopt;
    double of_half = 0; // of steps half of which are of either kind
    for (const auto& [mnemonic, count] : evidence.kernel->step_instructions) of_half += count;
    const auto mhz = std::max(evidence.clock->before_mhz, evidence.clock->after_mhz);
    if (!(mhz > 0) || of_half < 1 || !device.cores) return std::nullopt;
    return IssueLimit{*issued * device.cores * *mhz / 1e3, 2 * of_half - 1};
}

/// What two kinds gain together over one kind after the other, and the bound that each kind's highest rate and the
/// instructions that cores issue set.
class Gains {
public:
    Gains(const std::vector<CurvePoint>& curve, const KindPair& pair, const std::optional<IssueLimit>& issue)
        : pair_(pair), issue_(issue), alone_{curve.front().y, curve.back().y} {
        const auto by_rate_of = [](auto share) {
            return [share](const CurvePoint& a, const CurvePoint& b) { return a.y * share(a) < b.y * share(b); };
        };
        first_at_ = std::ranges::max_element(curve, by_rate_of(first_share))->x,
        second_at_ = std::ranges::max_element(curve, by_rate_of(second_share))->x;
        for (const CurvePoint& point : curve)
            first_ = std::max(first_, point.y * first_share(point)),
            second_ = std::max(second_, point.y * second_share(point));
    }
    /// Of a kind whose highest rate has too wide an interval for a ratio: "fma.f32 36 Gstep/s to 69 Gstep/s"; "" where
    /// both are known.
    std::string unsure_base(const Series& series) const {
        const auto wide = [&](const Operation& operation, double at, double share) {
            const auto point = std::ranges::find(series.points, at, &Point::x);
            const bool is_wide = point != series.points.end() && point->low && point->high && *point->low > 0 &&
                                 *point->high > kWide * *point->low;
            return is_wide ? fmt::format("{} {} to {}", operation.name, format_si(*point->low * share * 1e9, "step/s"),
                                 format_si(*point->high * share * 1e9, "step/s"))
                           : "";
        };
        const std::string first = wide(*pair_.first, first_at_, 1 - first_at_ / 100),
                          second = wide(*pair_.second, second_at_, second_at_ / 100);
        return first + (first.empty() || second.empty() ? "" : ", ") + second;
    }
    double reached(const CurvePoint& point) const {
        return point.y * ((1 - point.x / 100) / first_ + point.x / 100 / second_);
    }
    /// With each kind at its highest rate, and no more instructions than cores issue.
    double possible(const CurvePoint& point) const {
        const double share = point.x / 100, kinds = std::min(first_ / (1 - share), second_ / share);
        return reached({point.x, issue_ ? std::min(kinds, issue_->steps(share)) : kinds});
    }
    /// "1.41 times with 50 % mad.u32 (1.50)"
    std::string text(const CurvePoint& point) const {
        return fmt::format(
            "{:.2f} times with {:.3g} % {} ({:.2f})", reached(point), point.x, pair_.second->name, possible(point));
    }
    /// Rates of either kind, and what a share of the second kind reaches of one after the other.
    std::vector<FindingRow> rows(const std::vector<CurvePoint>& mixed) const {
        std::vector<FindingRow> rows{{std::string(pair_.first->name) + " alone", first_, "Gop/s", {}},
            {std::string(pair_.second->name) + " alone", second_, "Gop/s", {}}};
        if (issue_) {
            rows.push_back({"instructions that cores issue", issue_->rate, "Gop/s", {}});
            rows.push_back({fmt::format("instructions of {}", pair_.second->name), issue_->second, "instructions", {}});
        }
        for (const CurvePoint& point : mixed) {
            const std::string with = fmt::format("with {:.3g} % {}, times", point.x, pair_.second->name);
            rows.push_back({with + " in turn", reached(point), "times", {}});
            rows.push_back({with + " possible", possible(point), "times", {}});
        }
        return rows;
    }
    std::string rates_text() const {
        return rate_text(*pair_.first, first_, alone_.first, 100 - first_at_) + ", " +
               rate_text(*pair_.second, second_, alone_.second, second_at_);
    }

private:
    static double first_share(const CurvePoint& point) { return 1 - point.x / 100; }
    static double second_share(const CurvePoint& point) { return point.x / 100; }
    /// `percent`: of the mix in which the kind is at its highest rate.
    static std::string rate_text(const Operation& operation, double highest, double alone, double percent) {
        const std::string text = fmt::format("{} {}{}", operation.name, format_si(highest * 1e9, "step/s"),
            operation.in_step > 1 ? fmt::format(" of {} operations", operation.in_step) : "");
        return highest > alone * kAbovePossible
                   ? text + fmt::format(" (as {:.3g} % of the mix, the base below; {} alone)", percent,
                                format_si(alone * 1e9, "step/s"))
                   : text;
    }
    static constexpr double kWide = 1.2; // times: no ratio is told of such a base
    const KindPair& pair_;
    const std::optional<IssueLimit> issue_;
    const std::pair<double, double> alone_;
    double first_ = 0, second_ = 0, first_at_ = 0, second_at_ = 0;
};

std::vector<Finding> co_issue_findings(const Series& series, const DeviceInfo& device) {
    if (is_dependent(series.id.options)) return dependent_findings(series, device);
    const auto curve = curve_of(series);
    const auto at = [&](double share) { return std::ranges::find(curve, share, &CurvePoint::x); };
    if (at(0) == curve.end() || at(100) == curve.end() || curve.size() < 3) return {};
    const auto issue = issue_limit(series, device);
    const Gains gains(curve, kPair.in(series.id.options), issue);
    if (const std::string unsure = gains.unsure_base(series); !unsure.empty())
        return {finding_of(series, Conclusion::inconclusive("quartiles of a base lie apart: " + unsure),
            kPair.word(series.id.options), "", nullptr)};
    std::vector<CurvePoint> mixed;
    std::ranges::copy_if(
        curve, std::back_inserter(mixed), [](const CurvePoint& point) { return point.x > 0 && point.x < 100; });
    const auto half =
        std::ranges::min_element(mixed, {}, [](const CurvePoint& point) { return std::abs(point.x - 50); });
    const auto slowest =
        std::ranges::min_element(mixed, {}, [&](const CurvePoint& point) { return gains.reached(point); });
    const bool slower = gains.reached(*slowest) < kOneAfterTheOther;
    const auto few =
        std::ranges::find(mixed, kFewSeconds, &CurvePoint::x); // one share for all devices, where that tells as much
    const auto least = few != mixed.end() && (!slower || gains.reached(*few) < kOneAfterTheOther) ? few : slowest;
    const auto best =
        std::ranges::max_element(mixed, {}, [&](const CurvePoint& point) { return gains.reached(point); });
    std::string text =
        gains.rates_text() +
        fmt::format(". Both together, over one after the other (in brackets: if each kind kept its highest rate{}): ",
            issue ? " and cores issued all that they can" : "") +
        gains.text(*half);
    if (least != half && (slower || gains.reached(*least) / gains.possible(*least) <
                                        kClearlyLess * gains.reached(*half) / gains.possible(*half)))
        text += "; " + gains.text(*least);
    if (slower) text += ": slower than one after the other, cause unknown";
    else if (gains.reached(*best) < kNoGain && gains.possible(*best) > kAbovePossible)
        text += gains.reached(*slowest) > 1 / kNoGain ? "; no share gains more: consistent with a pipe that both use"
                                                      : "; no share gains more: cause unknown";
    return {finding_of(series, {.name = kPair.word(series.id.options),
                                   .value = highest(mixed).y,
                                   .rows = gains.rows(mixed),
                                   .text = text,
                                   .x = {0, highest(mixed).x, 100}})};
}
} // namespace

const Probe kCoIssue{
    .name = "co-issue",
    .question = "Do two kinds of operation add up?",
    .explanation =
        "All cores run eight independent chains in every work-item, of which a share is of a second kind of operation, "
        "such as integers beside floating-point numbers. "
        "Steps of both kinds are counted together, a fused multiply-add as one; a step of logic.u32 has two "
        "operations. "
        "With steps=dependent one subgroup on each core has one chain, in which every step takes the result of the one "
        "before through logic that changes nothing: one instruction, or two on chips that have no such one.",
    .picture = "A straight fall or rise from one kind's rate to the other's in time per step where both wait for the "
               "same unit; a hill in between where two units work at once.",
    .method = literature::kWong,
    .x = {"share of the second operation", "%"},
    .unit = "Gop/s",
    .run_noise = run_noise::levels,
    .paths = {"global"},
    .variants = kPair.each() + kPair.each({"f32+i32", "f32+f64", "f32+special", "f32+load", "f32+scratchpad",
                                   "i32+load", "i32+f16x2"}) *
                                   kSteps.each(), // logic.u32 carries two numbers
    .quick = {.seconds = 0.13, .variants = 3},
    .run = measure_co_issue,
    .findings = co_issue_findings,
    .kernel = co_issue_kernel,
    .further_kernels = co_issue_kernels,
};

} // namespace sonde
