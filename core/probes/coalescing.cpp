// coalescing: rate of loads or stores in L2 or DRAM when the lanes of a subgroup access strided, shifted, permuted or
// 2-D addresses, when some of them are idle, and when words lie across their alignment.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/analysis/traffic.h"
#include "core/base/statistics.h"
#include "core/measure/pattern.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint64_t kOffsets = 32; // elements

constexpr std::uint64_t kFarthest =
    256; // bytes between neighbouring lanes that a series by stride reaches at the least
constexpr std::uint64_t kMostElements = 1ull << 31; // whose numbers no kernel's arithmetic takes for negative ones

enum class Order {
    in_order,
    reversed,
    permuted,
    broadcast,
    scattered,
    rotated,
    halves_swapped,
    one_each_half,
    one_each_quarter
};
constexpr std::array<std::string_view, 9> kOrders{"in order", "reversed", "permuted", "one address for all lanes",
    "random elements", "rotated by one lane", "halves swapped", "one address for each half",
    "one address for each quarter"};

static_assert(static_cast<double>(Order::scattered) == kScatteredPlace);

std::optional<bool> parse_from(const std::string& text) {
    return text == "DRAM" ? std::optional(true) : text == "LLC" ? std::optional(false) : std::nullopt;
}
const Setting<bool> kBeyondCache{"from", "LLC (unless said otherwise), or DRAM", parse_from};

/// Words whose alignment the compiler knows, then words from that byte on.
constexpr std::string_view kMisaligned[] = {"known aligned", "byte 0", "byte 1", "byte 2", "byte 3", "byte 4", "byte 5",
    "byte 6", "byte 7", "byte 8", "byte 9", "byte 10", "byte 11", "byte 12", "byte 13", "byte 14", "byte 15",
    "byte 16"};

std::span<const std::string_view> names_of_places(const Options& options) {
    if (option::pattern.is(options, AccessPattern::order)) return kOrders;
    return option::pattern.is(options, AccessPattern::misaligned) ? std::span<const std::string_view>(kMisaligned)
                                                                  : std::span<const std::string_view>();
}

PatternAccess access_of(const Options& options) {
    const AccessPattern kind = option::pattern.in(options);
    return {.element_bytes = option::width.in(options),
        .windows = kind == AccessPattern::rectangle ? Pattern::Windows::in_rows : Pattern::Windows::in_line,
        .stores = option::stores.in(options).value_or(false),
        .some_lanes = kind == AccessPattern::part};
}

/// What the series has beside that, at some of its places.
std::optional<PatternAccess> other_access_of(const Options& options) {
    PatternAccess other = access_of(options);
    if (option::pattern.in(options) == AccessPattern::order) other.windows = Pattern::Windows::scattered;
    else if (option::pattern.in(options) == AccessPattern::misaligned) other.packed = true;
    else return std::nullopt;
    return other;
}

void set_order(Pattern& pattern, Order order, std::uint64_t elements) {
    const std::uint32_t lanes = pattern.lanes;
    if (order == Order::reversed) pattern.factor = pattern.summand = lanes - 1; // -l - 1
    if (order == Order::permuted) pattern.factor = 5, pattern.summand = 3;
    if (order == Order::broadcast) pattern.factor = 0;
    if (order == Order::rotated) pattern.summand = 1;
    if (order == Order::halves_swapped) pattern.summand = lanes / 2;
    if (order == Order::one_each_half || order == Order::one_each_quarter) {
        pattern.across = std::max(lanes / (order == Order::one_each_half ? 2 : 4), 1u);
        pattern.stride = 0, pattern.down = 1;
    }
    if (order == Order::scattered) {
        pattern.windows = static_cast<std::uint32_t>(std::bit_floor(elements));
        pattern.windows_are = Pattern::Windows::scattered;
    }
}

