// A rule about copies whose addresses on the host differ.
#include <cmath>

#include "core/base/text.h"
#include "core/diagnosis/rules.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kOverOverhead = 64 << 10; // bytes: what a copy of less takes is for the most part its overhead

/// The transfers with which two curves lie farthest apart, as far as both have such.
struct FarthestApart {
    double x = 0, first = 0, second = 0;
    double times() const { return first > 0 && second > 0 ? std::max(first / second, second / first) : 1; }
};

bool quartiles_overlap(const Point& a, const Point& b) { return a.low && a.high && b.low && b.high && *a.low <= *b.high && *b.low <= *a.high; }

FarthestApart farthest_apart(const Series& first, const Series& second) {
    FarthestApart found;
    for (const Point& a : first.points)
        for (const Point& b : second.points)
            if (const FarthestApart each{a.x, a.median.value_or(0), b.median.value_or(0)}; a.x == b.x && a.x >= kOverOverhead && !quartiles_overlap(a, b) && each.times() > found.times()) found = each;
    return found;
}
} // namespace

const Rule copies_by_address{"copies_by_address", "path", "Copies whose rate differs by the host's address", [](const Card& card, Statements& out) {
    const double two_runs = std::exp(1.96 * std::sqrt(2) * run_noise::by_host); // times: 95 % of them lie within
    Parts parts;
    const Curves copies = curves_of(card, kTransfer);
    for (const Curve* odd : copies) {
        const Options& own = odd->series->id.options;
        if (odd->device->cpu || odd->device->software || !option::pageable.asked(own) || !option::direction.asked(own) || !option::alignment.is(own, 1)) continue;
        const Options wanted = option::alignment.as(4096) * own;
        for (const Curve* page : copies) {
            if (page->series->id.options != wanted || device_text(page) != device_text(odd)) continue;
            const FarthestApart most = farthest_apart(*odd->series, *page->series);
            if (most.times() > two_runs)
                parts.add(fmt::format("{} memory {} through {}, {} per transfer: {} at odd addresses and {} at multiples of 4 KiB", option::pageable.word(own), option::direction.word(own), device_text(odd), format_bytes(most.x),
                                      rate_text(most.first), rate_text(most.second)), {odd, page}, most.times());
        }
    }
    parts.tell(out, "Copies differ by the host's address: {}; cause unknown.");
}};

} // namespace sonde
