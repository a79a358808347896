// How long series will take.
#include "core/run/cost.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/data/profile.h"

namespace sonde {

namespace {
/// Beside its own seconds: its request, the control measurement around it, its line of the file. 330 series of together
/// 100 s took 126 s on an H200, 330 of another card and 96 s took 121 s.
constexpr double kBeside = 0.08;

/// Times as long as on a card: quick series of two processors through OpenCL and the host took 85 and 81 s, those of
/// the card in the same run 28, 34 and 38 s; of latency, bandwidth and arithmetic alone three times as long.
constexpr double kOnProcessor = 3;

bool lacks_path(const Planned& planned) {
    return std::ranges::any_of(
        planned.device->paths, [&](const Support& path) { return path.name == planned.id.path && !path.supported; });
}
} // namespace

double expected_seconds(const Planned& planned, const Profile& profile) {
    if (lacks_path(planned)) return 0;
    const double quick = planned.probe->quick.seconds * (planned.device->info.is_gpu() ? 1 : kOnProcessor);
    return std::min(quick * profile.times_quick, std::max(quick, profile.seconds)) + kBeside;
}

double expected_seconds(const std::vector<Planned>& planned, const Profile& profile, double most) {
    std::map<std::string, double> cards;
    double processors = 0, longest = 0;
    for (const Planned& each : planned)
        (each.device->info.cpu ? processors : cards[each.device->info.card]) += expected_seconds(each, profile);
    for (const auto& [card, seconds] : cards) longest = std::max(longest, seconds);
    return most > 0 ? std::min(most, longest + processors) : longest + processors;
}

std::string duration_text(double seconds) {
    return seconds < 90          ? fmt::format("{:.0f} s", seconds)
           : seconds < 90 * 60.0 ? fmt::format("{:.0f} min", seconds / 60)
                                 : fmt::format("{:.1f} h", seconds / 3600);
}

} // namespace sonde
