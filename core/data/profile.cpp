// The table of profiles.
#include "core/data/profile.h"

#include <algorithm>
#include <array>

namespace sonde {

namespace {
constexpr std::uint64_t kMiB = 1ull << 20, kGiB = 1ull << 30;
constexpr std::array kProfiles{
    Profile{"quick", 1, {3, 7, 0.01}, 0.4e6, 2, 0.10, 1.5, 128 * kMiB, 4 * kGiB},
    Profile{"standard", 3, {3, 15, 0.005}, 1.0e6, 4, 0.03, 12, 512 * kMiB, 4 * kGiB},
    Profile{"thorough", 5, {5, 31, 0.0025}, 2.0e6, 8, 0.02, 60, 1 * kGiB, 8 * kGiB},
};
} // namespace

std::span<const Profile> all_profiles() { return kProfiles; }

const Profile* find_profile(std::string_view name) {
    for (const Profile& profile : kProfiles)
        if (profile.name == name) return &profile;
    return nullptr;
}

double share_of_time(double seconds, std::size_t left) {
    return std::max(0.05, seconds / static_cast<double>(std::max<std::size_t>(left, 1)) - kSecondsBesideMeasuring);
}

} // namespace sonde
