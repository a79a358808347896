#include "core/device/issue.h"

#include <algorithm>

#include "core/device/capability.h"

namespace sonde {

std::optional<double> documented_issue(std::span<const Fact> facts) {
    struct Schedulers { // of a core, each of which issues one instruction in a clock; older ones issue two
        int capability;
        double number;
    };
    constexpr double kLanes = 32;
    constexpr Schedulers kDocumented[] = {{50, 4}, {52, 4}, {53, 4}, {60, 2}, {61, 4}, {62, 4}, {70, 4}, {72, 4},
        {75, 4}, {80, 4}, {86, 4}, {89, 4}, {90, 4}};
    const auto* row = std::ranges::find(kDocumented, compute_capability(facts), &Schedulers::capability);
    return row == std::end(kDocumented) ? std::nullopt : std::optional(row->number * kLanes);
}

} // namespace sonde
