#include "core/cli/side_table.h"

#include <algorithm>
#include <utility>

#include "core/base/json.h"
#include "core/diagnosis/card_grid.h"

namespace sonde {

namespace {
bool has_loads_by_pointer(const Side& side) {
    return std::ranges::all_of(side.recordings,
        [](const DeviceRun& recording) { return recording.card && sonde::has_loads_by_pointer(*recording.card); });
}

Grid column_of(const Side& side, bool by_pointer) {
    std::vector<std::pair<Grid, std::size_t>> columns;
    for (const DeviceRun& recording : side.recordings) {
        if (!recording.card) continue;
        Grid grid = levels_grid(*recording.card, by_pointer);
        const auto column = std::ranges::find(grid.columns, recording.device->id) - grid.columns.begin();
        columns.emplace_back(std::move(grid), static_cast<std::size_t>(column));
    }
    return columns.empty() ? Grid() : medians(columns);
}
} // namespace

Grid side_table(const Side& a, const Side& b) {
    const bool by_pointer = has_loads_by_pointer(a) && has_loads_by_pointer(b);
    return side_by_side(column_of(a, by_pointer), column_of(b, by_pointer));
}

Json side_table_json(const Side& a, const Side& b) {
    Json table = to_json(side_table(a, b));
    table["of"] = {{"a", a.label}, {"b", b.label}};
    return table;
}

} // namespace sonde
