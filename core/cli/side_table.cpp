#include "core/cli/side_table.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/diagnosis/card_grid.h"

namespace sonde {

namespace {
std::vector<const Card*> cards_of(const Side& a, const Side& b) {
    std::vector<const Card*> cards;
    for (const Side* side : {&a, &b})
        for (const DeviceRun& recording : side->recordings)
            if (recording.card) cards.push_back(recording.card.get());
    return cards;
}

Grid column_of(const Side& side, const SharedRows& rows) {
    std::vector<std::pair<Grid, std::size_t>> columns;
    for (const DeviceRun& recording : side.recordings) {
        if (!recording.card) continue;
        Grid grid = levels_grid(*recording.card, rows);
        const auto column = std::ranges::find(grid.columns, recording.device->id) - grid.columns.begin();
        columns.emplace_back(std::move(grid), static_cast<std::size_t>(column));
    }
    return columns.empty() ? Grid() : medians(columns);
}
} // namespace

Grid side_table(const Side& a, const Side& b) {
    const SharedRows rows = shared_rows(cards_of(a, b));
    return side_by_side(column_of(a, rows), column_of(b, rows));
}

Json side_table_json(const Side& a, const Side& b) {
    Json table = to_json(side_table(a, b));
    table["of"] = {{"a", a.label}, {"b", b.label}};
    return table;
}

} // namespace sonde
