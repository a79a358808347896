// latency: a chase along one random cycle over all slots of a footprint, by footprint.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/probes/probes.h"
#include "core/text.h"

namespace sonde {

namespace {
constexpr std::uint64_t kSmallest = 512;            // the smallest constant tier known is 2 KB
constexpr std::uint32_t kWalkInside = 4096;         // slots up to here: each dispatch walks the chain once as its warm-up
constexpr std::uint32_t kWalkOnce = 1u << 16;       // slots up to here: the block's warm-up walks the chain
constexpr std::uint32_t kTouchInside = 1u << 20;    // slots up to here: each dispatch touches every slot with all lanes
constexpr std::uint32_t kTouchPiece = 1u << 20;     // slots per dispatch where the block's warm-up touches

std::uint32_t slot_bytes(const Bench& bench) { return bench.info.cpu ? 64 : 128; }

/// One footprint's chain on the device, and the walk along it: every dispatch goes on where the last one ended.
class Walker {
public:
    Walker(Bench& bench, const Kernel& chase, const Buffer& memory, Buffer& result, const Chain& chain)
        : bench_(bench), chase_(chase), memory_(memory), result_(result), chain_(chain), lanes_(chase_lanes(bench.info)),
          local_(bench.path.name == "local") {}

    void warm_up() {
        const std::uint32_t slots = chain_.slots();
        if (local_ || slots <= kWalkInside) return;
        if (slots <= kWalkOnce) dispatch(0, (slots + 7) / 8 * 8, 0, 0);
        else
            for (std::uint32_t begin = 0; begin < slots; begin += kTouchPiece) dispatch(0, 0, begin, std::min(slots, begin + kTouchPiece));
    }

    Sample timed(std::uint32_t steps) {
        const std::uint32_t slots = chain_.slots();
        const bool walk = slots <= kWalkInside, touch = !walk && slots <= kTouchInside;
        return dispatch(steps, walk ? (slots + 7) / 8 * 8 : 0, 0, touch ? slots : 0);
    }

private:
    Sample dispatch(std::uint32_t steps, std::uint32_t warm, std::uint32_t touch_begin, std::uint32_t touch_end) {
        const std::uint32_t words = chain_.slots() << chain_.shift();
        const std::uint32_t args[] = {chain_.walk(position_), 0, warm, steps, touch_begin, touch_end, chain_.shift(), local_ ? words : 0};
        const Launch launch{.kernel = chase_, .a = &memory_, .out = result_, .args = args, .scratchpad_bytes = local_ ? words * 4 : 0};
        const Timing timing = bench_.device.run({&launch, 1})[0];
        position_ += warm + steps;
        const auto out = bench_.read_words(result_, 4 + 2 * lanes_);
        for (std::uint32_t lane = 0; lane < lanes_; ++lane)
            if (out[4 + 2 * lane] != chain_.walk(position_))
                throw Error(fmt::format("the walk of {} hops ended in the wrong place: lane {} at word {}, the host's walk at {}", warm + steps, lane,
                                        out[4 + 2 * lane], chain_.walk(position_)));
        return {.steps = static_cast<double>(steps), .host_ns = timing.host_ns, .device_ns = timing.device_ns, .cycles = clock_difference(bench_.info, out)};
    }

    Bench& bench_;
    const Kernel& chase_;
    const Buffer& memory_;
    Buffer& result_;
    Chain chain_;
    std::uint32_t lanes_;
    bool local_;
    std::uint64_t position_ = 0;
};

/// Hops per dispatch: driver's loop cap (64 hops a trip, the touch's trips taken off), and a start index of 32 bits.
std::uint32_t most_steps(const DeviceInfo& info) {
    if (info.loop_trips == 0) return 1u << 24;
    return (info.loop_trips - kTouchInside / 64 - kWalkInside / 8) * 64;
}
} // namespace

KernelChoice latency_kernel(const DeviceInfo& info, const Path&, const std::map<std::string, std::string>&) {
    return {.name = "chase", .group_size = chase_lanes(info), .defines = {}, .chases = true};
}

void measure_latency(Bench& bench) {
    const std::uint32_t slot = slot_bytes(bench), lanes = chase_lanes(bench.info);
    const bool local = bench.path.name == "local";
    const auto shift = static_cast<std::uint32_t>(std::countr_zero(slot / 4));
    std::uint64_t largest = local ? bench.info.scratchpad_bytes : bench.largest_footprint();
    if (largest < kSmallest) throw Unsupported("there is no scratchpad");

    bench.evidence["slot_bytes"] = slot;
    bench.evidence["shape"] = {{"group_size", lanes}, {"groups", 1}};
    bench.wake_clocks();
    const auto chase = bench.kernel(latency_kernel(bench.info, bench.path, bench.request.id.options));
    const auto builder = bench.helper_kernel("chain");
    const auto result = bench.allocate_result(4 + 2 * lanes);
    for (int block = 0; block < bench.profile.blocks; ++block) {
        const auto memory = bench.allocate(largest, kSmallest);
        largest = std::min<std::uint64_t>(largest, memory->bytes());
        bench.fill(*memory, largest / 4 * 4, bench.next_seed());
        const auto sizes = bench.sizes(kSmallest, largest, slot);
        bench.sweep(block, sizes, [&](std::uint64_t size, const std::string& text) {
            const Chain chain(static_cast<std::uint32_t>(size / slot), shift, bench.next_seed());
            bench.step("build a chain over " + text);
            bench.run_helper(*builder, *memory, chain.slots(), chain.kernel_args());
            bench.step("walk " + text);
            Walker walker(bench, *chase, *memory, *result, chain);
            walker.warm_up();
            bench.take_pairs(static_cast<double>(size), block, 64, most_steps(bench.info), [&](std::uint32_t steps) { return walker.timed(steps); });
        });
    }
    bench.evidence["output_checked"] = "the last index of every lane of every dispatch against the host's walk";
}

} // namespace sonde
