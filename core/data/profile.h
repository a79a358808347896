// How thorough a run is: one row per profile.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/statistics.h"

namespace sonde {

struct Profile {
    std::string_view name;
    int blocks;                 // repetitions of the whole sweep, each with its own memory and chains
    StopRule rule;              // pairs of samples per block and point
    double slope_ns;            // what the long walk of a pair lasts beyond the short one, on a GPU
    double sizes_per_octave;    // of a bandwidth sweep by footprint
    double edge;                // a latency sweep is refined until the edges of its levels are known to this (capacity_off / capacity_on - 1)
    double seconds;             // time budget of one series; the sweep is completed with fewer pairs when it runs short
    std::uint64_t largest_cpu, largest_gpu; // bytes: where sweeps end at the latest
};

/// quick, standard, thorough.
std::span<const Profile> all_profiles();
const Profile* find_profile(std::string_view name);

inline constexpr double kSecondsBesideMeasuring = 0.5; // of a series: waking clocks, compiling, filling

/// What the next of `left` series may measure for, of the `seconds` that a run still has for them. Where earlier ones took longer than their
/// share, or less, those that follow make up for it; none gets less than 0.05.
double share_of_time(double seconds, std::size_t left);

} // namespace sonde
