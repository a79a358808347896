// The tables of a card that stand behind its first screen.
#include "core/cli/card_tables.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/analysis/level_findings.h"
#include "core/base/grouped.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/point_table.h"
#include "core/device/matrix_form.h"
#include "core/diagnosis/arithmetic.h"
#include "core/diagnosis/matrix.h"
#include "core/diagnosis/rules.h"
#include "core/diagnosis/shared_findings.h"

namespace sonde {

namespace {
/// " of 32 KiB", where a processor's level ends long before the cache that the system reports.
std::string reported_text(const MatrixCell& cell) {
    const double ends = cell.level->capacity_bytes->first;
    const auto cache = cache_that_holds(*cell.curve->device, ends);
    return cache && std::isfinite(cache->bytes) && 2 * ends <= cache->bytes ? " of " + format_bytes(cache->bytes) : "";
}

/// "208-223 KiB", "~28 MiB", "132 KiB, then rises", "8-10.6 KiB of 32 KiB", "4 GiB +", "1.5 GiB, then TLB".
std::string end_text(const MatrixCell& cell) {
    const Finding& level = *cell.level;
    const auto& [on, off] = *level.capacity_bytes;
    if (level.rises_to_bytes) return format_bytes(on) + reported_text(cell) + ", then rises";
    if (level.edge_bytes) return edge_text(level) + reported_text(cell);
    if (off) return format_byte_range(on, *off) + reported_text(cell);
    return level.tlb_beyond_bytes ? format_bytes(*level.tlb_beyond_bytes) + ", then TLB" : format_bytes(on) + " +";
}

std::string cell_text(const MatrixCell& cell, bool first_of_path) {
    if (cell.reach == Reached::passed_by) return "not reached";
    if (cell.reach == Reached::not_covered) return "-";
    if (cell.reach == Reached::blurred || cell.reach == Reached::unsure)
        return to_text(cell.reach); // also on the rows behind the first
    if (cell.reach != Reached::reached) return first_of_path ? to_text(cell.reach) : "";
    const double latency = cell.level->cycles.value_or(cell.level->value.value_or(0));
    auto most = risen(*cell.curve, *cell.level);
    const double least = fallen(*cell.curve, *cell.level).value_or(latency);
    if (least < latency && !most) most = latency;
    return fmt::format("{:.{}f}{}{} to {}", least, least < 200 ? 1 : 0, most ? fmt::format("-{:.0f}", *most) : "",
        cell.level->cycles ? "" : " " + cell.level->unit, end_text(cell));
}

/// A row without a level is there for the reasons, or for points that show none.
std::string level_cell(const MatrixRow& row) {
    const bool untold = row.level.empty() && std::ranges::any_of(row.cells, [](const MatrixCell& cell) {
        return cell.reach == Reached::not_covered;
    });
    return untold ? "no level told" : row.level;
}

/// Levels by path and device. Whether there are any.
bool show_matrix(const Card& card, std::ostream& out) {
    const Matrix matrix = matrix_of(card);
    if (matrix.rows.empty()) return false;
    std::vector<std::string> header{"path", "level"};
    for (const DeviceRecord* device : matrix.devices) header.push_back(device->id);
    Table table(header);
    const MatrixRow* before = nullptr;
    std::string example, second, doubtful, none,
        early; // of a cell with two figures, of a level in two parts, of one whose number is not sure, of one that a
               // curve does not show, and of one that ends early
    for (const MatrixRow& row : matrix.rows) {
        const bool first = !before || before->path != row.path || before->options != row.options;
        std::vector<std::string> cells{
            first ? fmt::format("{}{}{}", row.path, row.options.empty() ? "" : " ", options_text(row.options)) : "",
            level_cell(row)};
        for (const MatrixCell& cell : row.cells) {
            cells.push_back(cell_text(cell, first));
            if (cell.reach == Reached::not_covered) none = "; -: no flat level seen, or not told apart from the next";
            if (early.empty() && cell.reach == Reached::reached && cell.level->capacity_bytes->second &&
                !reported_text(cell).empty())
                early = fmt::format(
                    ";{}: as the system reports the cache, latency rises before, cause unknown", reported_text(cell));
            const auto most = cell.reach == Reached::reached ? risen(*cell.curve, *cell.level) : std::nullopt;
            if (example.empty() && most)
                example = fmt::format(
                    " ({}: {:.0f} at its last footprint)", cells.back().substr(0, cells.back().find(' ')), *most);
        }
        if (doubtful.empty() && row.level.ends_with('?')) doubtful = "; ?: another level may lie before it";
        if (second.empty() && row.level.ends_with(" (2)"))
            second = fmt::format("; {}: a second step within {}", row.level, row.level.substr(0, row.level.size() - 4));
        table.add_row(cells);
        before = &row;
    }
    out << "\n"
        << wrapped(
               "Core cycles of a load (ns where the unit is written) to the footprint at which its level ends; a range "
               "holds the ends of all paths, runs or blocks that differ; ~: known to 10 %; +: the sweep ends on it" +
                   example + second + doubtful + early + none + ".",
               text_columns(), 0)
        << "\n"
        << table.str(text_columns());
    return true;
}

/// "651 TFLOP/s (67 % at 1805 MHz)".
std::string rate_text(const ArithmeticCell& cell, const Operation& operation) {
    std::vector<std::string> beside;
    if (cell.of_documented) beside.push_back(fmt::format("{:.0f} %", 100 * *cell.of_documented));
    if (cell.clock_mhz) beside.push_back(fmt::format("at {:.0f} MHz", *cell.clock_mhz));
    return format_si(*cell.rate * 1e9, operation.matrix && operation.matrix->in->is_float() ? "FLOP/s" : "op/s") +
           (beside.empty() ? "" : fmt::format(" ({})", fmt::join(beside, " ")));
}

std::vector<std::string> figures_of(const ArithmeticCell& cell, const Operation& operation) {
    std::vector<std::string> figures;
    if (cell.latency) figures.push_back(latency_text(cell));
    if (cell.rate) figures.push_back(rate_text(cell, operation));
    if (cell.failed) figures.push_back(cell.latency ? "its rate failed" : cell.rate ? "its latency failed" : "failed");
    return figures;
}

/// Operations by device: latency, rate, and what a step holds. Whether there are any.
bool show_operations(const ArithmeticTable& arithmetic, std::string caption, std::ostream& out) {
    if (arithmetic.rows.empty()) return false;
    std::vector<std::string> header{"operation"};
    for (const DeviceRecord* device : arithmetic.devices) header.push_back(device->id);
    header.emplace_back("instructions of an operation");
    Table table(header);
    bool any_cut = false;
    for (const ArithmeticRow& row : arithmetic.rows) {
        std::vector<std::string> cells{std::string(row.operation->name)};
        for (const ArithmeticCell& cell : row.cells) {
            const std::vector<std::string> figures = figures_of(cell, *row.operation);
            cells.push_back(
                figures.empty() ? "-" : fmt::format("{}{}", fmt::join(figures, ", "), cell.cut ? " *" : ""));
            any_cut |= cell.cut;
        }
        cells.push_back(instructions_text(arithmetic, row));
        table.add_row(cells);
    }
    if (any_cut) caption += " *: a sweep ended early, so a higher rate may exist.";
    out << "\n" << wrapped(caption, text_columns(), 0) << "\n" << table.str(text_columns());
    return true;
}

constexpr const char* kArithmeticCaption =
    "Latency of an operation in a dependent chain, and its highest rate. Both include the other instructions of a step "
    "of the chain (last column), so that a load or a conversion alone may be faster. A fused multiply-add counts as "
    "two operations, a barrier as one for each work-item. (N %): of the rate that the vendor documents per clock and "
    "core. The last column counts instructions of the compiled code, slow paths included; 0.5 and 0.5: the compiler "
    "alternates two. What a step computes: sonde operations --markdown.";
constexpr const char* kMatrixCaption =
    "Matrix forms on small integers: time between dependent multiply-adds of one subgroup (an upper bound of the "
    "latency), and the highest rate of all accumulators and subgroups (of those within 1 % the highest whose core "
    "clock was steady). A multiply-add counts as two operations, zeros of a sparse A included. (N %): of the rate that "
    "the vendor documents per clock and core; MHz: the core clock that its kernel counted. Every point: sonde show "
    "FILE matrix.";

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

bool is_told_by_points(const SeriesId& id) {
    const Probe* probe = find_probe(id.probe);
    return probe && probe->is_told_by_points(id.options);
}

/// Tables of series whose points are their result. Whether there are any.
bool show_points(const Card& card, std::size_t columns, std::ostream& out) {
    Curves curves;
    for (const Curve& curve : card.curves)
        if (curve.usable() && is_told_by_points(curve.series->id)) curves.push_back(&curve);
    if (curves.empty()) return false;
    const bool from_cache = std::ranges::any_of(curves, [](const Curve* curve) {
        return option::from_dram.asked(curve->series->id.options) && !option::from_dram.in(curve->series->id.options);
    });
    out << "\n"
        << wrapped(fmt::format("Medians at some places of each sweep; 3-4: medians of blocks that lie apart; 3 (2-4): "
                               "quartiles more than 1.5 times apart; ?: more than 3 times; -: no point at that "
                               "place{}. All points: sonde show FILE PROBE.",
                       from_cache ? "; LLC: within the largest cache that a driver or the system reports" : ""),
               columns, 0)
        << point_tables(curves, columns);
    return true;
}

/// Of the other series. Whether there are any.
bool show_findings(const Card& card, const Statements& said, std::size_t columns, std::ostream& out) {
    std::vector<Finding> findings;
    for (const Curve& curve : card.curves) {
        if (!curve.usable() || is_told(said, curve.series->id) || in_table(curve) ||
            is_told_by_points(curve.series->id))
            continue;
        findings.insert(findings.end(), curve.findings.begin(), curve.findings.end());
    }
    const std::vector<SharedFinding> shared = shared_findings(findings);
    if (shared.empty()) return false;
    out << "\n" << wrapped("Findings of the other series:", columns, 0);
    for (const auto& alike : grouped(shared, [](const SharedFinding& each) {
             return std::tuple(each.series.probe, each.series.options, each.devices, each.text);
         })) {
        const SeriesId& id = alike[0].series;
        out << wrapped(printable(fmt::format("{} {}{}{} ({}): {}", id.probe,
                           fmt::join(texts_of(alike, [](const SharedFinding& each) { return each.series.path; }), ", "),
                           id.options.empty() ? "" : " ", options_text(id.options), fmt::join(alike[0].devices, ", "),
                           alike[0].text)),
            columns, 4);
    }
    return true;
}
} // namespace

bool show_card_tables(const Card& card, const Statements& said, std::ostream& out) {
    const std::size_t columns = text_columns();
    bool any = show_matrix(card, out);
    any |= show_operations(arithmetic_of(card), kArithmeticCaption, out);
    any |= show_operations(matrix_forms_of(card), kMatrixCaption, out);
    any |= show_points(card, columns, out);
    any |= show_findings(card, said, columns, out);
    return any;
}

} // namespace sonde
