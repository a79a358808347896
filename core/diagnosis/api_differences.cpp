// Rules about where the APIs of one card differ.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
constexpr double kFewestCycles = 3;     // less between two APIs is not worth a word
constexpr double kOfLatency = 0.015;    // of a level's latency: what an offset may vary from level to level
constexpr double kNearDevice = 0.15;    // share: host memory no further from device memory's latency lies there
constexpr double kFarFromDevice = 1.5;  // and this much further lies elsewhere
constexpr double kFarBeyond = 2;        // times the end of a level: past its edge
constexpr double kFarApart = 2;         // bandwidths
constexpr std::size_t kFewestApart = 3; // footprints at which they are, or that tell of a slope

/// One path of one device against the device that is nearest on it.
struct Extra {
    const Curve *slow, *fast;
    std::vector<double> cycles; // one per level
};

/// The same levels, and a difference that is the same at each: what lies between two loads, rather than in a cache.
std::optional<Extra> constant_extra(const Curve& slow, const Curve& fast) {
    if (slow.tiers != fast.tiers) return std::nullopt;
    Extra extra{&slow, &fast, {}};
    std::size_t that_end = 0;
    for (std::size_t i = 0; i < slow.levels.size(); ++i) {
        const auto [a, b, unit] = latencies(slow.levels[i], fast.levels[i]);
        if (!slow.levels[i].cycles || !fast.levels[i].cycles) return std::nullopt;
        extra.cycles.push_back(a - b);
        that_end += slow.levels[i].capacity_bytes->second.has_value();
        if (std::abs(extra.cycles[i] - extra.cycles[0]) > kOfLatency * a) return std::nullopt;
    }
    return that_end >= 2 && extra.cycles[0] >= kFewestCycles ? std::optional(extra) : std::nullopt;
}

std::vector<Extra> extras_of(const Card& card) {
    std::vector<Extra> extras;
    for (const std::string& path : paths_in(plain_curves(card, "latency"))) {
        const Curves curves = plain_curves(card, "latency", path);
        if (family_of(*curves[0]->path) != Family::memory || curves[0]->path->space == Space::address) continue;
        const Curve* fast = nullptr;
        for (const Curve* curve : curves)
            if (!curve->levels.empty() && (!fast || *curve->levels[0].value < 0.99 * *fast->levels[0].value)) fast = curve;
        for (const Curve* curve : curves)
            if (fast && curve != fast && !curve->levels.empty())
                if (const auto extra = constant_extra(*curve, *fast)) extras.push_back(*extra);
    }
    return extras;
}

/// The path without address arithmetic, on both devices, in cycles apart at the first level.
std::optional<double> without_arithmetic(const Card& card, const Extra& extra, Curves& curves) {
    for (const Curve* slow : plain_curves(card, "latency")) {
        if (slow->path->space != Space::address || slow->series->id.device != extra.slow->series->id.device) continue;
        const Curve* fast = plain_curve(card, "latency", extra.fast->series->id.device, slow->series->id.path);
        if (!fast || slow->levels.empty() || fast->levels.empty()) continue;
        curves.insert(curves.end(), {slow, fast});
        const auto [a, b, unit] = latencies(slow->levels[0], fast->levels[0]);
        return a - b;
    }
    return std::nullopt;
}

std::string extra_text(const Extra& extra) {
    std::vector<std::string> levels;
    for (std::size_t i = 0; i < extra.cycles.size(); ++i) levels.push_back(fmt::format("{:.1f} ({})", extra.cycles[i], extra.slow->tiers[i]));
    return fmt::format("{} {}", extra.slow->series->id.path, list_text(levels));
}

/// A first level and then no second one: a slope far above the device's memory is the way to the host all the same.
std::string beyond_text(const Curve& host, const Finding& device, const std::string& through) {
    std::vector<double> beyond;
    const bool cycles = device.cycles.has_value();
    for (const Point& point : host.series->points)
        if (const auto value = cycles ? point.cycles : point.median; value && point.x > kFarBeyond * off(host.levels[0])) beyond.push_back(*value);
    if (beyond.size() < kFewestApart) return "";
    const auto [least, most] = std::minmax_element(beyond.begin(), beyond.end());
    if (*least < kFarFromDevice * (cycles ? *device.cycles : device.value.value_or(0))) return "";
    return fmt::format("{} only the first level keeps it, to {}, and loads far beyond take {:.0f} to {:.0f} {}", through, capacity_text(host.levels[0]), *least, *most, cycles ? "cycles" : device.unit);
}

