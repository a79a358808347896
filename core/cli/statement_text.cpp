#include "core/cli/statement_text.h"

#include <algorithm>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/diagnosis/words.h"

namespace sonde {

namespace {
constexpr std::size_t kStatementIndent = 4;

/// The numbers of a fact, and what belongs to them.
void show_table(const CardFact& fact, std::ostream& out) {
    const std::size_t columns = text_columns() - kStatementIndent;
    std::string below = grid_text(fact.grid, columns);
    for (const std::string& note : fact.notes) below += wrapped(printable(note), columns, 2);
    for (const std::string& line : split(below, '\n'))
        if (!line.empty()) out << std::string(kStatementIndent, ' ') << line << "\n";
}

/// "sonde run tlb --device cuda:0,vulkan:0 --path global.pointer": a run measures a path with every option.
std::string command_again(const Statement& statement) {
    std::vector<std::string> probes, devices, paths;
    const auto add = [](std::vector<std::string>& list, const std::string& word) {
        if (std::ranges::find(list, word) == list.end()) list.push_back(word);
    };
    for (const CitedSeries& cited : statement.from) {
        add(probes, cited.series.probe);
        add(devices, cited.series.device);
        add(paths, cited.series.path);
    }
    return fmt::format(
        "sonde run {} --device {} --path {}", fmt::join(probes, " "), fmt::join(devices, ","), fmt::join(paths, ","));
}
} // namespace

std::string statement_text(const Statement& statement, std::size_t index, const std::string& text) {
    const std::string_view label = is_void(statement) ? "VOID " : is_doubt(statement) ? "DOUBT " : "";
    return styled(Style::doubt, label) +
           wrapped(printable(fmt::format("[{}] {}", index + 1, text)), text_columns(), kStatementIndent, label.size());
}

void show_statement(const Statements& statements, std::size_t index, bool table, std::ostream& out) {
    const Statement& statement = statements[index];
    out << statement_text(statement, index, statement.text);
    if (table) show_table(statement.fact, out);
}

void show_whole(const Statements& statements, std::size_t index, std::ostream& out) {
    const Statement& statement = statements[index];
    out << styled(Style::heading, printable(statement.title)) << "\n";
    if (const std::string_view explained = words_of(statement.rule).explained; !explained.empty())
        out << wrapped(std::string(explained), text_columns(), 0);
    show_statement(statements, index, true, out);
    for (const std::string& line : statement.evidence) out << wrapped(printable(line), text_columns(), 8);
    out << wrapped(printable("again: " + command_again(statement)), text_columns(), 8);
}

void show_evidence(const Statements& statements, std::ostream& out) {
    out << "\nEvidence, with load instructions:\n";
    for (std::size_t i = 0; i < statements.size(); ++i)
        for (const std::string& line : statements[i].evidence)
            out << wrapped(printable(fmt::format("[{}] {}", i + 1, line)), text_columns(), 8);
}

} // namespace sonde
