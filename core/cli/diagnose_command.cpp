// Each card of a file as a screen, in full, or for programs.
#include "core/cli/commands.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/list_text.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/card_text.h"
#include "core/cli/equal_cards_text.h"
#include "core/cli/pairs_text.h"
#include "core/cli/statement_text.h"
#include "core/diagnosis/card_grid.h"
#include "core/diagnosis/diagnosis.h"
#include "core/diagnosis/finding_grid.h"
#include "core/diagnosis/full_grid.h"
#include "core/diagnosis/instruments_grid.h"
#include "core/diagnosis/pair_grid.h"
#include "core/diagnosis/point_grid.h"
#include "core/diagnosis/words.h"
#include "core/diagnosis/workloads.h"
#include "core/probes/probe.h"
#include "core/run/device_words.h"

namespace sonde {

namespace {
/// Of each card the statements of these numbers. Throws UsageError where none has one of them.
void show_numbers(const std::vector<Card>& cards, const std::vector<std::size_t>& numbers, std::ostream& out) {
    std::size_t most = 0;
    std::vector<Statements> of_cards;
    for (const Card& card : cards) most = std::max(most, of_cards.emplace_back(diagnose(card)).size());
    for (const std::size_t number : numbers)
        if (number == 0 || number > most)
            throw UsageError(fmt::format("there is no [{}]; statements are numbered from 1 to {}", number, most));
    for (std::size_t i = 0; i < cards.size(); ++i) {
        if (cards.size() > 1) out << (i > 0 ? "\n" : "") << printable(cards[i].name) << "\n";
        for (const std::size_t number : numbers)
            if (number <= of_cards[i].size()) show_whole(of_cards[i], number - 1, out);
    }
}

/// What a cell of the matrix says where no level is reached.
Json unreached_json(const Card& card, const MatrixRow& row, const MatrixCell& cell) {
    const Series& series = *cell.curve->series;
    const std::string why = cell.reach == Reached::passed_by
                                ? fmt::format("{} does not reach {}", series.id.text(), row.level.text())
                                : fmt::format("{}: {}: {}", series.id.text(), to_text(cell.reach), reason_text(series));
    return {{"type", "finding"}, {"kind", "unreached"}, {"name", row.level.text()}, {"probe", series.id.probe},
        {"device", series.id.device}, {"api", series.api}, {"card", card.id}, {"path", series.id.path},
        {"options", series.id.options}, {"text", why}, {"from", Json::array({CitedSeries{series.id, {}}})}};
}

/// All tables of a card.
std::vector<Grid> grids_of(const Card& card, const Matrix& matrix) {
    std::vector<Grid> grids{levels_grid(card), arithmetic_grid(card), paths_grid(matrix),
        operations_grid("operations", card, arithmetic_of(card)),
        operations_grid("matrix forms", card, matrix_forms_of(card)), workloads_grid(card), instruments_grid(card)};
    for (Grid& grid : point_grids(told_by_points(card))) grids.push_back(std::move(grid));
    std::vector<Finding> found;
    for (const Curve& curve : card.curves)
        if (curve.usable()) found.insert(found.end(), curve.findings.begin(), curve.findings.end());
    grids.push_back(finding_grid(found, card.devices));
    std::erase_if(grids, [](const Grid& grid) { return grid.empty(); });
    return grids;
}

void print_csv(const std::vector<Card>& cards, std::ostream& out) {
    for (const Card& card : cards) {
        std::vector<Grid> grids = grids_of(card, matrix_of(card));
        for (const Statement& statement : diagnose(card)) {
            grids.push_back(statement.fact.grid);
            grids.back().caption = subject_text(statement.fact, words_of(statement.rule));
        }
        for (const Grid& grid : grids) out << grid_csv(grid, card.id);
    }
    for (const CardPairs& pairs : pairs_of(cards))
        out << grid_csv(pairs.grid, pairs.api) << grid_csv(pairs.together, pairs.api);
}

Json findings_of(const std::vector<Card>& cards) {
    Json findings = Json::array();
    for (const Card& card : cards) {
        const Matrix matrix = matrix_of(card);
        for (const Grid& grid : grids_of(card, matrix)) {
            findings.push_back(to_json(grid));
            findings.back()["card"] = card.id;
        }
        for (const Curve& curve : card.curves)
            for (std::size_t i = 0; i < curve.levels.size(); ++i) {
                findings.push_back(curve.levels[i]);
                findings.back()["level"] = curve.level_names[i].text();
            }
        for (const MatrixRow& row : matrix.rows)
            for (const MatrixCell& cell : row.cells)
                if (cell.reach == Reached::passed_by || cell.reach == Reached::unsupported ||
                    cell.reach == Reached::failed)
                    findings.push_back(unreached_json(card, row, cell));
        for (const Statement& statement : diagnose(card)) findings.push_back(to_json(statement));
    }
    for (const CardPairs& pairs : pairs_of(cards))
        for (Json& finding : findings_of(pairs)) findings.push_back(std::move(finding));
    return findings;
}
} // namespace

void print_answer(const std::filesystem::path& file, std::ostream& out) {
    const std::string name = printable(file.string());
    std::set<std::string> probes;
    bool any = false;
    for (const Run& run : read_runs(file)) {
        for (const Series& series : run.series)
            if (!series.points.empty()) probes.insert(series.id.probe);
        for (const Card& card : cards_of({&run, 1})) {
            if (std::none_of(card.curves.begin(), card.curves.end(),
                    [](const Curve& curve) { return curve.usable() || curve.scatters || curve.one_block; }))
                continue; // of what scatters the doubt tells
            out << "\n";
            show_short(card, text_field(run.header, "profile"), diagnose(card), out);
            any = true;
        }
    }
    if (!any) return;
    out << fmt::format("\nnext: sonde diagnose {}\n      sonde show {} {}\n      sonde report {}\n", name, name,
        probes.contains(std::string(kLatency.name)) ? kLatency.name : std::string_view(*probes.begin()), name);
}

namespace {
/// Words for what is taken of a run; devices that are left out are said. nullopt: it has none of those asked for.
std::optional<SeriesWords> taken_words(const Run& run, const DiagnoseOptions& options, std::ostream& errors) {
    std::vector<const DeviceInfo*> measured;
    for (const DeviceRecord& device : run.devices)
        if (std::ranges::any_of(run.series, [&](const Series& series) { return series.id.device == device.id; }))
            measured.push_back(&device);
    const std::vector<std::string>& devices = options.series.devices;
    const Taken taken = (options.json || options.csv) && devices.empty() ? Taken{} // a program leaves out what it likes
                                                                         : taken_of(devices, measured);
    std::erase_if(measured, [&](const DeviceInfo* device) { return !is_chosen(taken.words, *device); });
    if (const std::string text = left_out_text(taken); !text.empty()) errors << error_lines(text);
    if (measured.empty() && !devices.empty()) return std::nullopt;
    return SeriesWords{taken.words, options.series.probes, options.series.paths};
}

std::vector<Card> cards_taken(const Run& run, const SeriesWords& words) {
    std::vector<Card> cards = cards_of({&run, 1});
    leave_out(cards, words, {&run, 1});
    return cards;
}

/// Another tool's single values.
std::vector<Finding> chosen_figures(const Run& run, const SeriesWords& words) {
    std::vector<Finding> figures = figures_in(run);
    std::erase_if(figures, [&](const Finding& figure) {
        const auto series = std::ranges::find(run.series, figure.series, &Series::id);
        return series != run.series.end() && !is_chosen(words, *series, run);
    });
    return figures;
}

/// A card as it is asked for.
void show_card(const Card& card, const Run& run, const DiagnoseOptions& options, std::ostream& out) {
    const Statements statements = diagnose(card);
    const std::string profile = text_field(run.header, "profile"), file = printable(options.file.string());
    if (!options.full && !options.evidence) {
        show_short(card, profile, statements, out);
        const std::string chosen = // statements are numbered among those that are left
            options.series.devices.empty() ? "" : fmt::format(" --device {}", fmt::join(options.series.devices, ","));
        const std::string one =
            statements.empty() ? "" : fmt::format(" | sonde diagnose FILE {}{}", statements.size() > 2 ? 3 : 1, chosen);
        out << wrapped(
            fmt::format("more: sonde diagnose FILE --full{}{} | sonde report FILE", chosen, one), text_columns(), 6);
        return;
    }
    show_full(card, profile, statements, out);
    if (statements.empty()) return;
    if (options.evidence) show_evidence(statements, out);
    else
        out << "\n"
            << wrapped(fmt::format("The series and instructions behind them: sonde diagnose --evidence {}", file),
                   text_columns(), 4);
}
/// Of series with points whose device no line describes, as where that line is damaged; "" for none.
std::string undescribed_text(const Run& run) {
    std::set<std::string> devices;
    std::size_t series = 0;
    for (const Series& each : run.series)
        if (!each.points.empty() && std::ranges::count(run.devices, each.id.device, &DeviceRecord::id) == 0)
            devices.insert(printable(each.id.device)), ++series;
    return series == 0
               ? ""
               : fmt::format("{} series of {}, which no line of the file describes: nothing is told of its cores, "
                             "its peaks and its name",
                     series, fmt::join(devices, ", "));
}
} // namespace

int diagnose_command(const DiagnoseOptions& options, std::ostream& out, std::ostream& errors) {
    Json findings = Json::array();
    bool first = true;
    const std::vector<Run> runs = read_runs_and_warn(options.file, errors, options.as);
    check_choice(options.series, pointers_to(runs), options.file.string());
    if (options.csv) out << grid_csv_head();
    for (const Run& run : runs) {
        const auto words = taken_words(run, options, errors);
        if (const std::string undescribed = undescribed_text(run); !undescribed.empty())
            errors << error_lines(fmt::format("{}: {}", printable(options.file.string()), undescribed));
        if (!words) continue;
        const std::vector<Card> cards = cards_taken(run, *words);
        if (options.json) {
            for (Json& finding : findings_of(cards)) findings.push_back(std::move(finding));
            if (const Grid figures = figures_grid(chosen_figures(run, *words)); !figures.empty())
                findings.push_back(to_json(figures));
            continue;
        }
        if (options.csv) {
            print_csv(cards, out);
            out << grid_csv(figures_grid(chosen_figures(run, *words)), "");
            continue;
        }
        if (cards.empty()) out << "no series: nothing was measured\n";
        if (!options.numbers.empty()) {
            show_numbers(cards, options.numbers, out);
            continue;
        }
        for (const EqualCards& equal : equal_cards({&run, 1}, cards, ids_of(cards))) {
            if (!std::exchange(first, false)) out << "\n";
            if (equal.cards.size() == 1) show_card(*equal.cards[0], run, options, out);
            else show_equal_cards(run, equal, options, out);
        }
        show_pairs(cards, options.full || options.evidence, out);
        print_figures(run, options.file.string(), out);
        if (run.end.is_null()) out << "\nThe run did not finish: this is what it had measured.\n";
    }
    return options.json ? print_json(findings, out) : 0;
}

} // namespace sonde
