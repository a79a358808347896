// core-to-core: latency of an exchange between two work-items of one card or of two, or one and the processor, which
// pass a count to and fro by compare-and-swap or by a flag.
#include <algorithm>
#include <atomic>
#include <exception>
#include <set>
#include <thread>
#include <utility>

#include "core/analysis/core_groups.h"
#include "core/base/statistics.h"
#include "core/device/kernel_source.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kNobody = 0xFFFFFFFFu;
constexpr std::uint32_t kCellWords = 96;   // the count and two claims, a line apart
constexpr std::uint32_t kResultWords = 17; // eight for each of the two, and the count
constexpr std::uint32_t kGranule = 64;     // exchanges: even, or the wrong one would end the count
constexpr std::uint32_t kTrial = 64;
constexpr std::uint32_t kAttempts = 16;      // of a dispatch: a processor's other thread may just not run
constexpr std::uint32_t kAttemptsInTurn = 4; // after so many in which the second has not begun, it never will
constexpr std::uint32_t kPatience = 1u << 11, kPatienceCpu = 1u << 18,
                        kPatienceProcessor = 1u << 22; // trips of 16 tries that each waits besides those that it needs;
                                                       // the last for a thread of the same processor, which may be busy
constexpr std::uint32_t kMostDoublings = 4;            // of twice as many workgroups, until both cores are met
constexpr double kPairsPerSecond =
    750; // of a series' time: a pair of cores takes 2 ms with all its dispatches, and the first block may take longer
constexpr double kLaterShare = 0.125;    // of the pairs, in the blocks behind the first
constexpr std::size_t kMostCores = 4096; // that a file may claim
constexpr std::size_t kPairsPerCore = 2; // fewer leave cores whose place is a guess
constexpr double kCloser = 0.95;         // times what pairs across two groups take: pairs within one take less
constexpr double kShortSlope = 0.1; // times the profile's: of some hundred exchanges, which no launch is quicker than

enum class Scope { work_items, subgroups, cores, workgroups, processor, cards };
const Choice<Scope> kScope{
    "scope", {{"work-items", Scope::work_items}, {"subgroups", Scope::subgroups}, {"cores", Scope::cores},
                 {"workgroups", Scope::workgroups}, {"processor", Scope::processor}, {"cards", Scope::cards}}};
/// To whom a flag's load that acquires and store that releases, or a compare-and-swap, are visible. VISIBLE of the
/// kernel.
enum class Visible { workgroup, device, system };
const std::pair<std::string_view, Visible> kVisible[] = {
    {"workgroup", Visible::workgroup}, {"device", Visible::device}, {"system", Visible::system}};
std::optional<Visible> parse_visible(const std::string& text) {
    for (const auto& [word, meaning] : kVisible)
        if (word == text) return meaning;
    return std::nullopt;
}
const Setting<Visible> kFlag{"flag",
    "in place of compare-and-swap a load that acquires and a store that releases, visible to the workgroup, device or "
    "system",
    parse_visible},
    kSwap{"swap",
        "a compare-and-swap whose scope is the workgroup, device or system, in place of what the API takes unless told",
        parse_visible};
/// Of the flag, or of the compare-and-swap where a scope was asked for; nullopt: a compare-and-swap as the API has it.
std::optional<Visible> visible_to(const Options& options) {
    const auto flag = kFlag.in(options);
    return flag ? flag : kSwap.in(options);
}
bool by_core(const Options& options) { return kScope.in(options) == Scope::cores; }
bool with_processor(const Options& options) { return kScope.in(options) == Scope::processor; }
bool between_cards(const Options& options) { return kScope.in(options) == Scope::cards; }
bool in_workgroup(const Options& options) {
    return kScope.in(options) == Scope::work_items || kScope.in(options) == Scope::subgroups;
}

KernelChoice core_to_core_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    const Scope scope = kScope.in(options);
    const auto scope_of_access = visible_to(options);
    KernelChoice choice{.name = "core_to_core", .group_size = chase_lanes(info), .atomic = !kFlag.in(options)};
    if (scope_of_access) {
        choice.defines.emplace_back("VISIBLE", std::to_string(static_cast<int>(*scope_of_access)));
        if (!kFlag.in(options)) choice.defines.emplace_back("SWAPS", "1");
        choice.needs = {*scope_of_access == Visible::system ? Feature::system_scope : Feature::acquire_release};
    }
    if (scope == Scope::work_items) choice.group_size = std::max(2u, info.subgroup);
    if (scope == Scope::subgroups) choice.group_size = 2 * info.subgroup;
    if (by_core(options)) choice.defines.emplace_back("BY_CORE", "1");
    choice.asks_for_core = by_core(options);
    return choice;
}

