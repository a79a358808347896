// Rules about copies between host and device, and within the device.
#include <algorithm>
#include <cmath>
#include <functional>

#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/base/text.h"
#include "core/diagnosis/fact_of.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kOverlaps = 1.5, kTakesTurns = 1.25; // both ways at once, beside the faster way alone
constexpr double kBothWays = 2;            // times: what two directions carry together that do not share anything
constexpr double kOverOverhead = 64 << 10; // bytes: what a copy of less takes is for the most part its overhead

/// The transfers with which two curves lie farthest apart, as far as both have such.
struct FarthestApart {
    double x = 0, first = 0, second = 0;
    double times() const { return first > 0 && second > 0 ? std::max(first / second, second / first) : 1; }
};

bool quartiles_overlap(const Point& a, const Point& b) {
    return a.low && a.high && b.low && b.high && *a.low <= *b.high && *b.low <= *a.high;
}

FarthestApart farthest_apart(const Series& first, const Series& second) {
    FarthestApart found;
    for (const Point& a : first.points)
        for (const Point& b : second.points)
            if (const FarthestApart each{a.x, a.median.value_or(0), b.median.value_or(0)};
                a.x == b.x && a.x >= kOverOverhead && !quartiles_overlap(a, b) && each.times() > found.times())
                found = each;
    return found;
}

bool slower(const CurvePoint& a, const CurvePoint& b) { return a.y < b.y; }

/// Pinned copies between host and device.
Curves pinned_copies(const Card& card, Direction way) {
    const Options plain = option::engine.as(Engine::copy) * option::pageable.as(false) * option::direction.as(way);
    Curves copies = curves_of(card, kTransfer);
    std::erase_if(copies,
        [&](const Curve* curve) { return curve->series->id.path != "host" || curve->series->id.options != plain; });
    return copies;
}

/// Whether copies of that size did not all cross the link, or may not have.
bool is_doubted_at(const Curve& way, double x) {
    const double link = way.device->host_link_bytes_per_second / 1e9;
    return is_copied_from_cache(way) && (link <= 0 || value_at(way, x) > link);
}

/// Those of one device, each way alone and both at once.
struct Ways {
    const Curve *up = nullptr, *down = nullptr, *both = nullptr;

    /// How much more both ways bring together than the faster one alone, with transfers of `x`; 0: not measured.
    double gain_at(double x) const {
        if (is_doubted_at(*up, x) || is_doubted_at(*down, x)) return 0; // the faster way is not known
        const double one = std::max(value_at(*up, x), value_at(*down, x));
        return one > 0 ? value_at(*both, x) / one : 0;
    }

    /// Of the largest transfers.
    double largest() const { return both->series->points.back().x; }
    double gain() const { return gain_at(largest()); }

    /// The transfers with which both ways overlap best, where that is not the largest.
    std::optional<CurvePoint> best_overlap() const {
        const auto points = points_of(*both);
        const CurvePoint best = *std::ranges::max_element(points, slower);
        return gain_at(best.x) >= kOverlaps ? std::optional(best) : std::nullopt;
    }
};

std::vector<Ways> copies_by_way(const Card& card) {
    const Curves ups = pinned_copies(card, Direction::to_device), downs = pinned_copies(card, Direction::to_host);
    std::vector<Ways> all;
    for (const Curve* both : pinned_copies(card, Direction::both)) {
        const auto same_device = [&](const Curve* curve) { return device_text(curve) == device_text(both); };
        const auto up = std::find_if(ups.begin(), ups.end(), same_device),
                   down = std::find_if(downs.begin(), downs.end(), same_device);
        if (up != ups.end() && down != downs.end() && card_of_its_own(*both)) all.push_back({*up, *down, both});
    }
    return all;
}
} // namespace

