// What probes keep that fill cores with workgroups: occupancy, and what subgroups hide.
#pragma once
#include <cstdint>
#include <map>
#include <optional>

namespace sonde {

struct ResidentEvidence {
    std::optional<std::uint32_t> groups_per_core{};
    std::optional<double> alone_ns{};
    std::map<double, double> alone_by_x_ns{}, registers_by_driver{}, resident_by_driver{}, cores_of_groups{};
};

} // namespace sonde
