// Published figures on a page: as marks beside the card's curves, and as a table.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/analysis/card_view.h"
#include "core/analysis/published.h"

namespace sonde {

/// Latencies that others published for the levels of `global`, by device: marks where the first card's own level of
/// that name lies, as {"probe","title","url","unit", "marks":[{"level","from","to","low","high"},...]}: the level's
/// footprints in bytes, the lowest figure (0 where a source tells only what it is under) and the highest. Devices
/// without a figure for such a level, figures found by another method, and cards without levels, give none.
Json overlay_of(std::span<const Card> cards, const std::vector<PublishedFigure>& figures);

/// A table that unfolds, or is so at first where `open`: a row for each thing that is published, a column for each
/// device: its figures with their methods, each leading to its source. "" without figures.
std::string published_html(std::span<const PublishedFigure> figures, bool open);

} // namespace sonde
