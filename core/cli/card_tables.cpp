// The tables of a card that stand behind its first screen.
#include "core/cli/card_tables.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/data/shared_options.h"
#include "core/diagnosis/finding_grid.h"
#include "core/diagnosis/full_grid.h"
#include "core/diagnosis/instruments_grid.h"
#include "core/diagnosis/point_grid.h"
#include "core/diagnosis/workloads.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
/// Whether there is any.
bool show_grid(const Grid& grid, const char* caption, std::ostream& out) {
    if (grid.empty()) return false;
    out << "\n" << wrapped(caption, text_columns(), 0) << "\n" << grid_text(grid, text_columns());
    return true;
}

constexpr const char* kPathsCaption =
    "Levels of every path: what a load takes, of a path whose curve still rises or falls the range, and the footprint "
    "at which the level ends (the range of all paths, runs and blocks). unsure: not told apart from the next level.";
constexpr const char* kArithmeticCaption =
    "Operations. Latency and rate include the other instructions of a step, so that a load or a conversion alone may "
    "be "
    "faster. A fused multiply-add counts as two operations, a barrier as one for each work-item. 0.5 and 0.5: the "
    "compiler alternates two instructions. What a step computes: sonde operations --markdown.";
constexpr const char* kMatrixCaption =
    "Matrix forms on small integers. Latency: time between dependent multiply-adds of one subgroup (of wgmma, of "
    "four), an upper bound. A "
    "multiply-add counts as two operations, zeros of a sparse A included. Every point: sonde show FILE matrix.";

constexpr const char* kFindingsCaption = "Findings of the other series. none: what was tried shows none; unsure: it "
                                         "does not tell. In words: sonde show FILE "
                                         "PROBE.";

constexpr const char* kInstrumentsCaption =
    "What the card's instruments told around all series: medians of their samples as a range where they differ.";

constexpr const char* kWorkloadsCaption =
    "Workloads at no limit of those measured: the share of the time that each accounts for, the nearest first.";

/// Whether a statement has told of all of a series, or casts doubt on it.
bool is_told(const Statements& said, const SeriesId& series) {
    return std::any_of(said.begin(), said.end(), [&](const Statement& each) {
        return std::any_of(each.from.begin(), each.from.end(), [&](const CitedSeries& cited) {
            return each.tells_all && cited.series == series && (cited.x.empty() || is_doubt(each));
        });
    });
}

/// Whether the table of operations has it.
bool in_table(const Curve& curve) {
    return kOperationProbe.measured(curve.series->id) || kRate.measured(curve.series->id) ||
           kMatrix.measured(curve.series->id);
}

/// Tables of series whose points are their result. Whether there are any.
bool show_points(const Card& card, std::size_t columns, std::ostream& out) {
    const Curves curves = told_by_points(card);
    if (curves.empty()) return false;
    const bool from_cache = std::ranges::any_of(curves, [](const Curve* curve) {
        return option::from_dram.asked(curve->series->id.options) && !option::from_dram.in(curve->series->id.options);
    });
    out << "\n"
        << wrapped(fmt::format("Medians at some places of each sweep; 3-4: medians of blocks that lie apart; 3 (2-4): "
                               "quartiles more than 1.5 times apart; scatters: more than 3 times; -: no point "
                               "at that place{}. All points: sonde show FILE PROBE.",
                       from_cache ? "; LLC: within the largest cache that a driver or the system reports" : ""),
               columns, 0);
    for (const Grid& grid : point_grids(curves)) out << "\n" << grid_text(grid, columns);
    return true;
}

/// Of the other series. Whether there are any.
bool show_findings(const Card& card, const Statements& said, std::ostream& out) {
    std::vector<Finding> findings;
    for (const Curve& curve : card.curves) {
        if (!curve.usable() || is_told(said, curve.series->id) || in_table(curve) || is_told_by_points(curve)) continue;
        findings.insert(findings.end(), curve.findings.begin(), curve.findings.end());
    }
    return show_grid(finding_grid(findings, card.devices), kFindingsCaption, out);
}
} // namespace

bool show_card_tables(const Card& card, const Statements& said, std::ostream& out) {
    const std::size_t columns = text_columns();
    bool any = show_grid(paths_grid(matrix_of(card)), kPathsCaption, out);
    any |= show_grid(operations_grid("operations", card, arithmetic_of(card)), kArithmeticCaption, out);
    any |= show_grid(operations_grid("matrix forms", card, matrix_forms_of(card)), kMatrixCaption, out);
    any |= show_grid(workloads_grid(card), kWorkloadsCaption, out);
    any |= show_points(card, columns, out);
    show_grid(instruments_grid(card), kInstrumentsCaption, out); // tells of the card, not of its series
    any |= show_findings(card, said, out);
    return any;
}

} // namespace sonde
