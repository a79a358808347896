// Building and checking slices.
#include "core/measure/slices.h"

#include <bit>

#include <fmt/format.h>

#include "core/measure/chase.h"

namespace sonde {

Slices::Slices(Bench& bench, std::uint64_t slice_bytes)
    : bench_(bench), slot_(slot_bytes(bench.info, bench.path)), slots_(static_cast<std::uint32_t>(std::max<std::uint64_t>(slice_bytes / slot_, 2))),
      builder_(bench.helper_kernel("chain", chain_defines(bench.path))) {}

void Slices::build(std::uint32_t count) {
    memory_.reset();
    memory_ = bench_.allocate(std::uint64_t{count} * words() * 4, std::uint64_t{count} * words() * 4);
    chains_.clear();
    first_hop_.clear();
    for (std::uint32_t slice = 0; slice < count; ++slice) {
        const std::uint32_t first = slice * words();
        chains_.emplace_back(ChainShape{.slots = slots_, .shift = static_cast<std::uint32_t>(std::countr_zero(slot_ / 4)), .first = first}, bench_.next_seed());
        bench_.run_helper(*builder_, *memory_, slots_, chains_.back().kernel_args(memory_->address().value_or(0)));
        std::uint64_t hop = 0;
        while (chains_.back().walk(hop) != first) ++hop;
        first_hop_.push_back(hop);
    }
}

void Slices::check(std::uint32_t reached, std::uint32_t slice, std::uint64_t hops) const {
    if (reached != link_number(bench_.path, chains_[slice].walk(first_hop_[slice] + hops)))
        throw Error(fmt::format("walker {} ended in the wrong place after {} hops", slice, hops));
}

} // namespace sonde
