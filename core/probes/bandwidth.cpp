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

class Reader {
public:
    Reader(Bench& bench, const Kernel& kernel, const Buffer& memory, Buffer& result, const Geometry& geometry, const FillSum& sums, std::uint64_t bytes, bool local)
        : bench_(bench), kernel_(kernel), memory_(memory), result_(result), geometry_(geometry), sums_(sums), local_(local) {
        const std::uint64_t elements = bytes / (geometry.width * 4);
        elements_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(elements, geometry.tile()));
        tiles_ = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, elements / geometry.tile()));
        stride_ = std::max(1u, tiles_ / geometry.shape.groups);
        stage_ = local ? static_cast<std::uint32_t>(elements) : 0;
    }

    Sample timed(std::uint32_t count) {
        const std::uint32_t args[] = {elements_, tiles_, stride_, count, stage_};
        const Launch launch{.kernel = kernel_, .a = &memory_, .out = result_, .args = args, .groups = geometry_.shape.groups,
                            .scratchpad_bytes = stage_ * geometry_.width * 4};
        const Timing timing = bench_.device.run({&launch, 1})[0];
        const auto words = bench_.read_words(result_, 4 + std::size_t{geometry_.shape.group_size} * geometry_.shape.groups);
        check(words, count);
        const double bytes = static_cast<double>(geometry_.tile_bytes()) * geometry_.shape.groups * count;
        return {.steps = bytes, .host_ns = timing.host_ns, .device_ns = timing.device_ns, .cycles = clock_difference(bench_.info, words)};
    }

private:
    /// The sum over what all work-items read must be the sum over the tiles that their groups were given.
    void check(const std::vector<std::uint32_t>& words, std::uint32_t count) const {
        std::uint32_t read = 0;
        for (std::size_t i = 4; i < words.size(); ++i) read += words[i];
        const std::uint32_t elements = tiles_ == 1 ? elements_ : geometry_.tile();
        const std::uint32_t width = geometry_.width;
        std::uint32_t expected = 0;
        for (std::uint32_t group = 0; group < geometry_.shape.groups; ++group) {
            if (tiles_ == 1) { // round and round in less than a tile
                const std::uint32_t rounds = geometry_.tile() / elements, rest = geometry_.tile() % elements;
                expected += count * (rounds * sums_.range(0, std::uint64_t{elements} * width) + sums_.range(0, std::uint64_t{rest} * width));
                continue;
            }
            const std::uint32_t first = static_cast<std::uint32_t>(std::uint64_t{group} * stride_ % tiles_);
            const std::uint64_t words_per_tile = std::uint64_t{elements} * width, all = tiles_ * words_per_tile;
            const std::uint64_t begin = first * words_per_tile, end = begin + count * words_per_tile;
            expected += static_cast<std::uint32_t>(end / all - begin / all) * sums_.range(0, all) + sums_.range(0, end % all) - sums_.range(0, begin % all);
        }
        if (read != expected) throw Error(fmt::format("the words read add up to {:#010x}, the host's sum is {:#010x}", read, expected));
    }

    Bench& bench_;
    const Kernel& kernel_;
    const Buffer& memory_;
    Buffer& result_;
    const Geometry& geometry_;
    const FillSum& sums_;
    bool local_;
    std::uint32_t elements_, tiles_, stride_, stage_;
};

/// Tiles per group and dispatch at the most: the driver's loop cap, and a total that 32-bit words can count.
std::uint32_t most_tiles(const DeviceInfo& info, std::uint32_t quads) { return info.loop_trips ? info.loop_trips / (quads + 1) - 8 : 1u << 22; }

/// Below a tile any multiple of 512 bytes, above it whole tiles.
std::uint64_t rounded(std::uint64_t bytes, std::uint64_t tile_bytes) { return bytes <= tile_bytes ? bytes / 512 * 512 : bytes / tile_bytes * tile_bytes; }
} // namespace

void measure_bandwidth(Bench& bench) {
    const auto width = static_cast<std::uint32_t>(std::stoul(bench.request.id.options.at("width")) / 4);
    const bool local = bench.path.name == "local";
    const Geometry geometry = sonde::geometry(bench.info, width, local);
    std::uint64_t largest = local ? bench.info.scratchpad_bytes : bench.largest_footprint();
    if (largest < kSmallest) throw Unsupported("there is no scratchpad");

    bench.evidence["operation"] = "read";
    bench.evidence["shape"] = {{"group_size", geometry.shape.group_size}, {"groups", geometry.shape.groups}, {"loads_in_flight", 4}, {"quads", geometry.quads}};
    bench.wake_clocks();
    const auto kernel = bench.kernel("read", geometry.shape.group_size, {{"WIDTH", std::to_string(width)}, {"QUADS", std::to_string(geometry.quads)}});
    const auto result = bench.allocate_result(4 + std::size_t{geometry.shape.group_size} * geometry.shape.groups);
    for (int block = 0; block < bench.profile.blocks; ++block) {
        const auto memory = bench.allocate(largest, kSmallest);
        largest = std::min<std::uint64_t>(largest, memory->bytes());
        const std::uint32_t seed = bench.next_seed();
        bench.fill(*memory, largest / 4 * 4, seed);
        const FillSum sums(Bench::kFillPeriod, seed);
        auto sizes = bench.sizes(kSmallest, largest, 512);
        for (auto& size : sizes) size = rounded(size, geometry.tile_bytes());
        sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const std::string size = format_bytes(static_cast<double>(sizes[i]));
            if (!bench.in_budget(i + sizes.size() * block, sizes.size() * bench.profile.blocks) && block == 0) {
                bench.end_reason = fmt::format("ends at {}: twice the time budget was used", size);
                return;
            }
            in_context(fmt::format("at {}", size), [&] {
                bench.step(fmt::format("read {}", size));
                Reader reader(bench, *kernel, *memory, *result, geometry, sums, sizes[i], local);
                bench.take_pairs(static_cast<double>(sizes[i]), block, 1, most_tiles(bench.info, geometry.quads), [&](std::uint32_t count) { return reader.timed(count); });
            });
        }
    }
    bench.evidence["output_checked"] = "the sum of every word read in every dispatch against the host's sum";
}

} // namespace sonde
