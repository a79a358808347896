// The whole memory in chunks, and reads and writes of one of them, or of two at once: what the probes of segments have
// in common.
#pragma once
#include <bit>
#include <limits>
#include <numeric>

#include "core/analysis/traffic.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

inline KernelChoice segments_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return {.name = "two_buffers",
        .group_size = info.cpu ? info.subgroup : std::min(512u, info.largest_group),
        .defines = {{"WIDTH", "1"}, {"LOADS", std::to_string(kLoadsInFlight)}, {"TURNS", "1"}},
        .b = find_path("global")};
}

inline constexpr std::uint64_t kMebibyte = 1 << 20;
inline constexpr std::uint64_t kLargestChunk = 512 * kMebibyte, kSmallestChunk = 8 * kMebibyte;
inline constexpr std::size_t kChunksAtLeast = 32;
inline constexpr double kAllocatingBriefly = 0.5; // seconds

/// Of each `of` workgroups the last `on_b` work on B, the others on A; and which of the two is written.
struct Task {
    std::uint32_t of = 1, on_b = 0;
    bool write_a = false, write_b = false;
    std::uint32_t members(std::uint32_t groups, bool b) const { return groups / of * (b ? on_b : of - on_b); }
};

/// A piece of the memory, filled with words e + salt.
struct Chunk {
    std::unique_ptr<Buffer> memory;
    std::uint32_t salt = 0;
};

/// The chunks of all memory that is to be had. They go with it, whatever happens.
class Chunks {
public:
    /// A power of two that cuts the memory in 32 pieces or more. A processor's memory is everyone's: a sixteenth of it
    /// is taken. No more are allocated than `seconds` allow: a driver may take five for all of a large card.
    Chunks(Bench& bench, double seconds)
        : bench_(bench),
          chunk_bytes_(std::clamp(
              std::bit_floor(bench.info.memory_free / (bench.info.cpu ? 256 : 32)), kSmallestChunk, kLargestChunk)) {
        const DeviceInfo& info = bench.info;
        chunk_bytes_ = std::min(chunk_bytes_, std::bit_floor(info.reach_of(bench.path.space).bytes));
        // What a desktop and this program's other buffers need stays free: to the point of paging is too far.
        const std::uint64_t reserve = std::max(info.memory_bytes / 32, 4 * kSmallestChunk),
                            all = info.cpu ? info.memory_bytes / 16
                                           : info.memory_free - std::min(reserve, info.memory_free);
        const double begin = bench.device.now();
        bool in_time = true;
        try {
            while ((chunks.size() + 1) * chunk_bytes_ <= all) {
                in_time = chunks.size() < kChunksAtLeast || bench.device.now() - begin < seconds;
                if (!in_time) break;
                bench.step(fmt::format(
                    "allocate chunk {} of {}", chunks.size(), format_bytes(static_cast<double>(chunk_bytes_))));
                auto memory = bench.device.allocate(bench.path.space, chunk_bytes_);
                if (memory->placement().device_local == false) {
                    ended_ = fmt::format("chunk {} was not placed in the device's own memory", chunks.size());
                    break;
                }
                chunks.push_back({std::move(memory), 0});
            }
        } catch (const DoesNotFit& error) {
            ended_ = error.what();
        }
        if (!ended_.empty()) { // whoever needs memory next shall find some
            for (int i = 0; i < 2 && chunks.size() > 2; ++i) chunks.pop_back();
            bench.ending = {.by = EndedBy::memory, .bytes = chunks.size() * chunk_bytes_, .why = ended_};
        }
        if (ended_.empty() && in_time && info.memory_free + reserve < info.memory_bytes)
            bench.ending = {.by = EndedBy::memory,
                .bytes = chunks.size() * chunk_bytes_,
                .why = fmt::format("{} of the memory were free", format_bytes(info.memory_free))};
        if (!in_time) bench.ending = {.bytes = chunks.size() * chunk_bytes_, .why = kNoTimeToAllocate};
        if (chunks.size() < 4)
            throw Unsupported(fmt::format("{} chunks of {} are too few for a map{}", chunks.size(),
                format_bytes(static_cast<double>(chunk_bytes_)), ended_.empty() ? "" : ": " + ended_));
        const Placement placement = chunks[0].memory->placement();
        bench.evidence.placement = {.device_local = placement.device_local, .text = placement.text};
        bench.evidence.chunk_bytes = chunk_bytes_;
        bench.evidence.chunks = chunks.size();
        bench.evidence.memory_bytes = info.memory_bytes;
        if (info.host_link_bytes_per_second > 0)
            bench.evidence.host_link_gb_per_s = info.host_link_bytes_per_second / 1e9;
    }
    ~Chunks() {
        try {
            bench_.note_end();
        } catch (const std::exception&) { // whoever measures next sees it, too
        }
    }
    Chunks(const Chunks&) = delete;
    Chunks& operator=(const Chunks&) = delete;
    std::uint64_t chunk_bytes() const { return chunk_bytes_; }
    /// Leaves so many at the most, evenly spread; the others go.
    void thin_out(std::size_t most) {
        const std::size_t every = (chunks.size() + most - 1) / most;
        for (std::size_t kept = 1; kept * every < chunks.size(); ++kept) std::swap(chunks[kept], chunks[kept * every]);
        chunks.resize((chunks.size() + every - 1) / every);
    }
    std::vector<Chunk> chunks;

private:
    Bench& bench_;
    std::uint64_t chunk_bytes_;
    std::string ended_;
};

