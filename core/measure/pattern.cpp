// Patterns.
#include "core/measure/pattern.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace sonde {

namespace {
constexpr std::uint32_t kSumsLookedAt = 32;   // work-items of a dispatch whose sum is held against the host's
constexpr std::uint32_t kStoresLookedAt = 32; // elements of a dispatch: each is a copy of its own

/// What stands at any byte, `word(n)` being word n of the memory.
template <class Word> std::uint32_t word_at(std::uint64_t byte, const Word& word) {
    return byte % 4 == 0 ? word(byte / 4) : word(byte / 4) >> byte % 4 * 8 | word(byte / 4 + 1) << (4 - byte % 4) * 8;
}
} // namespace

KernelChoice pattern_kernel(const DeviceInfo& info, const PatternAccess& access) {
    KernelChoice choice{.name = "pattern",
        .group_size = info.cpu ? info.subgroup : std::min(256u, info.largest_group),
        .defines = {{"WIDTH", std::to_string(std::max(access.element_bytes / 4, 1u))},
            {"LOADS", std::to_string(kLoadsInFlight)}}};
    if (access.element_bytes < 4) choice.defines.emplace_back("BITS", std::to_string(access.element_bytes * 8));
    if (access.windows == Pattern::Windows::in_rows) choice.defines.emplace_back("ROWS", "1");
    if (access.windows == Pattern::Windows::scattered) choice.defines.emplace_back("SCATTERED", "1");
    if (access.stores) choice.defines.emplace_back("STORES", "1");
    if (access.packed) choice.defines.emplace_back("PACKED", "1");
    if (access.some_lanes) choice.defines.emplace_back("ACTIVE", "1");
    return choice;
}

PatternRunner::PatternRunner(Bench& bench, const PatternAccess& access, std::uint64_t bytes)
    : bench_(bench),
      access_(access),
      bytes_(bytes),
      shape_{pattern_kernel(bench.info, access).group_size, bench.info.cores * (bench.info.cpu ? 1 : 8)},
      kernel_(bench.kernel(pattern_kernel(bench.info, access))),
      result_(bench.allocate_result(items())) {
    bench.evidence.shape = {
        .group_size = shape_.group_size, .groups = shape_.groups, .loads_in_flight = kLoadsInFlight};
}

void PatternRunner::new_memory() {
    memory_.reset();
    memory_ = bench_.allocate(bytes_, 4096);
    fill_seed_ = bench_.next_seed();
    bytes_ = std::min(bytes_, bench_.fill_source(*memory_, fill_seed_, Bench::FillOrder::as_it_lies));
}

std::uint32_t PatternRunner::most() const { return bench_.info.loop_trips ? bench_.info.loop_trips - 8 : 1u << 20; }

Sample PatternRunner::timed(std::uint32_t count) {
    launch_seed_ = bench_.next_seed();
    const Pattern& p = pattern_;
    const std::uint32_t step = kLoadsInFlight * subgroups(p.lanes) % p.windows;
    const kernel_args::Pattern args{.lanes = p.lanes,
        .across = p.across,
        .factor = p.factor,
        .summand = p.summand,
        .stride = p.stride,
        .down = p.down,
        .offset = p.offset,
        .row_mask = p.row_mask,
        .row_shift = p.row_shift,
        .window_across = p.window_across,
        .window_down = p.window_down,
        .windows = p.windows,
        .step = step,
        .count = count,
        .seed = launch_seed_,
        .loading = p.active};
    const double bytes = static_cast<double>(subgroups(p.lanes)) * std::min(p.active, p.lanes) * count *
                         kLoadsInFlight * access_.element_bytes;
    const auto [sample, out] = bench_.launch(*kernel_, args,
        {.a = memory_.get(), .out = *result_, .groups = shape_.groups}, bytes, access_.stores ? 0 : items());
    if (access_.stores) check_stores(count);
    else check_sums(out, count);
    return sample;
}