/// The places of x in that pattern, within `elements` of so many bytes (a multiple of an image's band of four rows,
/// where it is one).
Pattern pattern_of(
    AccessPattern kind, std::uint64_t x, std::uint32_t lanes, std::uint64_t elements, std::uint32_t bytes) {
    Pattern pattern{.lanes = lanes, .across = lanes, .window_across = lanes};
    const auto whole = [&](std::uint64_t window) {
        return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, elements / window));
    };
    pattern.windows = whole(lanes);
    if (kind == AccessPattern::stride) {
        pattern.stride = static_cast<std::uint32_t>(x);
        pattern.window_across = lanes * pattern.stride;
        pattern.windows = whole(pattern.window_across);
    } else if (kind == AccessPattern::offset) {
        pattern.offset = static_cast<std::uint32_t>(x);
        pattern.windows = static_cast<std::uint32_t>((elements - kOffsets) / lanes); // the last one needs room to shift
    } else if (kind == AccessPattern::rectangle) {                                   // x rows high
        const auto height = static_cast<std::uint32_t>(x), width = lanes / height, per_row = kImageRow / width;
        pattern.windows_are = Pattern::Windows::in_rows;
        pattern.across = pattern.window_across = width;
        pattern.down = kImageRow;
        pattern.row_mask = per_row - 1;
        pattern.row_shift = static_cast<std::uint32_t>(std::countr_zero(per_row));
        pattern.window_down = kImageRow * height;
        pattern.windows = whole(std::uint64_t{kImageRow} * height) * per_row;
    } else if (kind == AccessPattern::part) { // one x-th of the lanes
        pattern.active = lanes / static_cast<std::uint32_t>(x);
    } else if (kind == AccessPattern::misaligned) { // behind x = 0, which is aligned words, in bytes
        if (x == 0) return pattern;
        pattern.stride = bytes;
        pattern.offset = static_cast<std::uint32_t>(x - 1);
        pattern.window_across = lanes * bytes;
        pattern.windows = whole(lanes) - 1; // as above
    } else {
        set_order(pattern, static_cast<Order>(x), elements);
    }
    return pattern;
}

std::vector<std::uint64_t> places(
    AccessPattern kind, std::uint32_t lanes, std::uint32_t width, const Profile& profile) {
    std::vector<std::uint64_t> all;
    if (kind == AccessPattern::stride || kind == AccessPattern::rectangle || kind == AccessPattern::part)
        for (std::uint64_t x = 1;
             x <= (kind == AccessPattern::stride ? std::max<std::uint64_t>(64, kFarthest / width) : lanes); x *= 2)
            all.push_back(x);
    else if (kind == AccessPattern::misaligned)
        for (std::uint64_t x = 0; x <= width; ++x) {
            if (x < 5 || std::has_single_bit(x - 1)) all.push_back(x);
        }
    else
        for (std::uint64_t x = 0; x < (kind == AccessPattern::order ? kOrders.size() : kOffsets); ++x)
            if (kind == AccessPattern::order || profile.blocks > 1 || std::has_single_bit(x) || x == 0 ||
                x == kOffsets - 1)
                all.push_back(x);
    return all;
}

bool in_buffer(std::string_view path) { return path == "global" || path == "global.pointer"; }

/// What textures cannot do is done on buffers; and by pointers, whose addresses hide no memory behind a driver's
/// checks, loads of any width and all that words of 4 bytes do.
bool coalescing_by_default(std::string_view path, const Options& variant) {
    const AccessPattern kind = option::pattern.in(variant);
    const bool plain = variant.size() == 2 && kind != AccessPattern::part && kind != AccessPattern::misaligned,
               linear = kind == AccessPattern::stride || kind == AccessPattern::offset;
    return path == "global" || (path == "global.pointer" ? linear && (plain || option::width.in(variant) == 4)
                                                         : plain && option::width.in(variant) >= 4);
}

KernelChoice coalescing_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    return pattern_kernel(info, access_of(options));
}

/// Why there is no such access; asked before anything is compiled.
void refuse_access(const Bench& bench, const PatternAccess& access, std::uint32_t lanes) {
    const AccessPattern kind = option::pattern.in(bench.request.id.options);
    if (!in_buffer(bench.path.name)) {
        if (access.element_bytes < 4)
            throw Unsupported("elements of less than a word are read on paths global and global.pointer");
        if (access.stores) throw Unsupported("a kernel stores on paths global and global.pointer");
        if (kind == AccessPattern::part || kind == AccessPattern::misaligned)
            throw Unsupported("such a pattern is read on paths global and global.pointer");
    }
    if (kind == AccessPattern::misaligned && access.element_bytes == 1)
        throw Unsupported("a byte is aligned wherever it lies");
    if (lanes == 1) throw Unsupported("work-items run one after another: no lanes load together");
    if (!std::has_single_bit(lanes))
        throw Unsupported(fmt::format("a subgroup has {} lanes, which is no power of two", lanes));
}