/// What one API's host memory turns out to be; "" where that cannot be told.
std::string host_text(const Card& card, const Curve& host) {
    const Curve* global = plain_curve(card, "latency", host.series->id.device, "global");
    if (!global || global->levels.empty() || host.levels.empty()) return "";
    const std::string through = "through " + host.series->id.device;
    const Finding &far = host.levels.back(), &device = global->levels.back();
    if (host.levels.size() == 1) return beyond_text(host, device, through);
    const auto [a, b, unit] = latencies(far, device);
    if (std::abs(a - b) <= kNearDevice * b)
        return fmt::format("{} it has the latency of device memory ({} against {}), so it lies there", through, latency_text(far), latency_text(device));
    if (a < kFarFromDevice * b) return "";
    if (host.levels.size() > 2) {
        const Finding& cached = host.levels[host.levels.size() - 2];
        return fmt::format("{} a cache behind the first keeps it to {} ({}), and beyond a load takes {}", through, capacity_text(cached), latency_text(cached),
                           latency_text(far));
    }
    return fmt::format("{} only the first level keeps it, and every load beyond {} takes {}", through, capacity_text(host.levels[0]), latency_text(far));
}

/// Two series of the same probe, path and options.
struct Gap {
    const Curve *low = nullptr, *high = nullptr;
    std::vector<double> footprints{}; // at which they lie far apart
    double ratio = 1;                 // at the largest of them
};

Gap gap_of(const Curve& low, const Curve& high) {
    Gap gap{&low, &high};
    for (const Point& point : high.series->points) {
        const auto& others = low.series->points;
        const auto other = std::find_if(others.begin(), others.end(), [&](const Point& candidate) { return candidate.x == point.x; });
        if (other == others.end() || !point.median || !other->median || !(*other->median > 0)) continue;
        const double ratio = *point.median / *other->median;
        if (ratio >= kFarApart) gap.footprints.push_back(point.x), gap.ratio = ratio;
    }
    return gap;
}

/// The largest of the gap's footprints that all these curves reach, else the largest.
double footprint_of(const Gap& gap, const Curves& curves) {
    for (auto x = gap.footprints.rbegin(); x != gap.footprints.rend(); ++x)
        if (std::all_of(curves.begin(), curves.end(), [&](const Curve* curve) { return value_between(*curve->series, *x); })) return *x;
    return gap.footprints.back();
}

/// The widest gap of a path among all options.
Gap widest_gap(const Card& card, const std::string& path) {
    Curves curves;
    for (const Curve& curve : card.curves)
        if (curve.usable() && curve.series->id.probe == "bandwidth" && curve.series->id.path == path) curves.push_back(&curve);
    Gap widest;
    for (const Curve* low : curves)
        for (const Curve* high : curves) {
            if (low->series->id.options != high->series->id.options) continue;
            const Gap gap = gap_of(*low, *high);
            if (gap.footprints.size() >= kFewestApart && gap.ratio > widest.ratio) widest = gap;
        }
    return widest;
}
} // namespace

void extra_cycles(const Card& card, Statements& out) {
    std::vector<Extra> extras = extras_of(card);
    while (!extras.empty()) {
        const Extra first = extras[0];
        const auto of_pair = [&](const Extra& extra) {
            return extra.slow->series->id.device == first.slow->series->id.device && extra.fast->series->id.device == first.fast->series->id.device;
        };
        std::vector<std::string> paths;
        Curves curves;
        for (const Extra& extra : extras)
            if (of_pair(extra)) {
                paths.push_back(extra_text(extra));
                curves.insert(curves.end(), {extra.slow, extra.fast});
            }
        std::erase_if(extras, of_pair);
        std::string text = fmt::format("{} takes more cycles per load than {}, at every level the same within {:.1f} % of its latency: {}. So it is "
                                       "not a cache",
                                       first.slow->series->id.device, first.fast->series->id.device, 100 * kOfLatency, fmt::join(paths, "; "));
        const auto left = without_arithmetic(card, first, curves);
        if (left && std::abs(*left) < std::max(1.0, first.cycles[0] / 4))
            text += fmt::format(": it is address arithmetic between loads, for on {}, which has none, the difference is {:.1f} cycles", curves.back()->series->id.path,
                                *left);
        else
            text += ": something lies between two loads";
        out.push_back(statement(text + ".", curves));
    }
}

