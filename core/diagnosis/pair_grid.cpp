#include "core/diagnosis/pair_grid.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/grouped.h"
#include "core/base/json.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
constexpr double kBehind = 0.95;         // of the others' median: what lies above is never slow
constexpr double kSpreads = 4;           // standard deviations of the others, by their median absolute deviation
constexpr double kDeviation = 1.4826;    // of these in that, were they normal
constexpr std::size_t kFewestOthers = 2; // that tell what is usual

/// One way to reach another card, of which a section tells.
struct PairWay {
    std::string_view title;
    const Probe& probe;
    std::string_view path;
    Options options;
};

Options engine_copies(Direction direction) { return option::engine.as(Engine::copy) * option::direction.as(direction); }

const std::vector<PairWay>& pair_ways() {
    static const std::vector<PairWay> kWays{{"copies to it", kTransfer, "peer", engine_copies(Direction::to_peer)},
        {"copies from it", kTransfer, "peer", engine_copies(Direction::from_peer)},
        {"copies both ways at once, their sum", kTransfer, "peer", engine_copies(Direction::both)},
        {"copies to it without access", kTransfer, "peer.unmapped", engine_copies(Direction::to_peer)},
        {"all cores read", kBandwidth, "peer", option::width.as(16)},
        {"all cores write", kStream, "peer", option::operation.as("fill") * option::width.as(16)},
        {"a load", kLatency, "peer", {}}};
    return kWays;
}

/// All curves of one run through one API, and the cards behind it.
struct Machine {
    std::string api{};
    Curves curves{};
    std::vector<const DeviceRecord*> cards{};
};

std::vector<Machine> machines_in(std::span<const Card> cards) {
    Curves all;
    for (const Card& card : cards)
        for (const Curve& curve : card.curves)
            if (curve.device && !curve.device->cpu) all.push_back(&curve);
    std::vector<Machine> machines;
    for (Curves& curves : grouped(all, [](const Curve* curve) { return std::pair(curve->run, curve->series->api); })) {
        Machine machine{.api = curves[0]->series->api};
        for (const Curve* curve : curves)
            if (std::ranges::find(machine.cards, curve->device) == machine.cards.end())
                machine.cards.push_back(curve->device);
        std::ranges::sort(
            machine.cards, {}, [](const DeviceRecord* card) { return std::pair(card->id.size(), card->id); });
        machine.curves = std::move(curves);
        machines.push_back(std::move(machine));
    }
    return machines;
}

/// The value of the largest size or footprint.
std::optional<Quantity> value_at_end(const Curve& curve) {
    const auto points = points_of(curve);
    return points.empty() ? std::nullopt : std::optional(quantity_in(points.back().y, curve.series->unit));
}

struct PairValue {
    std::string device{}, other{}, kind{};
    Quantity value{};
    std::optional<double> share{}; // where it is slow

    bool joins_those_of(const PairValue& pair) const {
        return std::minmax(device, other) == std::minmax(pair.device, pair.other);
    }
    /// The more, the better.
    double speed() const { return value.unit == Unit::ns ? 1 / value.value : value.value; }
};

/// "18 NVLinks to a switch" -> "NVLink to a switch": fewer links are the same kind, and slow.
std::string kind_of(const std::string& link) {
    constexpr std::string_view kMany = "NVLinks";
    std::string kind = link.substr(std::min(link.size(), link.find_first_not_of("0123456789 ")));
    if (kind.starts_with(kMany)) kind.erase(kMany.size() - 1, 1);
    return kind;
}

/// The last of a pair counts, as of a run that went on.
std::vector<PairValue> values_of(const Machine& machine, const PairWay& way) {
    std::vector<PairValue> values;
    for (const Curve* curve : machine.curves) {
        const Series& series = *curve->series;
        const auto value = value_at_end(*curve);
        if (!curve->usable() || !value || series.id.probe != way.probe.name || series.id.path != way.path ||
            series.id.options.without(option::peer) != way.options || series.evidence.peer.empty())
            continue;
        PairValue pair{series.id.device, series.evidence.peer, kind_of(series.evidence.peer_link), *value};
        std::erase_if(values,
            [&](const PairValue& earlier) { return earlier.device == pair.device && earlier.other == pair.other; });
        values.push_back(std::move(pair));
    }
    return values;
}

