// Chains on a modelled card: one walk or many, by core, by subgroup, beside loads of a second source or of a stream.
#include "tests/model/model_device_class.h"

#include <algorithm>
#include <cmath>

namespace sonde {

namespace {
constexpr std::uint32_t kAhead = 12;   // loads
constexpr double kTouchesAtOnce = 500; // loads in flight where all lanes touch memory together
} // namespace

void ModelDevice::hold(std::uint32_t bytes) {
    held_ = bytes;
    CacheModel first = card_.caches[0];
    first.bytes -= bytes;
    caches_[0] = {SimulatedCache(first, bytes)};
}

Timing ModelDevice::walk_by_group(const ModelKernel& kernel, const Launch& launch) {
    const auto args = args_of<kernel_args::Chase>(launch);
    const ModelBuffer& memory = *as_model(launch.a);
    const PathModel& path = *model_of(kernel.path);
    const CacheModel& first = card_.caches[path.caches[0]];
    std::vector<SimulatedCache> own;
    for (std::uint32_t core = 0; core < card_.cores; core += first.cores) own.emplace_back(first, core);
    const auto cycles_of = [&](std::uint32_t core, std::uint64_t address) {
        if (args.other == 0xFFFFFFFFu) return load(path, address) + (core * 2 >= card_.cores ? card_.far_cycles : 0);
        const double missed = path.caches.size() > 1 ? card_.caches[path.caches[1]].cycles : card_.memory_cycles;
        return path.arithmetic + (own[core / first.cores].access(address) ? first.cycles : missed);
    };
    struct Walk {
        std::uint32_t group, core, at;
        double cycles = 0, begin = 0;
    };
    std::vector<Walk> walks;
    for (std::uint32_t group = 0; group < launch.groups; ++group) {
        const std::uint32_t core = group % card_.cores;
        const std::uint32_t number = card_.number_of(core);
        leave(kernel, launch, group, 0, 0, 0xFFFFFFFFu, number);
        const bool met = !card_.tells_core || number == args.core || number == args.other;
        if (met)
            walks.push_back({group, core,
                args.start + args.slice * (!card_.tells_core        ? group
                                              : number == args.core ? 0
                                                                    : 1)});
    }
    for (std::uint32_t n = 0; n < args.warm + args.steps; ++n)
        for (Walk& walk : walks) {
            if (n == args.warm) walk.begin = walk.cycles;
            walk.cycles += cycles_of(walk.core, memory.where() + std::uint64_t{walk.at} * 4);
            walk.at = next_of(kernel.path, memory, walk.at);
        }
    double longest = 0;
    for (const Walk& walk : walks) {
        leave(kernel, launch, walk.group, walk.begin, walk.cycles, link_of(kernel.path, walk.at),
            card_.number_of(walk.core));
        longest = std::max(longest, walk.cycles);
    }
    return timing(longest / clock_mhz() * 1e3);
}

void ModelDevice::store_clock(const Launch& launch, std::size_t word, double cycles) const {
    const auto count = static_cast<std::uint64_t>(std::llround(cycles));
    as_model(&launch.out)->words[word] = static_cast<std::uint32_t>(count);
    as_model(&launch.out)->words[word + 1] = static_cast<std::uint32_t>(count >> 32);
}

void ModelDevice::leave(const ModelKernel& kernel, const Launch& launch, std::size_t block, double begin, double end,
    std::uint32_t link, std::uint32_t seen) const {
    const std::size_t at = block * (4 + 2 * std::size_t{kernel.group_size});
    store_clock(launch, at, begin);
    store_clock(launch, at + 2, end);
    for (std::uint32_t lane = 0; lane < kernel.group_size; ++lane) {
        as_model(&launch.out)->words[at + 4 + 2 * lane] = link;
        as_model(&launch.out)->words[at + 5 + 2 * lane] = seen;
    }
}

Timing ModelDevice::walk_each(const ModelKernel& kernel, const Launch& launch) {
    const auto args = args_of<kernel_args::Chase>(launch);
    const ModelBuffer& memory = *as_model(launch.a);
    auto& words = as_model(&launch.out)->words;
    const std::uint32_t subgroups = kernel.group_size / kLanes, stride = words[6] - words[4];
    if (stride >= kLanes) return walk_pieces(kernel, launch);
    const bool local = kernel.path.stage == Stage::scratchpad;
    std::vector<std::uint32_t> at;
    for (std::uint32_t subgroup = 0; subgroup < subgroups; ++subgroup) at.push_back(words[4 + 2 * subgroup * kLanes]);
    double cycles = 0, begin = 0;
    for (std::uint32_t n = 0; n < args.warm + args.steps; ++n) {
        if (n == args.warm) begin = cycles;
        double slowest = 0;
        for (std::uint32_t subgroup = 0; subgroup < subgroups; ++subgroup) {
            for (std::uint32_t line = 0; line < std::max(stride, 1u); ++line)
                slowest = std::max(
                    slowest, local ? card_.scratchpad_cycles
                                   : load(*model_of(kernel.path),
                                         memory.where() + (std::uint64_t{at[subgroup]} + line * 32) * 4, subgroup));
            at[subgroup] = next_of(kernel.path, memory, at[subgroup]);
        }
        cycles += std::max(slowest + std::max(stride, 1u) - 1, subgroups * stride * card_.subgroup_load_cycles);
    }
    store_clock(launch, 0, begin);
    store_clock(launch, 2, cycles);
    for (std::uint32_t lane = 0; lane < kernel.group_size; ++lane) {
        words[4 + 2 * lane] = link_of(kernel.path, at[lane / kLanes] + lane % kLanes * stride);
        words[5 + 2 * lane] = static_cast<std::uint32_t>(
            (cycles - begin) * (lane / kLanes + 1) / subgroups); // one after another they are done
    }
    return timing(cycles / clock_mhz() * 1e3);
}

Timing ModelDevice::walk_pieces(const ModelKernel& kernel, const Launch& launch) {
    const auto args = args_of<kernel_args::Chase>(launch);
    const ModelBuffer& memory = *as_model(launch.a);
    auto& words = as_model(&launch.out)->words;
    const std::uint32_t lanes = launch.groups * kernel.group_size;
    const auto place = [&](std::uint32_t piece) {
        return piece / kernel.group_size * (4 + 2 * std::size_t{kernel.group_size}) + 4 +
               2 * (piece % kernel.group_size);
    };
    double cycles = 0;
    std::vector<std::uint32_t> at(lanes);
    for (std::uint32_t round = 0; round < args.rounds; ++round) {
        for (std::uint32_t piece = 0; piece < lanes; ++piece) at[piece] = words[place(round * lanes + piece)];
        for (std::uint32_t n = 0; n < args.steps; ++n)
            for (std::uint32_t piece = 0; piece < lanes; ++piece) {
                if (piece + kAhead < lanes) expect(*model_of(kernel.path), memory, at[piece + kAhead]);
                cycles += load(*model_of(kernel.path), memory.where() + std::uint64_t{at[piece]} * 4);
                at[piece] = next_of(kernel.path, memory, at[piece]);
            }
        for (std::uint32_t piece = 0; piece < lanes; ++piece)
            words[place(round * lanes + piece)] = link_of(kernel.path, at[piece]);
    }
    return timing(cycles / lanes / clock_mhz() * 1e3);
}

Timing ModelDevice::walk_and_touch(const ModelKernel& kernel, const Launch& launch) {
    const auto args = args_of<kernel_args::Chase>(launch);
    const ModelBuffer &memory = *as_model(launch.a), &touched = *as_model(launch.b);
    const PathModel* other = kernel.path_b->stage == Stage::scratchpad ? nullptr : model_of(*kernel.path_b);
    const std::uint32_t lines = args.touch_end;
    std::uint32_t at = args.start, seen = 0;
    double cycles = 0;
    for (std::uint32_t round = 0; round < args.rounds; ++round) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane)
            for (std::uint32_t line = lane; line < lines;)
                for (int n = 0; n < 16; ++n, line += kLanes) {
                    const std::uint64_t word = std::uint64_t{std::min(line, lines - 1)} * 32;
                    cycles +=
                        (other ? load(*other, touched.where() + word * 4) : card_.scratchpad_cycles) / kTouchesAtOnce;
                    if (lane == 0) seen += touched.words[word];
                }
        for (std::uint32_t n = 0; n < args.steps; ++n) {
            cycles += load(*model_of(kernel.path), memory.where() + std::uint64_t{at} * 4);
            at = next_of(kernel.path, memory, at);
        }
    }
    leave(kernel, launch, 0, 0, cycles, link_of(kernel.path, at), seen);
    return timing(cycles / clock_mhz() * 1e3);
}