void scratchpad_limit(const Card& card, Statements& out) {
    std::vector<std::pair<double, const Curve*>> limits;
    for (const Curve* curve : plain_curves(card, "limits", "scratchpad")) // what was asked for until it was refused
        if (const auto taken = evidence_number(*curve->series, "/accepted_bytes")) limits.emplace_back(*taken, curve);
    for (const Curve* curve : plain_curves(card, "latency")) {
        const double last = curve->series->points.back().x;
        const bool known = std::any_of(limits.begin(), limits.end(), [&](const auto& limit) { return limit.second->series->id.device == curve->series->id.device; });
        if (!known && curve->path->stage == Stage::scratchpad && last >= 0.9 * number_field(*curve->device, "scratchpad_bytes")) limits.emplace_back(last, curve);
    }
    std::stable_sort(limits.begin(), limits.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (limits.size() < 2 || limits.front().first < 1.05 * limits.back().first) return;
    std::vector<std::string> sizes;
    Curves curves;
    for (const auto& [bytes, curve] : limits) {
        sizes.push_back(fmt::format("{} through {}", format_bytes(bytes), curve->series->id.device));
        curves.push_back(curve);
    }
    Statement limit = statement(fmt::format("The largest scratchpad that a workgroup of this card ran with is {}.", list_text(sizes)), curves);
    for (const Curve* curve : curves)
        if (!curve->series->reason.empty()) limit.evidence.push_back(fmt::format("{}: {}", curve->series->id.device, curve->series->reason));
    out.push_back(std::move(limit));
}

void host_memory(const Card& card, Statements& out) {
    std::vector<std::string> texts;
    Curves curves;
    for (const Curve* host : plain_curves(card, "latency")) {
        if (family_of(*host->path) != Family::host || flag_field(*host->device, "cpu")) continue;
        const std::string text = host_text(card, *host);
        if (text.empty()) continue;
        texts.push_back(text);
        curves.insert(curves.end(), {host, plain_curve(card, "latency", host->series->id.device, "global")});
    }
    if (!texts.empty()) out.push_back(statement(fmt::format("What each API gives for host memory: {}.", fmt::join(texts, "; ")), curves));
}

void bandwidth_apart(const Card& card, Statements& out) {
    std::vector<std::string> paths;
    for (const Curve& curve : card.curves)
        if (std::find(paths.begin(), paths.end(), curve.series->id.path) == paths.end()) paths.push_back(curve.series->id.path);
    for (const std::string& path : paths) {
        const Gap gap = widest_gap(card, path);
        if (!gap.low) continue;
        Curves curves;
        for (const Curve& curve : card.curves)
            if (curve.usable() && curve.series->id.probe == "bandwidth" && curve.series->id.path == path && curve.series->id.options == gap.low->series->id.options) curves.push_back(&curve);
        const double x = footprint_of(gap, curves);
        const auto rate = [&](const Curve* curve) { return value_between(*curve->series, x).value_or(0); };
        std::erase_if(curves, [&](const Curve* curve) { return rate(curve) <= 0; });
        std::stable_sort(curves.begin(), curves.end(), [&](const Curve* a, const Curve* b) { return rate(a) > rate(b); });
        std::vector<std::string> values;
        for (const Curve* curve : curves) values.push_back(fmt::format("{} through {}", format_si(rate(curve) * 1e9, "B/s"), curve->series->id.device));
        out.push_back(statement(fmt::format("The APIs are far apart on {}: at {} it carries {} ({}).", path, format_bytes(x), list_text(values),
                                            options_text(gap.low->series->id.options)),
                                curves));
        for (std::size_t i = 0; i < curves.size(); ++i)
            if (std::any_of(curves[i]->series->points.begin(), curves[i]->series->points.end(), [&](const Point& point) { return point.x == x; })) out.back().from[i].x = {x};
    }
}

} // namespace sonde
