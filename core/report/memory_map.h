// The memory map of a card as a picture that needs no script.
#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "core/analysis/card_view.h"

namespace sonde {

/// A colour of the page's style, 0 to 7, for each device by its id.
std::map<std::string, std::size_t> device_colours(std::span<const Card> cards);

/// A figure for each device with levels: a box for each level of its memory, width by capacity and height by latency,
/// both logarithmic and on scales that all devices of the card share; below it what lies beside the memory. "" where no
/// device has levels.
std::string memory_map_html(const Card& card, const std::map<std::string, std::size_t>& colours);

} // namespace sonde
