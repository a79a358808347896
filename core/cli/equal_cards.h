// Cards of one model and the same drivers, as one block.
#pragma once
#include <iosfwd>
#include <span>
#include <vector>

#include "core/cli/commands.h"
#include "core/compare/comparison.h"

namespace sonde {

/// The devices of a card beside those of another one of the same model and drivers; none: they are no such cards, or
/// have no results in common.
std::vector<Comparison> compare_alike(const Run&, const Card& first, const Card& other);

/// A card, and others that are alike.
struct EqualCards {
    std::vector<const Card*> cards{};      // the first one, and those it was compared with
    std::vector<Comparison> comparisons{}; // of the first with each other one
};
/// In the order of their first cards.
std::vector<EqualCards> equal_cards(const Run&, std::span<const Card>);

/// Of several cards: the median of each number, and what lies between the least and the greatest; doubts of all; then
/// what differs beyond the noise, a row each with a column for each card.
void show_equal_cards(const Run&, const EqualCards&, const DiagnoseOptions&, std::ostream& out);

} // namespace sonde
