// What a card is in a line, and the rates that its tables show.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/analysis/card_view.h"

namespace sonde {

struct Rate {
    double gigabytes = 0;       // a second
    double least = 0, most = 0; // at any footprint of the level, where it has no one rate; else 0
    double from = 0, to = 0;    // footprints, bytes
    double cached = 0;          // of DRAM: the largest share of it that may come from caches
    double width = 0;           // bytes of a load or store
};

/// What all cores together read of a level of the curve, on the same path: the median at its `rate_footprints`, of the
/// widths that were measured the fastest. nullopt: not measured.
std::optional<Rate> read_rate(const Card&, const Curve& latency, const Finding& level);
/// The same of another device of the card, over the footprints of that curve's level; with `width` of loads of so many
/// bytes.
std::optional<Rate> read_rate(const Card&, const Curve& latency, const Finding& level, const std::string& device,
    std::optional<std::uint32_t> width = std::nullopt);

/// What all cores together fill through a device by stores of so many bytes, over the footprints of that curve's level.
/// nullopt: not measured.
std::optional<Rate> fill_rate(
    const Card&, const Curve& latency, const Finding& level, const std::string& device, std::uint32_t width = 16);

/// The cores that most of the card's devices tell, of equally many the larger number; 0: none does.
double cores_of(const Card&);
/// Whether cycles over time are the core's clock: not where one of several workgroups or subgroups counts them.
bool counts_core_clock(const Curve&);
/// What the card's cores ran at, the median over all series; 0: not known.
double clock_mhz(const Card&);

/// "DRAM peak 4.81 TB/s: 6016 bit x 3201 MHz x 2.", where the drivers' facts give that; "".
std::string dram_peak_line(const Card&);
/// Series of the card that measured anything.
std::size_t with_points(const Card&);
/// Series that measured anything while others used the card, where these are half of all or more: no number of such a
/// card holds. Else none.
Curves curves_in_use(const Card&);
/// "NVIDIA H200, 132 cores at 1980 MHz, DRAM 4.81 TB/s; cuda:0 CUDA 13.0, vulkan:0 NVIDIA 580.159.04. Profile quick:
/// one block."
std::string card_line(const Card&, std::string_view profile);

} // namespace sonde
