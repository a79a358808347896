// scratchpad-fill: copies from the LLC or DRAM to the scratchpad of one workgroup, by who carries them out, how large
// they are and how many are under way.
#include <bit>
#include <cmath>
#include <span>

#include "core/analysis/findings.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kCopyElement = 16, kMostOfCopy = 64 << 10,
                        kCopyingGroup = 256; // bytes of an element, of the largest copy; work-items
constexpr std::uint32_t kBehindStages = 16,
                        kDriversOwn =
                            1024; // bytes of scratchpad: of each stage's mbarrier; what some drivers report and refuse
constexpr std::uint64_t kTimesLlc = 32;         // of DRAM that is read at random: the LLC holds a sixteenth at most
constexpr std::uint32_t kMostCopies = 1u << 20; // of a dispatch, which the host follows

/// Who copies: a define of the kernel, what it needs, and of how many elements of the source it takes one.
struct Copier {
    const char* define = nullptr;
    std::optional<Feature> needs = std::nullopt;
    std::uint32_t spread = 1;
};
const Choice<Copier> kCopier{
    "by", {{"loads", {}}, {"cp.async", {"BY_CP_ASYNC", Feature::cp_async}}, {"bulk", {"BY_BULK", Feature::bulk_copy}},
              {"work-group-copy", {"BY_WORK_GROUP_COPY", Feature::work_group_copy}},
              {"work-group-strided-copy", {"BY_WORK_GROUP_COPY", Feature::work_group_copy, 2}}}};
const Choice<std::uint32_t> kInFlight{"in_flight", {{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}}};
const Choice<bool> kOnAllCores{"on", {{"all-cores", true}}}; // as many workgroups as cores; else one
bool on_all_cores(const Options& options) { return kOnAllCores.asked(options); }

KernelChoice scratchpad_fill_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    const Copier& copier = kCopier.in(options);
    KernelChoice choice{.name = "scratchpad_fill",
        .group_size = info.cpu ? info.subgroup : std::min(kCopyingGroup, info.largest_group),
        .defines = {{"WIDTH", "4"}, {"FLIGHT", std::to_string(kInFlight.in(options))}}};
    if (copier.define) choice.defines.emplace_back(copier.define, "1");
    if (copier.spread > 1) choice.defines.emplace_back("SPREAD", std::to_string(copier.spread));
    if (copier.needs) choice.needs.push_back(*copier.needs);
    return choice;
}

class ScratchpadFill {
public:
    explicit ScratchpadFill(Bench& bench) : bench_(bench) {}

    std::uint64_t footprint() const { return footprint_; }
    std::uint32_t groups() const { return groups_; }

    /// Every power of two that the scratchpad has room for, as often as copies are under way; every other one briefly.
    std::vector<std::uint64_t> sizes() const {
        const std::uint32_t room = bench_.info.scratchpad_bytes - std::min(bench_.info.scratchpad_bytes, kDriversOwn),
                            of_stage = room / flight_;
        std::vector<std::uint64_t> all;
        for (std::uint64_t size = kCopyElement; size + kBehindStages <= of_stage && size <= kMostOfCopy;
             size *= is_brief(bench_.profile) ? 4 : 2)
            all.push_back(size);
        if (all.empty())
            throw Unsupported(fmt::format(
                "a scratchpad of {} bytes has no room for {} copies", bench_.info.scratchpad_bytes, flight_));
        return all;
    }

    /// All of it has been read once by all cores: it is in the LLC, as far as that holds it.
    void new_memory() {
        memory_.reset();
        memory_ = bench_.allocate(footprint_, kMostOfCopy);
        const std::uint32_t seed = bench_.next_seed();
        const std::uint64_t bytes = std::bit_floor(memory_->bytes());
        bench_.fill(*memory_, bytes, seed);
        if (MemorySum(bench_).sum(*memory_, bytes) != FillSum(Bench::kFillPeriod, seed).range(0, bytes / 4))
            throw Error("the source does not hold what it was filled with");
        std::vector<std::uint64_t> copied; // of elements that are copied the sums of their words
        for (std::uint32_t word = 0; word < Bench::kFillPeriod; word += copier_.spread * kCopyElement / 4) {
            copied.push_back(0);
            for (std::uint32_t n = 0; n < kCopyElement / 4; ++n)
                copied.back() += fill_word(word + n, Bench::kFillPeriod, seed);
        }
        sums_.emplace(copied);
    }