/// Marks those that are slow.
void judge(std::vector<PairValue>& values) {
    for (PairValue& pair : values) {
        std::vector<double> others, apart;
        for (const PairValue& other : values)
            if (other.kind == pair.kind && !other.joins_those_of(pair)) others.push_back(other.speed());
        if (others.size() < kFewestOthers) continue;
        const double usual = median(others);
        apart.reserve(others.size());
        for (const double speed : others) apart.push_back(std::abs(speed - usual));
        const double spread = kDeviation * median(apart);
        if (pair.speed() < kBehind * usual && pair.speed() < usual - kSpreads * spread)
            pair.share = pair.speed() / usual;
    }
}

Cell cell_of(const std::vector<PairValue>& values, const std::string& device, const std::string& other) {
    for (const PairValue& pair : values)
        if (pair.device == device && pair.other == other)
            return {pair.value, pair.share ? std::optional(Quantity{*pair.share, Unit::share}) : std::nullopt};
    return {};
}

void add_section(CardPairs& pairs, const PairWay& way, const std::vector<PairValue>& values) {
    GridSection section{std::string(way.title), {}};
    for (const std::string& device : pairs.grid.columns) {
        GridRow row{device, {}};
        for (const std::string& other : pairs.grid.columns) row.cells.push_back(cell_of(values, device, other));
        section.rows.push_back(std::move(row));
    }
    pairs.grid.sections.push_back(std::move(section));
    for (const PairValue& pair : values)
        if (pair.share)
            pairs.slow.push_back({std::string(way.title), pair.device, pair.other, pair.kind, pair.value, *pair.share});
}

/// Each pair of cards once.
std::vector<LinkKind> links_of(const Machine& machine) {
    std::vector<LinkKind> kinds;
    for (const DeviceRecord* card : machine.cards)
        for (const Peer& peer : card->peers) {
            if (peer.link.empty()) continue;
            const auto same = std::ranges::find_if(kinds, [&](const LinkKind& kind) {
                return kind.text == peer.link && kind.bytes_per_second == peer.link_bytes_per_second;
            });
            LinkKind& kind =
                same == kinds.end() ? kinds.emplace_back(LinkKind{peer.link, peer.link_bytes_per_second, {}}) : *same;
            if (std::ranges::find(kind.pairs, std::pair(peer.device, card->id)) == kind.pairs.end())
                kind.pairs.emplace_back(card->id, peer.device);
        }
    return kinds;
}

/// Copies of one card, and of each while all copy.
struct TogetherWay {
    std::string_view title, path;
    Options alone;
};

std::vector<TogetherWay> together_ways() {
    const auto with_host = [](Direction direction) { return engine_copies(direction) * option::pageable.as(false); };
    return {{"to the next card", "peer", engine_copies(Direction::to_peer)},
        {"to the next card and back", "peer", engine_copies(Direction::both)},
        {"from the host", "host", with_host(Direction::to_device)},
        {"to the host", "host", with_host(Direction::to_host)},
        {"from and to the host", "host", with_host(Direction::both)}};
}

Grid together_grid(const Machine& machine) {
    Grid grid{.name = "cards together",
        .corner = "copies",
        .columns = {"cards", "the slowest alone", "together, each", "share"},
        .sections = {{}},
        .unit_by = UnitBy::cell,
        .caption = "what one card copies, and each card while all do"};
    for (const TogetherWay& way : together_ways()) {
        const Options all = way.alone * option::together.as(true);
        std::vector<double> alone;
        const Curve* together = nullptr;
        for (const Curve* curve : machine.curves) {
            const Series& series = *curve->series;
            if (!curve->usable() || series.id.probe != kTransfer.name || series.id.path != way.path) continue;
            if (series.id.options == all) together = curve;
            if (series.id.options.without(option::peer) == way.alone)
                if (const auto value = value_at_end(*curve)) alone.push_back(value->value);
        }
        const auto each = together ? value_at_end(*together) : std::nullopt;
        if (!each) continue;
        GridRow row{std::string(way.title), {}};
        row.cells.emplace_back(
            Quantity{static_cast<double>(together->series->evidence.cards_together.value_or(0)), Unit::count});
        const double slowest = alone.empty() ? 0 : std::ranges::min(alone); // for which all wait
        row.cells.push_back(alone.empty() ? Cell() : Cell(Quantity{slowest, Unit::bytes_per_s}));
        row.cells.emplace_back(*each);
        row.cells.push_back(alone.empty() ? Cell() : Cell(Quantity{each->value / slowest, Unit::share}));
        grid.sections[0].rows.push_back(std::move(row));
    }
    return grid;
}
} // namespace

