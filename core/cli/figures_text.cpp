// The single values of another tool's file, as a table.
#include <ostream>

#include <fmt/format.h>

#include "core/analysis/imported.h"
#include "core/base/grouped.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/commands.h"
#include "core/data/finding.h"
#include "core/diagnosis/finding_grid.h"

namespace sonde {

namespace {
constexpr std::size_t kMostFigures = 20; // series of them that a terminal gets

/// By series; none of a run that is not another tool's.
std::vector<std::vector<Finding>> figures_by_series(const Run& run) {
    std::vector<Finding> figures;
    if (!run.header.contains("imported")) return {};
    for (const Json& line : run.findings)
        if (auto finding = text_field(line, "kind") == "figure" ? finding_from(line) : std::nullopt;
            finding && finding->value)
            figures.push_back(std::move(*finding));
    return grouped(figures, [](const Finding& each) { return each.series; });
}
} // namespace

std::vector<Finding> figures_in(const Run& run, std::size_t most_series) {
    std::vector<Finding> figures;
    for (const std::vector<Finding>& of_series : figures_by_series(run))
        if (most_series-- > 0) figures.insert(figures.end(), of_series.begin(), of_series.end());
        else break;
    return figures;
}

Grid figures_grid(const std::vector<Finding>& figures) {
    Grid grid = finding_grid(figures);
    grid.name = "figures", grid.digits = 4;
    return grid;
}

void print_figures(const Run& run, const std::string& file, std::ostream& out) {
    const std::size_t series = figures_by_series(run).size();
    if (series == 0) return;
    const std::string tool = text_field(run.header["imported"], "tool");
    out << "\n"
        << wrapped(printable(fmt::format("Figures of the file ({}):", tool)), text_columns(), 0)
        << grid_text(figures_grid(figures_in(run, kMostFigures)), text_columns());
    if (series > kMostFigures)
        out << fmt::format("and of {} series more: sonde show {}\n", series - kMostFigures, printable(file));
}

} // namespace sonde
