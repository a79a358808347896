#include "core/diagnosis/difference_grid.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde {

GridSection differences(const Statements& statements, const std::vector<std::string>& columns) {
    GridSection section;
    for (std::size_t i = 0; i < statements.size(); ++i) {
        const CardFact& fact = statements[i].fact;
        if (is_doubt(statements[i])) continue;
        const std::vector<Cell>& told = fact.grid.sections.at(0).rows.at(0).cells;
        const std::string cause = brief_cause(fact);
        GridRow row{fmt::format("[{}] {}{}{}", i + 1, statements[i].subject, cause.empty() ? "" : ": ", cause),
            std::vector<Cell>(columns.size())};
        for (std::size_t k = 0; k < told.size(); ++k)
            if (const auto column = std::ranges::find(columns, fact.grid.columns.at(k)); column != columns.end())
                row.cells[static_cast<std::size_t>(column - columns.begin())] = told[k];
        if (std::ranges::any_of(row.cells, [](const Cell& cell) { return cell.quantity(); }))
            section.rows.push_back(std::move(row));
    }
    return section;
}

} // namespace sonde
