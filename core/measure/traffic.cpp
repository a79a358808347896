// Shapes, tiles, orders, sums.
#include "core/measure/traffic.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "core/device/kernel_source.h"

namespace sonde {

namespace {
bool is_prime(std::uint32_t n) {
    if (n < 4) return n > 1;
    for (std::uint32_t d = 2; d <= n / d; ++d)
        if (n % d == 0) return false;
    return true;
}

/// Where a workgroup may take one tile and end.
bool has_once(const Path& path) { return path.space == Space::global && !path.uniform; }

bool one_group_per_core(const Path& path) { return path.stage != Stage::nothing; }

/// What is clamped to a small workgroup may come out alike.
std::vector<LaunchShape> each_once(const std::vector<LaunchShape>& shapes) {
    std::vector<LaunchShape> once;
    for (const LaunchShape& shape : shapes)
        if (std::find(once.begin(), once.end(), shape) == once.end()) once.push_back(shape);
    return once;
}
} // namespace

ShapeEvidence Geometry::evidence() const {
    return {.group_size = shape.group_size, .groups = shape.groups, .loads_in_flight = loads, .turns = turns};
}

std::vector<LaunchShape> launch_shapes(const DeviceInfo& info, const Path& path, const Options& options, bool briefly) {
    if (info.cpu) return {{4, info.subgroup, 1}};
    const auto sized = [&](std::uint32_t loads, std::uint32_t group_size, std::uint32_t per_core) {
        return LaunchShape{loads, std::min(group_size, info.largest_group), per_core};
    };
    if (const auto asked = option::shape.in(options)) {
        LaunchShape shape = *asked;
        if (shape.group_size > info.largest_group)
            throw Unsupported(fmt::format("a workgroup has at most {} work-items", info.largest_group));
        if (one_group_per_core(path)) shape.groups_per_core = 1;
        if (shape.groups_per_core == kOnce && (!has_once(path) || shape.loads != 4))
            throw Unsupported("a workgroup for each tile reads buffers, by four loads of each work-item");
        return {shape};
    }
    if (path.stage == Stage::each_lane) return {sized(4, 512, 1)};
    if (one_group_per_core(path)) return {sized(4, 1024, 1), sized(8, 512, 1)};
    std::vector<LaunchShape> shapes{sized(4, 512, 4), sized(4, 1024, 4), sized(4, 128, 16)};
    if (!briefly) shapes.insert(shapes.end(), {sized(2, 1024, 4), sized(4, 128, 64), sized(8, 256, 4)});
    if (has_once(path)) shapes.push_back(sized(4, 256, kOnce));
    if (has_once(path) && !briefly) shapes.push_back(sized(4, 1024, kOnce));
    return each_once(shapes);
}

std::vector<LaunchShape> writing_shapes(
    const DeviceInfo& info, const Path& path, const Options& options, bool briefly) {
    std::vector<LaunchShape> shapes = launch_shapes(info, path, options, briefly);
    const bool local = path.stage != Stage::nothing;
    if (shapes[0].groups_per_core == kOnce)
        throw Unsupported(
            "stores of a workgroup for each tile are among the shapes that are tried, and cannot be asked for alone");
    std::erase_if(shapes, [](const LaunchShape& shape) { return shape.groups_per_core == kOnce; });
    const auto unrolled = [](const LaunchShape& shape) {
        return shape.loads == 8 && (shape.group_size == 256 || shape.group_size == 128);
    };
    if (option::shape.asked(options) && shapes[0].loads != 4 && !info.cpu && !(local && unrolled(shapes[0])))
        throw Unsupported("stores are compiled for 4 in flight, on path scratchpad for 8x256x1 and 8x128x1 as well");
    if (info.cpu || option::shape.asked(options)) return shapes;
    if (local) { // which takes a store a clock: with few of them in a turn the loop around them is the limit. Small
                 // tiles, since it is small.
        shapes = {{8, 256, 1}, {8, 128, 1}, {1, std::min(256u, info.largest_group), 1}};
        std::erase_if(shapes, [&](const LaunchShape& shape) { return shape.group_size > info.largest_group; });
        return shapes;
    }
    const std::uint32_t group_size = std::min(512u, info.largest_group);
    const LaunchShape small{1, std::min(256u, group_size), 4}, once{1, small.group_size, kOnce};
    const LaunchShape wide{4, group_size, 2}; // whose registers leave a core room for both
    shapes = briefly ? std::vector{wide, small} : std::vector{wide, LaunchShape{1, group_size, 4}, small};
    if (has_once(path)) shapes.push_back(once);
    return each_once(shapes);
}

Geometry geometry_of(
    const DeviceInfo& info, const Path& path, const LaunchShape& shape, std::uint32_t width, const Options& options) {
    const bool each_lane = path.stage == Stage::each_lane;
    Geometry geometry{.shape = {shape.group_size, std::max(info.cores, info.cpu ? 1u : 16u) * shape.groups_per_core},
        .loads = shape.loads,
        .turns = 1,
        .width = width,
        .each_lane = each_lane,
        .once = shape.groups_per_core == kOnce};
    if (info.cpu && info.subgroup == 1 && !each_lane) geometry.turns = 16; // one contiguous run per thread
    geometry.cluster = cluster_of(path, options);
    geometry.shape.groups -= geometry.shape.groups % geometry.cluster;
    return geometry;
}

PeriodicSum::PeriodicSum(std::span<const std::uint64_t> period) : prefix_(period.size() + 1, 0) {
    std::partial_sum(period.begin(), period.end(), prefix_.begin() + 1);
}

std::uint64_t PeriodicSum::upto(std::uint64_t n) const {
    const std::uint64_t period = prefix_.size() - 1;
    return n / period * prefix_[period] + prefix_[n % period];
}

namespace {
std::vector<std::uint64_t> fill_words(std::uint32_t period, std::uint32_t seed, const FillPattern& pattern) {
    std::vector<std::uint64_t> words(period);
    for (std::uint32_t word = 0; word < period; ++word) words[word] = fill_word(word, period, seed, pattern);
    return words;
}
} // namespace

FillSum::FillSum(std::uint32_t period, std::uint32_t seed, const FillPattern& pattern)
    : sum_(fill_words(period, seed, pattern)) {}

kernel_args::Read order_of(const DeviceInfo& info, const Geometry& geometry, std::uint64_t bytes) {
    auto tiles = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, bytes / geometry.tile_bytes()));
    const auto order = [&](std::uint32_t start_factor, std::uint32_t step_factor, std::uint32_t step_range) {
        return kernel_args::Read{.elements = 0,
            .tiles = tiles,
            .start_factor = start_factor,
            .step_base = tiles == 1 ? 0u : 1u,
            .step_factor = step_factor,
            .step_range = step_range,
            .count = 0,
            .stage = 0};
    };
    if (geometry.each_lane) return order(0, 0, 1);
    if (geometry.once) return order(1, 0, 1);
    if (info.cpu) return order(std::max(1u, tiles / geometry.shape.groups), 0, 1);
    while (tiles > 3 && !is_prime(tiles)) --tiles;
    if (tiles == 1) return order(1, 0, 1);
    return order(std::max(1u, static_cast<std::uint32_t>(tiles * 0.618)), 7, tiles - 1);
}

