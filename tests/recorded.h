// The runs of results/ that tests rest on: what they are called stands here and nowhere else.
#pragma once
#include <string>

#include <fmt/format.h>

#include "tests/places.h"

namespace recorded {

inline std::string file(const std::string& name) {
    return fmt::format("{}/results/nvidia-h200/{}.jsonl.gz", sonde::places::source, name);
}

/// Latency and bandwidth of one card through three APIs, measured in five processes: 1 to 5.
inline std::string run(int number) { return file(fmt::format("run-{}", number)); }
/// All probes of one card in the quick profile: 1 and 2.
inline std::string quick(int number) { return file(fmt::format("quick-{}", number)); }
/// Hand-offs, atomics, copies and launches of one card, twice.
inline std::string others(int number) { return file(fmt::format("others-{}", number)); }
inline const std::string kPaths = file("paths-latency"); // every path's latency, on another card
inline const std::string kCarveout = file("carveout"), kBandwidth = file("bandwidth"), kStructure = file("structure"),
                         kEverything = file("everything"), kCoalescing = file("coalescing");

} // namespace recorded