Timing ModelDevice::load_times(const ModelKernel& kernel, const Launch& launch) {
    constexpr double kNothing = 7;
    const auto args = args_of<kernel_args::LoadTimes>(launch);
    const ModelBuffer& memory = *as_model(launch.a);
    auto& out = as_model(&launch.out)->words;
    std::uint32_t at = args.start;
    double cycles = 0;
    const auto next = [&] {
        const double each = load(*model_of(kernel.path), memory.where() + std::uint64_t{at} * 4);
        at = next_of(kernel.path, memory, at);
        cycles += each;
        return each;
    };
    for (std::uint32_t n = 0; n < args.warm; ++n) next();
    out[4] = static_cast<std::uint32_t>(kNothing);
    for (std::uint32_t n = 0; n < args.timed; ++n) {
        next();
        out[5 + n] = static_cast<std::uint32_t>(next() + kNothing);
    }
    store_clock(launch, 0, cycles);
    for (std::uint32_t n = 0; n < args.steps; ++n) next();
    store_clock(launch, 2, cycles);
    for (std::uint32_t lane = 0; lane < kernel.group_size; ++lane) out[5 + args.timed + lane] = at;
    return timing(cycles / clock_mhz() * 1e3);
}

Timing ModelDevice::chase(const ModelKernel& kernel, const Launch& launch) {
    if (kernel.defined("OWN_STARTS")) return walk_each(kernel, launch);
    if (kernel.defined("BY_CORE") || launch.groups > 1) return walk_by_group(kernel, launch);
    return kernel.path_b ? walk_and_touch(kernel, launch) : walk_one_chain(kernel, launch);
}

