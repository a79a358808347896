// sharing: whether loads on one path (`other_path`) evict from L1 what another keeps there.
#include <bit>

#include "core/analysis/level_findings.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
const Choice<const Path*> kEvictingPath = other_path({"scratchpad", "constant", "texel", "global.readonly", "global"});
constexpr double kEvicted = 0.1;     // share of the lines: fewer are no eviction
constexpr double kWalked = 0.5;      // of L1: stays, if nothing else comes
constexpr std::uint32_t kTrips = 16; // touches per trip of the kernel's loop
constexpr std::uint32_t kEnds = 3;   // trips of a round besides: its own, and that in which each of its two loops ends

/// The memory that those loads touch, and what they must see there.
class Touched {
public:
    Touched(Bench& bench, const Path& path, std::uint64_t bytes)
        : memory_(bench.device.allocate(path.space, bytes)), seed_(bench.next_seed()) {
        bench.fill(*memory_, bytes, seed_);
    }
    const Buffer* memory() const { return memory_.get(); }
    /// Sum of the words that a lane sees of the first `lines` lines in one round.
    std::uint32_t sum(std::uint32_t lane, std::uint32_t lanes, std::uint32_t lines) const {
        std::uint32_t sum = 0;
        for (std::uint32_t line = lane; line < lines;)
            for (std::uint32_t trip = 0; trip < kTrips; ++trip, line += lanes)
                sum += fill_word(std::uint64_t{std::min(line, lines - 1)} * kLineWords, Bench::kFillPeriod, seed_);
        return sum;
    }

private:
    std::unique_ptr<Buffer> memory_;
    std::uint32_t seed_;
};

/// Hops of one round.
std::uint32_t round_of(const Chase& chase) {
    return (static_cast<std::uint32_t>(chase.chain().length()) + 63) / 64 * 64;
}

/// Rounds of a walk each, and the touch of so many lines before.
Sample walked(Bench& bench, Walker& walker, const Chase& chase, const Touched& touched, std::uint32_t loads,
    std::uint32_t lines) {
    const std::uint32_t round = round_of(chase), rounds = loads / round, lanes = chase_lanes(bench.info);
    const bool staged = kEvictingPath.in(bench.request.id.options)->stage == Stage::scratchpad;
    const Sample sample =
        walker.launch({.steps = round, .start = chase.chain().start(), .touch_end = lines, .rounds = rounds},
            {.a = chase.memory(), .b = touched.memory(), .scratchpad_bytes = staged ? lines * kLineWords * 4 : 0});
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
        walker.check(lane, loads, link_number(bench.path, chase.chain().walk(loads)));
    if (walker.seen(0) != rounds * touched.sum(0, lanes, lines)) throw Error("the words touched do not add up");
    bench.checked(
        "the last link of every lane of every dispatch against the host's walk, and the sum of the words touched");
    return sample;
}

/// Whole trips of the kernel's loop where the level is large enough: what is walked a second time in a round hits in
/// any case.
std::uint64_t walked_slots(const Level& level, std::uint64_t granule) {
    const auto slots = std::max<std::uint64_t>(static_cast<std::uint64_t>(kWalked * level.capacity_on) / granule, 4);
    return slots < 64 ? slots : slots / 64 * 64;
}
/// Four times L1, as far as the other path's memory goes: twice are needed to tell. A scratchpad evicts by its size
/// alone, so that it must only be larger than what a cache of the same memory could do without; all of it not every
/// driver gives.
std::uint64_t most_touched(const Bench& bench, const Path& other, const Level& level) {
    const bool scratchpad = other.stage == Stage::scratchpad;
    const std::uint64_t reach =
        scratchpad ? std::uint64_t{bench.info.scratchpad_bytes} * 9 / 10 : bench.info.reach_of(other.space).bytes;
    const std::uint64_t most =
        std::min(std::bit_ceil(static_cast<std::uint64_t>(4 * level.capacity_on)), reach / 8192 * 8192);
    const double needed = (scratchpad ? 1 - kWalked / 2 : 2) * level.capacity_on;
    if (static_cast<double>(most) < needed)
        throw Unsupported(fmt::format("{} of {} are too few to evict an L1 of {}", format_bytes(most), other.name,
            format_bytes(level.capacity_on)));
    return most;
}
} // namespace

/// Each path against ordinary loads and, as a control, against its own; ordinary loads against textures; all else on
/// request.
static bool sharing_by_default(std::string_view path, const Options& variant) {
    const std::string_view with = kEvictingPath.in(variant)->name;
    return with == "global" || with == path || (path == "global" && with == "texel");
}

static KernelChoice sharing_kernel(const DeviceInfo& info, const Path& path, const Options& options) {
    KernelChoice choice = chase_kernel(info, path);
    choice.b = kEvictingPath.in(options);
    return choice;
}

static std::vector<KernelChoice> sharing_kernels(
    const DeviceInfo& info, const Path& path, const Options&, const Profile&) {
    return {chase_kernel(info, path)};
}

