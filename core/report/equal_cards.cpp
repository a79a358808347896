// Medians of equal cards, and where one of them differs.
#include "core/report/equal_cards.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/grouped.h"
#include "core/base/statistics.h"
#include "core/compare/compare.h"
#include "core/diagnosis/health_numbers.h"
#include "core/diagnosis/overview.h"

namespace sonde {

namespace {
/// What comparisons call a device of a card: ids alone are those of several machines.
std::string label_of(const Card& card, const DeviceRecord& device) { return fmt::format("{} {}", card.id, device.id); }

} // namespace

namespace {
/// The device of another card that is of the same model, driver and API; nullptr: there is none.
const DeviceRecord* like(const DeviceRecord& device, const Card& other) {
    const auto found = std::ranges::find_if(other.devices, [&](const DeviceRecord* each) {
        return !device.cpu && each->name == device.name && each->api == device.api && each->driver == device.driver;
    });
    return found == other.devices.end() ? nullptr : *found;
}
} // namespace

bool are_equal(const Card& first, const Card& other) {
    const auto measured = [](const Card& card) { return with_points(card) > 0 && curves_in_use(card).empty(); };
    return measured(first) && measured(other) && !other.devices.empty() &&
           std::ranges::all_of(other.devices, [&](const DeviceRecord* device) { return like(*device, first); });
}

std::vector<std::vector<std::size_t>> groups_of_equal(std::span<const Card> cards) {
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < cards.size(); ++i) {
        const auto group = std::ranges::find_if(
            groups, [&](const std::vector<std::size_t>& each) { return are_equal(cards[each[0]], cards[i]); });
        if (group == groups.end()) groups.push_back({i});
        else group->push_back(i);
    }
    return groups;
}

namespace {
/// Where a card stands among the others, which the table of their pairs tells: no property of the card.
bool is_between_cards(const Comparison& comparison) {
    const Path* path = find_path(comparison.question.path);
    return path && is_of_peer(path->space);
}

/// The devices of a card beside those of an equal one.
std::vector<Comparison> compare_equal(std::span<const Run> runs, const Card& first, const Card& other) {
    const auto side = [&](const DeviceRecord& device, const Card& card) {
        return Side{label_of(card, device),
            {{&runs[card.curves.front().run], &device, std::shared_ptr<const Card>(std::shared_ptr<void>(), &card)}}};
    };
    std::vector<Comparison> all;
    std::vector<std::string> notes; // what one side lacks: the matrix would show it
    for (const DeviceRecord* device : other.devices)
        for (Comparison& each : compare(side(*like(*device, first), first), side(*device, other), View::ns, notes))
            if (!is_between_cards(each)) all.push_back(std::move(each));
    judge(all);
    return all;
}
} // namespace

std::vector<EqualCards> equal_cards(
    std::span<const Run> runs, std::span<const Card> cards, std::span<const std::string> names) {
    std::vector<EqualCards> groups;
    for (const std::vector<std::size_t>& places : groups_of_equal(cards)) {
        EqualCards& group = groups.emplace_back();
        for (const std::size_t i : places) {
            group.cards.push_back(&cards[i]);
            group.names.push_back(names[i]);
            if (group.cards.size() > 1)
                std::ranges::move(
                    compare_equal(runs, *group.cards[0], cards[i]), std::back_inserter(group.comparisons));
        }
    }
    return groups;
}

