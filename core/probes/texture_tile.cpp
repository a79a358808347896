// texture-tile: which texels of a two-dimensional image a miss fetches. Of two loads of a slot the first always misses;
// the second hits as long as its texel is in what the first one fetched. The distances are of texels along a row, of
// rows, and of both.
#include <bit>
#include <cmath>

#include "core/analysis/curve.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kTileSlot = 32 * 16;          // texels of a slot, of which no two share a tile
constexpr std::uint32_t kTileColumns = 64;            // x of a place is texels along the row + kTileColumns * rows
constexpr std::uint32_t kSlotsOfRow = kImageRow / 32; // side by side
constexpr std::uint32_t kSmallestTile = 32;           // bytes
constexpr std::uint32_t kTexelBytes = 4, kMostTexels = 16, kMostRows = 8;
constexpr double kSecondMiss = 1.2; // times: what two misses take over one, at the least

std::vector<std::uint64_t> tile_places() {
    std::vector<std::uint64_t> all;
    for (std::uint64_t texels = 1; texels <= kMostTexels; texels *= 2) all.push_back(texels);
    for (std::uint64_t rows = 1; rows <= kMostRows; rows *= 2)
        for (const std::uint64_t texels : {0, 1, 3, 7}) all.push_back(rows * kTileColumns + texels);
    return all;
}

std::uint32_t tile_slots(const Chase& chase, const Level& level) {
    const auto slots = static_cast<std::uint64_t>(4 * level.capacity_on / kSmallestTile);
    const std::uint64_t room = chase.largest() / (kTileSlot * kTexelBytes) / kSlotsOfRow * kSlotsOfRow;
    if (static_cast<double>(room * kSmallestTile) < 2 * level.capacity_on)
        throw Unsupported(fmt::format("an image ends at {}: too small to miss a level of {}",
            format_bytes(chase.largest()), format_bytes(level.capacity_on)));
    return static_cast<std::uint32_t>(std::min((slots + kSlotsOfRow - 1) / kSlotsOfRow * kSlotsOfRow, room));
}

void measure_texture_tile(Bench& bench) {
    bench.wake_clocks();
    Chase chase(bench);
    chase.new_memory(std::min(chase.largest(), kFirstLevelEnds));
    const Level level = level_of(chase.levels(kFirstLevelEnds), 0);
    const std::uint32_t slots = tile_slots(chase, level);
    const auto chain = [&](std::uint64_t place, const std::string& text) {
        const auto texels = static_cast<std::uint32_t>(place % kTileColumns),
                   rows = static_cast<std::uint32_t>(place / kTileColumns);
        chase.build({.slots = slots,
                        .shift = std::countr_zero(kTileSlot),
                        .order = SlotOrder::blocks,
                        .second = texels + rows * kImageRow},
            text);
    };
    const std::uint64_t bytes = std::uint64_t{slots} * kTileSlot * kTexelBytes;
    const auto begin = [&](int) {
        chase.new_memory(bytes);
        if (chase.memory_bytes() < bytes)
            throw Unsupported(fmt::format("an image of {} is not to be had", format_bytes(bytes)));
    };
    bench.evidence.footprint_bytes = bytes;
    bench.measure(chase.experiment(chain, begin), tile_places());
}

/// The first distance of several at which the second load misses; nullopt: none.
std::optional<double> first_missing(const std::vector<CurvePoint>& curve, double middle, double step, double most) {
    for (double distance = 1; distance <= most; distance *= 2) {
        const auto point = std::ranges::find(curve, distance * step, &CurvePoint::x);
        if (point != curve.end() && point->y > middle) return distance;
    }
    return std::nullopt;
}

std::vector<Finding> texture_tile_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.size() < tile_places().size()) return {};
    const auto [least, most] = std::ranges::minmax_element(curve, {}, &CurvePoint::y);
    const auto told = [&](const Conclusion& conclusion) {
        return std::vector{finding_of(series, conclusion, "tile", "bytes", {})};
    };
    if (most->y < kSecondMiss * least->y)
        return told(Conclusion::none_seen("no tile seen: the second load costs the same at every distance"));
    const double middle = std::sqrt(least->y * most->y);
    const auto width = first_missing(curve, middle, 1, kMostTexels),
               height = first_missing(curve, middle, kTileColumns, kMostRows);
    if (!width || !height)
        return told(Conclusion::inconclusive(fmt::format("what a miss fetches does not end within {} texels along {}",
            width ? kMostRows : kMostTexels, width ? "a column" : "a row")));
    // A rectangle: within both extents everything hits, and off both axes nothing else does. Along a row a prefetcher
    // may bring more.
    for (const CurvePoint& point : curve) {
        const double texels = std::fmod(point.x, kTileColumns), rows = std::floor(point.x / kTileColumns);
        if (texels == 0 || rows == 0) continue;
        if ((texels < *width && rows < *height) == (point.y > middle))
            return told(Conclusion::inconclusive(fmt::format("what a miss fetches is no rectangle: {:g} x {:g} texels "
                                                             "along row and column, but not at {:g} and {:g}",
                *width, *height, texels, rows)));
    }
    return {finding_of(series,
        {.name = "tile",
            .value = *width * *height * kTexelBytes,
            .unit = "bytes",
            .rows = {{"fetched on a miss", *width * *height * kTexelBytes, "bytes"},
                {"texels of it along a row", *width, "texels"}, {"texels along a column", *height, "texels"}},
            .text = fmt::format("a miss of the texture cache fetches {:g} x {:g} texels of 4 bytes ({:g} bytes){}",
                *width, *height, *width * *height * kTexelBytes, *height == 1 ? ": rows are not tiled" : "")})};
}
} // namespace

const Probe kTextureTile{
    .name = "texture-tile",
    .question = "Which texels does a miss fetch?",
    .explanation = "Two loads of a slot of a two-dimensional image, some texels apart along the row, along the column, "
                   "or both; slots are too many for the texture's L1. Up to the width and height of what one miss "
                   "fetches the second load hits.",
    .picture = "Low inside the tile, twice as high outside: 8 x 4 or 4 x 2 texels of 4 bytes where images are tiled, 8 "
               "or 16 texels of one row where they are not.",
    .method = literature::kWong,
    .x = {"texels + 64 x rows"},
    .chart = Chart::table,
    .run_noise = run_noise::one_line,
    .structure = true,
    .paths = {"image2d"},
    .accepts = {option::subgroup},
    .quick = {.seconds = 0.63},
    .run = measure_texture_tile,
    .findings = texture_tile_findings,
    .kernel = latency_kernel,
};

} // namespace sonde