/// Reads and writes one chunk, or two at once.
class Traffic {
public:
    /// `of`: the largest one of a Task.
    Traffic(Bench& bench, std::uint64_t chunk_bytes, std::uint32_t of = 2)
        : bench_(bench),
          shape_(shape_of(bench.info, chunk_bytes, of)),
          kernel_(bench.kernel(segments_kernel(bench.info, bench.path, {}))),
          result_(bench.allocate_result(std::size_t{shape_.group_size} * shape_.groups)),
          summer_(bench),
          tiles_(static_cast<std::uint32_t>(chunk_bytes / 4 / (shape_.group_size * kLoadsInFlight))) {
        bench.evidence.shape = {
            .group_size = shape_.group_size, .groups = shape_.groups, .loads_in_flight = kLoadsInFlight};
    }

    /// What a chunk begins with: every word its number, and a salt.
    void write_whole(Chunk& chunk) { timed({.write_a = true}, chunk, nullptr, passes(1)); }

    /// `count_a` tiles of A by each workgroup that works on it, in proportion `share_b` of B. Steps are bytes of both.
    Sample timed(const Task& task, Chunk& a, Chunk* b, std::uint32_t count_a, double share_b = 1) {
        const auto count_b = static_cast<std::uint32_t>(std::max(1.0, std::round(count_a * share_b)));
        // What is written in part keeps its salt: whichever launch wrote a word, the host must know it.
        if (task.write_a && writes_all(task, false, count_a)) a.salt = bench_.next_seed();
        if (b && task.write_b && writes_all(task, true, count_b)) b->salt = bench_.next_seed();
        const kernel_args::TwoBuffers args{.of = task.of,
            .on_b = task.on_b,
            .tiles_a = tiles_,
            .count_a = count_a,
            .write_a = task.write_a,
            .salt_a = a.salt,
            .tiles_b = tiles_,
            .count_b = count_b,
            .write_b = task.write_b,
            .salt_b = b ? b->salt : 0};
        const double tiles = static_cast<double>(count_a) * task.members(shape_.groups, false) +
                             static_cast<double>(count_b) * task.members(shape_.groups, true);
        const auto [sample, out] = bench_.launch(*kernel_, args,
            {.a = a.memory.get(), .b = b ? b->memory.get() : nullptr, .out = *result_, .groups = shape_.groups},
            tiles * tile_words() * 4, std::size_t{shape_.group_size} * shape_.groups);
        check(task, a, b, std::accumulate(out.begin(), out.end(), 0u), count_a, count_b);
        return sample;
    }

    /// Tiles of a workgroup for that many passes over a chunk, all workgroups or half of them working on it: every
    /// element is then written.
    std::uint32_t passes(std::uint32_t count, bool together = false) const {
        const std::uint32_t groups = together ? shape_.groups / 2 : shape_.groups;
        return (tiles_ + groups - 1) / groups * count;
    }
    std::uint32_t most(bool together) const {
        return std::max(passes(1, together) * 8, bench_.info.loop_trips ? bench_.info.loop_trips - 8 : 1u << 20);
    }

private:
    /// So many workgroups that half of them come through a chunk eight times (a slope's longer walk) without too many
    /// loop trips.
    static Shape shape_of(const DeviceInfo& info, std::uint64_t chunk_bytes, std::uint32_t of) {
        const std::uint32_t group_size = info.cpu ? info.subgroup : std::min(512u, info.largest_group),
                            filling = info.cores * (info.cpu ? 1 : 4);
        const std::uint64_t trips = 8 * chunk_bytes / (group_size * kLoadsInFlight * 4),
                            needed = info.loop_trips ? trips / (info.loop_trips / 2) + 1 : 1;
        return {group_size, std::max((filling + of - 1) / of, static_cast<std::uint32_t>(needed)) * of};
    }
    std::uint32_t tile_words() const { return shape_.group_size * kLoadsInFlight; }
    bool writes_all(const Task& task, bool b, std::uint32_t count) const {
        return std::uint64_t{task.members(shape_.groups, b)} * count >= tiles_;
    }