    Work aim(std::uint64_t size) {
        elements_ = static_cast<std::uint32_t>(size / kCopyElement);
        tiles_ = static_cast<std::uint32_t>(std::bit_floor(memory_->bytes()) / (size * copier_.spread));
        step_ = static_cast<std::uint32_t>(tiles_ * 0.618) | 1; // odd: every tile in turn, none beside the one before
        first_ = 0;
        apart_ = tiles_ / groups_;
        const std::uint32_t trips = bench_.info.loop_trips, of_copy = 2 + elements_ / choice_.group_size;
        return {.most = trips ? trips / of_copy - 2 * flight_ - elements_ * flight_ / choice_.group_size / of_copy - 1
                              : kMostCopies / groups_};
    }

    /// Throws Error where what the work-items have read, or what the scratchpad holds at the end, does not add up.
    Sample timed(std::uint32_t count) {
        const kernel_args::ScratchpadFill args{
            .elements = elements_, .tiles = tiles_, .first = first_, .step = step_, .count = count, .apart = apart_};
        const std::uint32_t scratchpad = flight_ * (elements_ * kCopyElement + (copier_.define ? kBehindStages : 0));
        auto [sample, out] = bench_.launch(*kernel_, args,
            {.a = memory_.get(), .out = *result_, .groups = groups_, .scratchpad_bytes = scratchpad}, count,
            groups_ * block_words());
        check(out, count);
        sample.cycles = longest_clock_difference(bench_.info, out, block_words());
        return sample;
    }

private:
    std::uint32_t tile_sum(std::uint32_t tile, std::uint32_t begin, std::uint32_t end) const {
        const std::uint64_t first = std::uint64_t{tile} * elements_;
        return static_cast<std::uint32_t>(sums_->range(first + begin, first + end));
    }

    /// Of as many neighbouring elements as there are work-items, round and round in the tile.
    std::uint32_t seen_sum(std::uint32_t tile, std::uint32_t begin) const {
        const std::uint32_t lanes = choice_.group_size, end = begin + lanes % elements_;
        return lanes / elements_ * tile_sum(tile, 0, elements_) +
               (end <= elements_ ? tile_sum(tile, begin, end)
                                 : tile_sum(tile, begin, elements_) + tile_sum(tile, 0, end - elements_));
    }

    std::size_t block_words() const { return 4 + 2 * std::size_t{choice_.group_size}; }

    /// The next dispatch goes on where this one ended: what it copies is not what the caches have just seen.
    void check(std::span<const std::uint32_t> out, std::uint32_t count) {
        for (std::uint32_t group = 0; group < groups_; ++group)
            check_group(out.subspan(group * block_words(), block_words()), (first_ + group * apart_) % tiles_, count);
        first_ = static_cast<std::uint32_t>((first_ + (std::uint64_t{count} + flight_) * step_) % tiles_);
        bench_.checked("the sums of a word of each copy and work-item, and of all words of the last copies, against "
                       "the host's, in every dispatch");
    }