/// The second side on the processor, from its making on until it goes.
class ProcessorSide {
public:
    ProcessorSide(void* cells, std::uint32_t exchanges)
        : thread_([this, count = static_cast<std::uint32_t*>(cells), exchanges] { exchange(*count, exchanges); }) {}
    ~ProcessorSide() { finish(); }
    /// What it would wait for next.
    std::uint32_t finish() {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
        return waited_;
    }

private:
    void exchange(std::uint32_t& cell, std::uint32_t exchanges) {
        const std::atomic_ref count(cell);
        while (waited_ < exchanges && !stop_.load(std::memory_order_relaxed)) {
            if (count.load(std::memory_order_acquire) != waited_) continue;
            count.store(waited_ + 1, std::memory_order_release);
            waited_ += 2;
        }
    }
    std::uint32_t waited_ = 1; // the thread's, until that has ended
    std::atomic<bool> stop_ = false;
    std::thread thread_;
};

/// The second side on another card, in whose memory the count is.
class OtherCard {
public:
    OtherCard(Bench& bench, const KernelChoice& choice)
        : device_(device_of(bench)),
          kernel_(device_.compile(kernel_source(choice.name), choice.build(path_named("global")))),
          result_(device_.allocate(Space::global, kResultWords * 4)) {}
    ~OtherCard() { join(); }
    void begin(Buffer& cells, const kernel_args::CoreToCore& args) {
        args_ = args;
        args_.second = 0; // its first work-item is the second side
        thread_ = std::thread([this, &cells] {
            try {
                const Launch launch{
                    .kernel = *kernel_, .a = &cells, .out = *result_, .args = Bench::words_of(args_), .groups = 1};
                device_.run({&launch, 1}, Timed::each);
            } catch (...) {
                error_ = std::current_exception();
            }
        });
    }
    /// What it left in its half of the result.
    std::vector<std::uint32_t> finish() {
        join();
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
        std::vector<std::uint32_t> words(kResultWords);
        const Copy copy{.from = result_.get(), .to_host = words.data(), .bytes = kResultWords * 4};
        device_.copy({&copy, 1});
        return words;
    }

private:
    static Device& device_of(Bench& bench) {
        const Peer& peer = peer_of(bench.info, bench.request.id.options);
        Device* device = bench.device.sibling(peer);
        if (!device) throw Unsupported(fmt::format("nothing runs on {} and {} at a time", bench.info.id, peer.device));
        return *device;
    }
    void join() {
        if (thread_.joinable()) thread_.join();
    }
    Device& device_;
    const std::unique_ptr<Kernel> kernel_;
    const std::unique_ptr<Buffer> result_;
    kernel_args::CoreToCore args_{};
    std::exception_ptr error_ = nullptr; // the thread's, until that has ended
    std::thread thread_;
};

struct Attempt {
    bool finished = false, met = true; // met: both found their cores
    std::uint32_t count = 0, tries = 0;
    Sample sample{};
};

struct Exchange {
    Bench& bench;
    const Options& options = bench.request.id.options;
    const KernelChoice choice = core_to_core_kernel(bench.info, bench.path, options);
    const std::shared_ptr<Kernel> kernel = bench.kernel(choice);
    const bool scratchpad = bench.path.stage == Stage::scratchpad;
    const std::uint32_t second = kScope.in(options) == Scope::work_items  ? 1
                                 : kScope.in(options) == Scope::subgroups ? bench.info.subgroup
                                                                          : kNobody;
    std::uint32_t groups = in_workgroup(options) || with_processor(options) || between_cards(options) ? 1
                           : by_core(options)                                                         ? bench.info.cores
                                                                                                      : 2;
    std::uint32_t first_core = 0, second_core = 0; // where the series is about cores
    const std::unique_ptr<Buffer> cells = bench.allocate(with_processor(options) ? Space::shared : bench.path.space,
                                      kCellWords * 4, kCellWords * 4),
                                  result = bench.allocate_result(kResultWords);
    const std::unique_ptr<OtherCard> other_card =
        between_cards(options) ? std::make_unique<OtherCard>(bench, choice) : nullptr;

