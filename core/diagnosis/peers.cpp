// The rule about another card's memory: which API reaches it how, and how fast.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/statistics.h"
#include "core/diagnosis/fact_of.h"

namespace sonde {

namespace {
constexpr double kFlat = 1.03; // times the least, the greatest latency of one level

/// One way to move bytes between two cards, of which a row tells.
struct Way {
    std::string_view row;
    const Probe& probe;
    std::string_view path;
    Options options;
};

Options copies(Engine engine, Direction direction) {
    return option::engine.as(engine) * option::direction.as(direction);
}

/// Those that one direction of the link carries.
std::vector<Way> one_way() {
    using enum Direction;
    return {{"copies to it", kTransfer, "peer", copies(Engine::copy, to_peer)},
        {"copies from it", kTransfer, "peer", copies(Engine::copy, from_peer)},
        {"copies by a kernel to it", kTransfer, "peer", copies(Engine::kernel, to_peer)},
        {"copies by a kernel from it", kTransfer, "peer", copies(Engine::kernel, from_peer)},
        {"all cores read", kBandwidth, "peer", option::width.as(16)},
        {"all cores write", kStream, "peer", option::operation.as("fill") * option::width.as(16)},
        {"copies to it without access", kTransfer, "peer.unmapped", copies(Engine::copy, to_peer)},
        {"copies from it without access", kTransfer, "peer.unmapped", copies(Engine::copy, from_peer)}};
}
std::vector<Way> both_ways() {
    using enum Direction;
    return {{"copies both ways at once, their sum", kTransfer, "peer", copies(Engine::copy, both)},
        {"copies by a kernel both ways, their sum", kTransfer, "peer", copies(Engine::kernel, both)},
        {"copies both ways without access, their sum", kTransfer, "peer.unmapped", copies(Engine::copy, both)}};
}

/// Of the largest size; 0: there is none.
double last_of(const Curve& curve) {
    const auto points = points_of(curve);
    return points.empty() ? 0 : points.back().y;
}

/// Of each device, to the card that it takes unless told.
Ranked rates_of(const Card& card, const Way& way) {
    Curves curves = curves_of(card, way.probe);
    std::erase_if(curves, [&](const Curve* curve) {
        return curve->series->id.path != way.path || curve->series->id.options != way.options;
    });
    return ranked(curves, last_of);
}

/// The record of the peer that a curve's series went to; nullptr: the file has none.
const Peer* peer_of(const Curve& curve) {
    const auto& peers = curve.device->peers;
    const auto found = std::ranges::find(peers, curve.series->evidence.peer, &Peer::device);
    return found == peers.end() ? nullptr : &*found;
}

/// Each device's fastest.
Ranked fastest(const std::vector<Ranked>& ways) {
    Ranked best;
    for (const Ranked& way : ways)
        for (const auto& each : way) {
            const auto same = std::ranges::find_if(
                best, [&](const auto& other) { return device_text(other.second) == device_text(each.second); });
            if (same == best.end()) best.push_back(each);
            else if (each.first > same->first) *same = each;
        }
    return sorted(std::move(best));
}

/// What the links carry one way, and which share of it the fastest takes.
std::vector<Place> link_places(const Ranked& best) {
    Place link{"the link, one way", {}}, share{"of it", {}};
    for (const auto& [rate, curve] : best)
        if (const Peer* peer = peer_of(*curve); peer && peer->link_bytes_per_second > 0) {
            link.cells.emplace_back(device_text(curve), Quantity{peer->link_bytes_per_second, Unit::bytes_per_s});
            Quantity part{rate * 1e9 / peer->link_bytes_per_second, Unit::share};
            part.derived = true;
            share.cells.emplace_back(device_text(curve), part);
        }
    return {link, share};
}

/// Half a round trip between work-items of both cards, by what each passes on.
std::vector<Place> exchanges(const Card& card) {
    std::vector<Place> places;
    for (const auto& [row, how] : {std::pair{"half a round trip by compare-and-swap", Options{{"swap", "system"}}},
             {"half a round trip by a flag", Options{{"flag", "system"}}}})
        places.push_back(
            place_of(row, rates_of(card, {row, kCoreToCore, "peer", Options{{"scope", "cards"}} * how}), Unit::ns));
    return places;
}

/// Levels of a path, each from the least to the greatest of its points: what lies behind the link may step within one.
PlaceGroup levels_on(const char* path, const Curves& latencies) {
    PlaceGroup group{fmt::format("a load on {}", path), {}};
    for (const Curve* curve : latencies)
        for (std::size_t i = 0; i < curve->levels.size(); ++i) {
            std::vector<double> cycles, ns;
            for (const Point& point : curve->series->points) {
                if (!point.median || std::ranges::find(curve->levels[i].x, point.x) == curve->levels[i].x.end())
                    continue;
                ns.push_back(*point.median);
                if (point.cycles) cycles.push_back(*point.cycles);
            }
            const bool in_cycles = !cycles.empty() && cycles.size() == ns.size();
            const std::vector<double>& all = in_cycles ? cycles : ns;
            if (all.empty()) continue;
            Quantity latency{median(all), in_cycles ? Unit::cycles : Unit::ns};
            const auto [least, most] = std::ranges::minmax(all);
            if (most > kFlat * least) latency.range = std::pair(least, most);
            const auto row = std::ranges::find(group.places, curve->level_names[i].text(), &Place::name);
            Place& place =
                row == group.places.end() ? group.places.emplace_back(Place{curve->level_names[i].text(), {}}) : *row;
            place.cells.emplace_back(device_text(curve), latency);
        }
    return group;
}

/// APIs of the card that refuse, and why.
void add_refusals(const Card& card, CardFact& fact) {
    for (const Curve& curve : card.curves) {
        const bool refused = curve.series->status == Status::unsupported && curve.path && is_of_peer(curve.path->space);
        if (!refused) continue;
        const std::string note = fmt::format("{}, {}: {}", device_text(&curve), curve.path->name, curve.series->reason);
        if (std::ranges::find(fact.notes, note) == fact.notes.end()) fact.notes.push_back(note);
    }
}

void tell_other_card(const Card& card, Statements& out) {
    std::vector<Ranked> ways;
    std::vector<Place> one{{"the fastest way", {}}}, both;
    for (const Way& way : one_way()) {
        ways.push_back(rates_of(card, way));
        one.push_back(place_of(std::string(way.row), ways.back()));
    }
    const Ranked best = fastest(ways);
    if (best.empty()) return;
    one[0] = place_of(one[0].name, best);
    for (Place& place : link_places(best)) one.push_back(std::move(place));
    Curves about = curves_in(best);
    for (const Way& way : both_ways()) both.push_back(place_of(std::string(way.row), rates_of(card, way)));
    std::vector<PlaceGroup> groups{{"one way", std::move(one)}, {"both ways", std::move(both)},
        {"between work-items of two cards", exchanges(card)}};
    for (const char* path : {"peer", "peer.cg"}) {
        const Curves latencies = plain_curves(card, kLatency, path);
        if (!latencies.empty()) groups.push_back(levels_on(path, latencies));
        about.insert(about.end(), latencies.begin(), latencies.end());
    }
    CardFact fact = fact_of(card, {{"link", best[0].second->series->evidence.peer_link}}, best, groups);
    add_refusals(card, fact);
    fact.only_some = !fact.notes.empty();
    tell(out, std::move(fact), about);
}
} // namespace

const Rule other_card{"other_card", "path", tell_other_card};

} // namespace sonde
