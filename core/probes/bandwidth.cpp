// bandwidth: independent loads from a footprint by every work-item of the device, by footprint and width.
#include <algorithm>

#include <fmt/format.h>

#include "core/probes/probes.h"
#include "core/text.h"

namespace sonde {

namespace {
constexpr std::uint64_t kSmallest = 4096;

struct Geometry {
    Shape shape;
    std::uint32_t quads;       // QUADS: 4 loads each per work-item and tile
    std::uint32_t width;       // words per load
    std::uint32_t tile() const { return shape.group_size * 4 * quads; }                       // elements
    std::uint64_t tile_bytes() const { return std::uint64_t{tile()} * width * 4; }
};

/// Words per load.
std::uint32_t width_of(const std::map<std::string, std::string>& options) { return static_cast<std::uint32_t>(std::stoul(options.at("width")) / 4); }

/// Fewer, contiguous work-items on a processor; on a GPU as many as its cores can hold at once (2,048 each on most).
Geometry geometry(const DeviceInfo& info, std::uint32_t width, bool local) {
    if (info.cpu) return {{info.subgroup, info.cores}, info.subgroup == 1 ? 16u : 1u, width};
    const std::uint32_t group_size = std::min(local ? 1024u : 512u, info.largest_group);
    const std::uint32_t per_core = local ? 1 : 2048 / group_size;
    return {{group_size, std::max(info.cores, 16u) * per_core}, 1, width};
}

/// Sum of the fill's words 0..n-1, by n; the fill repeats, so any range's sum follows from it.
class FillSum {
public:
    FillSum(std::uint32_t period, std::uint32_t seed) : prefix_(period + std::size_t{1}, 0) {
        for (std::size_t i = 0; i < period; ++i) prefix_[i + 1] = prefix_[i] + fill_word(i, period, seed);
    }
    /// Words [begin, end) mod 2^32.
    std::uint32_t range(std::uint64_t begin, std::uint64_t end) const { return upto(end) - upto(begin); }

private:
    std::uint32_t upto(std::uint64_t n) const {
        const std::uint64_t period = prefix_.size() - 1;
        return static_cast<std::uint32_t>(n / period) * prefix_[period] + prefix_[n % period];
    }
    std::vector<std::uint32_t> prefix_;
};

/// In which order the workgroups take the tiles: the numbers that the `read` kernel calls by the same names.
struct Order {
    std::uint32_t tiles, start_factor, step_base, step_factor, step_range;
    std::uint32_t first(std::uint32_t group) const { return group * start_factor % tiles; }
    std::uint32_t step(std::uint32_t group) const { return step_base + group * step_factor % step_range; }
};

bool is_prime(std::uint32_t n) {
    if (n < 4) return n > 1;
    for (std::uint32_t d = 2; d <= n / d; ++d)
        if (n % d == 0) return false;
    return true;
}

/// Bytes per core from which a footprint is shared out: well past any first level, so that a core's own share misses it too.
constexpr std::uint64_t kOwnShare = 1 << 20;

/// Below `kOwnShare` per core every workgroup of a GPU reads the whole footprint, in an order of its own: a prime number of tiles,
/// and steps that differ, so that no workgroup trails another and lives off what that one brought into the first level.
/// Above, each tile has one reader per pass: the next use of a line is a whole footprint away.
/// A processor's threads each go through the footprint in order, a share apart.
Order order_of(const DeviceInfo& info, const Geometry& geometry, std::uint64_t bytes) {
    auto tiles = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, bytes / geometry.tile_bytes()));
    const std::uint32_t groups = geometry.shape.groups;
    if (info.cpu) return {tiles, std::max(1u, tiles / groups), tiles == 1 ? 0u : 1u, 0, 1};
    if (bytes >= info.cores * kOwnShare && tiles >= groups) return {tiles, 1, groups % tiles, 0, 1};
    while (tiles > 3 && !is_prime(tiles)) --tiles;
    if (tiles == 1) return {1, 1, 0, 0, 1};
    return {tiles, std::max(1u, static_cast<std::uint32_t>(tiles * 0.618)), 1, 7, tiles - 1};
}

class Reader {
public:
    Reader(Bench& bench, const Kernel& kernel, const Buffer& memory, Buffer& result, const Geometry& geometry, const FillSum& sums, std::uint64_t bytes, bool local)
        : bench_(bench), kernel_(kernel), memory_(memory), result_(result), geometry_(geometry), sums_(sums), order_(order_of(bench.info, geometry, bytes)) {
        const std::uint64_t elements = bytes / (geometry.width * 4);
        elements_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(elements, geometry.tile()));
        stage_ = local ? static_cast<std::uint32_t>(elements) : 0;
    }

    /// What is really read: a prime number of tiles may be a little less than asked for.
    std::uint64_t footprint() const { return order_.tiles == 1 ? std::uint64_t{elements_} * geometry_.width * 4 : order_.tiles * geometry_.tile_bytes(); }

    Sample timed(std::uint32_t count) {
        const std::uint32_t args[] = {elements_, order_.tiles, order_.start_factor, order_.step_base, order_.step_factor, order_.step_range, count, stage_};
        Launch launch{.kernel = kernel_, .a = &memory_, .out = result_, .args = args, .groups = geometry_.shape.groups,
                      .scratchpad_bytes = stage_ * geometry_.width * 4};
        bench_.apply_options(launch);
        const Timing timing = bench_.device.run({&launch, 1})[0];
        check(bench_.read_words(result_, std::size_t{geometry_.shape.group_size} * geometry_.shape.groups), count);
        const double bytes = static_cast<double>(geometry_.tile_bytes()) * geometry_.shape.groups * count;
        return {.steps = bytes, .host_ns = timing.host_ns, .device_ns = timing.device_ns, .cycles = std::nullopt};
    }