Reader::Reader(Bench& bench, const Kernel& kernel, const Geometry& geometry)
    : bench_(bench),
      kernel_(kernel),
      geometry_(geometry),
      result_(
          bench.allocate_result(std::max(geometry.lanes(), 1u) + (geometry.shows_core ? geometry.shape.groups : 0))) {
    if (geometry.cluster == 1) return;
    if (const auto resident = clusters_at_a_time(kernel, bench.info, geometry.cluster))
        geometry_.shape.groups =
            std::min(geometry.shape.groups, *resident * geometry.cluster); // further ones would wait
}

std::uint32_t most_groups(const DeviceInfo& info) {
    constexpr std::uint32_t kMost = 1u << 23; // words to add up
    return std::min(info.most_groups, kMost);
}

bool takes_once(const Bench& bench, const Geometry& geometry, std::uint64_t bytes, std::uint32_t arrays) {
    constexpr std::uint64_t kFarBeyond = 8, kPasses = 3;
    return bytes >= kFarBeyond * bench.last_level() &&
           bytes / arrays / geometry.tile_bytes() * kPasses <= most_groups(bench.info);
}

bool Reader::takes(std::uint64_t bytes) const { return !geometry_.once || takes_once(bench_, geometry_, bytes, 1); }

bool Reader::aim(const Buffer& memory, const FillSum& sums, std::uint64_t bytes) {
    if (!takes(bytes)) return false;
    memory_ = &memory;
    sums_ = &sums;
    tile_sums_.clear(), all_tiles_ = 0, expected_.clear();
    if (geometry_.each_lane) bytes /= geometry_.shape.group_size;
    args_ = order_of(bench_.info, geometry_, bytes);
    if (geometry_.once) geometry_.shape.groups = args_.tiles;
    const std::uint64_t elements = bytes / (geometry_.width * 4);
    args_.elements = static_cast<std::uint32_t>(std::min<std::uint64_t>(elements, geometry_.tile()));
    args_.stage = bench_.path.stage == Stage::nothing ? 0 : static_cast<std::uint32_t>(elements);
    return true;
}

