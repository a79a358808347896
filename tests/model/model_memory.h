// Caches and translation of a modelled card, simulated access by access: what a walk through them costs, in cycles.
#pragma once
#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/model/model_hierarchy.h"

namespace sonde {

/// A cache of a modelled card. A line is looked up as a whole and filled by sectors.
struct CacheModel {
    std::uint64_t bytes = 0;
    double cycles = 0; // of a load that hits here
    std::uint32_t line = 128, sector = 32;
    Replacement replacement = Replacement::lru;
    std::uint32_t ways = 8;
    bool dropped = false;     // between dispatches, as GPUs do with their L1
    std::uint32_t copies = 1; // of it in a core; a workgroup's subgroups take turns
    bool half = false;        // only every second line is kept
    std::uint32_t cores =
        1; // neighbours that share it, where it is dropped between dispatches: the others are everybody's
};

/// One level of translation: a miss costs `cycles` on top of the load.
struct TlbModel {
    std::uint32_t entries = 0;
    std::uint64_t page = 0; // bytes
    double cycles = 0;
};

class SimulatedCache {
public:
    SimulatedCache(const CacheModel& model, std::uint64_t seed);
    /// Whether the sector was there; it is afterwards.
    bool access(std::uint64_t address);
    /// Brings what an access will look at into this machine's own cache: a simulation waits for little else.
    void expect(std::uint64_t address) const;
    void drop();
    const CacheModel& model() const { return model_; }

private:
    static constexpr std::uint32_t kNoLine = ~0u;
    std::uint64_t set_of(std::uint64_t number) const;

    CacheModel model_;
    std::uint64_t sets_;
    int line_shift_, sector_shift_;
    std::uint32_t time_ = 0;
    // Of each line, set by set: its number, when it was used last, and its sectors, one bit each.
    std::vector<std::uint32_t> tags_, used_;
    std::vector<std::uint8_t> sectors_;
    ModelRandom random_;
};

/// Fully associative, least recently used goes.
class SimulatedTlb {
public:
    explicit SimulatedTlb(const TlbModel& model) : model_(model) {}
    bool access(std::uint64_t address);
    const TlbModel& model() const { return model_; }

private:
    TlbModel model_;
    std::list<std::uint64_t> used_; // pages, the one used last first
    std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> known_;
};

} // namespace sonde
