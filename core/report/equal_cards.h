// Cards of one model and the same drivers, as one block of numbers.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/compare/comparison.h"
#include "core/diagnosis/diagnosis.h"
#include "core/facts/grid.h"

namespace sonde {

/// Whether both have results that hold, and each device of the other one is of a model, driver and API that the first
/// has too.
bool are_equal(const Card& first, const Card& other);

/// The places of cards that are equal to the first of their group, in order; a card without an equal is one alone.
std::vector<std::vector<std::size_t>> groups_of_equal(std::span<const Card>);

/// A card, and its equals.
struct EqualCards {
    std::vector<const Card*> cards{};
    std::vector<std::string> names{};      // of each
    std::vector<Comparison> comparisons{}; // of the first with each other one
};
/// In the order of their first cards. `runs`: those that the cards' curves count. `names`: of the cards, as a table
/// shall have them.
std::vector<EqualCards> equal_cards(
    std::span<const Run> runs, std::span<const Card> cards, std::span<const std::string> names);

/// On a page two equal cards stand beside each other; as many as this are one block, and all but the first are folded.
constexpr std::size_t kCardsOfABlock = 3;

/// The id of each card's first device.
std::vector<std::string> ids_of(std::span<const Card> cards);

/// Of each number the median, and beside it from the least to the greatest. `make`: a card's table.
Grid medians_grid(const EqualCards&, const std::function<Grid(const Card&)>& make);

/// What differs beyond the noise between the first card and any other one, through the API whose numbers are the
/// farthest apart: a row for each number, a column for each card.
Grid differences_grid(const EqualCards&, std::size_t most);

/// A row for each card: its headline numbers as shares of their median, below 1 where it is slower. The card that falls
/// short the most comes first, behind a row of the medians.
Grid rank_grid(const EqualCards&);

/// Doubts of the others that the first card has not; `of_first`: all that is said of that one.
Statements further_doubts(const EqualCards&, const Statements& of_first);

} // namespace sonde
