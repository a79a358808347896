// Results seen card by card: which devices a card has, which curves were measured on it, and which of the card's levels
// each curve reached.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/data/finding.h"
#include "core/data/results.h"
#include "core/device/path.h"

namespace sonde {

/// A series and what is known besides. Points into the runs it was made from.
struct Curve {
    const Series* series = nullptr;
    const DeviceRecord* device = nullptr;
    const Path* path = nullptr;           // nullptr: a path of another version
    std::size_t run = 0;                  // which of the runs
    std::vector<Finding> levels{};        // latency only; the file's own findings, else computed
    std::vector<LevelName> level_names{}; // one per level: the card's name for it
    std::vector<Finding> unsure{};        // of a processor: levels within its caches that are not sure
    std::vector<Finding> findings{};      // what its probe concludes of it besides, held to its control
    bool one_block = false;               // of a processor: what it asks for needs several
    bool scatters = false;                // of a processor: so much that its medians tell little
    bool disturbed = false;               // others used the card meanwhile: nothing is concluded of it
    std::vector<LevelName> passed{}; // levels that it has not, though it is flat across the footprint at which they end

    /// The level of this name; nullptr: not reached.
    const Finding* reached(const LevelName&) const;
    bool passes(const LevelName&) const;
    /// That or, where the curve shows it in parts or another one does not, what is seen as it.
    const Finding* seen_as(const LevelName&) const;
    bool usable() const; // measured, and nothing cast doubt on it
};
using Curves = std::vector<const Curve*>;

/// Of what the APIs report of one card: one driver's figure may be of something else.
template <class Number>
double largest_reported(std::span<const DeviceRecord* const> devices, Number DeviceInfo::*field) {
    Number most = 0;
    for (const DeviceRecord* each : devices) most = std::max(most, each->*field);
    return static_cast<double>(most);
}

struct Card {
    std::string id{}, name{};
    std::vector<const DeviceRecord*> devices{};
    std::vector<Curve> curves{};
    std::vector<LevelName> level_names{}; // of its memory, nearest first

    const DeviceRecord* device(const std::string& id) const;
    template <class Number> double largest(Number DeviceInfo::*field) const { return largest_reported(devices, field); }
};

/// Whether its points are a curve that has levels.
bool has_levels(const SeriesId&);

/// Where a load of a path ends, which is also whose levels can be compared: levels of a constant cache are not those of
/// the memory. The first three are memories behind caches of the card's.
enum class Family { memory, host, peer, constant, push, scratchpad };
Family family_of(const Path&);
const char* to_text(Family);

/// One card per physical card and set of drivers: runs of one card with the same drivers are seen together.
std::vector<Card> cards_of(std::span<const Run> runs);

} // namespace sonde
