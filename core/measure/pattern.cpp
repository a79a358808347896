// Patterns.
#include "core/measure/pattern.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde {

namespace {
constexpr std::uint32_t kLookedAt = 128;   // work-items of a dispatch whose sum is held against the host's
} // namespace

KernelChoice pattern_kernel(const DeviceInfo& info, std::uint32_t element_bytes, Pattern::Windows windows) {
    KernelChoice choice{.name = "pattern", .group_size = info.cpu ? info.subgroup : std::min(256u, info.largest_group),
                        .defines = {{"WIDTH", std::to_string(std::max(element_bytes / 4, 1u))}, {"LOADS", std::to_string(kLoadsInFlight)}}};
    if (element_bytes < 4) choice.defines.emplace_back("BITS", std::to_string(element_bytes * 8));
    if (windows == Pattern::Windows::in_rows) choice.defines.emplace_back("ROWS", "1");
    if (windows == Pattern::Windows::scattered) choice.defines.emplace_back("SCATTERED", "1");
    return choice;
}

PatternReader::PatternReader(Bench& bench, std::uint32_t element_bytes, Pattern::Windows windows, std::uint64_t bytes)
    : bench_(bench), element_bytes_(element_bytes), bytes_(bytes), shape_{pattern_kernel(bench.info, element_bytes, windows).group_size, bench.info.cores * (bench.info.cpu ? 1 : 8)},
      kernel_(bench.kernel(pattern_kernel(bench.info, element_bytes, windows))), result_(bench.allocate_result(std::size_t{shape_.group_size} * shape_.groups)) {
    bench.evidence.shape = {.group_size = shape_.group_size, .groups = shape_.groups, .loads_in_flight = kLoadsInFlight};
}

void PatternReader::new_memory() {
    memory_.reset();
    memory_ = bench_.allocate(bytes_, 4096);
    fill_seed_ = bench_.next_seed();
    bytes_ = std::min(bytes_, bench_.fill_source(*memory_, fill_seed_, Bench::FillOrder::as_it_lies));
}

std::uint32_t PatternReader::most() const { return bench_.info.loop_trips ? bench_.info.loop_trips - 8 : 1u << 20; }

Sample PatternReader::timed(std::uint32_t count) {
    scatter_seed_ = bench_.next_seed();
    const Pattern& p = pattern_;
    const std::uint32_t items = shape_.group_size * shape_.groups, step = kLoadsInFlight * (items / p.lanes) % p.windows;
    const kernel_args::Pattern args{.lanes = p.lanes, .across = p.across, .factor = p.factor, .summand = p.summand, .stride = p.stride, .down = p.down, .offset = p.offset, .row_mask = p.row_mask,
                                    .row_shift = p.row_shift, .window_across = p.window_across, .window_down = p.window_down, .windows = p.windows, .step = step, .count = count, .seed = scatter_seed_};
    const auto [sample, out] = bench_.launch(*kernel_, args, {.a = memory_.get(), .out = *result_, .groups = shape_.groups}, static_cast<double>(items) * count * kLoadsInFlight * element_bytes_, items);
    for (std::uint32_t n = 0; n < std::min(kLookedAt, items); ++n) {
        const std::uint32_t item = n == 0 ? items - 1 : scrambled(n, scatter_seed_) % items;
        if (const std::uint32_t sum = expected(item, count); out[item] != sum)
            throw Error(fmt::format("work-item {} read words that add up to {:#010x}, the host's sum is {:#010x}", item, out[item], sum));
    }
    bench_.checked("in every dispatch the sums of 128 work-items against the host's");
    return sample;
}

/// The sum of its words, or where it is less than one, its bits.
std::uint32_t PatternReader::element(std::uint64_t number) const {
    if (element_bytes_ < 4) {
        const std::uint64_t byte = number * element_bytes_;
        return fill_word(byte / 4, Bench::kFillPeriod, fill_seed_) >> byte % 4 * 8 & ((1u << element_bytes_ * 8) - 1);
    }
    std::uint32_t sum = 0;
    for (std::uint32_t word = 0; word < element_bytes_ / 4; ++word) sum += fill_word(number * (element_bytes_ / 4) + word, Bench::kFillPeriod, fill_seed_);
    return sum;
}

std::uint32_t PatternReader::expected(std::uint32_t item, std::uint32_t count) const {
    const Pattern& p = pattern_;
    const std::uint32_t items = shape_.group_size * shape_.groups, subgroups = items / p.lanes;
    const std::uint32_t place = (item % p.lanes * p.factor + p.summand) % p.lanes;
    const std::uint32_t own = place % p.across * p.stride + place / p.across * p.down + p.offset;
    std::uint32_t sum = 0;
    for (std::uint32_t load = 0; load < count * kLoadsInFlight; ++load) {
        const auto window = static_cast<std::uint32_t>((item / p.lanes + std::uint64_t{load} * subgroups) % p.windows);
        const std::uint32_t element = p.windows_are == Pattern::Windows::scattered ? scrambled(item + load * items, scatter_seed_) & (p.windows - 1)
                                                  : own + (window & p.row_mask) * p.window_across + (window >> p.row_shift) * p.window_down;
        sum += this->element(element);
    }
    return sum;
}

} // namespace sonde
