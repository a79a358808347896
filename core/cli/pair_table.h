// Pairs of cores in words and tables: by their own numbers, or each core by what its pairs take.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/data/finding.h"
#include "core/data/series.h"
#include "core/facts/grid.h"

namespace sonde {

/// The two cores that a point of a series by pairs of cores stands for, by their own numbers; nullopt for a series of
/// another kind.
std::optional<std::pair<std::uint32_t, std::uint32_t>> cores_of_pair(const Series& series, double x);

/// "12-40", where cores_of_pair knows them.
std::optional<std::string> pair_text(const Series& series, double x);

/// Whether there are more pairs than cores, so that a line for each core says more than one for each pair.
bool has_many_pairs(const Series& series);

/// A series with what was found of it.
struct SeriesFindings {
    const Series* series;
    std::vector<Finding> findings;
};

/// A row for each core: least, median and most of what its pairs take, and the group that it is of, for each series.
Grid grid_by_core(const std::vector<SeriesFindings>& all);

} // namespace sonde