std::uint64_t Reader::footprint() const {
    const std::uint64_t bytes =
        args_.tiles == 1 ? std::uint64_t{args_.elements} * geometry_.width * 4 : args_.tiles * geometry_.tile_bytes();
    return geometry_.each_lane ? bytes * geometry_.shape.group_size : bytes;
}

std::uint32_t Reader::most() const {
    if (geometry_.once) return most_groups(bench_.info) / args_.tiles;
    return bench_.info.loop_trips ? bench_.info.loop_trips / (geometry_.turns + 1) - 8 : 1u << 22;
}

Sample Reader::timed_once(std::uint32_t passes) {
    args_.count = 1;
    args_.shown = scrambled(bench_.next_seed(), 0) % geometry_.shape.group_size;
    const std::uint32_t groups = geometry_.shape.groups * passes;
    if (result_->bytes() < std::size_t{groups} * 4) result_ = bench_.allocate_result(groups);
    const auto launched = bench_.launch(kernel_, args_, {.a = memory_, .out = *result_, .groups = groups},
        static_cast<double>(geometry_.bytes_of_all()) * passes, groups);
    check_once(launched.out);
    return launched.sample;
}

/// One lane's sum of some workgroups, the last among them: another lane in each dispatch, so that no earlier one's will
/// do.
void Reader::check_once(const std::vector<std::uint32_t>& out) {
    constexpr std::uint32_t kLookedAt = 4096;
    const auto groups = static_cast<std::uint32_t>(out.size());
    for (std::uint32_t n = 0; n < std::min(kLookedAt, groups); ++n) {
        const std::uint32_t group = n == 0 ? groups - 1 : scrambled(n, args_.shown) % groups;
        const std::uint64_t first = std::uint64_t{group % args_.tiles} * geometry_.tile() + args_.shown;
        std::uint32_t sum = 0;
        for (std::uint64_t load = 0; load < geometry_.loads; ++load) {
            const std::uint64_t word = (first + load * geometry_.shape.group_size) * geometry_.width;
            sum += sums_->range(word, word + geometry_.width);
        }
        if (out[group] != sum)
            throw Error(
                fmt::format("lane {} of workgroup {} read words that add up to {:#010x}, the host's sum is {:#010x}",
                    args_.shown, group, out[group], sum));
    }
    bench_.checked("of 4096 workgroups of every dispatch one lane's sum against the host's");
}

Sample Reader::timed(std::uint32_t count) {
    if (geometry_.once) return timed_once(count);
    args_.count = count;
    const bool peer =
        bench_.path.stage == Stage::peer_scratchpad; // with all of the scratchpad a workgroup has a core of its own
    const std::uint32_t scratchpad = peer                                     ? bench_.info.scratchpad_bytes
                                     : bench_.path.stage == Stage::scratchpad ? args_.stage * geometry_.width * 4
                                                                              : 0;
    const std::size_t lanes = geometry_.lanes(), cores = geometry_.shows_core ? geometry_.shape.groups : 0;
    auto [sample, out] = bench_.launch(kernel_, args_,
        {.a = memory_,
            .out = *result_,
            .groups = geometry_.shape.groups,
            .scratchpad_bytes = scratchpad,
            .cluster = geometry_.cluster},
        static_cast<double>(geometry_.bytes_of_all()) * count, lanes + cores);
    cores_seen_ = std::set(out.begin() + static_cast<std::ptrdiff_t>(lanes), out.end()).size();
    out.resize(lanes);
    check(out, count);
    return sample;
}

/// The sum over what all work-items read must be the sum over the tiles that their groups were given.
void Reader::check(const std::vector<std::uint32_t>& out, std::uint32_t count) {
    const std::uint32_t read = std::accumulate(out.begin(), out.end(), 0u);
    auto known = expected_.find(count);
    if (known == expected_.end()) known = expected_.emplace(count, expected(count)).first;
    if (const std::uint32_t sum = known->second; read != sum)
        throw Error(fmt::format("the words read add up to {:#010x}, the host's sum is {:#010x}", read, sum));
    bench_.checked("the sum of every word read in every dispatch against the host's sum");
}