    /// Throws Unsupported where the first gives up before the second has begun, however often it is tried.
    void check() {
        Attempt attempt;
        std::uint32_t in_turn = 0;
        for (std::uint32_t i = 0; i < kAttempts && in_turn < kAttemptsInTurn && !attempt.finished; ++i) {
            attempt = launch(kTrial);
            in_turn = attempt.count <= 2 ? in_turn + 1 : 0;
        }
        if (!attempt.finished && in_turn > 0 && with_processor(options))
            throw Unsupported(
                fmt::format("the processor never answered: a work-item gave up after {} tries", attempt.tries));
        if (!attempt.finished && in_turn > 0)
            throw Unsupported(fmt::format("the two work-items run one after another here: the first gave up after {} "
                                          "tries before the second began",
                attempt.tries));
        if (!attempt.finished) give_up(attempt, kTrial);
        bench.evidence.attempts_per_exchange = attempt.tries / static_cast<double>(kTrial);
    }

    Sample timed(std::uint32_t exchanges) {
        Attempt attempt;
        for (std::uint32_t i = 0; i < kAttempts; ++i)
            if (attempt = launch(exchanges); attempt.finished) return attempt.sample;
        if (!attempt.met)
            throw Error(fmt::format("none of {} workgroups met the cores {} and {}", groups, first_core, second_core));
        give_up(attempt, exchanges);
    }

    /// A processor may be busy with something else; on a card both run from the launch on.
    [[noreturn]] void give_up(const Attempt& attempt, std::uint32_t exchanges) const {
        const std::string text = fmt::format(
            "a work-item gave up after {} tries, at {} of {} exchanges", attempt.tries, attempt.count, exchanges);
        if (bench.info.cpu) throw Unsupported("the two work-items seldom run at the same time here: " + text);
        throw Error(text);
    }

    Attempt launch(std::uint32_t exchanges) {
        const std::vector<std::uint32_t> zeros(kCellWords, 0), nothing(kResultWords, kNobody);
        const Copy copies[] = {{.from_host = zeros.data(), .to = cells.get(), .bytes = kCellWords * 4},
            {.from_host = nothing.data(), .to = result.get(), .bytes = kResultWords * 4}};
        bench.device.copy(copies);
        std::uint32_t trips = exchanges + (!bench.info.cpu              ? kPatience
                                              : with_processor(options) ? kPatienceProcessor
                                                                        : kPatienceCpu);
        if (bench.info.loop_trips) trips = std::min(trips, bench.info.loop_trips - 1);
        const kernel_args::CoreToCore args{.exchanges = exchanges,
            .trips = trips,
            .second = second,
            .first_core = first_core,
            .second_core = second_core,
            .stage = scratchpad ? 1u : 0u};
        std::optional<ProcessorSide> processor;
        if (with_processor(options)) processor.emplace(cells->shared_with_host(), exchanges);
        if (other_card) other_card->begin(*cells, args);
        auto [sample, out] = bench.launch(*kernel, args,
            {.a = cells.get(), .out = *result, .groups = groups, .scratchpad_bytes = scratchpad ? 16u : 0u}, exchanges,
            kResultWords);
        if (processor) out[8] = processor->finish();
        if (other_card) std::ranges::copy_n(other_card->finish().begin() + 8, 8, out.begin() + 8);
        Attempt attempt{.count = scratchpad ? out[16] : bench.read_words(*cells, 1)[0],
            .tries = out[1] == kNobody ? 0 : out[1],
            .sample = sample};
        attempt.met = !by_core(options) ||
                      (out[0] != kNobody && out[8] != kNobody && out[2] == first_core && out[10] == second_core);
        if (!attempt.met && groups < bench.info.cores << kMostDoublings) groups *= 2;
        attempt.finished = attempt.met && attempt.count == exchanges && out[0] == exchanges && out[8] == exchanges + 1;
        if (attempt.finished)
            bench.checked("the count that only rises if the two alternate, and what each of them would wait for next, "
                          "of every dispatch");
        attempt.sample.cycles = clock_difference(bench.info, {out.begin() + 4, out.begin() + 8});
        return attempt;
    }
};

