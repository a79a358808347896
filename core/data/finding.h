// Conclusions drawn from series by pure functions, each naming the points it rests on; and their JSON form (results/schema.json).
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/data/series.h"

namespace sonde {

struct Finding {
    std::string kind{}, name{}; // "level", "L1"
    SeriesId series{};
    std::string api{}, card{};
    std::optional<double> value{}; // nullopt: nothing was found, `text` says what was tried
    std::string unit{};
    std::optional<double> cycles{};
    std::optional<std::pair<double, std::optional<double>>> capacity_bytes{}; // from the last footprint that is inside to the first one that is not
    std::optional<double> confidence{};  // 0..1; absent: nothing tells
    std::string text{};      // for a person
    std::vector<double> x{}; // the points it rests on

    /// Less is guesswork, on which no statement is built.
    bool is_sure() const { return confidence.value_or(1) >= 0.5; }
};

Json to_json(const Finding&);
/// A line of kind "level" as it was written; nullopt for any other, and for one of which something is missing.
std::optional<Finding> level_from(const Json& line);

/// An entry of a finding's "from": a series, and the points of it; no points: the whole series.
Json source_json(const SeriesId&, const std::vector<double>& x = {});

/// To which footprint a level holds: "215-256 KiB", "4 GiB and more".
std::string capacity_text(const Finding& level);

} // namespace sonde
