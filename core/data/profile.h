// How thorough a run is: one row per profile.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/stop_rule.h"

namespace sonde {

struct Profile {
    std::string_view name;
    int blocks;              // repetitions of the whole sweep, each with its own memory and chains
    StopRule rule;           // pairs of samples per block and point
    double slope_ns;         // what the long walk of a pair lasts beyond the short one, on a GPU
    double sizes_per_octave; // of a bandwidth sweep by footprint
    double edge;        // a latency sweep is refined until the edges of its levels are known to this (capacity_off /
                        // capacity_on - 1)
    double seconds;     // time budget of one series; the sweep is completed with fewer pairs when it runs short
    double times_quick; // that a series takes, as long as the budget lets it: standard ones of an H200 4.5 (latency),
                        // 10 (bandwidth), 5.1 (stream) and 3 (sustained); of thorough none is recorded
    std::uint64_t largest_cpu, largest_gpu; // bytes: where sweeps end at the latest
};

inline constexpr std::array kProfiles{
    Profile{"quick", 1, {3, 7, 0.01}, 0.4e6, 2, 0.10, 1.5, 1, 128ull << 20, 4ull << 30},
    Profile{"standard", 3, {3, 15, 0.005}, 1.0e6, 4, 0.03, 12, 5, 512ull << 20, 4ull << 30},
    Profile{"thorough", 5, {5, 31, 0.0025}, 2.0e6, 8, 0.02, 60, 25, 1ull << 30, 8ull << 30},
};
inline std::span<const Profile> all_profiles() { return kProfiles; }
/// nullptr where there is none of that name.
inline const Profile* find_profile(std::string_view name) {
    const auto found =
        std::find_if(kProfiles.begin(), kProfiles.end(), [&](const Profile& profile) { return profile.name == name; });
    return found == kProfiles.end() ? nullptr : &*found;
}

inline constexpr std::string_view kTimeOver = "the time budget was over";
inline constexpr double kSecondsBesideMeasuring = 0.5; // of a series, at most: waking clocks, compiling, filling

/// What the next series may measure for, of the `seconds` that a run still has for it and those behind it: as much of
/// them as it is expected to take of what all of these take (`next` of `left`, in any one unit), less what it needs
/// besides. Where earlier ones took longer than their share, or less, those that follow make up for it; none gets less
/// than 0.05.
inline double share_of_time(double seconds, double next, double left) {
    const double part = left > 0 ? seconds * std::min(1.0, next / left) : seconds;
    return std::max(0.05, part - std::min(kSecondsBesideMeasuring, part / 2));
}

} // namespace sonde