    /// What one side's workgroups read in `count` tiles each, sweeping side by side over words e + salt.
    std::uint32_t sum_of(std::uint32_t members, std::uint32_t count, std::uint32_t salt) const {
        const std::uint64_t visits = std::uint64_t{members} * count, rounds = visits / tiles_, rest = visits % tiles_;
        const auto prefix = [&](std::uint64_t tiles) { // sum of the words of that many tiles
            const std::uint64_t words = tiles * tile_words();
            return static_cast<std::uint32_t>(words % 2 ? (words - 1) / 2 * words : words / 2 * (words - 1)) +
                   static_cast<std::uint32_t>(words) * salt;
        };
        return static_cast<std::uint32_t>(rounds) * prefix(tiles_) + prefix(rest);
    }

    void check(const Task& task, const Chunk& a, const Chunk* b, std::uint32_t found, std::uint32_t count_a,
        std::uint32_t count_b) {
        const auto side = [&](bool of_b, bool writes, std::uint32_t count, std::uint32_t salt) {
            const std::uint32_t members = task.members(shape_.groups, of_b);
            return writes ? members * shape_.group_size * count : sum_of(members, count, salt);
        };
        const std::uint32_t expected =
            side(false, task.write_a, count_a, a.salt) + (task.on_b ? side(true, task.write_b, count_b, b->salt) : 0);
        if (found != expected)
            throw Error(fmt::format("what was read adds up to {:#010x}, the host's sum is {:#010x}", found, expected));
        if (task.write_a && writes_all(task, false, count_a)) check_written(a);
        if (task.on_b && task.write_b && writes_all(task, true, count_b)) check_written(*b);
        bench_.checked("the sum of every word read in every dispatch, and of every word written by those that write "
                       "all, against the host's");
    }

    void check_written(const Chunk& chunk) {
        const std::uint32_t found = summer_.sum(*chunk.memory, std::uint64_t{tiles_} * tile_words() * 4);
        if (const std::uint32_t expected = sum_of(1, tiles_, chunk.salt); found != expected)
            throw Error(
                fmt::format("the words written add up to {:#010x}, the host's sum is {:#010x}", found, expected));
    }

    Bench& bench_;
    const Shape shape_;
    std::shared_ptr<Kernel> kernel_;
    std::unique_ptr<Buffer> result_;
    MemorySum summer_;
    const std::uint32_t tiles_;
};

inline double seconds_to_allocate(const Bench& bench) {
    return is_brief(bench.profile) ? kAllocatingBriefly : std::numeric_limits<double>::infinity();
}

/// Of every chunk, or of each `every`-th.
inline std::vector<std::uint64_t> offsets(const Chunks& all, std::size_t every = 1) {
    std::vector<std::uint64_t> xs;
    for (std::size_t i = 0; i < all.chunks.size(); i += every) xs.push_back(i * all.chunk_bytes());
    return xs;
}

/// Where time is short, and chunks are many, some of them tell whether there is a second segment.
inline std::size_t step_of(const Bench& bench, const Chunks& all, std::size_t briefly) {
    return is_brief(bench.profile) && all.chunks.size() > 64 ? briefly : 1;
}

/// Every chunk's rate alone, the better of two short walks: forward through all chunks and backward, so that a clock
/// that rises meanwhile, as it may after they were filled, shows in none.
inline std::vector<CurvePoint> rates_alone(Bench& bench, Chunks& all, Traffic& traffic, bool write) {
    std::vector<CurvePoint> rates;
    for (std::size_t i = 0; i < all.chunks.size(); ++i)
        rates.push_back({static_cast<double>(i * all.chunk_bytes()), 0});
    const auto measure = [&](std::size_t i) {
        bench.step(fmt::format("{} chunk {}", write ? "write" : "read", i));
        const double seconds = bench.rough_slope(traffic.passes(1), traffic.most(false),
            [&](std::uint32_t count) { return traffic.timed({.write_a = write}, all.chunks[i], nullptr, count); });
        rates[i].y = std::max(rates[i].y, 1 / seconds);
    };
    for (std::size_t i = 0; i < rates.size(); ++i) measure(i);
    bench.wake_again();
    for (std::size_t i = rates.size(); i-- > 0;) measure(i);
    return rates;
}

} // namespace sonde