/// Half of the LLC; or so much that also what is touched at the widest stride is more than it.
std::uint64_t chosen_footprint(Bench& bench, const PatternAccess& access) {
    constexpr std::uint64_t kBand = std::uint64_t{kImageRow} * 4 * 4, kTimesCache = 64;
    const std::uint64_t cache = bench.last_level(),
                        unit = option::pattern.in(bench.request.id.options) == AccessPattern::misaligned
                                   ? 1
                                   : access.element_bytes;
    const bool beyond = kBeyondCache.in(bench.request.id.options).value_or(false);
    std::uint64_t most =
        std::min({bench.largest_footprint().bytes, beyond ? cache * kTimesCache : cache / 2, kMostElements * unit});
    if (beyond) most = bench.beyond_last_level(most);
    return std::max(most / (kBand * 8) * (kBand * 8), kBand * 8);
}

void measure_coalescing(Bench& bench) {
    const auto& options = bench.request.id.options;
    const AccessPattern kind = option::pattern.in(options);
    const PatternAccess access = access_of(options);
    const std::uint32_t width = access.element_bytes,
                        lanes = bench.info.cpu ? bench.info.subgroup
                                               : std::min(bench.info.subgroup, bench.info.largest_group);
    refuse_access(bench, access, lanes);
    const std::uint64_t bytes = chosen_footprint(bench, access);
    bench.wake_clocks();
    PatternRunner plain(bench, access, bytes);
    std::optional<PatternRunner> other;
    if (const auto other_access = other_access_of(options)) {
        auto first = bench.measuring;
        other.emplace(bench, *other_access, bytes);
        bench.measuring_other = std::exchange(bench.measuring, std::move(first));
    }
    bench.evidence.subgroup_size = lanes;
    const auto begin = [&](int) {
        plain.new_memory();
        if (other) other->new_memory();
        bench.evidence.footprint_bytes = plain.bytes();
    };
    PatternRunner* runner = &plain;
    const auto prepare = [&](std::uint64_t x, const std::string&) {
        Pattern pattern = pattern_of(kind, x, lanes, plain.bytes() / width, width);
        const bool at_random = pattern.windows_are == Pattern::Windows::scattered;
        runner = at_random || (kind == AccessPattern::misaligned && x > 0) ? &*other : &plain;
        // Every subgroup takes each window in turn: with a common factor a core would read the same ones again, from
        // its L1.
        while (!at_random && pattern.windows > 2 && std::gcd(pattern.windows, runner->subgroups(lanes)) != 1)
            --pattern.windows;
        runner->aim(pattern);
        return Work{.most = runner->most()};
    };
    bench.measure({.begin = begin,
                      .prepare = prepare,
                      .dispatch = [&](std::uint64_t, std::uint32_t count) { return runner->timed(count); }},
        places(kind, lanes, width, bench.profile));
    bench.evidence.unit_of_work = access.stores ? "bytes that the lanes stored" : "bytes that the lanes asked for";
}

using PlaceRates = std::vector<CurvePoint>; // GB/s that the lanes asked for, the contiguous rate first

const CurvePoint& lowest_rate(const PlaceRates& rates) {
    return *std::min_element(
        rates.begin(), rates.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; });
}

/// The least that memory moves for a lane, by rates by stride.
Finding transaction_finding(const Series& series, const PlaceRates& rates, double width) {
    const auto found = sectors(rates, width);
    Conclusion size = Conclusion::none_seen("");
    if (found)
        size = {.value = found->bytes,
            .low = found->bytes / 2,
            .high = found->bytes,
            .x = {found->stride / 2, found->stride, found->next},
            .sides = std::pair{found->stride / 2, found->stride}};
    return finding_of(series, size, "transaction", "bytes", nullptr);
}

/// Of rates by stride: the first stride at which each lane has a sector to itself, and how the rates go on behind it.
std::vector<FindingRow> stride_rows(const PlaceRates& rates, double width, const std::string& unit) {
    const auto found = sectors(rates, width);
    const CurvePoint& last = rates.back();
    std::vector<FindingRow> rows{{"each lane alone", found ? std::optional(found->bytes) : std::nullopt, "bytes"}};
    if (found) {
        rows.push_back({"from stride", found->stride, "elements"});
        rows.push_back({"rate there", found->rate, unit});
    }
    rows.push_back({"at the last", last.y, unit});
    rows.push_back({"lanes of the last apart", last.x * width, "bytes"});
    if (found && found->floor) {
        rows.push_back({"lower from stride", found->floor->x, "elements"});
        rows.push_back({"lanes of that apart", found->floor->x * width, "bytes"});
    }
    return rows;
}

