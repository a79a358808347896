// What the cards of a machine move to one another: pair by pair, and all at the same time.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/card_view.h"
#include "core/base/json_fwd.h"
#include "core/facts/grid.h"

namespace sonde {

/// A pair that falls behind those of its kind of link.
struct SlowPair {
    std::string way{}, device{}, other{}, kind{}; // "copies to it", "cuda:0", "cuda:1", "NVLink"
    Quantity value{};
    double share = 1; // of the median of the others; of a latency the median's share of it
};

/// A kind of link, and the pairs that it joins.
struct LinkKind {
    std::string text{};          // "18 NVLinks to a switch"
    double bytes_per_second = 0; // one way; 0: nobody tells
    std::vector<std::pair<std::string, std::string>> pairs{};
};

/// Of the cards of one run through one API.
struct CardPairs {
    std::string api{};
    Grid grid{}; // a row for each card that measured, a column for each other one; a section for each way
    std::vector<SlowPair> slow{};
    std::vector<LinkKind> links{};
    Grid together{}; // what one card moves alone, and while all cards do

    bool empty() const { return grid.empty() && together.empty(); }
};

/// A pair is slow where it lies behind the median of those of its kind, without that pair of cards, by more than a
/// twentieth and by several times what these lie apart.
std::vector<CardPairs> pairs_of(std::span<const Card> cards);

/// "cuda:2 to cuda:3, copies to it: 51.2 GB/s, 51 % of the others (NVLink)"
std::string text_of(const SlowPair&);
/// "2 NVLinks, 50 GB/s each way: cuda:0-cuda:1, cuda:2-cuda:3"
std::string text_of(const LinkKind&);
/// Tables, links and slow pairs, a finding each.
std::vector<Json> findings_of(const CardPairs&);

} // namespace sonde
