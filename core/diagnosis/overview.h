// A card in a few lines that a person can paste into a mail: what it is, the latency and the read rate of each level.
#pragma once
#include <optional>
#include <string>

#include "core/analysis/card_view.h"

namespace sonde {

struct Rate {
    double gigabytes = 0;    // a second
    double from = 0, to = 0; // footprints, bytes
    double cached = 0;       // of DRAM: the largest share of it that may come from caches
    double width = 0;        // bytes of a load or store
};

/// What all cores together read of a level of the curve, on the same path: the median at its `rate_footprints`, of the
/// widths that were measured the fastest. nullopt: not measured.
std::optional<Rate> read_rate(const Card&, const Curve& latency, const Finding& level);

/// What all cores together fill of DRAM, where the curve ends in it. nullopt: not measured.
std::optional<Rate> fill_rate(const Card&, const Curve& latency);

/// What the card's cores ran at, the median over all series; 0: not known.
double clock_mhz(const Card&);

/// Of DRAM in percent of the peak that the card's drivers report, of a cache what each core gets in a cycle: "94 % of
/// peak", "125 bytes per core and cycle"; "" where that is not known.
std::string share_text(const Card&, const Rate&, bool dram);

/// Series of the card that measured anything.
std::size_t with_points(const Card&);
/// "NVIDIA H200, 132 cores at 1.98 GHz; cuda:0 CUDA 13.0, vulkan:0 NVIDIA 580.159.04. Profile quick: one block, no
/// error bars."
std::string card_line(const Card&, std::string_view profile);
/// "LATENCY, cycles (cuda:0): L1 39 | L2 near 279 to ~28 MiB | ... | DRAM 660 (335 ns) | scratchpad 29"; without
/// `global` another path of memory, named behind the device; "" where no latency was measured.
std::string latency_line(const Card&);
/// "READ (cuda:0): L1 32.7 TB/s at 64-192 KiB (125 bytes per core and cycle) | L2 ... | DRAM 4.57 TB/s at 128 MiB-4 GiB
/// (95 % of peak); WRITE: DRAM ..."; "" where no bandwidth was measured.
std::string rate_line(const Card&);

} // namespace sonde
