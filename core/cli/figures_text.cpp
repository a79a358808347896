// The single values of another tool's file, by series.
#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "core/analysis/imported.h"
#include "core/base/grouped.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/commands.h"
#include "core/data/finding.h"

namespace sonde {

namespace {
constexpr std::size_t kMostFigures = 20; // lines of them
} // namespace

void print_figures(const Run& run, const std::string& file, std::ostream& out) {
    if (!run.header.contains("imported")) return;
    std::vector<Finding> figures;
    for (const Json& line : run.findings)
        if (auto finding = text_field(line, "kind") == "figure" ? finding_from(line) : std::nullopt)
            figures.push_back(std::move(*finding));
    if (figures.empty()) return;
    const std::string tool = text_field(run.header["imported"], "tool");
    const auto groups = grouped(figures, [](const Finding& each) { return each.series; });
    out << "\n" << wrapped(printable(fmt::format("Figures of the file ({}):", tool)), text_columns(), 0);
    for (std::size_t i = 0; i < std::min(groups.size(), kMostFigures); ++i) {
        std::string text;
        for (const Finding& each : groups[i]) text += (text.empty() ? "" : "; ") + each.text;
        out << wrapped(printable(fmt::format("{}: {}", groups[i][0].series.text(), text)), text_columns(), 4);
    }
    if (groups.size() > kMostFigures)
        out << fmt::format("and of {} series more: sonde show {}\n", groups.size() - kMostFigures, printable(file));
}

} // namespace sonde
