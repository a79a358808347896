// Medians of equal cards, and where one of them differs.
#include "core/cli/equal_cards.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/grouped.h"
#include "core/base/json.h"
#include "core/base/list_text.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/cli/card_text.h"
#include "core/compare/compare.h"
#include "core/compare/comparison_text.h"
#include "core/diagnosis/card_grid.h"
#include "core/diagnosis/diagnosis.h"
#include "core/facts/grid.h"

namespace sonde {

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

std::vector<EqualCards> equal_cards(const Run& run, std::span<const Card> cards) {
    std::vector<EqualCards> groups;
    for (const Card& card : cards) {
        bool joined = false;
        for (EqualCards& group : groups) {
            std::vector<Comparison> comparisons = compare_alike(run, *group.cards[0], card);
            if (comparisons.empty()) continue;
            group.cards.push_back(&card);
            std::ranges::move(comparisons, std::back_inserter(group.comparisons));
            joined = true;
            break;
        }
        if (!joined) groups.push_back({{&card}, {}});
    }
    return groups;
}

namespace {
/// What a statement rests on, whichever device of an API it is.
std::set<std::tuple<std::string, std::string, std::string, Options>> sources_of(
    const Card& card, const Statement& statement) {
    std::set<std::tuple<std::string, std::string, std::string, Options>> all;
    for (const auto& [id, x] : statement.from) {
        const DeviceRecord* device = card.device(id.device);
        all.emplace(device ? device->api : "", id.probe, id.path, id.options);
    }
    return all;
}

/// Doubts of the others that the first card has not.
std::string further_doubts(const EqualCards& equal, const Statements& of_first) {
    std::string text;
    for (const Card* card : std::span(equal.cards).subspan(1))
        for (const Statement& statement : diagnose(*card))
            if (is_doubt(statement) && std::ranges::none_of(of_first, [&](const Statement& other) {
                    return other.rule == statement.rule &&
                           sources_of(*equal.cards[0], other) == sources_of(*card, statement);
                }))
                text += wrapped(printable("DOUBT " + statement.text), text_columns(), 4);
    return text;
}

/// One number of several cards.
struct OfCards {
    const Comparison* about;          // of those that differ the farthest apart
    std::map<std::string, double> by; // value by device
    double apart() const {
        if (by.empty()) return 1;
        const auto [least, most] = std::minmax_element(
            by.begin(), by.end(), [](const auto& one, const auto& other) { return one.second < other.second; });
        return least->second > 0 ? most->second / least->second : INFINITY;
    }
};

/// The place of a device among those of its card, which is the API's for all of them.
std::size_t api_of(const EqualCards& equal, const std::string& device) {
    for (const Card* card : equal.cards)
        for (std::size_t i = 0; i < card->devices.size(); ++i)
            if (card->devices[i]->id == device) return i;
    return 0;
}

/// What differs beyond the noise between the first card and any other one, once for all APIs: through the one whose
/// numbers are the farthest apart. The farthest first.
std::vector<OfCards> numbers_that_differ(const EqualCards& equal) {
    std::vector<OfCards> all;
    for (const std::vector<Comparison>& alike :
        grouped(equal.comparisons, [](const Comparison& each) { return each.what(); })) {
        std::vector<OfCards> by_api;
        for (const std::vector<Comparison>& own :
            grouped(alike, [&](const Comparison& each) { return api_of(equal, each.a.label); })) {
            if (std::ranges::none_of(own, &Comparison::differs)) continue;
            const std::string what = own[0].what();
            OfCards numbers{&*std::ranges::find_if(equal.comparisons,
                                [&](const Comparison& each) {
                                    return each.differs && each.what() == what &&
                                           api_of(equal, each.a.label) == api_of(equal, own[0].a.label);
                                }),
                {}};
            for (const Comparison& each : own)
                for (const Measured* side : {&each.a, &each.b})
                    if (side->value) numbers.by[side->label] = *side->value;
                    else if (side->range) numbers.by[side->label] = side->range->first;
            by_api.push_back(std::move(numbers));
        }
        if (!by_api.empty()) all.push_back(std::ranges::max(by_api, {}, &OfCards::apart));
    }
    std::ranges::stable_sort(all, std::greater(), &OfCards::apart);
    return all;
}

/// A row for each number, a column for each card.
Grid differences_grid(const EqualCards& equal, std::size_t most) {
    Grid grid{.name = "equal cards", .sections = {{}}};
    for (const Card* card : equal.cards) grid.columns.push_back(card->devices.at(0)->id);
    const std::vector<OfCards> all = numbers_that_differ(equal);
    grid.corner = fmt::format("cards differ: {} of {}", std::min(most, all.size()), all.size());
    for (const OfCards& each : std::span(all).first(std::min(most, all.size()))) {
        const std::size_t api = api_of(equal, each.about->a.label);
        GridRow row{fmt::format("{}, {}", each.about->what(), equal.cards[0]->devices.at(api)->api), {}};
        for (const Card* card : equal.cards) {
            const auto own = each.by.find(card->devices.at(api)->id);
            row.cells.push_back(
                own == each.by.end()
                    ? Cell()
                    : Cell(quantity_in(own->second, each.about->unit).value_or(Quantity{own->second, Unit::count})));
        }
        grid.sections[0].rows.push_back(std::move(row));
    }
    return grid;
}

template <class Make> std::string medians_text(const EqualCards& equal, Make make) {
    std::vector<Grid> grids;
    for (const Card* card : equal.cards) grids.push_back(make(*card));
    return grid_text(spreads(grids), text_columns());
}

std::string heading_of(const EqualCards& equal) {
    std::vector<std::string> ids;
    for (const Card* card : equal.cards) ids.push_back(card->devices.at(0)->id);
    return wrapped(fmt::format("{} equal cards ({}): medians, and in brackets from the least to the greatest in % of "
                               "the median.",
                       equal.cards.size(), list_text(ids)),
        text_columns(), 4);
}
} // namespace

void show_equal_cards(const Run& run, const EqualCards& equal, const DiagnoseOptions& options, std::ostream& out) {
    constexpr std::size_t kShown = 6; // differences on the first screen
    const Card& first = *equal.cards[0];
    const Statements statements = diagnose(first);
    const std::string profile = text_field(run.header, "profile"), doubts = further_doubts(equal, statements);
    const bool full = options.full || options.evidence;
    const std::string tables =
        doubts + heading_of(equal) + medians_text(equal, [](const Card& card) { return levels_grid(card); }) +
        medians_text(equal, [](const Card& card) { return short_arithmetic_grid(card); }) +
        grid_text(differences_grid(equal, full ? equal.comparisons.size() : kShown), text_columns());
    if (!full) {
        show_short(first, profile, statements, tables, out);
        if (std::ranges::none_of(equal.comparisons, &Comparison::differs)) print_summary(equal.comparisons, out);
        out << "more: sonde diagnose FILE --full | sonde report FILE\n";
        return;
    }
    show_full(first, profile, statements, out);
    out << "\n" << tables << "\n";
    print_summary(equal.comparisons, out);
}

} // namespace sonde