private:
    /// The sum over what all work-items read must be the sum over the tiles that their groups were given.
    void check(const std::vector<std::uint32_t>& words, std::uint32_t count) const {
        std::uint32_t read = 0, expected = 0;
        for (const std::uint32_t word : words) read += word;
        const std::uint64_t tile_words = std::uint64_t{geometry_.tile()} * geometry_.width;
        if (order_.tiles == 1) { // round and round in a tile or less
            const std::uint64_t all = std::uint64_t{elements_} * geometry_.width;
            const auto rounds = static_cast<std::uint32_t>(tile_words / all);
            expected = geometry_.shape.groups * count * (rounds * sums_.range(0, all) + sums_.range(0, tile_words % all));
        } else {
            std::vector<std::uint32_t> tile_sums(order_.tiles);
            for (std::uint32_t tile = 0; tile < order_.tiles; ++tile) tile_sums[tile] = sums_.range(tile * tile_words, (tile + 1) * tile_words);
            for (std::uint32_t group = 0; group < geometry_.shape.groups; ++group) {
                const std::uint32_t step = order_.step(group);
                std::uint32_t tile = order_.first(group);
                for (std::uint32_t n = 0; n < count; ++n) {
                    expected += tile_sums[tile];
                    tile += step;
                    tile = tile >= order_.tiles ? tile - order_.tiles : tile;
                }
            }
        }
        if (read != expected) throw Error(fmt::format("the words read add up to {:#010x}, the host's sum is {:#010x}", read, expected));
    }

    Bench& bench_;
    const Kernel& kernel_;
    const Buffer& memory_;
    Buffer& result_;
    const Geometry& geometry_;
    const FillSum& sums_;
    Order order_;
    std::uint32_t elements_, stage_;
};

/// Tiles per group and dispatch at the most: the driver's loop cap, and a total that 32-bit words can count.
std::uint32_t most_tiles(const DeviceInfo& info, std::uint32_t quads) { return info.loop_trips ? info.loop_trips / (quads + 1) - 8 : 1u << 22; }

/// Below a tile any multiple of 512 bytes, above it whole tiles.
std::uint64_t rounded(std::uint64_t bytes, std::uint64_t tile_bytes) { return bytes <= tile_bytes ? bytes / 512 * 512 : bytes / tile_bytes * tile_bytes; }
} // namespace

KernelChoice bandwidth_kernel(const DeviceInfo& info, const Path& path, const std::map<std::string, std::string>& options) {
    const Geometry shape = geometry(info, width_of(options), path.stage == Stage::scratchpad);
    return {.name = "read",
            .group_size = shape.shape.group_size,
            .defines = {{"WIDTH", std::to_string(shape.width)}, {"QUADS", std::to_string(shape.quads)}}};
}

void measure_bandwidth(Bench& bench) {
    const std::uint32_t width = width_of(bench.request.id.options);
    const bool local = bench.path.stage == Stage::scratchpad;
    const Geometry geometry = sonde::geometry(bench.info, width, local);
    std::uint64_t largest = local ? bench.info.scratchpad_bytes : bench.largest_footprint();
    if (largest < kSmallest) throw Unsupported("there is no scratchpad");

    bench.evidence["operation"] = "read";
    bench.evidence["shape"] = {{"group_size", geometry.shape.group_size}, {"groups", geometry.shape.groups}, {"loads_in_flight", 4}, {"quads", geometry.quads}};
    bench.wake_clocks();
    const auto kernel = bench.kernel(bandwidth_kernel(bench.info, bench.path, bench.request.id.options));
    const auto result = bench.allocate_result(std::size_t{geometry.shape.group_size} * geometry.shape.groups);
    for (int block = 0; block < bench.profile.blocks; ++block) {
        const auto memory = bench.allocate(largest, kSmallest);
        largest = std::min<std::uint64_t>(largest, memory->bytes());
        const std::uint32_t seed = bench.next_seed();
        bench.fill(*memory, largest / 4 * 4, seed);
        const FillSum sums(Bench::kFillPeriod, seed);
        auto sizes = bench.sizes(kSmallest, largest, 512);
        for (auto& size : sizes) size = rounded(size, geometry.tile_bytes());
        sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
        bench.sweep(block, sizes, [&](std::uint64_t size, const std::string& text) {
            bench.step("read " + text);
            Reader reader(bench, *kernel, *memory, *result, geometry, sums, size, local);
            return bench.take_pairs(static_cast<double>(reader.footprint()), block, 1, most_tiles(bench.info, geometry.quads), [&](std::uint32_t count) { return reader.timed(count); });
        });
    }
    bench.evidence["output_checked"] = "the sum of every word read in every dispatch against the host's sum";
}

} // namespace sonde
