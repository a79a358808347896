#include "core/cli/side_table.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/diagnosis/card_grid.h"

namespace sonde {

namespace {
/// Of each recording the card with the curves that are compared; nullptr, where the card has no series.
using Cards = std::vector<std::shared_ptr<const Card>>;

std::shared_ptr<const Card> compared(const DeviceRun& recording) {
    if (!recording.card || !recording.asked) return recording.card;
    auto card = std::make_shared<Card>(*recording.card);
    std::erase_if(card->curves, [&](const Curve& curve) {
        const SeriesId& id = curve.series->id;
        return !recording.compares({id.probe, id.path, id.options});
    });
    return card;
}

Cards cards_of(const Side& side) {
    Cards cards;
    cards.reserve(side.recordings.size());
    for (const DeviceRun& recording : side.recordings) cards.push_back(compared(recording));
    return cards;
}

std::vector<const Card*> known(const Cards& a, const Cards& b) {
    std::vector<const Card*> cards;
    for (const Cards* side : {&a, &b})
        for (const auto& card : *side)
            if (card) cards.push_back(card.get());
    return cards;
}

Grid column_of(const Side& side, const Cards& cards, const SharedRows& rows) {
    std::vector<std::pair<Grid, std::size_t>> columns;
    for (std::size_t i = 0; i < cards.size(); ++i) {
        const DeviceRun& recording = side.recordings[i];
        if (!cards[i]) continue;
        Grid grid = levels_grid(*cards[i], rows);
        const auto column = std::ranges::find(grid.columns, recording.device->id) - grid.columns.begin();
        columns.emplace_back(std::move(grid), static_cast<std::size_t>(column));
    }
    return columns.empty() ? Grid() : medians(columns);
}
} // namespace

Grid side_table(const Side& a, const Side& b) {
    const Cards of_a = cards_of(a), of_b = cards_of(b);
    const SharedRows rows = shared_rows(known(of_a, of_b));
    return side_by_side(column_of(a, of_a, rows), column_of(b, of_b, rows));
}

Json side_table_json(const Side& a, const Side& b) {
    Json table = to_json(side_table(a, b));
    table["of"] = {{"a", a.label}, {"b", b.label}};
    return table;
}

} // namespace sonde
