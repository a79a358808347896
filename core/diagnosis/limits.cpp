// Rules about the largest memories of a kernel and of a core.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/diagnosis/rules.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kOneByOne = 0.1; // share by which a rough trial is wrong
constexpr double kHolds = 1.5;    // times: what a core's workgroups hold together
constexpr double kMoreThanSaid = 1.5, kAsSaid = 1.001;

double reported_bytes(const Curve& limit) {
    return static_cast<double>(limit.series->evidence.reported_bytes.value_or(0));
}
double accepted_bytes(const Curve& limit) {
    return static_cast<double>(limit.series->evidence.accepted_bytes.value_or(0));
}
bool is_below_reported(const Curve& limit) {
    return family_of(*limit.path) == Family::scratchpad && accepted_bytes(limit) > 0 &&
           accepted_bytes(limit) * kAsSaid < reported_bytes(limit);
}

/// What the workgroups resident on a core hold together at most: so much longer one takes alone, so many are there at
/// once. Where the largest that there can be are there one by one, they tell better how long that is than the trial
/// before.
struct HeldByCore {
    double workgroups = 0, each = 0; // bytes
    double bytes() const { return workgroups * each; }
};

HeldByCore held_by_core(const Curve& curve) {
    const auto points = points_of(curve);
    double alone = curve.series->evidence.alone_ns.value_or(0);
    if (!points.empty() && std::abs(points.back().y / alone - 1) < kOneByOne) alone = points.back().y;
    HeldByCore most;
    for (const CurvePoint& point : points)
        if (const HeldByCore held{std::floor(alone / point.y), point.x}; held.bytes() > most.bytes()) most = held;
    return most;
}
} // namespace

bool takes_more_than_reported(const Curve& limit) {
    return family_of(*limit.path) == Family::constant && reported_bytes(limit) > 0 &&
           accepted_bytes(limit) >= kMoreThanSaid * reported_bytes(limit);
}

/// A latency sweep whose last size is less than the driver reports.
static bool swept_less(const Curve& sweep) {
    return sweep.series->points.back().x * kAsSaid < static_cast<double>(sweep.device->scratchpad_bytes);
}

/// Of a sweep: it ends at the driver's limit, or what failed tells no more.
static std::string swept_text(const Curve& sweep) {
    const auto reported = static_cast<double>(sweep.device->scratchpad_bytes);
    const std::string last =
        fmt::format("{} through {}", format_bytes(sweep.series->points.back().x), device_text(&sweep));
    if (reported <= 0) return "at least " + last;
    return swept_less(sweep) ? fmt::format("at least {} (the driver reports {})", last, format_bytes(reported))
                             : last + " (the driver's limit)";
}

std::string limit_text(const Curve& limit) {
    if (!kLimits.measured(limit.series->id)) return swept_text(limit);
    const auto& rejected = limit.series->evidence.rejected_bytes;
    const double plain = limit.device->scratchpad_default_bytes;
    std::string note;
    if (family_of(*limit.path) == Family::scratchpad && accepted_bytes(limit) > 0 &&
        accepted_bytes(limit) == reported_bytes(limit))
        note = plain > 0 && plain < accepted_bytes(limit)
                   ? fmt::format(" (the driver's limit, by opt-in; {} without)", format_bytes(plain))
                   : " (the driver's limit)";
    const auto& array = limit.series->evidence.static_bytes;
    if (is_below_reported(limit))
        note = " as an argument" + (array && static_cast<double>(*array) > accepted_bytes(limit)
                                           ? fmt::format(" ({} as a static array)", format_bytes(*array))
                                           : "");
    return fmt::format("{}{} through {}{}", takes_more_than_reported(limit) && !rejected ? "at least " : "",
        format_bytes(accepted_bytes(limit)), device_text(&limit), note);
}

std::string limit_notes(const Curves& limits) {
    std::string notes;
    for (const Curve* limit : limits) {
        if (!kLimits.measured(limit->series->id)) {
            if (swept_less(*limit) && limit->series->ending)
                notes += fmt::format(" The sweep through {} {}.", device_text(limit),
                    ending_text(*limit->series->ending, limit->series->x));
            continue;
        }
        if (!is_below_reported(*limit)) continue;
        const auto &rejected = limit->series->evidence.rejected_bytes, &array = limit->series->evidence.static_bytes;
        const std::string as_array = !array       ? "a static array was not tried"
                                     : *array > 0 ? fmt::format("a static array of {} bytes runs", *array)
                                                  : "a static array fails as well";
        notes +=
            fmt::format(" Through {} {} as an argument fail, where the driver reports {:.0f}; {}.", device_text(limit),
                rejected ? fmt::format("{} bytes", *rejected) : "more", reported_bytes(*limit), as_array);
    }
    return notes;
}

const Rule core_scratchpad{
    "core_scratchpad", "path", [](const Card& card, Statements& out) {
        const Ranked held = ranked(curves_with(card, kOccupancy, "scratchpad", {}),
            [](const Curve& curve) { return held_by_core(curve).bytes(); });
        if (!apart(held, kHolds)) return;
        say(out, curves_in(held),
            "Scratchpad that workgroups of one core hold together, the most of the sizes tried: {}.",
            list_text(held,
                [](const auto& each) {
                    const HeldByCore most = held_by_core(*each.second);
                    return fmt::format("{} ({:g} x {}) through {}", format_bytes(each.first), most.workgroups,
                        format_bytes(most.each), device_text(each.second));
                }))
            .effect = ratio_of(held);
    }};

const Rule limit_unlike_reported{
    "limit_unlike_reported", "path", [](const Card& card, Statements& out) {
        for (const Curve* curve : plain_curves(card, kLimits)) {
            if (cites(out, curve->series->id)) continue; // said where APIs differ
            const double said = reported_bytes(*curve), taken = accepted_bytes(*curve);
            if (takes_more_than_reported(*curve))
                say(out, {curve},
                    "A kernel takes {} memory of {}, where the driver reports {}: consistent with placement in buffer "
                    "memory.",
                    curve->series->id.path, limit_text(*curve), format_bytes(said))
                    .effect = taken / said;
            else if (is_below_reported(*curve))
                say(out, {curve}, "Largest scratchpad of a workgroup: {}.{}", limit_text(*curve), limit_notes({curve}))
                    .effect = said / taken;
        }
    }};

} // namespace sonde
