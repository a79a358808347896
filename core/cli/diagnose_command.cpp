// The matrix of each card, and what its rules say.
#include "core/cli/commands.h"

#include <algorithm>
#include <cctype>
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
#include "core/compare/compare.h"
#include "core/compare/comparison_text.h"
#include "core/device/matrix_form.h"
#include "core/diagnosis/arithmetic.h"
#include "core/diagnosis/card_grid.h"
#include "core/diagnosis/diagnosis.h"
#include "core/diagnosis/matrix.h"
#include "core/diagnosis/overview.h"
#include "core/diagnosis/rules.h"
#include "core/diagnosis/shared_findings.h"
#include "core/diagnosis/words.h"
#include "core/run/device_words.h"

namespace sonde {

namespace {
constexpr std::size_t kMostLines = 10; // of doubts, and of differences

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

bool is_doubt(const Statement& statement) { return statement.kind == "suspect"; }

/// As far as its first sentence; as far as the second one where the first says nothing of an API. That of a fact:
/// its table says more.
std::string_view headline(const Statement& statement) {
    const std::string_view text = statement.text;
    if (statement.fact) return text;
    int sentences = 0;
    for (std::size_t end = text.find(". "); end != std::string_view::npos; end = text.find(". ", end + 1))
        if (end + 2 < text.size() && !std::islower(static_cast<unsigned char>(text[end + 2])) &&
            (++sentences == 2 || is_doubt(statement) ||
                text.substr(0, end).find(" through ") != std::string_view::npos))
            return text.substr(0, end + 1);
    return text;
}

void show_line(const std::string& text, std::size_t indent, std::ostream& out) {
    if (text.empty()) return;
    const std::string lines = wrapped(printable(text), text_columns(), indent);
    const std::size_t label = lines.starts_with("[") ? 0 : lines.find(' '); // DOUBT, LATENCY, READ; or the card's name
    if (indent == 0) out << styled(Style::heading, lines);
    else
        out << styled(lines.starts_with("DOUBT") ? Style::doubt : Style::heading, lines.substr(0, label))
            << lines.substr(label);
}

/// The numbers of a fact, below its line, and what belongs to them.
void show_table(const Statement& statement, std::ostream& out) {
    constexpr std::size_t kIndent = 4;
    if (!statement.fact) return;
    const std::size_t columns = text_columns() - kIndent;
    std::string below = grid_text(statement.fact->grid, columns);
    for (const std::string& note : statement.fact->notes) below += wrapped(printable(note), columns, 2);
    for (const std::string& line : split(below, '\n'))
        if (!line.empty()) out << std::string(kIndent, ' ') << line << "\n";
}

void show_statement(const Statements& statements, std::size_t index, std::string_view text, std::ostream& out) {
    show_line(fmt::format("{}[{}] {}", is_doubt(statements[index]) ? "DOUBT " : "", index + 1, text), 4, out);
}

/// The card in a few lines: doubts, figures, and of as many statements as fit their first sentences. Those that are
/// told whole. `others`: where the rest stands.
std::set<std::size_t> show_block(
    const Card& card, std::string_view profile, const Statements& statements, const char* others, std::ostream& out) {
    std::set<std::size_t> whole;
    std::size_t told = 0;
    const auto headlines = [&](bool doubts) {
        std::size_t lines = 0;
        for (std::size_t i = 0; i < statements.size(); ++i) {
            const std::string_view text = headline(statements[i]);
            if (is_doubt(statements[i]) != doubts || (lines += text.size() / text_columns() + 1) > kMostLines) continue;
            show_statement(statements, i, text, out);
            ++told;
            if (text.size() == statements[i].text.size() && !statements[i].fact) whole.insert(i);
        }
    };
    show_line(card_line(card, profile), 0, out);
    headlines(true);
    const Grid levels = levels_grid(card);
    out << grid_text(levels, text_columns());
    if (!has_section(levels, kLatencyOfALoad) && !has_section(levels, kLatencyWithIndex))
        show_line(latency_line(card), 4, out);
    if (!has_section(levels, kRateOfAllCores)) show_line(rate_line(card), 4, out);
    for (const Grid& grid : {arithmetic_grid(card), matrix_grid(card)}) out << grid_text(grid, text_columns());
    headlines(false);
    std::set<std::string> measured;
    for (const Curve& curve : card.curves) measured.insert(curve.series->id.device);
    if (told < statements.size()) out << fmt::format("{} more {}.\n", statements.size() - told, others);
    else if (statements.empty() && measured.size() == 1)
        out << wrapped(
            fmt::format("Only {} was measured, so no APIs are compared.", *measured.begin()), text_columns(), 0);
    return whole;
}

/// Whether a statement has told of all of a series, or casts doubt on it.
bool is_told(const Statements& said, const SeriesId& series) {
    return std::any_of(said.begin(), said.end(), [&](const Statement& each) {
        return std::any_of(each.from.begin(), each.from.end(), [&](const CitedSeries& cited) {
            return each.tells_all && cited.series == series && (cited.x.empty() || each.kind == "suspect");
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

void show_evidence(
    const Statements& statements, const std::filesystem::path& file, std::size_t columns, std::ostream& out) {
    if (statements.empty()) return;
    out << "\nEvidence, with load instructions:\n";
    for (std::size_t i = 0; i < statements.size(); ++i)
        for (const std::string& line : statements[i].evidence)
            out << wrapped(printable(fmt::format("[{}] {}", i + 1, line)), columns, 8);
    out << fmt::format("A curve: sonde show {}\n", printable(file.string()));
}

/// A statement whole: its title, its sentences, and what they rest on.
void show_whole(const Statements& statements, std::size_t index, std::ostream& out) {
    const Statement& statement = statements[index];
    out << styled(Style::heading, printable(statement.title)) << "\n";
    if (const std::string_view explained = words_of(statement.rule).explained; !explained.empty())
        out << wrapped(std::string(explained), text_columns(), 0);
    show_statement(statements, index, statement.text, out);
    show_table(statement, out);
    for (const std::string& line : statement.evidence) out << wrapped(printable(line), text_columns(), 8);
}

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

/// The screen that a person sees first.
void show_short(const Card& card, const Run& run, std::ostream& out) {
    const Statements statements = diagnose(card);
    show_block(card, text_field(run.header, "profile"), statements, "with --full", out);
    out << "more: sonde diagnose FILE --full" << (statements.empty() ? "" : " | sonde diagnose FILE 1")
        << " | sonde report FILE\n";
}

void show_card(const Card& card, const Run& run, const std::filesystem::path& file, bool evidence, std::ostream& out) {
    const std::size_t columns = text_columns();
    const Statements statements = diagnose(card);
    const std::set<std::size_t> whole = show_block(card, text_field(run.header, "profile"), statements, "below", out);
    if (whole.size() < statements.size()) out << "\nIn full:\n";
    for (std::size_t i = 0; i < statements.size(); ++i)
        if (!whole.contains(i)) {
            show_statement(statements, i, statements[i].text, out);
            show_table(statements[i], out);
        }
    bool told = !statements.empty();
    told |= show_matrix(card, out);
    told |= show_operations(arithmetic_of(card), kArithmeticCaption, out);
    told |= show_operations(matrix_forms_of(card), kMatrixCaption, out);
    told |= show_points(card, columns, out);
    told |= show_findings(card, statements, columns, out);
    if (!told)
        out << wrapped(
            printable(fmt::format("Nothing else is said of these series; their values: sonde show {}", file.string())),
            columns, 4);
    if (evidence) show_evidence(statements, file, columns, out);
    else if (!statements.empty())
        out << "\n"
            << wrapped(fmt::format("The series and instructions behind [1]{}: sonde diagnose --evidence {}",
                           statements.size() > 1 ? fmt::format(" to [{}]", statements.size()) : "",
                           printable(file.string())),
                   columns, 4);
}

/// The devices of a card that another one of the same model and drivers is compared by; none: they are no such cards,
/// or have no results in common.
std::vector<Comparison> compare_alike(const Run& run, const Card& first, const Card& other) {
    std::vector<Comparison> all;
    std::vector<std::string> notes; // what one side lacks: the matrix would show it
    for (const DeviceRecord* device : other.devices) {
        const auto like = [&](const DeviceRecord* each) {
            return !device->cpu && each->name == device->name && each->api == device->api &&
                   each->driver == device->driver;
        };
        const auto found = std::find_if(first.devices.begin(), first.devices.end(), like);
        if (found == first.devices.end()) return {};
        const auto side = [&](const DeviceRecord* of, const Card& card) {
            return Side{of->id, {{&run, of, std::shared_ptr<const Card>(std::shared_ptr<void>(), &card)}}};
        };
        const Side a = side(*found, first), b = side(device, other);
        for (Comparison& each : compare(a, b, View::ns, notes)) all.push_back(std::move(each));
    }
    judge(all);
    return all;
}

/// The text with the other card's device of each API in the place of this one's.
std::string as_of(std::string text, const Card& card, const Card& other) {
    for (const DeviceRecord* own : card.devices)
        for (const DeviceRecord* its : other.devices)
            if (const auto at = text.find(own->id); its->api == own->api && at != std::string::npos)
                text.replace(at, own->id.size(), its->id);
    return text;
}

/// What a second card of one model adds to the first one's block: doubts of its own, and what differs beyond the noise.
void show_beside(const Card& card, const Card& first, const std::vector<Comparison>& comparisons, std::ostream& out) {
    const std::size_t columns = text_columns();
    const auto ids = [](const Card& of) {
        return list_text(of.devices, [](const DeviceRecord* device) { return device->id; });
    };
    out << wrapped(
        printable(fmt::format("{} ({}) beside the same model above ({}):", card.name, ids(card), ids(first))), columns,
        4);
    const Statements of_first = diagnose(first);
    for (const Statement& statement : diagnose(card))
        if (is_doubt(statement) && std::ranges::none_of(of_first, [&](const Statement& other) {
                return other.text == as_of(statement.text, card, first);
            }))
            out << wrapped(printable("DOUBT " + statement.text), columns, 4);
    print_differences(comparisons, out);
    print_summary(comparisons, out);
}

/// What a cell of the matrix says where no level is reached.
Json unreached_json(const Card& card, const MatrixRow& row, const MatrixCell& cell) {
    const Series& series = *cell.curve->series;
    const std::string why = cell.reach == Reached::passed_by
                                ? fmt::format("{} does not reach {}", series.id.text(), row.level)
                                : fmt::format("{}: {}: {}", series.id.text(), to_text(cell.reach), reason_text(series));
    return {{"type", "finding"}, {"kind", "unreached"}, {"name", row.level}, {"probe", series.id.probe},
        {"device", series.id.device}, {"api", series.api}, {"card", card.id}, {"path", series.id.path},
        {"options", series.id.options}, {"text", why}, {"from", Json::array({CitedSeries{series.id, {}}})}};
}

Json findings_of(const std::vector<Card>& cards) {
    Json findings = Json::array();
    for (const Card& card : cards) {
        for (const Grid& grid : {levels_grid(card), arithmetic_grid(card), matrix_grid(card)})
            if (!grid.empty()) {
                findings.push_back(to_json(grid));
                findings.back()["card"] = card.id;
            }
        for (const Curve& curve : card.curves)
            for (std::size_t i = 0; i < curve.levels.size(); ++i) {
                findings.push_back(curve.levels[i]);
                findings.back()["level"] = curve.level_names[i];
            }
        for (const MatrixRow& row : matrix_of(card).rows)
            for (const MatrixCell& cell : row.cells)
                if (cell.reach == Reached::passed_by || cell.reach == Reached::unsupported ||
                    cell.reach == Reached::failed)
                    findings.push_back(unreached_json(card, row, cell));
        for (const Statement& statement : diagnose(card)) findings.push_back(to_json(statement));
    }
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
            show_block(card, text_field(run.header, "profile"), diagnose(card), "by sonde diagnose --full", out);
            any = true;
        }
    }
    if (!any) return;
    out << fmt::format("\nnext: sonde diagnose {}\n      sonde show {} {}\n      sonde report {}\n", name, name,
        probes.contains(std::string(kLatency.name)) ? kLatency.name : std::string_view(*probes.begin()), name);
}

namespace {
/// Words of the devices that are taken of a run's; those that are left out are said. nullopt: it has none of those
/// asked for.
std::optional<std::vector<std::string>> taken_words(
    const Run& run, const DiagnoseOptions& options, std::ostream& errors) {
    std::vector<const DeviceInfo*> measured;
    for (const DeviceRecord& device : run.devices)
        if (std::ranges::any_of(run.series, [&](const Series& series) { return series.id.device == device.id; }))
            measured.push_back(&device);
    const Taken taken = options.json && options.devices.empty() ? Taken{} // a program leaves out what it likes
                                                                : taken_of(options.devices, measured);
    std::erase_if(measured, [&](const DeviceInfo* device) { return !is_chosen(taken.words, *device); });
    if (!taken.left_out.empty()) errors << error_lines(left_out_text(taken));
    return measured.empty() && !options.devices.empty() ? std::nullopt : std::optional(taken.words);
}

/// The run's cards, of which devices that are not taken are left out: levels and their names are those of the whole.
std::vector<Card> cards_taken(const Run& run, const std::vector<std::string>& words) {
    std::vector<Card> cards = cards_of({&run, 1});
    for (Card& card : cards) {
        std::erase_if(card.curves, [&](const Curve& curve) { return !is_chosen(words, *curve.device); });
        std::erase_if(card.devices, [&](const DeviceRecord* device) { return !is_chosen(words, *device); });
    }
    std::erase_if(cards, [](const Card& card) { return card.curves.empty(); });
    return cards;
}
} // namespace

int diagnose_command(const DiagnoseOptions& options, std::ostream& out, std::ostream& errors) {
    const auto& [file, devices, json, full, evidence, numbers] = options;
    Json findings = Json::array();
    bool first = true, any = false;
    for (const Run& run : read_runs_and_warn(file, errors)) {
        const auto words = taken_words(run, options, errors);
        if (!words) continue;
        any = true;
        const std::vector<Card> cards = cards_taken(run, *words);
        if (json) {
            for (Json& finding : findings_of(cards)) findings.push_back(std::move(finding));
            continue;
        }
        if (cards.empty()) out << "no series: nothing was measured\n";
        if (!numbers.empty()) {
            show_numbers(cards, numbers, out);
            continue;
        }
        for (const Card& card : cards) {
            if (!std::exchange(first, false)) out << "\n";
            const Card* alike = nullptr;
            std::vector<Comparison> comparisons;
            for (const Card* before = &cards.front(); before != &card && comparisons.empty(); ++before)
                comparisons = compare_alike(run, *(alike = before), card);
            if (!comparisons.empty()) show_beside(card, *alike, comparisons, out);
            else if (full || evidence) show_card(card, run, file, evidence, out);
            else show_short(card, run, out);
        }
        print_figures(run, file.string(), out);
        if (run.end.is_null()) out << "\nThe run did not finish: this is what it had measured.\n";
    }
    if (!any) throw UsageError(fmt::format("{}: no series of {}", file.string(), fmt::join(devices, ", ")));
    return json ? print_json(findings, out) : 0;
}

} // namespace sonde