/// Why the two cannot exist, or cannot reach one cell; asked before anything is compiled.
void refuse(const Bench& bench) {
    const Options& options = bench.request.id.options;
    if (bench.path.stage == Stage::scratchpad && !in_workgroup(options))
        throw Unsupported("two workgroups have no scratchpad in common");
    if (with_processor(options) != (bench.path.space == Space::host))
        throw Unsupported("the processor takes part through host memory, and nobody else");
    if (between_cards(options) != (bench.path.space == Space::peer))
        throw Unsupported("cards exchange through the memory of one of them, on path peer");
    if (between_cards(options) && visible_to(options) != Visible::system)
        throw Unsupported("two cards exchange by what is visible to the system");
    if (with_processor(options) && kFlag.in(options) != Visible::system)
        throw Unsupported("a processor and a card exchange by a flag that is visible to the system");
    if (kFlag.in(options) && kSwap.in(options)) throw Unsupported("two exchange by a flag or by compare-and-swap");
    if (visible_to(options) == Visible::workgroup && !in_workgroup(options))
        throw Unsupported("what is visible to its workgroup alone does not reach another");
    if (by_core(options) && bench.info.core_name.empty())
        throw Unsupported("nothing tells a kernel the core that it runs on");
    if (kScope.in(options) == Scope::subgroups && bench.info.subgroup == 1)
        throw Unsupported("work-items run one by one here: there are no subgroups");
    if (core_to_core_kernel(bench.info, bench.path, options).group_size > bench.info.largest_group)
        throw Unsupported(fmt::format("a workgroup has at most {} work-item{}", bench.info.largest_group,
            bench.info.largest_group == 1 ? "" : "s"));
}

/// Pairs as x: 1 + first * cores + second, by their places in the list of cores. No more than `most`, but one core's
/// with all others: then so many cores' pairs, evenly spaced. `lower_first`: a pair bears the same number whichever of
/// its cores is a row, so that blocks agree.
std::vector<std::uint64_t> pairs_of(std::uint64_t cores, double most, bool lower_first) {
    const auto pairs_in = [&](std::uint64_t rows) {
        return static_cast<double>(rows * (cores - 1) - rows * (rows - 1) / 2);
    };
    std::uint64_t rows = 1;
    while (rows < cores && pairs_in(rows + 1) <= most) ++rows;
    const auto is_row = [&](std::uint64_t core) {
        return (core * rows + cores - 1) / cores * cores / rows == core;
    }; // rows evenly spaced
    std::vector<std::uint64_t> pairs;
    for (std::uint64_t first = 0; first < cores; ++first)
        for (std::uint64_t second = 0; second < cores; ++second)
            if (is_row(first) && first != second && !(is_row(second) && second < first))
                pairs.push_back(
                    lower_first && second < first ? 1 + second * cores + first : 1 + first * cores + second);
    return distinct(std::move(pairs));
}

void measure_core_to_core(Bench& bench) {
    refuse(bench);
    bench.wake_clocks();
    const bool cores = by_core(bench.request.id.options);
    const std::vector<std::uint32_t> numbers = cores ? core_numbers(bench) : std::vector<std::uint32_t>{};
    if (cores) {
        bench.evidence.cores.numbers = numbers;
        bench.evidence.core_number = bench.info.core_name;
    }
    Exchange exchange{.bench = bench};
    if (!cores) exchange.check();
    const double affordable =
        (bench.request.seconds > 0 ? std::min(bench.request.seconds, bench.profile.seconds) : bench.profile.seconds) *
        kPairsPerSecond;
    const std::size_t all_pairs = cores ? numbers.size() * (numbers.size() - 1) / 2 : 1;
    const auto prepare = [&](std::uint64_t pair, const std::string&) {
        if (cores)
            exchange.first_core = numbers[(pair - 1) / numbers.size()],
            exchange.second_core = numbers[(pair - 1) % numbers.size()];
        return Work{.granule = kGranule,
            .most = bench.info.loop_trips ? 1u << 17 : 1u << 20,
            .times_longer = cores ? kShortSlope : 1};
    };
    const Experiment experiment{.prepare = prepare,
        .dispatch = [&](std::uint64_t, std::uint32_t exchanges) { return exchange.timed(exchanges); }};
    bench.each_block([&](int block) {
        const auto pairs = cores ? pairs_of(numbers.size(), block == 0 ? affordable : affordable * kLaterShare,
                                       static_cast<double>(all_pairs) <= affordable)
                                 : std::vector<std::uint64_t>{1};
        if (block == 0 && cores) {
            bench.evidence.pairs = pairs.size();
            bench.evidence.pairs_of_all_cores = all_pairs;
            if (pairs.size() < all_pairs)
                bench.ending = {
                    .why = fmt::format("{} of {} pairs of cores: for more there is no time", pairs.size(), all_pairs)};
        }
        bench.measure_block(experiment, block, pairs);
    });
}

