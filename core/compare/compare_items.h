// Two answers to one question, as the items that are compared.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/compare/comparison.h"

namespace sonde {

/// What replicates say on these footprints (or other places on the axis).
Measured measured_at(const Replicates&, const std::vector<double>& footprints);
/// A conclusion of its own.
Measured measured_range(const Replicates&, std::pair<double, double> range);

/// What is seen as that; nullptr: it has none.
const Finding* level_named(const Replicates&, const LevelName&);

/// Where on the axis of what is no staircase a figure is read; nullopt: no such place here.
std::optional<std::vector<double>> places_at(const Replicates&, const FigurePlace&);

/// For a staircase its levels, their capacities, and footprints between them; for every other curve some places on its
/// axis or their middle; and conclusions that stand alone. Through View::dram_peak DRAM only.
void add_items(const Replicates& a, const Replicates& b, View, std::vector<Comparison>& out);

} // namespace sonde
