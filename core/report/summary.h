// What a page says without scripts: cards, their headline figures and the diagnosis, as HTML.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/card_view.h"

namespace sonde {

/// Text that HTML takes for nothing but text, in elements and in quoted attributes.
std::string escaped(std::string_view text);

/// What cards are called on a page: their names, with a number where several have the same.
std::vector<std::string> labels_of(std::span<const Card> cards);

/// "24 series of 1 run through cuda, vulkan, measured 2026-01-01."; not escaped.
std::string subtitle_of(std::span<const Card> cards, std::span<const Run> runs);

/// Of each card: drivers, clock and cores, latency, capacity and rate of each level by device, and what the diagnosis says, doubts first.
std::string summary_html(std::span<const Card> cards);

} // namespace sonde