    void check_group(std::span<const std::uint32_t> out, std::uint32_t tile, std::uint32_t count) const {
        std::uint32_t seen = 0, rest = 0, expected_seen = 0, expected_rest = 0;
        for (std::size_t lane = 0; lane < choice_.group_size; ++lane)
            seen += out[4 + 2 * lane], rest += out[5 + 2 * lane];
        for (std::uint32_t n = 0; n < count + flight_; ++n) {
            if (n < count) expected_seen += seen_sum(tile, n % elements_);
            else expected_rest += tile_sum(tile, 0, elements_);
            tile = (tile + step_) % tiles_;
        }
        if (seen != expected_seen)
            throw Error(fmt::format(
                "the words read of each copy add up to {:#010x}, the host's to {:#010x}", seen, expected_seen));
        if (rest != expected_rest)
            throw Error(
                fmt::format("the scratchpad's words add up to {:#010x}, the host's to {:#010x}", rest, expected_rest));
    }

    Bench& bench_;
    const Copier& copier_ = kCopier.in(bench_.request.id.options);
    const KernelChoice choice_ = scratchpad_fill_kernel(bench_.info, bench_.path, bench_.request.id.options);
    const std::shared_ptr<Kernel> kernel_ = bench_.kernel(choice_);
    const std::uint32_t flight_ = kInFlight.in(bench_.request.id.options);
    const std::uint64_t footprint_ = std::bit_floor(
        option::from_dram.in(bench_.request.id.options)
            ? bench_.beyond_last_level(std::min(kTimesLlc * bench_.last_level(), bench_.info.largest_buffer / 2))
            : bench_.last_level() / 2);
    const std::uint32_t groups_ = on_all_cores(bench_.request.id.options) ? std::max(1u, bench_.info.cores) : 1;
    const std::unique_ptr<Buffer> result_ = bench_.allocate_result(groups_ * block_words());
    std::unique_ptr<Buffer> memory_;
    std::optional<PeriodicSum> sums_; // of the elements that are copied
    std::uint32_t elements_ = 0, tiles_ = 0, first_ = 0, step_ = 0, apart_ = 0;
};

void measure_scratchpad_fill(Bench& bench) {
    bench.wake_clocks();
    ScratchpadFill fill(bench);
    const auto sizes = fill.sizes();
    bench.evidence.operation = "copy";
    bench.evidence.footprint_bytes = fill.footprint();
    bench.evidence.shape = {
        .group_size = scratchpad_fill_kernel(bench.info, bench.path, bench.request.id.options).group_size,
        .groups = fill.groups()};
    bench.measure({.begin = [&](int) { fill.new_memory(); },
                      .prepare = [&](std::uint64_t size, const std::string&) { return fill.aim(size); },
                      .dispatch = [&](std::uint64_t, std::uint32_t count) { return fill.timed(count); }},
        sizes);
}

/// The fastest of the sizes, the smallest one with 90 % of its rate, and what the smallest and the largest copy take.
std::vector<Finding> scratchpad_fill_findings(const Series& series, const DeviceInfo&) {
    constexpr double kNearly = 0.9;                 // of a rate
    constexpr std::uint32_t kCommonCopy = 16 << 10; // bytes: scratchpads of all APIs have room for it
    std::vector<const Point*> points;
    for (const Point& point : series.points)
        if (point.median && *point.median > 0) points.push_back(&point);
    if (points.empty()) return {};
    const auto rate = [](const Point* point) { return point->x / *point->median; }; // GB/s
    const Point* best = *std::ranges::max_element(points, {}, rate);
    const Point* nearly =
        *std::ranges::find_if(points, [&](const Point* point) { return rate(point) >= kNearly * rate(best); });
    const Options& options = series.id.options;
    const std::string& level = option::from_dram.word(options);
    const ShapeEvidence shape = series.evidence.shape.value_or(ShapeEvidence());
    const std::uint32_t cores = on_all_cores(options) ? shape.groups.value_or(0) : 0;
    const auto row_of_copy = [](const Point& point) {
        return FindingRow{"a copy of " + format_bytes(point.x), *point.median, "ns", {}, point.cycles};
    };
    std::vector<FindingRow> rows{{"rate of a core", rate(best), "GB/s"}};
    if (best->cycles && *best->cycles > 0) rows.push_back({"by clock", best->x / *best->cycles, "B/clk/core"});
    rows.push_back({"with copies of", best->x, "bytes"});
    if (points.size() > 1 && best == points.back()) // whether it still rises
        rows.push_back({"rate with the next smaller", rate(points[points.size() - 2]), "GB/s"});
    rows.push_back({"90 % of it from", nearly->x, "bytes"});
    if (const auto common = std::ranges::find(points, static_cast<double>(kCommonCopy), &Point::x);
        common != points.end())
        rows.push_back({"with copies of " + format_bytes(kCommonCopy), rate(*common), "GB/s"});
    if (cores > 0) {
        rows.push_back({"all cores together", cores * rate(best), "GB/s"});
        rows.push_back({"cores", static_cast<double>(cores), "cores"});
    }
    if (series.evidence.footprint_bytes)
        rows.push_back({"footprint", static_cast<double>(*series.evidence.footprint_bytes), "bytes"});
    if (shape.group_size)
        rows.push_back({"work-items of a workgroup", static_cast<double>(*shape.group_size), "work-items"});
    rows.push_back(row_of_copy(*points.front()));
    if (points.size() > 1) rows.push_back(row_of_copy(*points.back()));
    return {finding_of(series,
        {.name = fmt::format("{} {}{}", level, kCopier.word(options), on_all_cores(options) ? " on all cores" : ""),
            .value = rate(best),
            .unit = "GB/s",
            .rows = std::move(rows),
            .x = {points.front()->x, nearly->x, best->x, points.back()->x}})};
}

