// The matrix of each card, and what its rules say.
#include "core/cli/commands.h"

#include <ostream>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/diagnosis/diagnosis.h"
#include "core/diagnosis/matrix.h"

namespace sonde {

namespace {
constexpr std::size_t kColumns = 120;

std::string cell_text(const MatrixCell& cell, bool first_of_path) {
    if (cell.reach == Reached::passed_by) return "not reached";
    if (cell.reach == Reached::not_covered) return "-";
    if (cell.reach != Reached::reached) return first_of_path ? to_text(cell.reach) : "";
    const auto& [on, off] = *cell.level->capacity_bytes;
    const double latency = cell.level->cycles.value_or(cell.level->value.value_or(0));
    return fmt::format("{:.{}f}{} to {}", latency, latency < 200 ? 1 : 0, cell.level->cycles ? "" : " " + cell.level->unit,
                       off ? format_byte_range(on, *off) : format_bytes(on) + " +");
}

void show_matrix(const Card& card, std::ostream& out) {
    const Matrix matrix = matrix_of(card);
    if (matrix.rows.empty()) return;
    std::vector<std::string> header{"path", "level"};
    for (const DeviceRecord* device : matrix.devices) header.push_back(device->id);
    Table table(header);
    const MatrixRow* before = nullptr;
    for (const MatrixRow& row : matrix.rows) {
        const bool first = !before || before->path != row.path || before->options != row.options;
        std::vector<std::string> cells{first ? fmt::format("{}{}{}", row.path, row.options.empty() ? "" : " ", options_text(row.options)) : "", row.level};
        for (const MatrixCell& cell : row.cells) cells.push_back(cell_text(cell, first));
        table.add_row(cells);
        before = &row;
    }
    out << "\nCore cycles of a load (ns where the unit is written) to the footprint at which its level ends; +: the curve ends on it.\n\n" << table.str();
}

void show_statements(const std::vector<Statement>& statements, std::ostream& out) {
    if (statements.empty()) out << "\nNothing stands out: no rule found a difference that is outside a step of the sweep.\n";
    for (const Statement& statement : statements) {
        out << "\n" << wrapped(printable((statement.kind == "suspect" ? "! " : "* ") + statement.text), kColumns, 2);
        for (const std::string& line : statement.evidence) out << "    " << printable(line) << "\n";
    }
}

void show_card(const Card& card, std::ostream& out) {
    out << fmt::format("== {}  [{}]\n", printable(card.name), printable(card.id));
    for (const DeviceRecord* device : card.devices) out << printable(fmt::format("{}  {}", device->id, device->driver)) << "\n";
    show_matrix(card, out);
    show_statements(diagnose(card), out);
}

/// What a cell of the matrix says where no level is reached.
Json unreached_json(const Card& card, const MatrixRow& row, const MatrixCell& cell) {
    const Series& series = *cell.curve->series;
    const std::string why = cell.reach == Reached::passed_by ? fmt::format("{} does not reach {}", series.id.text(), row.level)
                                                           : fmt::format("{}: {}: {}", series.id.text(), to_text(cell.reach), series.reason);
    return {{"type", "finding"}, {"kind", "unreached"}, {"name", row.level}, {"probe", series.id.probe}, {"device", series.id.device}, {"api", series.api},
            {"card", card.id}, {"path", series.id.path}, {"options", series.id.options}, {"text", why}, {"from", Json::array({CitedSeries{series.id, {}}})}};
}

Json findings_of(const std::vector<Card>& cards) {
    Json findings = Json::array();
    for (const Card& card : cards) {
        for (const Curve& curve : card.curves)
            for (std::size_t i = 0; i < curve.levels.size(); ++i) {
                findings.push_back(curve.levels[i]);
                findings.back()["level"] = curve.level_names[i];
            }
        for (const MatrixRow& row : matrix_of(card).rows)
            for (const MatrixCell& cell : row.cells)
                if (cell.reach == Reached::passed_by || cell.reach == Reached::unsupported || cell.reach == Reached::failed)
                    findings.push_back(unreached_json(card, row, cell));
        for (const Statement& statement : diagnose(card)) findings.push_back(to_json(statement));
    }
    return findings;
}
} // namespace

int diagnose_command(const std::filesystem::path& file, bool json, std::ostream& out, std::ostream& errors) {
    const Run run = read_run_and_warn(file, errors);
    const std::vector<Card> cards = cards_of({&run, 1});
    if (json) return print_json(findings_of(cards), out);
    if (cards.empty()) out << "no series: nothing was measured\n";
    for (const Card& card : cards) show_card(card, out);
    if (run.end.is_null()) out << "\nThe run did not finish: this is what it had measured.\n";
    return 0;
}

} // namespace sonde