double number_in(const auto& list) { return static_cast<double>(list.size()); }

/// Sizes of both groups, and what is half a round trip within them and across. `two`: else the second is no group.
std::vector<FindingRow> rows_of_groups(const CoreGroups& groups, bool two, const std::string& unit) {
    return {{two ? "cores of the first group" : "cores near the address", number_in(groups.near), "cores"},
        {two ? "half a round trip within it" : "half a round trip among them", groups.within_near, unit},
        {two ? "cores of the second group" : "other cores", number_in(groups.far), "cores"},
        {two ? "half a round trip within the second" : "half a round trip among others", groups.within_far, unit},
        {two ? "half a round trip across" : "half a round trip to the others", groups.across, unit}};
}

std::string text_of_groups(const CoreGroups& groups, bool two, std::size_t cores, const std::string& unit) {
    return two ? fmt::format("for the one address that they exchange, two groups of {} and {} cores: half a round trip "
                             "takes {:.0f} {} (median) within the first, {:.0f} within the second, {:.0f} across",
                     groups.near.size(), groups.far.size(), groups.within_near, unit, groups.within_far, groups.across)
               : fmt::format(
                     "for the one address that they exchange, {} of {} cores are near the address: half a round trip "
                     "takes {:.0f} {} (median) among them, {:.0f} between them and the others, {:.0f} among the others",
                     groups.near.size(), cores, groups.within_near, unit, groups.across, groups.within_far);
}

/// Groups of cores, of a series by pairs of cores.
Finding groups_finding(const Series& series) {
    const std::vector<std::uint32_t>& numbers = series.evidence.cores.numbers;
    std::vector<PairTime> pairs;
    std::vector<double> times;
    for (const CurvePoint& point : curve_of(series)) {
        const auto place =
            numbers.size() > kMostCores ? std::nullopt : index_of(point.x - 1, numbers.size() * numbers.size());
        if (!place) continue;
        pairs.push_back({*place / numbers.size(), *place % numbers.size(), point.y});
        times.push_back(point.y);
    }
    if (pairs.empty())
        return finding_of(
            series, Conclusion::inconclusive("no pair of cores was measured"), "groups", "groups of cores", {});
    if (pairs.size() < kPairsPerCore * numbers.size())
        return finding_of(series,
            {.name = "groups",
                .no_value = NoValue::inconclusive,
                .unit = "groups of cores",
                .rows = {{"cores", number_in(numbers), "cores"}, {"pairs of cores", number_in(pairs), "pairs"},
                    {"half a round trip", median(times), series.unit,
                        std::pair(std::ranges::min(times), std::ranges::max(times))}},
                .text = fmt::format("half a round trip takes {:.0f} to {:.0f} {} in {} pairs of {} cores, too few to "
                                    "find groups of cores",
                    std::ranges::min(times), std::ranges::max(times), series.unit, pairs.size(), numbers.size())});
    const auto groups = core_groups(pairs);
    std::set<std::pair<std::size_t, std::size_t>> distinct_pairs; // some are measured both ways round
    for (const PairTime& pair : pairs) distinct_pairs.insert(std::minmax(pair.first, pair.second));
    const std::pair<double, double> nearly_all(quantile(times, 0.01), quantile(times, 0.99));
    const std::string range = fmt::format("{:.0f} to {:.0f} {}", nearly_all.first, nearly_all.second, series.unit);
    const bool two =
        groups &&
        groups->within_far <
            kCloser *
                groups->across; // else the second is no group: its cores are as far from each other as from the first
    Finding found{.name = "groups",
        .value = two ? 2 : 1,
        .unit = "groups of cores",
        .rows = {{"cores", number_in(numbers), "cores"}, {"pairs of cores", number_in(distinct_pairs), "pairs"},
            {"half a round trip of 98 % of pairs", median(times), series.unit, nearly_all},
            {"groups of cores", two ? 2.0 : 1.0, "groups of cores"}}};
    if (!groups) {
        found.text = fmt::format("no groups seen among {} cores: 98 % of {} pairs take {} for half a round trip",
            numbers.size(), distinct_pairs.size(), range);
        return finding_of(series, std::move(found));
    }
    const auto of_group = [&](const std::vector<std::size_t>& places) {
        std::vector<std::uint32_t> cores;
        cores.reserve(places.size());
        for (const std::size_t place : places) cores.push_back(numbers[place]);
        return cores;
    };
    found.groups = {of_group(groups->near), of_group(groups->far)};
    const std::vector<FindingRow> of_groups = rows_of_groups(*groups, two, series.unit);
    found.rows.insert(found.rows.end(), of_groups.begin(), of_groups.end());
    found.text = text_of_groups(*groups, two, numbers.size(), series.unit) +
                 fmt::format(". 98 % of {} pairs take {}", distinct_pairs.size(), range);
    return finding_of(series, std::move(found));
}