namespace {
/// A rate with those of the blocks, where they lie apart.
Quantity rate_of(const Curve& curve, double x) {
    Quantity rate = quantity_of(value_at(curve, x), *curve.series);
    if (const auto blocks = rates_of_blocks(*curve.series, x)) rate.range = {blocks->first * 1e9, blocks->second * 1e9};
    return rate;
}

Cell one_way(const Curve& curve, double x) {
    return is_doubted_at(curve, x) ? Cell(Lack::unsure) : Cell(rate_of(curve, x));
}

/// Both ways beside each alone, with the largest copies; then the best of smaller ones.
std::vector<PlaceGroup> rows_by_way(const std::vector<Ways>& all) {
    Place gain{"both at once, times the faster way", {}}, both{"both at once", {}}, up{"to the device", {}},
        down{"to the host", {}}, each_copy{"each copy", {}}, best{"both at once", {}}, best_copy{"each copy", {}};
    for (const Ways& ways : all) {
        const std::string& device = device_text(ways.both);
        const double largest = ways.largest();
        gain.cells.emplace_back(device, Quantity{ways.gain(), Unit::times});
        both.cells.emplace_back(device, rate_of(*ways.both, largest));
        up.cells.emplace_back(device, one_way(*ways.up, largest));
        down.cells.emplace_back(device, one_way(*ways.down, largest));
        each_copy.cells.emplace_back(device, Quantity{largest, Unit::bytes});
        const auto smaller = ways.gain() < kTakesTurns ? ways.best_overlap() : std::nullopt;
        if (!smaller) continue;
        best.cells.emplace_back(device, quantity_of(smaller->y, *ways.both->series));
        best_copy.cells.emplace_back(device, Quantity{smaller->x, Unit::bytes});
    }
    return {{"", {gain, both, up, down, each_copy}}, {"where both ways overlap best", {best, best_copy}}};
}
} // namespace

static void tell_turns(const Card& card, Statements& out) {
    std::vector<Ways> turns, overlaps;
    for (const Ways& ways : copies_by_way(card)) {
        if (ways.gain() >= kOverlaps) overlaps.push_back(ways);
        else if (ways.gain() > 0 && ways.gain() < kTakesTurns) turns.push_back(ways);
    }
    if (turns.empty()) return;
    std::ranges::stable_sort(turns, {}, &Ways::gain);
    Curves about;
    for (const Ways& ways : turns)
        for (const Curve* curve : {ways.both, ways.up, ways.down})
            if (curve == ways.both || !is_doubted_at(*curve, ways.largest())) about.push_back(curve);
    std::vector<Ways> all = turns;
    all.insert(all.end(), overlaps.begin(), overlaps.end());
    Ranked gains;
    for (const Ways& ways : all) gains.emplace_back(ways.gain(), ways.both);
    CardFact fact = fact_of(card, {{"copy", in_bytes(turns[0].largest())}}, gains, rows_by_way(all));
    fact.effect = kBothWays / turns[0].gain();
    tell(out, std::move(fact), about);
}

const Rule transfers_take_turns{"transfers_take_turns", "path", tell_turns};

namespace {
/// The same transfers in both directions at once.
Curves both_ways_of(const Card& card, const Curves& one_way) {
    Curves both = curves_of(card, kTransfer);
    std::erase_if(both, [&](const Curve* curve) {
        return std::ranges::none_of(one_way, [&](const Curve* one) {
            return device_text(one) == device_text(curve) &&
                   curve->series->id.options == option::direction.as(Direction::both) * one->series->id.options;
        });
    });
    return both;
}
double link_of(const Curve& curve) { return curve.device->host_link_bytes_per_second / 1e9; }

/// No cells where the link is not known.
Place link_place(const Curve* curve) {
    return link_of(*curve) > 0 ? place_of("host link", {{link_of(*curve), curve}}) : Place();
}

void tell_cached(const Card& card, Statements& out, const Term& what, const Curve* curve) {
    if (!is_copied_from_cache(*curve)) return;
    const auto points = points_of(*curve);
    const CurvePoint best = *std::ranges::max_element(points, slower), last = points.back();
    const Ranked told{{best.y, curve}};
    CardFact fact = fact_of(card, {{"what", what}}, told,
        {{"", {place_of(format_bytes(best.x), told), place_of(format_bytes(last.x), {{last.y, curve}}),
                  link_place(curve)}}});
    if (link_of(*curve) > 0 && best.y > link_of(*curve)) fact.cause = Cause::not_over_link;
    tell(out, std::move(fact), {curve}).from[0].x = {best.x, last.x};
}

/// Other copies one way above the link.
Curves copies_over_link(const Card& card, const Statements& told) {
    Curves over = curves_of(card, kTransfer);
    std::erase_if(over, [&](const Curve* curve) {
        const Options& options = curve->series->id.options;
        const double link = link_of(*curve);
        return !card_of_its_own(*curve) || !(link > 0) ||
               (!option::direction.is(options, Direction::to_device) &&
                   !option::direction.is(options, Direction::to_host)) ||
               highest_of(*curve) <= link || cites(told, curve->series->id);
    });
    return over;
}

/// The highest rate of each curve, by its options.
std::vector<Place> places_by_options(const Curves& curves) {
    std::vector<Place> places;
    places.reserve(curves.size());
    for (const Curve* curve : curves)
        places.push_back(place_of(options_text(curve->series->id.options), {{highest_of(*curve), curve}}));
    return places;
}

/// Of one device.
void tell_over_link(const Card& card, Statements& out, const Curves& over) {
    const Curves both = both_ways_of(card, over);
    const Ranked rates = ranked(over, highest_of);
    const Curves others = curves_in(Ranked(rates.begin() + 1, rates.end()));
    const Curve* highest = rates.front().second;
    CardFact fact = fact_of(card, {{"what", term::copies_above_link}}, {rates.front()},
        {{"", {places_by_options({highest})[0], link_place(highest)}},
            {"above the link as well", places_by_options(others)},
            {"both ways at once, which may be above it", places_by_options(both)}});
    fact.cause = Cause::not_over_link;
    Curves about = over;
    about.insert(about.end(), both.begin(), both.end());
    tell(out, std::move(fact), about);
}
} // namespace

