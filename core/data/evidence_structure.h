// What the structure probes keep: the levels they aim at, and what tells line, ways and sharing.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sonde {

/// A level of the path, from a curve taken in passing.
struct LevelEvidence {
    double ns = 0, on_bytes = 0;
    std::optional<double> off_bytes{};
    double confidence = 0;
};

/// Lines of one set that still hit, of a block: with strides of half a way, of the level, and of twice the level.
struct WaysEvidence {
    std::uint32_t half_way = 0, level = 0, double_level = 0;
    std::uint64_t stride_bytes = 0;
};

/// Latency by footprint in an allocation of its own, about the ends of levels.
struct FootprintLatency {
    double bytes = 0, ns = 0;
};
struct OtherAllocation {
    std::vector<FootprintLatency> points{};
};

/// Loads at changing places within their line.
struct MovedLoads {
    std::uint64_t bytes = 0;
    double ns = 0;
};

struct StructureEvidence {
    std::vector<LevelEvidence> levels{};
    std::vector<WaysEvidence> ways{};
    std::string inconclusive{};
    std::vector<MovedLoads> offset_within_line{};
    std::vector<OtherAllocation> other_allocations{};
    std::optional<double> first_visit_share{}, filling_bytes{};
};

} // namespace sonde