namespace {
/// By number.
std::vector<std::string> cards_in(const std::vector<std::vector<PairValue>>& by_way) {
    std::vector<std::string> ids;
    for (const std::vector<PairValue>& values : by_way)
        for (const PairValue& pair : values)
            for (const std::string& id : {pair.device, pair.other})
                if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    std::ranges::sort(ids, {}, [](const std::string& id) { return std::pair(id.size(), id); });
    return ids;
}
} // namespace

std::vector<CardPairs> pairs_of(std::span<const Card> cards) {
    std::vector<CardPairs> all;
    for (const Machine& machine : machines_in(cards)) {
        CardPairs pairs{.api = machine.api,
            .grid = {.name = "pairs of cards",
                .corner = "from this card",
                .caption = "the largest size; in brackets a slow pair's share of the others of its kind"},
            .together = together_grid(machine)};
        std::vector<std::vector<PairValue>> by_way;
        for (const PairWay& way : pair_ways()) by_way.push_back(values_of(machine, way));
        pairs.grid.columns = cards_in(by_way);
        for (std::size_t i = 0; i < by_way.size(); ++i) {
            if (by_way[i].empty()) continue;
            judge(by_way[i]);
            add_section(pairs, pair_ways()[i], by_way[i]);
        }
        pairs.links = links_of(machine);
        if (std::ranges::all_of(by_way, [](const std::vector<PairValue>& values) { return values.size() < 2; }))
            pairs.grid = {}; // the card tells of its one peer
        if (!pairs.empty()) all.push_back(std::move(pairs));
    }
    return all;
}

std::string text_of(const SlowPair& slow) {
    const Scale scale = scale_of(slow.value.value, slow.value.unit);
    return fmt::format("{} to {}, {}: {} {}, {:.0f} % of the others{}{}{}", slow.device, slow.other, slow.way,
        quantity_text(slow.value, scale), scale.unit, slow.share * 100, slow.kind.empty() ? "" : " (", slow.kind,
        slow.kind.empty() ? "" : ")");
}

std::string text_of(const LinkKind& kind) {
    std::vector<std::string> pairs;
    pairs.reserve(kind.pairs.size());
    for (const auto& [card, other] : kind.pairs) pairs.push_back(fmt::format("{}-{}", card, other));
    const std::string rate =
        kind.bytes_per_second > 0 ? fmt::format(", {} each way", format_si(kind.bytes_per_second, "B/s")) : "";
    return fmt::format("{}{}: {}", kind.text, rate, fmt::join(pairs, ", "));
}

std::vector<Json> findings_of(const CardPairs& pairs) {
    std::vector<Json> all;
    for (const Grid* grid : {&pairs.grid, &pairs.together}) {
        if (grid->empty()) continue;
        all.push_back(to_json(*grid));
        all.back()["api"] = pairs.api;
    }
    for (const LinkKind& kind : pairs.links)
        all.push_back({{"type", "finding"}, {"kind", "link"}, {"name", kind.text}, {"api", pairs.api},
            {"bytes_per_second", kind.bytes_per_second}, {"pairs", kind.pairs}});
    for (const SlowPair& slow : pairs.slow)
        all.push_back({{"type", "finding"}, {"kind", "slow pair"}, {"name", slow.way}, {"api", pairs.api},
            {"device", slow.device}, {"other", slow.other}, {"link", slow.kind}, {"value", slow.value.value},
            {"unit", std::string(unit_name(slow.value.unit))}, {"share", slow.share}, {"text", text_of(slow)}});
    return all;
}

} // namespace sonde
