// Rules about copies between host and device, and within the device.
#include <algorithm>
#include <cmath>

#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/base/text.h"
#include "core/diagnosis/fact_of.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kOverlaps = 1.5, kTakesTurns = 1.25; // both ways at once, beside the faster way alone
constexpr double kBothWays = 2;            // times: what two directions carry together that do not share anything
constexpr double kFromCache = 1.3;         // times the rate of the largest transfers
constexpr double kCopiesApart = 2;         // times: within the device
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

/// A processor copies to itself.
bool card_of_its_own(const Curve& curve) { return !curve.device->cpu && !curve.device->software; }

/// Pinned copies between host and device.
Curves pinned_copies(const Card& card, Direction way) {
    const Options plain = option::engine.as(Engine::copy) * option::pageable.as(false) * option::direction.as(way);
    Curves copies = curves_of(card, kTransfer);
    std::erase_if(copies,
        [&](const Curve* curve) { return curve->series->id.path != "host" || curve->series->id.options != plain; });
    return copies;
}

/// Those of one device, each way alone and both at once.
struct Ways {
    const Curve *up = nullptr, *down = nullptr, *both = nullptr;

    /// How much more both ways bring together than the faster one alone, with transfers of `x`; 0: not measured.
    double gain_at(double x) const {
        const double one = std::max(is_copied_from_cache(*up) ? 0 : value_at(*up, x),
            is_copied_from_cache(*down) ? 0 : value_at(*down, x)); // nothing rests on a doubted series
        return one > 0 ? value_at(*both, x) / one : 0;
    }