void PatternRunner::check_sums(const std::vector<std::uint32_t>& out, std::uint32_t count) {
    for (std::uint32_t n = 0; n < std::min(kSumsLookedAt, items()); ++n) {
        const std::uint32_t item = n == 0 ? items() - 1 : scrambled(n, launch_seed_) % items();
        std::uint32_t sum = 0;
        for (std::uint32_t load = 0; is_active(item) && load < count * kLoadsInFlight; ++load)
            sum += loaded(element(item, load));
        if (out[item] != sum)
            throw Error(fmt::format(
                "work-item {} read words that add up to {:#010x}, the host's sum is {:#010x}", item, out[item], sum));
    }
    bench_.checked("in every dispatch the sums of 32 work-items against the host's");
}

void PatternRunner::check_stores(std::uint32_t count) {
    if (count == 0) return;
    const std::uint32_t bytes = access_.element_bytes, mask = bytes < 4 ? (1u << bytes * 8) - 1 : ~0u;
    std::vector<std::uint64_t> elements;
    for (std::uint32_t n = 0; elements.size() < kStoresLookedAt; ++n) {
        const std::uint32_t item = scrambled(n, launch_seed_) % items();
        if (is_active(item)) elements.push_back(element(item, scrambled(n, fill_seed_) % (count * kLoadsInFlight)));
    }
    std::vector<std::array<std::uint32_t, 6>> words(
        elements.size()); // all that an element of four words touches, and one more
    std::vector<Copy> copies;
    for (std::size_t n = 0; n < elements.size(); ++n) {
        const std::uint64_t begin = first_byte(elements[n]) / 4 * 4,
                            end = (first_byte(elements[n]) + bytes + 3) / 4 * 4;
        copies.push_back(
            {.from = memory_.get(), .to_host = words[n].data(), .bytes = end - begin, .from_offset = begin});
    }
    bench_.device.copy(copies);
    for (std::size_t n = 0; n < elements.size(); ++n) {
        const std::uint32_t stored = static_cast<std::uint32_t>(elements[n] + launch_seed_) & mask;
        for (std::uint32_t byte = 0; byte < bytes; byte += 4) {
            const std::uint32_t stands =
                word_at(first_byte(elements[n]) % 4 + byte, [&](std::uint64_t at) { return words[n].at(at); }) & mask;
            if (stands != stored)
                throw Error(fmt::format("at byte {} of element {} stands {:#x}, and {:#x} was to be stored", byte,
                    elements[n], stands, stored));
        }
    }
    bench_.checked("in every dispatch 32 of the stored elements against the host's");
}

bool PatternRunner::is_active(std::uint32_t item) const {
    return (item % pattern_.lanes * pattern_.factor + pattern_.summand) % pattern_.lanes < pattern_.active;
}

std::uint64_t PatternRunner::element(std::uint32_t item, std::uint32_t load) const {
    const Pattern& p = pattern_;
    if (p.windows_are == Pattern::Windows::scattered)
        return scrambled(item + load * items(), launch_seed_) & (p.windows - 1);
    const std::uint32_t place = (item % p.lanes * p.factor + p.summand) % p.lanes;
    const std::uint32_t own = place % p.across * p.stride + place / p.across * p.down + p.offset;
    const auto window =
        static_cast<std::uint32_t>((item / p.lanes + std::uint64_t{load} * subgroups(p.lanes)) % p.windows);
    return own + (window & p.row_mask) * p.window_across + (window >> p.row_shift) * p.window_down;
}

/// The sum of an element's words, or where it is less than one, its bits.
std::uint32_t PatternRunner::loaded(std::uint64_t element) const {
    const std::uint32_t bytes = access_.element_bytes;
    const auto word = [&](std::uint64_t at) { return fill_word(at, Bench::kFillPeriod, fill_seed_); };
    if (bytes < 4) return word_at(first_byte(element), word) & ((1u << bytes * 8) - 1);
    std::uint32_t sum = 0;
    for (std::uint32_t byte = 0; byte < bytes; byte += 4) sum += word_at(first_byte(element) + byte, word);
    return sum;
}

} // namespace sonde
