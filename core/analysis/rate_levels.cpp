// From a curve of latency to footprints of a rate.
#include "core/analysis/rate_levels.h"

#include <algorithm>
#include <cmath>

namespace sonde {

namespace {
constexpr double kFarInDram = 0.99 * (1ull << 32); // bytes: where caches hold next to nothing of a footprint
constexpr double kFarBehind = 4;                   // times the last cache, where a sweep ends earlier
constexpr double kRoom = 0.75;                     // of a level's capacity, from which on few footprints lie in it

double inside(const Finding& level) { return level.capacity_bytes->first; }

/// What the cores' own caches hold together, each other data: so far a footprint may be read from them.
double all_private_caches(const Curve& latency) {
    return latency.device->cpu || latency.level_names.empty() || latency.level_names[0] != LevelName::cache(1)
               ? 0
               : latency.device->cores * inside(latency.levels[0]);
}
} // namespace

double end_of_caches(const Curve& latency) {
    return latency.levels.size() > 1
               ? latency.levels[latency.levels.size() - 2].capacity_bytes->second.value_or(INFINITY)
               : 0;
}

std::vector<FootprintRange> rate_footprints(const Curve& latency, const Finding& level) {
    if (latency.reached(LevelName::dram()) == &level)
        return {{kFarInDram, INFINITY}, {kFarBehind * end_of_caches(latency), INFINITY, true}};
    double to = inside(level), from = to / 4;
    for (const Finding& nearer : latency.levels)
        if (inside(nearer) < to) from = std::max(from, nearer.capacity_bytes->second.value_or(inside(nearer)));
    if (const double private_caches = all_private_caches(latency);
        &level != &latency.levels[0] && private_caches > from) {
        from = private_caches;
        if (from >= kRoom * to && latency.levels.size() > 2) // the other partition of that cache, seen or reported
            to = std::max({to, inside(latency.levels[latency.levels.size() - 2]),
                kRoom * static_cast<double>(latency.device->cache_bytes)});
    }
    return {{from, to}};
}

} // namespace sonde