static void measure_sharing(Bench& bench) {
    const Path& other = *kEvictingPath.in(bench.request.id.options);
    if (const auto reason = bench.device.why_not(other))
        throw Unsupported(fmt::format("path {}: {}", other.name, *reason));
    bench.wake_clocks();
    Chase chase(bench);
    chase.new_memory();
    const Level level = level_of(chase.levels(kFirstLevelEnds), 0);
    const std::uint64_t most = most_touched(bench, other, level);
    const Touched touched(bench, other, most);
    chase.build(walked_slots(level, chase.granule()) * chase.granule());
    Walker walker(
        bench, bench.kernel(sharing_kernel(bench.info, bench.path, bench.request.id.options)), chase_lanes(bench.info));
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t bytes = std::max<std::uint64_t>(most / 64, kLineWords * 4); bytes <= most; bytes *= 2)
        sizes.push_back(bytes);
    const std::uint32_t round = round_of(chase),
                        trips_per_round =
                            round / 64 +
                            static_cast<std::uint32_t>(most / (kLineWords * 4) / kTrips / chase_lanes(bench.info)) +
                            kEnds;
    const std::uint32_t most_rounds =
        bench.info.loop_trips ? std::max(2u, bench.info.loop_trips / trips_per_round) : 1u << 16;
    const auto dispatch = [&](std::uint64_t bytes, std::uint32_t loads) {
        return walked(bench, walker, chase, touched, loads, static_cast<std::uint32_t>(bytes / (kLineWords * 4)));
    };
    bench.measure(
        {.work = {.granule = round, .most = std::min(most_rounds, (1u << 24) / round) * round}, .dispatch = dispatch},
        sizes);
    bench.evidence.first_visit_share = static_cast<double>(chase.chain().length()) / round; // share of a round's loads
    bench.evidence.filling_bytes = other.stage == Stage::scratchpad ? static_cast<double>(most) : 2 * level.capacity_on;
    bench.evidence.footprint_bytes = chase.chain().length() * chase.granule();
}

static std::vector<Finding> sharing_findings(const Series& series, const DeviceInfo& device) {
    const auto& levels = series.evidence.levels;
    const auto curve = curve_of(series);
    if (levels.size() < 2 || curve.empty()) return {};
    // Where next to nothing is touched, a load takes what a hit does and its share of the touching.
    const double apart = levels[1].ns - levels[0].ns, least = curve.front().y,
                 enough = series.evidence.filling_bytes.value_or(2 * levels[0].on_bytes);
    Conclusion conclusion =
        driven_out(curve, least, least + series.evidence.first_visit_share.value_or(1) * apart, enough / 2);
    if (least > levels[0].ns + 0.25 * apart)
        conclusion = Conclusion::inconclusive("the chain misses L1 even where next to nothing is touched");
    const std::string other(kEvictingPath.in(series.id.options)->name);
    const bool control = other == series.id.path;
    if (control && conclusion.value.value_or(1) < kEvicted)
        conclusion = Conclusion::inconclusive("a path did not evict its own lines: the level was taken for another");
    if (hides_l2(series, device)) conclusion = Conclusion::inconclusive(kNoMiss);
    const bool scratchpad = other == "scratchpad";
    const std::string who = scratchpad ? "scratchpad use" : "loads on " + other;
    Finding found = finding_of(series, conclusion, "L1", "share", [&](double share) {
        if (share < kEvicted)
            return fmt::format("no eviction from L1 by {} seen up to {}: separate {}", who, format_bytes(enough),
                scratchpad ? "memories" : "caches");
        if (control)
            return fmt::format(
                "control: this path's own loads evict {:.0f} % of its L1 lines", 100 * std::min(share, 1.0));
        const std::string evicted = fmt::format(
            "{} evict{} {:.0f} % of this path's L1 lines", who, scratchpad ? "s" : "", 100 * std::min(share, 1.0));
        return evicted + (scratchpad ? share > 0.5 ? ": one memory" : ": a part of one memory"
                             : share > 0.5
                                 ? ": one cache"
                                 : fmt::format(": shared at least in part (control: other_path={})", series.id.path));
    });
    if (found.value) found.rows = {{"L1 lines evicted by " + who, std::min(*found.value, 1.0), "share"}};
    return {found};
}

/// The path's own loads must evict its lines.
static std::optional<SeriesId> sharing_control(const Finding& finding) {
    SeriesId control = finding.series;
    control.options.set(option::other_path, control.path);
    return control == finding.series ? std::nullopt : std::optional(control);
}

const Probe kSharing{
    .name = "sharing",
    .question = "Do two paths share one L1?",
    .explanation = "A chain that half fills L1 is followed on one path while loads on another path touch a growing "
                   "footprint. Where latency rises, the other loads evict the chain: one cache serves both.",
    .picture = "Flat where the other path has a cache of its own; a rise within L1's size where both share one.",
    .method = literature::kMt4g,
    .x = {"touched", "bytes"},
    .run_noise = run_noise::one_line,
    .structure = true,
    .paths = {"global", "global.ca", "global.readonly", "global.uniform", "global.pointer", "texel", "constant"},
    .variants = kEvictingPath.each(),
    .quick = {.seconds = 0.29, .paths = {"texel"}},
    .run = measure_sharing,
    .findings = sharing_findings,
    .control = sharing_control,
    .kernel = sharing_kernel,
    .further_kernels = sharing_kernels,
    .by_default = sharing_by_default,
};

} // namespace sonde