std::vector<Finding> core_to_core_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    if (by_core(series.id.options)) return {groups_finding(series)};
    const std::optional<double> cycles = series.points.front().cycles;
    return {finding_of(series, {.name = kScope.word(series.id.options),
                                   .value = curve.front().y,
                                   .cycles = cycles,
                                   .rows = {{"half a round trip", curve.front().y, series.unit, {}, cycles}},
                                   .x = {curve.front().x}})};
}

/// A flag is passed where its scope has a meaning.
bool core_to_core_by_default(std::string_view path, const Options& variant) {
    if (path == "peer") return true;
    if (path == "host" || with_processor(variant)) return path == "host" && with_processor(variant);
    return path == "global" || !visible_to(variant) || visible_to(variant) == Visible::workgroup;
}

const std::vector<Options> kSwapped = kScope.each({"work-items", "subgroups", "cores", "workgroups"}),
                           kFlagged = kScope.each({"work-items", "subgroups"}) * kFlag.each({"workgroup"}) +
                                      kScope.each({"subgroups", "cores"}) * kFlag.each({"device"}) +
                                      kScope.each({"workgroups"}) * kFlag.each({"device", "system"}) +
                                      kScope.each({"processor"}) * kFlag.each({"system"}),
                           kScoped = kScope.each({"subgroups"}) * kSwap.each({"workgroup", "device"}) +
                                     kScope.each({"workgroups"}) * kSwap.each({"device", "system"}),
                           kOfCards = kScope.each({"cards"}) * (kSwap.each({"system"}) + kFlag.each({"system"}));

bool core_to_core_is_on(std::string_view path, const Options& variant) {
    return (path == "peer") == between_cards(variant);
}
} // namespace

const Probe kCoreToCore{
    .name = "core-to-core",
    .question = "Latency of an exchange between two work-items?",
    .explanation =
        "Two work-items pass a count to and fro by compare-and-swap: in one subgroup, in one workgroup, in two "
        "workgroups, or on two given cores. With `flag` they do it by loads that acquire and stores that release, with "
        "`swap` by compare-and-swap of a named scope; through host memory the processor is the other side, and through "
        "that of another card a work-item there. The value "
        "is one exchange, half a round trip; lanes of one subgroup make both exchanges by one instruction.",
    .picture = "One value for each pair of cores; a map of them shows blocks, the chip's groups of cores.",
    .method = "As core-to-core-latency (github.com/nviennot/core-to-core-latency) measures processors",
    .x = {"pair", "", Axis::place},
    .value_of = "half a round trip between two lanes of a subgroup (work-items), two subgroups of a workgroup, two "
                "workgroups, a work-item and the host's processor, or work-items of two cards (cards); at one address, "
                "whose place in global memory "
                "changes the time up to twice: smaller differences there say nothing about APIs; flag, swap: scope of "
                "its release and acquire, or of its compare-and-swap",
    .chart = Chart::core_pairs,
    .run_noise = run_noise::in_step,
    .times_host = true, // which is the other side of `scope=processor`
    .published = {.method = "exchange"},
    .paths = {"scratchpad", "global", "host", "peer"},
    .variants = kSwapped + kFlagged + kScoped + kOfCards,
    .accepts = {kFlag, kSwap, option::peer},
    .quick = {.seconds = 0.05, .paths = {"scratchpad", "global", "peer"}, .variants = 1},
    .run = measure_core_to_core,
    .findings = core_to_core_findings,
    .kernel = core_to_core_kernel,
    .by_default = core_to_core_by_default,
    .is_on = core_to_core_is_on,
};

} // namespace sonde
