// coalescing: read rate from L2 when the lanes of a subgroup access strided, misaligned, permuted or 2-D addresses.
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/analysis/traffic.h"
#include "core/measure/pattern.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint64_t kOffsets = 32; // elements

enum class Order { in_order, reversed, permuted, broadcast, scattered };
constexpr std::array<std::string_view, 5> kOrders{"in order", "reversed", "permuted", "one address for all", "at random in the whole footprint"};

enum class Kind { stride, offset, order, rectangle };
const Choice<Kind> kPattern{"pattern", {{"stride", Kind::stride}, {"offset", Kind::offset}, {"order", Kind::order}, {"rectangle", Kind::rectangle}}};
const Choice<std::uint32_t> kElementBytes{"width", {{"4", 4}, {"8", 8}, {"16", 16}, {"2", 2}, {"1", 1}}}; // bytes

Pattern::Windows windows_of(Kind kind) { return kind == Kind::rectangle ? Pattern::Windows::in_rows : Pattern::Windows::in_line; }

/// The places of x in that pattern, within `elements` (a multiple of an image's band of four rows, where it is one).
Pattern pattern_of(Kind kind, std::uint64_t x, std::uint32_t lanes, std::uint64_t elements) {
    Pattern pattern{.lanes = lanes, .across = lanes, .window_across = lanes};
    const auto whole = [&](std::uint64_t window) { return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, elements / window)); };
    pattern.windows = whole(lanes);
    if (kind == Kind::stride) {
        pattern.stride = static_cast<std::uint32_t>(x);
        pattern.window_across = lanes * pattern.stride;
        pattern.windows = whole(pattern.window_across);
    } else if (kind == Kind::offset) {
        pattern.offset = static_cast<std::uint32_t>(x);
        pattern.windows = static_cast<std::uint32_t>((elements - kOffsets) / lanes); // the last one needs room to shift
    } else if (kind == Kind::rectangle) { // x rows high
        const auto height = static_cast<std::uint32_t>(x), width = lanes / height, per_row = kImageRow / width;
        pattern.windows_are = Pattern::Windows::in_rows;
        pattern.across = pattern.window_across = width;
        pattern.down = kImageRow;
        pattern.row_mask = per_row - 1;
        pattern.row_shift = static_cast<std::uint32_t>(std::countr_zero(per_row));
        pattern.window_down = kImageRow * height;
        pattern.windows = whole(std::uint64_t{kImageRow} * height) * per_row;
    } else {
        const auto order = static_cast<Order>(x);
        if (order == Order::reversed) pattern.factor = pattern.summand = lanes - 1; // -l - 1
        if (order == Order::permuted) pattern.factor = 5, pattern.summand = 3;
        if (order == Order::broadcast) pattern.factor = 0;
        if (order == Order::scattered) {
            pattern.windows = static_cast<std::uint32_t>(std::bit_floor(elements));
            pattern.windows_are = Pattern::Windows::scattered;
        }
    }
    return pattern;
}

std::vector<std::uint64_t> places(Kind kind, std::uint32_t lanes, const Profile& profile) {
    std::vector<std::uint64_t> all;
    if (kind == Kind::stride || kind == Kind::rectangle)
        for (std::uint64_t x = 1; x <= (kind == Kind::stride ? 64 : lanes); x *= 2) all.push_back(x);
    else
        for (std::uint64_t x = 0; x < (kind == Kind::order ? kOrders.size() : kOffsets); ++x)
            if (kind == Kind::order || profile.blocks > 1 || std::has_single_bit(x) || x == 0 || x == kOffsets - 1) all.push_back(x);
    return all;
}

/// Elements of less than a word are read on one path.
bool coalescing_by_default(std::string_view path, const Options& variant) { return kElementBytes.in(variant) >= 4 || path == "global"; }

KernelChoice coalescing_kernel(const DeviceInfo& info, const Path&, const Options& options) { return pattern_kernel(info, kElementBytes.in(options), windows_of(kPattern.in(options))); }

void measure_coalescing(Bench& bench) {
    const auto& options = bench.request.id.options;
    const Kind kind = kPattern.in(options);
    const std::uint32_t width = kElementBytes.in(options), lanes = bench.info.cpu ? bench.info.subgroup : std::min(bench.info.subgroup, bench.info.largest_group);
    if (width < 4 && bench.path.name != "global") throw Unsupported("elements of less than a word are read on path global");
    if (lanes == 1) throw Unsupported("work-items run one after another: no lanes load together");
    if (!std::has_single_bit(lanes)) throw Unsupported(fmt::format("a subgroup has {} lanes, which is no power of two", lanes));
    constexpr std::uint64_t kBand = std::uint64_t{kImageRow} * 4 * 4;
    const std::uint64_t cache = bench.last_level();
    const std::uint64_t bytes = std::max<std::uint64_t>(std::min(bench.largest_footprint(), cache / 2) / (kBand * 8) * (kBand * 8), kBand * 8);
    bench.end_reason.clear(); // the footprint is what was chosen, however far the path reaches
    bench.wake_clocks();
    PatternReader plain(bench, width, windows_of(kind), bytes);
    std::optional<PatternReader> scattered;
    if (kind == Kind::order) {
        auto in_order = bench.measuring;
        scattered.emplace(bench, width, Pattern::Windows::scattered, bytes);
        bench.measuring_scattered = std::exchange(bench.measuring, std::move(in_order));
    }
    bench.evidence.subgroup_size = lanes;
    const auto begin = [&](int) {
        plain.new_memory();
        if (scattered) scattered->new_memory();
        bench.evidence.footprint_bytes = plain.bytes();
    };
    PatternReader* reader = &plain;
    const auto prepare = [&](std::uint64_t x, const std::string&) {
        Pattern pattern = pattern_of(kind, x, lanes, plain.bytes() / width);
        const bool at_random = pattern.windows_are == Pattern::Windows::scattered;
        reader = at_random ? &*scattered : &plain;
        // Every subgroup reads each window in turn: with a common factor a core would read the same ones again, from its L1.
        while (!at_random && pattern.windows > 2 && std::gcd(pattern.windows, reader->subgroups(lanes)) != 1) --pattern.windows;
        reader->aim(pattern);
        return Work{.most = reader->most()};
    };
    bench.measure({.begin = begin, .prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t count) { return reader->timed(count); }}, places(kind, lanes, bench.profile));
    bench.evidence.unit_of_work = "bytes that the lanes asked for";
}