const std::vector<Options> kWaitedFor = kCopier.each({"loads", "cp.async", "bulk"}) * kInFlight.each({"1"}),
                           kMostUnderWay = kCopier.each({"cp.async", "bulk"}) * kInFlight.each({"8"}),
                           kByWorkGroup = kCopier.each({"work-group-copy", "work-group-strided-copy"}) *
                                          kInFlight.each({"1", "8"});
} // namespace

const Probe kScratchpadFill{
    .name = "scratchpad-fill",
    .question = "Latency and rate of copies to scratchpad?",
    .explanation =
        "One workgroup of 256 work-items copies tiles from random places of the LLC or DRAM to its scratchpad. By "
        "loads all work-items load and store. By cp.async they issue copies of 16 bytes; by bulk one of them issues a "
        "single copy, and a copy engine does the rest. By work-group-copy all of them ask for it together, by OpenCL "
        "C's async_work_group_copy; its strided form takes every second 16 bytes of a tile twice as long. "
        "With in_flight=1 a copy begins when the one before has arrived and was read: the value is its latency. Loads "
        "of a copy are under way together, up to eight of a work-item. With `on` as many workgroups as cores do so, "
        "each with tiles of its own.",
    .picture = "Flat while latency rules, then in proportion to the size: the slope is the rate of the core. More "
               "copies under way divide the flat part.",
    .method = "Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking (2018), for loads; Luo "
              "et al., Dissecting the NVIDIA Hopper Architecture through Microbenchmarking and Multiple Level Analysis "
              "(2025), for cp.async and bulk copies",
    .x = {"copy", "bytes"},
    .value_of = "a copy",
    .run_noise = run_noise::by_cores,
    .paths = {"scratchpad"},
    .variants = option::from_dram.each({"LLC"}) *
                    (kWaitedFor + kCopier.each({"cp.async", "bulk"}) * kInFlight.each({"8", "2", "4"})) +
                option::from_dram.each({"DRAM"}) * (kWaitedFor + kMostUnderWay) +
                option::from_dram.each() * (kWaitedFor + kMostUnderWay) * kOnAllCores.each() +
                option::from_dram.each() * (kByWorkGroup + kByWorkGroup * kOnAllCores.each()),
    .quick = {.seconds = 0.06, .variants = 4},
    .run = measure_scratchpad_fill,
    .findings = scratchpad_fill_findings,
    .kernel = scratchpad_fill_kernel,
};

} // namespace sonde