Timing ModelDevice::walk_one_chain(const ModelKernel& kernel, const Launch& launch) {
    const auto args = args_of<kernel_args::Chase>(launch);
    const ModelBuffer& memory = *as_model(launch.a);
    const PathModel* path = kernel.path.stage == Stage::scratchpad ? nullptr : model_of(kernel.path);
    double cycles = 0;
    std::uint32_t seen = 0;
    Place at{&memory, args.start};
    const auto link_at = [&](std::uint32_t word) { return next_of(kernel.path, memory, word); };
    const auto touch = [&](std::uint32_t word) {
        cycles += path ? load(*path, memory.where() + std::uint64_t{word} * 4) : card_.scratchpad_cycles;
        return link_at(word);
    };
    for (std::uint32_t slot = args.touch_begin; slot < args.touch_end;)
        for (int n = 0; n < 64; ++n, ++slot) {
            const std::uint32_t touched = std::min(slot, args.touch_end - 1);
            // What was touched long before the end, no cache keeps.
            seen += args.touch_end - touched > longest_memory_ ? link_at(touched << args.shift)
                                                               : touch(touched << args.shift);
        }
    cycles /= kTouchesAtOnce;
    const bool some = kernel.defined("SOME_LANES");
    const std::uint32_t lines =
        some ? (args.lanes - 1) * std::min(args.pad, 32u) / 32 + 1 : 1; // of 32 words, that the lanes want at once
    const auto walk = [&](std::uint32_t loads) {
        for (std::uint32_t n = 0; n < loads; ++n) {
            cycles += (lines - 1) * card_.subgroup_load_cycles;
            cycles += path ? load(*path, at.memory->where() + std::uint64_t{at.word} * 4) : card_.scratchpad_cycles;
            at = followed(kernel.path, at);
        }
    };
    walk(args.warm);
    const double begin = cycles;
    walk(args.steps);
    const std::uint32_t reached =
        kernel.path.link_words == 2
            ? static_cast<std::uint32_t>((at.memory->begin() + std::uint64_t{at.word} * 4 - memory.begin()) >> 2)
            : link_of(kernel.path, at.word);
    leave(kernel, launch, 0, begin, cycles, reached, seen);
    for (std::uint32_t lane = 0; some && lane < kernel.group_size; ++lane)
        as_model(&launch.out)->words[4 + 2 * std::size_t{lane}] =
            lane < args.lanes ? link_of(kernel.path, at.word + lane * args.pad) : ~0u;
    return timing(cycles / clock_mhz() * 1e3);
}

Timing ModelDevice::contest(const ModelKernel& kernel, const Launch& launch) {
    const auto args = args_of<kernel_args::BandwidthLatency>(launch);
    LazyWords &words = as_model(launch.a)->words, &out = as_model(&launch.out)->words;
    const std::uint32_t size = kernel.group_size, operation = kernel.number("OPERATION");
    const double tile_cycles = card_.tile_cycles * (1 + args.wait / 100.0),
                 share = args.most > 0 ? card_.tile_cycles / tile_cycles : 0;
    double cycles = 0;
    std::uint32_t at = args.start;
    for (std::uint32_t n = 0; args.lanes > 0 && n < args.steps; ++n) {
        cycles +=
            load(*model_of(kernel.path), as_model(launch.a)->where() + std::uint64_t{at} * 4) * (1 + share * share);
        at = next_of(kernel.path, *as_model(launch.a), at);
    }
    for (std::uint32_t lane = 0; lane < args.lanes; ++lane) out[4 + 2 * lane] = at;
    for (std::uint32_t group = 0; args.lanes > 0 && group < launch.groups; ++group) ++words[args.flag + 32 * group];
    store_clock(launch, 0, 0);
    store_clock(launch, 2, cycles);
    const std::uint32_t count =
        args.lanes > 0 ? std::min(args.most, static_cast<std::uint32_t>(cycles / tile_cycles)) : args.most;
    for (std::uint32_t member = 0; member + 1 < launch.groups; ++member)
        for (std::uint32_t item = 0; item < size; ++item) {
            std::uint32_t sum = 0;
            for (std::uint32_t n = 0; n < count * 8; ++n) {
                const std::uint64_t tile =
                    (std::uint64_t{member} * args.start_factor +
                        std::uint64_t{n / 8} * (args.step_base + member * args.step_factor % args.step_range)) %
                    args.tiles;
                const std::uint64_t word = (tile * 8 + n % 8) * size + item;
                if (operation == 1) sum += words[word];
                else words[word] = operation == 2 ? static_cast<std::uint32_t>(word) + args.salt : words[word] + 1;
            }
            out[4 + 2 * ((member + 1) * size + item)] = count;
            out[5 + 2 * ((member + 1) * size + item)] = sum;
        }
    return timing(cycles / clock_mhz() * 1e3);
}

} // namespace sonde
