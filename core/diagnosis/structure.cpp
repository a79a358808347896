// Rules about what structure probes found, where the APIs of one card differ.
#include <algorithm>
#include <cmath>

#include "core/analysis/level_findings.h"
#include "core/analysis/structure.h"
#include "core/base/text.h"
#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
constexpr double kSameCost = 0.2;   // share: levels of translation whose misses cost no more apart are one level
constexpr double kPages = 3;        // times: less apart is no other page
constexpr double kAgree = 0.5;      // octaves: so far may the ratios of several levels lie apart
constexpr double kFarSlower = 2;   // times: a load beyond a level that others do not have
constexpr double kShrinks = 0.6, kStays = 0.9; // of L1's capacity

/// Reaches of the same levels through two devices, the farther one first.
struct Reaches {
    const Curve *far, *near;
    std::vector<std::pair<TranslationLevel, TranslationLevel>> pairs;
    double ratio() const { return std::exp2(std::round(std::log2(pairs[0].first.reach / pairs[0].second.reach))); }
};

/// Levels that cost the same, each the same number of times farther through one of the two; nullopt: there is no such number.
std::optional<Reaches> reaches_of(const Curve& far, const Curve& near) {
    Reaches reaches{&far, &near, {}};
    const auto of_near = translation_levels(curve_of(*near.series));
    for (const TranslationLevel& level : translation_levels(curve_of(*far.series)))
        for (const TranslationLevel& other : of_near)
            if (std::abs(std::log(level.cost / other.cost)) < kSameCost) reaches.pairs.emplace_back(level, other);
    if (reaches.pairs.empty()) return std::nullopt;
    const double octaves = std::log2(reaches.pairs[0].first.reach / reaches.pairs[0].second.reach);
    for (const auto& [a, b] : reaches.pairs)
        if (std::abs(std::log2(a.reach / b.reach) - octaves) > kAgree) return std::nullopt;
    return octaves > std::log2(kPages) ? std::optional(reaches) : std::nullopt;
}

/// One device beside all that reach the same number of times farther.
std::vector<Reaches> reaches_from(const Card& card, const Curve& near) {
    std::vector<Reaches> all;
    for (const Curve* far : plain_curves(card, "tlb", "global.pointer"))
        if (const auto reaches = far == &near ? std::nullopt : reaches_of(*far, near); reaches && (all.empty() || reaches->ratio() == all[0].ratio())) all.push_back(*reaches);
    std::stable_sort(all.begin(), all.end(), [](const Reaches& a, const Reaches& b) { return a.pairs.size() > b.pairs.size(); });
    return all;
}

/// Beyond a level that the farther ones have not: the last span that all of them measured; "" where loads are not much slower there.
std::string beyond_text(const std::vector<Reaches>& all) {
    const Series& near = *all[0].near->series;
    const auto levels = translation_levels(curve_of(near));
    const double matched = all[0].pairs.back().second.reach;
    if (levels.empty() || levels.back().reach <= matched) return "";
    for (auto point = near.points.rbegin(); point != near.points.rend() && point->x > levels.back().high; ++point) {
        std::vector<std::string> others;
        double slowest = 0;
        for (const Reaches& each : all)
            if (const auto value = value_between(*each.far->series, point->x)) {
                others.push_back(fmt::format("{:.0f} {} through {}", *value, near.unit, each.far->series->id.device));
                slowest = std::max(slowest, *value);
            }
        if (others.size() == all.size() && point->median)
            return *point->median < kFarSlower * slowest ? "" : fmt::format(" A further step at {} is seen there only: a load over a span of {} takes {:.0f} {}, against {}.", format_byte_range(levels.back().low, levels.back().high), format_bytes(point->x), *point->median, near.unit, list_text(others));
    }
    return "";
}

std::string cost_text(const TranslationLevel& level) { return fmt::format("{:.{}f}", level.cost, level.cost < 10 ? 1 : 0); }

std::string reaches_text(const Reaches& reaches) {
    return list_text(reaches.pairs, [](const auto& pair) {
        const auto& [far, near] = pair;
        return fmt::format("{} against {} (a miss costs {} and {} ns)", format_byte_range(near.low, near.high), format_byte_range(far.low, far.high), cost_text(near), cost_text(far));
    });
}

/// A device's L1 by the scratchpad held, least first.
struct Held {
    double scratchpad;
    const Curve* curve;
    Finding first;
};
std::vector<Held> held_on(const Card& card, const std::string& device) {
    std::vector<Held> all;
    for (const Curve* curve : curves_of(card, "carveout")) {
        if (device_text(curve) != device || curve->series->id.options.contains("carveout")) continue; // asked for, not what drivers do by themselves
        const auto levels = level_findings(*curve->series, *curve->device);
        const auto held = curve->series->evidence.scratchpad_bytes;
        if (held && levels.size() > 1) all.push_back({double(*held), curve, levels[0]});
    }
    std::sort(all.begin(), all.end(), [](const Held& a, const Held& b) { return a.scratchpad < b.scratchpad; });
    return all.size() > 1 && all.front().scratchpad == 0 ? all : std::vector<Held>();
}
} // namespace

const Rule tlb_reach{"tlb_reach", "path", "A smaller TLB reach", [](const Card& card, Statements& out) {
    for (const Curve* near : plain_curves(card, "tlb", "global.pointer")) {
        const std::vector<Reaches> all = reaches_from(card, *near);
        if (all.empty()) continue;
        Curves curves{near};
        for (const Reaches& each : all) curves.push_back(each.far);
        const std::string others = list_text(std::span(all).subspan(1), [](const Reaches& each) { return fmt::format("{} ({})", device_text(each.far), reaches_text(each)); });
        say(out, curves, "TLB reach through {} is about {:.0f} times smaller than through {}: {}{}{}. As misses cost much the same, this is consistent with pages {:.0f} times smaller.{}",
            device_text(near), all[0].ratio(), device_text(all[0].far), reaches_text(all[0]), others.empty() ? "" : "; likewise against ", others, all[0].ratio(), beyond_text(all)).effect = all[0].ratio();
    }
}};

const Rule l1_by_scratchpad{"l1_by_scratchpad", "path", "Capacity of L1 by scratchpad held", [](const Card& card, Statements& out) {
    Parts parts;
    bool some = false;
    for (const DeviceRecord* device : card.devices) {
        const std::string& id = device->id;
        const auto held = held_on(card, id);
        if (held.empty()) continue;
        const Finding& free = held.front().first;
        const auto shrunk = std::find_if(held.begin(), held.end(), [&](const Held& each) { return on(each.first) < kShrinks * on(free); });
        const bool shrinks = shrunk != held.end();
        if (!shrinks && on(held.back().first) < kStays * on(free)) continue;
        Curves curves;
        for (const Held& each : held) curves.push_back(each.curve);
        const std::string sizes = list_text(held, [](const Held& each) { return fmt::format("{} with {}", capacity_text(each.first), each.scratchpad > 0 ? format_bytes(each.scratchpad) : "none"); });
        parts.add(shrinks ? fmt::format("{} through {}", sizes, id) : fmt::format("through {} it stays at {}, to {} held", id, capacity_text(held.back().first), format_bytes(held.back().scratchpad)), curves,
                  shrinks ? on(free) / on(shrunk->first) : 1);
        some = some || shrinks;
    }
    if (some) parts.tell(out, "The capacity of L1 depends on the scratchpad that a workgroup holds: {}.");
}};

} // namespace sonde