using Extremes = std::pair<double, double>; // least and greatest rate
Extremes extremes_of(const PlaceRates& rates) {
    const auto [least, most] = std::ranges::minmax(rates, {}, &CurvePoint::y);
    return {least.y, most.y};
}
std::vector<double> values_of(const PlaceRates& rates) {
    std::vector<double> values;
    for (const CurvePoint& point : rates) values.push_back(point.y);
    return values;
}
double middle_of(const PlaceRates& rates) { return median(values_of(rates)); }

/// The offsets that were measured: those at the multiples of an alignment, where these have a higher rate, and the
/// others; else all of them are others.
struct Offsets {
    PlaceRates others, multiples;
    double aligned = 0;      // elements
    bool by_medians = false; // rates of the two kinds overlap
};

bool is_one_rate(const Extremes& of) {
    constexpr double kOneRate = 1.05;
    return of.second <= kOneRate * of.first;
}

Offsets offsets_of(const PlaceRates& rates) {
    constexpr double kHigher = 1.03, kMediansHigher = 1.02;
    constexpr double kOutliers = 0.25;            // of either kind, where there are many
    constexpr std::size_t kFewest = 3, kMany = 8; // multiples and others
    const PlaceRates all(rates.begin() + 1, rates.end());
    for (double aligned = 2; aligned <= kOffsets / 2; aligned *= 2) {
        PlaceRates multiples, others;
        for (const CurvePoint& point : all) (std::fmod(point.x, aligned) == 0 ? multiples : others).push_back(point);
        if (multiples.empty() || others.empty()) continue;
        const Extremes high = extremes_of(multiples), low = extremes_of(others);
        const bool each_one = is_one_rate(high) && is_one_rate(low) && high.first > kHigher * low.second;
        const bool by_medians =
            multiples.size() >= kFewest && others.size() >= kMany &&
            quantile(values_of(multiples), kOutliers) > kMediansHigher * quantile(values_of(others), 1 - kOutliers);
        if (each_one || by_medians) return {others, multiples, aligned, !each_one};
    }
    return {.others = all, .multiples = {}};
}

std::vector<FindingRow> offset_rows(const PlaceRates& rates, double width, const std::string& unit) {
    const Offsets found = offsets_of(rates);
    const auto number_of = [](const PlaceRates& of) { return static_cast<double>(of.size()); };
    std::vector<FindingRow> rows{{"other offsets", number_of(found.others), "offsets"},
        {"rate at others", middle_of(found.others), unit, extremes_of(found.others)},
        {"offsets between", rates.back().x * width, "bytes", std::pair(rates[1].x * width, rates.back().x * width)}};
    if (found.multiples.empty()) return rows;
    rows.push_back({"aligned offsets", number_of(found.multiples), "offsets"});
    rows.push_back(
        {"aligned to", (found.multiples.size() == 1 ? found.multiples[0].x : found.aligned) * width, "bytes"});
    rows.push_back({"rate at those", middle_of(found.multiples), unit, extremes_of(found.multiples)});
    return rows;
}

/// What a place is called: "reversed", "1/2 of the lanes".
std::string place_name(AccessPattern kind, double x, std::uint32_t width, std::uint64_t footprint) {
    switch (kind) {
    case AccessPattern::rectangle:
        return fmt::format("{:g} rows high", x);
    case AccessPattern::part:
        return fmt::format("1/{:g} of the lanes", x);
    default:
        const std::span<const std::string_view> names =
            kind == AccessPattern::misaligned ? std::span<const std::string_view>(kMisaligned) : kOrders;
        const auto place = index_of(x, names.size());
        const std::string name(place ? names[*place] : "?");
        return kind == AccessPattern::order && x == kScatteredPlace
                   ? fmt::format("{} of {}", name, format_bytes(scattered_bytes(footprint, width)))
                   : name;
    }
}

/// The contiguous rate, of blocks that differ the fastest's; what the pattern tells beside it; and the lowest rate.
std::vector<FindingRow> rows_of_pattern(
    const Series& series, const PlaceRates& rates, const std::optional<Extremes>& by_block) {
    const AccessPattern kind = option::pattern.in(series.id.options);
    const std::uint32_t width = option::width.in(series.id.options);
    const std::uint64_t footprint = series.evidence.footprint_bytes.value_or(0);
    std::vector<FindingRow> rows{{"contiguous", rates[0].y, series.unit, by_block}};
    const auto append = [&](const std::vector<FindingRow>& more) { rows.insert(rows.end(), more.begin(), more.end()); };
    if (rates.size() > 1) {
        if (kind == AccessPattern::stride) append(stride_rows(rates, width, series.unit));
        else if (kind == AccessPattern::offset) append(offset_rows(rates, width, series.unit));
        else
            for (const CurvePoint& point : std::span(rates).subspan(1))
                rows.push_back({place_name(kind, point.x, width, footprint), point.y, series.unit});
        const double lowest = lowest_rate(rates).y;
        rows.push_back({"the lowest", lowest, series.unit});
        rows.push_back({"of the contiguous", lowest / rates[0].y, "share"});
    }
    if (footprint > 0) rows.push_back({"footprint", static_cast<double>(footprint), "bytes"});
    return rows;
}

