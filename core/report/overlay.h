// Published figures as curves to lay over those of a report.
#pragma once
#include <span>
#include <vector>

#include "core/analysis/card_view.h"
#include "core/data/published.h"

namespace sonde {

/// Latencies that others published for the levels of `global`, by device: a line at each figure (the middle of several) across the footprints at which the first card's
/// own level of that name lies, as {"probe","title","url","unit","points":[[x,y],...]}. Devices without a figure for such a level, and
/// cards without levels, give none.
Json overlay_of(std::span<const Card> cards, const std::vector<PublishedFigure>& figures);

} // namespace sonde
