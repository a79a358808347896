// How far quick runs of one card lie apart, learned from recorded ones (results/noise.json, embedded; made by
// scripts/learn-noise, which names its cards and dates).
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace sonde {

/// What |ln(b/a)| of two runs was, over so many pairs of items that are compared alike.
struct RunsApart {
    std::size_t pairs = 0;
    double nine_tenths = 0, most = 0; // nine of ten pairs lie within, all do
};

/// Noise of ln(value) of one block: its standard deviation by nine of ten pairs, and how far two of them have to lie
/// apart, whatever that says: beyond all pairs that were recorded, with the more room the fewer these are.
struct LearnedNoise {
    double deviation = 0, beyond = 0;
};
LearnedNoise noise_of(const RunsApart&);

/// Of an item ("DRAM", "workgroups 132") of a probe on a GPU or, where that was not recorded, of all items of its kind
/// ("level", "point"); nullopt: neither was.
std::optional<LearnedNoise> learned_noise(std::string_view probe, std::string_view kind, std::string_view item);

} // namespace sonde