std::vector<Finding> coalescing_findings(const Series& series, const DeviceInfo&) {
    PlaceRates rates = curve_of(series);
    if (rates.empty() || !(lowest_rate(rates).y > 0)) return {};
    const Options& options = series.id.options;
    const auto blocks = rates_of_blocks(series, rates[0].x);
    if (blocks) rates[0].y = blocks->second; // the first pairs of a block may be slow
    const bool one = rates.size() == 1;
    const bool by_stride = option::pattern.in(options) == AccessPattern::stride &&
                           in_buffer(series.id.path); // else the path's own unit may limit the rate
    Finding found =
        by_stride && !one
            ? transaction_finding(series, rates, option::width.in(options))
            : finding_of(series, {.name = option::pattern.word(options),
                                     .value = one ? std::nullopt : std::optional(lowest_rate(rates).y / rates[0].y),
                                     .no_value = one ? std::optional(NoValue::inconclusive) : std::nullopt,
                                     .unit = "of the contiguous rate",
                                     .x = {rates[0].x}});
    return {told_by_rows(std::move(found), rows_of_pattern(series, rates, blocks))};
}

const std::vector<Options>
    kFirst = option::width.each({"4"}) * option::pattern.each({"stride", "offset", "order"}) +
             option::width.each({"4"}) * option::pattern.each({"order"}) *
                 kBeyondCache.each({"DRAM"}), // workloads are predicted from random loads, which are among the orders
    kLoads = option::width.each({"4"}) * option::pattern.each({"rectangle"}) +
             option::width.each({"8", "16", "2", "1"}) * option::pattern.each({"stride", "offset", "order"}),
    kLinear = option::width.each({"4", "8", "16", "2", "1"}) * option::pattern.each({"stride", "offset"}),
    kStored = (kLinear + option::width.each({"4"}) * option::pattern.each({"order"})) * option::stores.each({"store"}),
    kFromMemory = kLinear * kBeyondCache.each({"DRAM"}) + kStored * kBeyondCache.each({"DRAM"}),
    kOdd = option::width.each({"4", "8", "16", "2", "1"}) * option::pattern.each({"part"}) +
           option::width.each({"4", "8", "16", "2"}) * option::pattern.each({"misaligned"}),
    kOddWords = option::width.each({"4"}) * option::pattern.each({"part", "misaligned"}) * kBeyondCache.each({"DRAM"}),
    kPartly = kOdd + kOdd * option::stores.each({"store"}) + kOddWords + kOddWords * option::stores.each({"store"});
} // namespace

const Probe kCoalescing{
    .name = "coalescing",
    .question = "Bandwidth of strided, misaligned, permuted and 2-D accesses?",
    .explanation = "All cores read from L2 while the lanes of a subgroup access strided, shifted, permuted or 2-D "
                   "addresses; with `access` they store, with `from` they go to DRAM. In `part` a share of the lanes "
                   "is idle; in `misaligned` elements of 2 to 16 bytes lie at any byte, which compilers split; GLSL "
                   "has no such words, and bytes are put together. `rectangle` and `part` have a kernel, and so a "
                   "contiguous rate, of their own. Requested bytes count, not fetched ones.",
    .picture = "Full rate where the lanes' addresses fill whole lines, falling in proportion to the bytes fetched in "
               "vain, to a floor at one transaction for each lane.",
    .method =
        "NVIDIA, CUDA C Best Practices Guide, strided and misaligned accesses (kernels strideCopy and offsetCopy)",
    .x = {"place"},
    .unit = "GB/s",
    .places = names_of_places,
    .run_noise = run_noise::by_cores,
    .paths = {"global", "global.pointer", "texel", "image2d"},
    .variants = kFirst + kLoads + kStored + kFromMemory + kPartly,
    .accepts = {option::carveout, option::subgroup, option::stores, kBeyondCache},
    .quick = {.seconds = 0.33, .paths = {"global"}, .variants = kFirst.size()},
    .run = measure_coalescing,
    .findings = coalescing_findings,
    .kernel = coalescing_kernel,
    .by_default = coalescing_by_default,
};

} // namespace sonde