using PlaceRates = std::vector<CurvePoint>; // GB/s that the lanes asked for, the contiguous rate first

const CurvePoint& lowest_rate(const PlaceRates& rates) {
    return *std::min_element(rates.begin(), rates.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; });
}

std::string rate_text_of(double gigabytes) { return format_si(gigabytes * 1e9, "B/s"); }

template <class Text> std::string of_rest(const PlaceRates& rates, Text text) {
    std::vector<std::string> all;
    for (const CurvePoint& point : std::span(rates).subspan(1)) all.push_back(text(point));
    return fmt::format("{}", fmt::join(all, ", "));
}

/// What a lane's load costs by stride.
std::string stride_text(const PlaceRates& rates, double width) {
    const auto strides = of_rest(rates, [](const CurvePoint& point) { return fmt::format("{:g}", point.x); });
    const auto found = sectors(rates, width);
    if (!found) return fmt::format("at stride {} {}; no sector size seen", strides, of_rest(rates, [](const CurvePoint& point) { return rate_text_of(point.y); }));
    return fmt::format("at stride {} a lane's load costs {:.0f} bytes: sectors of {:g} bytes (the rate halves to stride {:g} and holds at {:g})", strides,
                       fmt::join(found->costs.begin() + 1, found->costs.end(), ", "), found->bytes, found->stride, found->next);
}

/// The alignment whose multiples read as fast as no offset, and nothing else does.
std::string offset_text(const PlaceRates& rates, double width) {
    constexpr double kFull = 0.95;
    const auto share = [&](const CurvePoint& point) { return point.y / rates[0].y; };
    const auto [least, most] = std::minmax_element(rates.begin() + 1, rates.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; });
    for (double aligned = 2; aligned <= kOffsets / 2; aligned *= 2)
        if (std::all_of(rates.begin() + 1, rates.end(), [&](const CurvePoint& point) { return (std::fmod(point.x, aligned) == 0) == (share(point) >= kFull); }))
            return fmt::format("as much at offsets of {:g} bytes and multiples, {:.0f} % less at others", aligned * width, 100 * (1 - share(*least)));
    return fmt::format("{} to {} at offsets of {:g} to {:g} elements", rate_text_of(least->y), rate_text_of(most->y), rates[1].x, rates.back().x);
}

std::vector<Finding> coalescing_findings(const Series& series, const DeviceInfo&) {
    const PlaceRates rates = curve_of(series);
    if (rates.size() < 2 || !(lowest_rate(rates).y > 0)) return {};
    const std::string &name = series.id.options.at("pattern"), &width = series.id.options.at("width");
    const Kind kind = kPattern.in(series.id.options);
    const std::string rest = kind == Kind::stride ? stride_text(rates, kElementBytes.in(series.id.options)) : kind == Kind::offset ? offset_text(rates, kElementBytes.in(series.id.options)) : of_rest(rates, [&](const CurvePoint& point) {
        const auto order = index_of(point.x, std::size(kOrders));
        return fmt::format("{} {}", kind == Kind::rectangle ? fmt::format("height {:g}", point.x) : order ? std::string(kOrders[*order]) : "?", rate_text_of(point.y));
    });
    return {finding_of(series, {.name = name, .value = lowest_rate(rates).y / rates[0].y, .unit = "of the contiguous rate",
                                .text = fmt::format("from a footprint of {}, contiguous {}-byte loads read {}; {}", format_bytes(static_cast<double>(series.evidence.footprint_bytes.value_or(0))), width, rate_text_of(rates[0].y), rest),
                                .x = {rates[0].x}})};
}
} // namespace

const Probe kCoalescing{
    .name = "coalescing",
    .question = "Bandwidth of strided, misaligned, permuted and 2-D accesses?",
    .explanation = "All cores read from L2 while the lanes of a subgroup access strided, misaligned, permuted or 2-D addresses. Requested bytes count, not fetched ones.",
    .picture = "Full rate where the lanes' addresses fill whole lines, falling in proportion to the bytes fetched in vain, to a floor at one line for each lane.",
    .method = "NVIDIA, CUDA C Best Practices Guide, strided and misaligned accesses (kernels strideCopy and offsetCopy)",
    .x = {"place"},
    .unit = "GB/s",
    .run_noise = run_noise::by_cores,
    .paths = {"global", "texel", "image2d"},
    .variants = kElementBytes.each({"4"}) * kPattern.each() + kElementBytes.each({"8", "16", "2", "1"}) * kPattern.each({"stride", "offset"}),
    .accepts = {option::carveout},
    .quick = {.paths = {"global"}, .variants = 2},
    .run = measure_coalescing,
    .findings = coalescing_findings,
    .kernel = coalescing_kernel,
    .by_default = coalescing_by_default,
};

} // namespace sonde
