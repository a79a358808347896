// Published figures on a page: as curves to lay over the card's own, and as a table.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/analysis/card_view.h"
#include "core/data/published.h"

namespace sonde {

/// Latencies that others published for the levels of `global`, by device: a line at each figure (the middle of several) across the footprints at which the first card's
/// own level of that name lies, as {"probe","title","url","unit","points":[[x,y],...]}. Devices without a figure for such a level, figures found by
/// another method, and cards without levels, give none.
Json overlay_of(std::span<const Card> cards, const std::vector<PublishedFigure>& figures);

/// A row for each thing that is published, a column for each device: its figures with their methods, each leading to its source. "" without figures.
std::string published_html(std::span<const PublishedFigure> figures);

} // namespace sonde
