// The command `published`: cards of which others have published figures, and these figures.
#include "core/cli/commands.h"

#include <algorithm>
#include <map>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/published.h"
#include "core/base/terminal.h"
#include "core/base/text.h"

namespace sonde {

namespace {
constexpr std::size_t kCardColumns = 38; // of a card's name: with its architecture and two numbers a line

std::string number_or_blank(double number) { return number > 0 ? fmt::format("{:g}", number) : ""; }

Json json_of(const PublishedFigure& figure) {
    return {{"device", figure.device}, {"architecture", figure.architecture},
        {"cores", number_or_null(figure.cores > 0 ? std::optional(figure.cores) : std::nullopt)},
        {"clock_mhz", number_or_null(figure.clock_mhz > 0 ? std::optional(figure.clock_mhz) : std::nullopt)},
        {"probe", figure.question.probe}, {"path", figure.question.path}, {"options", figure.question.options},
        {"item", figure.item()}, {"value", {figure.printed_low, figure.printed_high}}, {"unit", figure.printed_unit},
        {"text", figure.text()}, {"method", figure.method}, {"apart", figure.apart}, {"title", figure.title},
        {"url", figure.url}};
}

using FiguresOfCards = std::vector<std::pair<std::string, std::vector<PublishedFigure>>>;

/// In the order of their names.
FiguresOfCards by_card(const std::vector<PublishedFigure>& figures) {
    std::map<std::string, std::vector<PublishedFigure>> cards;
    for (const PublishedFigure& figure : figures) cards[figure.device].push_back(figure);
    return {cards.begin(), cards.end()};
}

void print_cards(const FiguresOfCards& cards, std::ostream& out) {
    Table table({"card", "architecture", "cores", "figures"}, {Align::left, Align::left, Align::right, Align::right});
    for (const auto& [name, figures] : cards)
        table.add_row({name.size() <= kCardColumns ? name : name.substr(0, kCardColumns - 3) + "...",
            figures[0].architecture, number_or_blank(figures[0].cores), fmt::format("{}", figures.size())});
    out << table.str(text_columns());
}

/// The figures of each card, those that are not compared marked with the reason; and the sources by their numbers.
void print_figures(const FiguresOfCards& cards, std::ostream& out) {
    std::vector<std::string> sources;
    const auto number_of = [&](const std::string& source) {
        const auto place =
            static_cast<std::size_t>(std::find(sources.begin(), sources.end(), source) - sources.begin());
        if (place == sources.size()) sources.push_back(source);
        return place + 1;
    };
    for (const auto& [name, figures] : cards) {
        out << printable(name) << ", " << printable(figures[0].architecture);
        if (figures[0].cores > 0) out << fmt::format(", {:g} cores", figures[0].cores);
        out << "\n";
        for (const PublishedFigure& figure : figures) {
            const std::string apart =
                figure.apart.empty() || figure.apart == figure.method || figure.method == "unknown"
                    ? ""
                    : "; " + figure.apart;
            out << "  "
                << wrapped(
                       printable(fmt::format("{}, {}: {} ({}{}) [{}]", figure.question.text(), figure.item(),
                           figure.text(), figure.method == "unknown" ? "method unknown" : figure.method, apart,
                           number_of(figure.title + "\n" + (figure.url.empty() ? "no address known" : figure.url)))),
                       text_columns() - 2, 6);
        }
    }
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::vector<std::string> lines = split(sources[i], '\n');
        out << wrapped(fmt::format("[{}] {}", i + 1, printable(lines[0])), text_columns(), 4);
        out << "    " << printable(lines[1]) << "\n";
    }
}
} // namespace

int published_command(const std::vector<std::string>& words, bool json, std::ostream& out) {
    const std::vector<PublishedFigure> figures =
        select_published(published_figures(), fmt::format("{}", fmt::join(words, " ")));
    if (json) {
        Json rows = Json::array();
        for (const PublishedFigure& figure : figures) rows.push_back(json_of(figure));
        return print_json(rows, out);
    }
    const FiguresOfCards cards = by_card(figures);
    if (words.empty()) print_cards(cards, out);
    else print_figures(cards, out);
    return 0;
}

} // namespace sonde