std::uint32_t Reader::expected(std::uint32_t count) {
    const std::uint32_t tiles = args_.tiles, readers = geometry_.each_lane ? geometry_.lanes() : geometry_.shape.groups;
    const std::uint64_t tile_words = std::uint64_t{geometry_.tile()} * geometry_.width;
    if (tiles == 1) { // round and round in a tile or less
        const std::uint64_t all = std::uint64_t{args_.elements} * geometry_.width;
        const auto rounds = static_cast<std::uint32_t>(tile_words / all);
        return readers * count * (rounds * sums_->range(0, all) + sums_->range(0, tile_words % all));
    }
    if (tile_sums_.empty())
        for (std::uint32_t tile = 0; tile < tiles; ++tile)
            all_tiles_ += tile_sums_.emplace_back(sums_->range(tile * tile_words, (tile + 1) * tile_words));
    std::uint32_t sum = 0;
    for (std::uint32_t group = 0; group < (geometry_.each_lane ? 1 : readers); ++group) {
        // As many steps as there are tiles come by each of them once: order_of sees to that. The host adds up the rest,
        // and is done before the clocks drop.
        const std::uint32_t step = args_.step_base + group * args_.step_factor % args_.step_range;
        sum += count / tiles * all_tiles_;
        std::uint32_t tile = group * args_.start_factor % tiles;
        for (std::uint32_t n = 0; n < count % tiles; ++n) {
            sum += tile_sums_[tile];
            tile += step;
            tile = tile >= tiles ? tile - tiles : tile;
        }
    }
    return geometry_.each_lane ? sum * readers : sum;
}

KernelChoice read_kernel(
    const DeviceInfo& info, const Path& path, const LaunchShape& shape, std::uint32_t width, const Options& options) {
    const Geometry geometry = geometry_of(info, path, shape, width, options);
    KernelChoice choice{.name = "read",
        .group_size = geometry.shape.group_size,
        .defines = {{"WIDTH", std::to_string(width)}, {"LOADS", std::to_string(geometry.loads)},
            {"TURNS", std::to_string(geometry.turns)}}};
    if (geometry.once) choice.defines.emplace_back("ONCE", "1");
    if (geometry.cluster > 1 && option::peers.in(options) == Peers::all) choice.defines.emplace_back("ALL_TO_ALL", "1");
    if (geometry.each_lane) choice.defines.emplace_back("PRIVATE_WORDS", std::to_string(kPrivateBytes / 4 / width));
    return choice;
}

Movers<Reader> all_readers(Bench& bench, std::uint32_t width) {
    Movers<Reader> readers(bench);
    const Options& options = bench.request.id.options;
    for (const LaunchShape& shape : launch_shapes(bench.info, bench.path, options, is_brief(bench.profile)))
        readers.add(shape, read_kernel(bench.info, bench.path, shape, width, options),
            geometry_of(bench.info, bench.path, shape, width, options));
    return readers;
}

std::uint64_t footprint_granule(const Geometry& geometry) {
    return geometry.each_lane ? geometry.tile_bytes() * geometry.shape.group_size : 512;
}

MemorySum::MemorySum(Bench& bench) : bench_(bench), kernel_(bench.helper_kernel("sum", {{"WIDTH", "4"}})) {}

std::uint32_t MemorySum::sum(const Buffer& memory, std::uint64_t bytes) {
    const auto elements = static_cast<std::uint32_t>(bytes / 16);
    const Shape shape = bench_.helper_shape(elements);
    const std::uint32_t lanes = shape.group_size * shape.groups, few = shape.group_size * kGroupsOfSums;
    const bool twice = lanes > few && lanes % 4 == 0;
    if (!sums_ || sums_->bytes() < lanes * 4) sums_ = bench_.allocate_result(lanes);
    auto words = bench_
                     .launch(*kernel_, kernel_args::Sum{.elements = elements},
                         {.a = &memory, .out = *sums_, .groups = shape.groups}, 1, twice ? 0 : lanes)
                     .out;
    if (twice) { // a megabyte of sums would take longer to read back than the memory to add up
        if (!few_sums_) few_sums_ = bench_.allocate_result(few);
        words = bench_
                    .launch(*kernel_, kernel_args::Sum{.elements = lanes / 4},
                        {.a = sums_.get(), .out = *few_sums_, .groups = kGroupsOfSums}, 1, few)
                    .out;
    }
    return std::accumulate(words.begin(), words.end(), 0u);
}

TwiceTimed timed_twice(std::map<std::size_t, double> once, const std::function<double(std::size_t)>& again) {
    constexpr double kMayWin = 1.1; // times the fastest
    TwiceTimed times{.ns = std::move(once)};
    const auto fastest = [&] {
        return std::min_element(
            times.ns.begin(), times.ns.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    };
    std::set<std::size_t> repeated;
    for (auto each = times.ns.begin(); each != times.ns.end();) {
        const bool may_win = each->second <= kMayWin * fastest()->second;
        if (!may_win || !repeated.insert(each->first).second) {
            ++each;
            continue;
        }
        each->second = again(each->first);
        each = times.ns.begin(); // the fastest may be another one now
    }
    times.fastest = fastest()->first;
    return times;
}

} // namespace sonde
