// What a page says without scripts: cards, their headline figures and the diagnosis, as HTML.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/analysis/card_view.h"

namespace sonde {

/// What cards are called on a page: their names, with a number where several have the same.
std::vector<std::string> labels_of(std::span<const Card> cards);

/// The labels of up to three cards; of more how many there are of each name.
std::string title_of(std::span<const Card> cards);

/// "24 series of 1 run through cuda, vulkan, measured 2026-01-01."; not escaped.
std::string subtitle_of(std::span<const Card> cards, std::span<const Run> runs);

/// Of each card, read from above: what it is, doubts, the tables of `sonde diagnose`, the memory map, and what else the
/// diagnosis says; of each card but the first also the ratios to the first. Equal cards are one block, which begins
/// with a rank of them, and each is folded below. `runs`: those that the cards are of.
std::string summary_html(std::span<const Card> cards, std::span<const Run> runs);

} // namespace sonde