    /// The transfers with which both ways overlap best, where that is not the largest.
    std::string smaller_text() const {
        const auto points = points_of(*both);
        const auto best = std::max_element(points.begin(), points.end(), slower);
        return is_copied_from_cache(*up) || is_copied_from_cache(*down) || gain_at(best->x) < kOverlaps
                   ? ""
                   : fmt::format(" ({} at {})", rate_text(best->y), format_bytes(best->x));
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

bool is_copied_from_cache(const Curve& curve) {
    const auto points = points_of(curve);
    const double link = curve.device->host_link_bytes_per_second / 1e9;
    double best = 0; // that three of four samples reach
    for (const Point& point : curve.series->points) best = std::max(best, point.low.value_or(point.median.value_or(0)));
    return points.size() > 1 && card_of_its_own(curve) && best >= kFromCache * points.back().y &&
           (link <= 0 || best > link);
}

const Rule transfers_take_turns{
    "transfers_take_turns", "path", [](const Card& card, Statements& out) {
        Parts turns;
        Ranked overlaps;
        for (const Ways& ways : copies_by_way(card)) {
            const double largest = ways.both->series->points.back().x, gain = ways.gain_at(largest);
            const std::string& device = device_text(ways.both);
            const auto rate = [&](const Curve* curve) { return rate_text(value_at(*curve, largest)); };
            if (gain >= kOverlaps) overlaps.emplace_back(value_at(*ways.both, largest), ways.both);
            if (gain <= 0 || gain >= kTakesTurns) continue;
            std::vector<std::string> each;
            Curves curves{ways.both};
            for (const auto& [curve, where] : {std::pair{ways.up, "to the device"}, {ways.down, "to the host"}}) {
                if (is_copied_from_cache(*curve)) continue;
                each.push_back(fmt::format("{} {}", rate(curve), where));
                curves.push_back(curve);
            }
            each.push_back(fmt::format("{} both ways together ({:.0f} % {} than {})", rate(ways.both),
                100 * std::abs(gain - 1), gain < 1 ? "less" : "more", each.size() > 1 ? "the faster one" : "that"));
            turns.add(fmt::format("through {}: at {} per transfer {}{}", device, format_bytes(largest), list_text(each),
                          ways.smaller_text()),
                curves, kBothWays / gain);
        }
        if (turns.texts.empty()) return;
        say(out, turns.curves, "The largest copies both ways at once gain little {}{}{}.", sentences(turns.texts),
            overlaps.empty() ? "" : ". Both ways together: ",
            fmt::join(texts_of(overlaps,
                          [](const auto& each) {
                              const CurvePoint last = points_of(*each.second).back();
                              return fmt::format("through {} {} at {}", device_text(each.second),
                                  rate_by_block(*each.second->series, last, "B/s"), format_bytes(last.x));
                          }),
                "; "))
            .effect = turns.effect;
    }};

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
} // namespace

const Rule copies_from_cache{
    "copies_from_cache", "suspect", [](const Card& card, Statements& out) {
        const auto say_cached = [&](const std::string& what, const Curve* curve, const char* each) {
            if (!is_copied_from_cache(*curve)) return;
            const auto points = points_of(*curve);
            const CurvePoint best = *std::max_element(points.begin(), points.end(), slower), last = points.back();
            const double link = curve->device->host_link_bytes_per_second / 1e9;
            const bool above = link > 0 && best.y > link;
            say(out, {curve}, "{} through {} reach {} at {}{}{}, but {} at {}{}; cause unknown.", what,
                device_text(curve), rate_text(best.y), format_bytes(best.x), each,
                above ? fmt::format(", above the host link's {}", rate_text(link)) : "", rate_text(last.y),
                format_bytes(last.x), above ? ": not all of it crossed the link in that time" : "")
                .from[0]
                .x = {best.x, last.x};
        };
        for (const Direction way : {Direction::to_device, Direction::to_host})
            for (const Curve* curve : pinned_copies(card, way))
                say_cached(fmt::format("Copies {}", option::direction.word(curve->series->id.options)), curve,
                    " per transfer");
        for (const Curve* curve : curves_of(card,
                 kStream)) // where the largest exceed the link too, the memory is not the host's: faster_than_peak
            if (curve->series->id.path == "host" && curve->series->evidence.unit_of_work == "bytes written" &&
                points_of(*curve).back().y * 1e9 <= curve->device->host_link_bytes_per_second)
                say_cached("Stores to host memory", curve, "");
        Curves over = curves_of(card, kTransfer); // the link, by others than those
        std::erase_if(over, [&](const Curve* curve) {
            const Options& options = curve->series->id.options;
            const double link = curve->device->host_link_bytes_per_second / 1e9;
            return !card_of_its_own(*curve) || !(link > 0) ||
                   (!option::direction.is(options, Direction::to_device) &&
                       !option::direction.is(options, Direction::to_host)) ||
                   highest_of(*curve) <= link || cites(out, curve->series->id);
        });
        const auto with = [](const Curve* curve) {
            return fmt::format("{} with {}", rate_text(highest_of(*curve)), options_text(curve->series->id.options));
        };
        for (const Curves& of_device : grouped(over, [](const Curve* curve) { return device_text(curve); })) {
            Curves both = both_ways_of(card, of_device), about = of_device;
            about.insert(about.end(), both.begin(), both.end());
            say(out, about,
                "Transfers through {} exceed the host link's {}, so not all of it crossed the link; cause unknown. "
                "{}{}{}.",
                device_text(of_device[0]), rate_text(of_device[0]->device->host_link_bytes_per_second / 1e9),
                fmt::join(texts_of(of_device, with), ". "),
                both.empty() ? "" : ". The same may hold for both ways at once: ",
                fmt::join(texts_of(both, with), ", "));
        }
    }};

const Rule copies_on_device{
    "copies_on_device", "path", [](const Card& card, Statements& out) {
        Curves copies = curves_with(
            card, kTransfer, "host", option::direction.as(Direction::on_device) * option::engine.as(Engine::copy));
        std::erase_if(copies, [](const Curve* curve) { return !card_of_its_own(*curve) || points_of(*curve).empty(); });
        const Ranked largest = ranked(copies, [](const Curve& curve) { return points_of(curve).back().y; });
        if (!differ(largest, kCopiesApart)) return;
        const double last = points_of(*copies[0]).back().x;
        PlaceGroup rows{"", {place_of(format_bytes(last), largest)}};
        const auto points = points_of(*copies[0]);
        for (auto point = points.rbegin() + 1; point != points.rend(); ++point)
            rows.places.push_back(place_of(
                format_bytes(point->x), ranked(copies, [&](const Curve& curve) { return value_at(curve, point->x); })));
        tell(out, fact_of(card, fmt::format("Copies within the device, {}", format_bytes(last)), largest, {rows}),
            curves_in(largest));
    }};

const Rule copies_by_address{
    "copies_by_address", "path", [](const Card& card, Statements& out) {
        const double two_runs = std::exp(1.96 * std::sqrt(2) * run_noise::by_host); // times: 95 % of them lie within
        Parts parts;
        const Curves copies = curves_of(card, kTransfer);
        for (const Curve* odd : copies) {
            const Options& own = odd->series->id.options;
            if (odd->device->cpu || odd->device->software || !option::pageable.asked(own) ||
                !option::direction.asked(own) || !option::alignment.is(own, 1))
                continue;
            const Options wanted = option::alignment.as(4096) * own;
            for (const Curve* page : copies) {
                if (page->series->id.options != wanted || device_text(page) != device_text(odd)) continue;
                const FarthestApart most = farthest_apart(*odd->series, *page->series);
                if (most.times() > two_runs)
                    parts.add(fmt::format("{} memory {} through {}, {} per transfer: {} at odd addresses and {} at "
                                          "multiples of 4 KiB",
                                  option::pageable.word(own), option::direction.word(own), device_text(odd),
                                  format_bytes(most.x), rate_text(most.first), rate_text(most.second)),
                        {odd, page}, most.times());
            }
        }
        parts.tell(out, "Copies differ by the host's address: {}; cause unknown.");
    }};

} // namespace sonde
