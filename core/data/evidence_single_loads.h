// What probes keep that look at loads one by one.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

namespace sonde {

/// What the own clocks of a workgroup's subgroups say of one load, by how many of them there are.
struct SubgroupClocks {
    std::uint32_t subgroups = 0, loads = 0;
    double least = 0, median = 0, most = 0;
};

/// What a load of each of some lines takes from a core.
struct LineTimes {
    std::uint32_t core = 0;
    std::vector<double> counts{};
};

/// What single loads take over a footprint: how many, by bins of the time.
struct LoadTimes {
    std::uint64_t footprint_bytes = 0;
    double nothing = 0, bin = 1;
    std::vector<double> from{};
    std::vector<std::uint32_t> loads{};
};

struct SingleLoadsEvidence {
    std::map<double, double> one_lane_ns{};
    std::vector<SubgroupClocks> subgroup_clocks{};
    std::vector<LineTimes> line_times{};
    std::vector<LoadTimes> load_times{};
};

} // namespace sonde
