// A card's answer as tables of quantities: its levels through each API, its arithmetic, its matrix units.
#pragma once
#include <string>
#include <vector>

#include "core/analysis/card_view.h"
#include "core/facts/grid.h"

namespace sonde {

/// Sections of levels_grid.
inline constexpr const char *kLatencyOfALoad = "latency of a load by pointer",
                            *kLatencyWithIndex = "latency of a load by index",
                            *kLevelEndsAt = "footprint at which a level ends", *kTlbReach = "TLB reach",
                            *kTlbMiss = "a miss of the TLB adds", *kRateOfAllCores = "rate of all cores";

/// A column for each device that was measured: the latency of a load at each level by a pointer walk, and what an index
/// costs besides (of a card of which a device has no such walk: by index), where levels end, how far those of the TLB
/// reach, and what all cores read and write.
Grid levels_grid(const Card&);
/// What tables of cards that are compared have in common: loads by pointer where all of them have such, else by index,
/// and the levels of all, nearest first. A cache that one card shows in partitions and another one as a whole, which
/// stands beside the near one, is one row.
struct SharedRows {
    struct Level {
        LevelName name{};
        bool also_whole = false; // near on one card, whole on another one
        std::string text() const;
    };
    bool by_pointer = false;
    std::vector<Level> levels{};
};
SharedRows shared_rows(const std::vector<const Card*>&);
/// The same with those rows: a level that the card does not have is `none`, where its curve goes past it.
Grid levels_grid(const Card&, const SharedRows&);
bool has_loads_by_pointer(const Card&);
/// The path of those loads: "global.pointer", "global", or where neither has levels another one of the card's memory.
std::string path_of_loads(const Card&);
/// A row for each of a few operations, for the fastest form of each number format of matrix units, and for what either
/// did for seconds: latency, rate of all cores, of one in a clock, of what the vendor documents, the clock, and the
/// card's power.
Grid arithmetic_grid(const Card&);
/// The same without what a reader of a first screen does not need: the clock that telemetry shows, and energy.
Grid short_arithmetic_grid(const Card&);

} // namespace sonde