std::vector<std::string> ids_of(std::span<const Card> cards) {
    std::vector<std::string> ids;
    ids.reserve(cards.size());
    for (const Card& card : cards) ids.push_back(card.devices.empty() ? card.id : card.devices[0]->id);
    return ids;
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

/// The place of a device among those of its card, which is the API's for all of them. `label`: as label_of has it.
std::size_t api_of(const EqualCards& equal, const std::string& label) {
    for (const Card* card : equal.cards)
        for (std::size_t i = 0; i < card->devices.size(); ++i)
            if (label_of(*card, *card->devices[i]) == label) return i;
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

/// A headline number of each card that has it, through the first API.
struct RankedNumber {
    HealthNumber of_first{};
    std::map<const Card*, double> values{};
    double middle = 0; // their median
    /// Of the middle; below 1 the card is slower.
    std::optional<double> share(const Card* card) const {
        const auto own = values.find(card);
        if (own == values.end()) return std::nullopt;
        return of_first.row->more ? own->second / middle : middle / own->second;
    }
};

std::vector<RankedNumber> ranked_numbers(const EqualCards& equal) {
    std::vector<RankedNumber> all;
    for (const Card* card : equal.cards)
        for (const HealthNumber& number : health_numbers(*card)) {
            if (number.device != card->devices.at(0)->id) continue;
            const auto same = std::ranges::find_if(
                all, [&](const RankedNumber& each) { return each.of_first.text() == number.text(); });
            RankedNumber& ranked = same == all.end() ? all.emplace_back(RankedNumber{.of_first = number}) : *same;
            ranked.values[card] = number.value.value;
        }
    std::erase_if(all, [](const RankedNumber& number) { return number.values.size() < 2; });
    for (RankedNumber& number : all) {
        std::vector<double> values;
        values.reserve(number.values.size());
        for (const auto& [card, value] : number.values) values.push_back(value);
        number.middle = median(values);
    }
    return all;
}
} // namespace

Grid rank_grid(const EqualCards& equal) {
    const std::vector<RankedNumber> numbers = ranked_numbers(equal);
    Grid grid{.name = "rank of cards",
        .corner = "by the worst number",
        .sections = {{}},
        .unit_by = UnitBy::cell,
        .caption = "share of the median of all cards; of a latency the median's share of it: below 100 % is slower"};
    GridRow medians{"median", {}};
    for (const RankedNumber& number : numbers) {
        grid.columns.push_back(number.of_first.text());
        medians.cells.emplace_back(Quantity{number.middle, number.of_first.value.unit});
    }
    std::vector<std::pair<double, GridRow>> rows;
    rows.reserve(equal.cards.size());
    for (std::size_t i = 0; i < equal.cards.size(); ++i) {
        auto& [least, row] = rows.emplace_back(INFINITY, GridRow{equal.names[i], {}});
        for (const RankedNumber& number : numbers) {
            const auto share = number.share(equal.cards[i]);
            least = std::min(least, share.value_or(INFINITY));
            row.cells.push_back(share ? Cell(Quantity{*share, Unit::spread}) : Cell());
        }
    }
    std::ranges::stable_sort(rows, {}, [](const auto& row) { return row.first; });
    std::vector<GridRow>& all = grid.sections[0].rows;
    all.push_back(std::move(medians));
    for (auto& [least, row] : rows) all.push_back(std::move(row));
    return numbers.empty() ? Grid() : grid;
}

Grid differences_grid(const EqualCards& equal, std::size_t most) {
    Grid grid{.name = "equal cards", .sections = {{}}};
    grid.columns = equal.names;
    const std::vector<OfCards> all = numbers_that_differ(equal);
    grid.corner = all.size() <= most ? "cards differ" : fmt::format("cards differ: {} of {}", most, all.size());
    for (const OfCards& each : std::span(all).first(std::min(most, all.size()))) {
        const std::size_t api = api_of(equal, each.about->a.label);
        GridRow row{fmt::format("{}, {}", each.about->what(), equal.cards[0]->devices.at(api)->api), {}};
        for (const Card* card : equal.cards) {
            const auto own = each.by.find(label_of(*card, *card->devices.at(api)));
            row.cells.push_back(
                own == each.by.end()
                    ? Cell()
                    : Cell(quantity_in(own->second, each.about->unit).value_or(Quantity{own->second, Unit::count})));
        }
        grid.sections[0].rows.push_back(std::move(row));
    }
    return grid;
}

Grid medians_grid(const EqualCards& equal, const std::function<Grid(const Card&)>& make) {
    std::vector<Grid> grids;
    grids.reserve(equal.cards.size());
    for (const Card* card : equal.cards) grids.push_back(make(*card));
    Grid all = spreads(grids);
    for (const DeviceRecord* device : equal.cards[0]->devices) { // whose numbers are those of all cards here
        const auto own_api = [&](const DeviceRecord* other) { return other->api == device->api; };
        if (std::ranges::count_if(equal.cards[0]->devices, own_api) > 1) continue;
        std::ranges::replace(all.columns, device->id, device->api);
        if (all.corner == device->id) all.corner = device->api;
    }
    return all;
}

Statements further_doubts(const EqualCards& equal, const Statements& of_first) {
    Statements doubts;
    for (const Card* card : std::span(equal.cards).subspan(1))
        for (Statement& statement : diagnose(*card))
            if (is_doubt(statement) && std::ranges::none_of(of_first, [&](const Statement& other) {
                    return other.rule == statement.rule &&
                           sources_of(*equal.cards[0], other) == sources_of(*card, statement);
                }))
                doubts.push_back(std::move(statement));
    return doubts;
}

} // namespace sonde
