// What workloads keep: what a unit of their work demands of the card, and the library that did it.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sonde {

/// What a unit of a series' work demands, which the card's limits turn into a time (core/diagnosis/workloads.h): from
/// that x on, up to the next one's.
struct Demand {
    double from_x = 0;
    std::optional<double> footprint_bytes{};
    double read_bytes = 0, written_bytes = 0, operations = 0, random_loads = 0, atomics = 0, scratchpad_bytes = 0,
           launches = 0, tile_bytes = 0;
    std::optional<double> random_footprint_bytes{}, loads_in_flight{}, tile_footprint_bytes{}, workgroups{};
    std::string operation{}, atomics_path{}, atomics_layout{};
};

/// A vendor's library that did the work.
struct LibraryEvidence {
    std::string name{}, version{}, file{};
    std::map<std::string, std::string> algorithms{};
};

struct WorkloadEvidence {
    std::vector<Demand> demand{};
    std::optional<LibraryEvidence> library{};
};

} // namespace sonde