static void tell_copies_from_cache(const Card& card, Statements& out) {
    for (const Direction way : {Direction::to_device, Direction::to_host})
        for (const Curve* curve : pinned_copies(card, way))
            tell_cached(card, out, way == Direction::to_device ? term::copies_to_device : term::copies_to_host, curve);
    for (const Curve* curve : curves_of(card, kStream)) {
        if (curve->series->id.path != "host" || curve->series->evidence.unit_of_work != "bytes written") continue;
        // where the largest exceed the link too, the memory is not the host's: faster_than_peak
        if (points_of(*curve).back().y <= link_of(*curve)) tell_cached(card, out, term::stores_to_host, curve);
    }
    for (const Curves& of_device : grouped(copies_over_link(card, out), device_text))
        tell_over_link(card, out, of_device);
}

const Rule copies_from_cache{"copies_from_cache", "suspect", tell_copies_from_cache};

namespace {
/// Copies at odd addresses and at multiples of a page, through one device.
struct ByAddress {
    const Curve *odd, *page;
    FarthestApart most;
    double times() const { return most.times(); }
    Slots what() const {
        const Options& options = odd->series->id.options;
        return {{"direction", option::direction.word(options)}, {"memory", option::pageable.word(options)}};
    }
};

/// Those that lie farther apart than two runs.
std::vector<ByAddress> apart_by_address(const Card& card) {
    const double two_runs = std::exp(1.96 * std::sqrt(2) * run_noise::by_host); // times: 95 % of them lie within
    std::vector<ByAddress> all;
    const Curves copies = curves_of(card, kTransfer);
    for (const Curve* odd : copies) {
        const Options& own = odd->series->id.options;
        if (!card_of_its_own(*odd) || !option::pageable.asked(own) || !option::direction.asked(own) ||
            !option::alignment.is(own, 1))
            continue;
        const Options wanted = option::alignment.as(4096) * own;
        for (const Curve* page : copies)
            if (page->series->id.options == wanted && device_text(page) == device_text(odd))
                if (const FarthestApart most = farthest_apart(*odd->series, *page->series); most.times() > two_runs)
                    all.push_back({odd, page, most});
    }
    return all;
}

PlaceGroup rows_by_address(const std::vector<ByAddress>& alike) {
    Place odd{"odd addresses", {}}, page{"multiples of 4 KiB", {}}, each_copy{"each copy", {}};
    for (const ByAddress& each : alike) {
        const std::string& device = device_text(each.odd);
        odd.cells.emplace_back(device, quantity_of(each.most.first, *each.odd->series));
        page.cells.emplace_back(device, quantity_of(each.most.second, *each.page->series));
        each_copy.cells.emplace_back(device, Quantity{each.most.x, Unit::bytes});
    }
    return {filled(label::copies_by_address, alike[0].what()), {odd, page, each_copy}};
}
} // namespace

static void tell_by_address(const Card& card, Statements& out) {
    std::vector<ByAddress> all = apart_by_address(card);
    if (all.empty()) return;
    std::ranges::stable_sort(all, std::greater(), &ByAddress::times);
    std::vector<PlaceGroup> rows;
    for (const auto& alike :
        grouped(all, [](const ByAddress& each) { return filled(label::copies_by_address, each.what()); }))
        rows.push_back(rows_by_address(alike));
    Curves about;
    for (const ByAddress& each : all) about.insert(about.end(), {each.odd, each.page});
    CardFact fact = fact_of(card, all[0].what(), {{all[0].most.first, all[0].odd}}, rows);
    fact.effect = all[0].times();
    tell(out, std::move(fact), about);
}

const Rule copies_by_address{"copies_by_address", "path", tell_by_address};

} // namespace sonde
