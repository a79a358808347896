// What the map of the memory keeps: its chunks, alone and in pairs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace sonde {

/// Two chunks of the memory at the same time.
struct ChunkPair {
    std::pair<std::size_t, std::size_t> chunks{};
    double gb_per_s = 0, overlap = 0;
};

struct MemoryPartsEvidence {
    std::optional<std::uint64_t> chunk_bytes{}, chunks{}, memory_bytes{};
    std::vector<double> alone_gb_per_s{}, overlap{}, overlap_second{};
    std::vector<ChunkPair> outlier_pairs{};
};

} // namespace sonde
