// Levels that rest on so few points that they may as well be part of a rise: one doubt, told alike by every command.
#pragma once
#include <string>
#include <vector>

#include "core/analysis/card_view.h"
#include "core/analysis/levels.h"

namespace sonde {

/// Of levels that a curve's points show.
bool has_few_points(const Level&);
bool has_few_points(const Finding& level);

/// "L1, L2: 3 points or fewer: a level each, or part of one rise; more sizes would tell"; "" without levels.
std::string few_points_text(const std::vector<std::string>& names);
/// The same of each of the card's curves of latency, behind its device, path and options; one line each.
std::vector<std::string> few_points_lines(const Card&);

} // namespace sonde
