// At which footprints a rate is that of a level: of all cores together, whose own caches hold different data.
#pragma once
#include <vector>

#include "core/analysis/card_view.h"

namespace sonde {

/// Bytes above `above`, to `to`.
struct FootprintRange {
    double above, to;
    bool near_caches = false; // which hold a part of each footprint: where rates fall, the last is the level's
    bool holds(double footprint) const { return footprint > above && footprint <= to; }
};

/// Where all cores together read from a level of this curve of latency: from a quarter of its capacity on, and beyond
/// what the cores' L1 hold together, up to its end or three quarters of a cache that drivers report; of DRAM at 4 GiB
/// and beyond or, where nothing was measured there, from four times the last cache on. The first range in which a rate
/// was measured counts.
std::vector<FootprintRange> rate_footprints(const Curve& latency, const Finding& level);

/// Where the last cache before DRAM ends; 0: the curve has one level.
double end_of_caches(const Curve& latency);

} // namespace sonde
