// Rules about the largest memories of a kernel and of a core.
#include <algorithm>

#include "core/base/text.h"
#include "core/diagnosis/fact_of.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
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

} // namespace

bool takes_more_than_reported(const Curve& limit) {
    return family_of(*limit.path) == Family::constant && reported_bytes(limit) > 0 &&
           accepted_bytes(limit) >= kMoreThanSaid * reported_bytes(limit);
}

/// A latency sweep whose last size is less than the driver reports.
static bool swept_less(const Curve& sweep) {
    return sweep.series->points.back().x * kAsSaid < static_cast<double>(sweep.device->scratchpad_bytes);
}

namespace {
std::optional<double> reported_of(const Curve& curve) {
    const double bytes = kLimits.measured(curve.series->id) ? reported_bytes(curve)
                                                            : static_cast<double>(curve.device->scratchpad_bytes);
    return bytes > 0 ? std::optional(bytes) : std::nullopt;
}
std::optional<double> without_opt_in(const Curve& curve) {
    const double bytes = curve.device->scratchpad_default_bytes;
    return bytes > 0 ? std::optional(bytes) : std::nullopt;
}
std::optional<double> refused_of(const Curve& curve) {
    const auto& bytes = curve.series->evidence.rejected_bytes;
    return bytes ? std::optional<double>(*bytes) : std::nullopt;
}
/// What was refused, where three digits tell it from what ran.
std::optional<double> refused_well_above(const Curve& curve) {
    constexpr double kTold = 1.005; // times
    const auto refused = refused_of(curve);
    return refused && *refused > kTold * accepted_bytes(curve) ? refused : std::nullopt;
}

Place bytes_of(std::string name, const Curves& curves, std::optional<double> (*bytes)(const Curve&)) {
    Place place{std::move(name), {}};
    for (const Curve* curve : curves)
        if (const auto known = bytes(*curve))
            place.cells.emplace_back(device_text(curve), Quantity{*known, Unit::bytes});
    return place;
}

/// Where one was tried.
Place static_arrays(const Curves& curves) {
    Place place{"as a static array", {}};
    for (const Curve* curve : curves)
        if (const auto& bytes = curve->series->evidence.static_bytes)
            place.cells.emplace_back(device_text(curve),
                *bytes > 0 ? Cell(Quantity{static_cast<double>(*bytes), Unit::bytes}) : Cell(Lack::failed));
    return place;
}

/// Of those that were swept, not tried to the limit.
std::vector<std::string> sweep_notes(const Curves& curves) {
    std::vector<std::string> notes;
    for (const Curve* curve : curves) {
        if (kLimits.measured(curve->series->id)) continue;
        const bool refused = curve->series->ending && curve->series->ending->by == EndedBy::device;
        if (!refused && (!reported_of(*curve) || swept_less(*curve)))
            notes.push_back(filled(label::sweep_ends, {{"device", device_text(curve)}}));
        if (swept_less(*curve) && curve->series->ending)
            notes.push_back(filled(label::sweep_ended,
                {{"device", device_text(curve)}, {"ending", ending_text(*curve->series->ending, curve->series->x)}}));
    }
    return notes;
}
} // namespace

/// Of a sweep that the device refused to go on with: between its last size and that one it tells nothing.
static std::optional<double> refused_step(const Curve& limit) {
    const auto& ending = limit.series->ending;
    return ending && ending->by == EndedBy::device && !kLimits.measured(limit.series->id) ? ending->before
                                                                                          : std::nullopt;
}

/// Whether more was refused, or the driver says that there is no more; else the limit is at least that.
static bool shows_limit(const Curve& limit) {
    if (kLimits.measured(limit.series->id)) return refused_of(limit).has_value();
    return refused_step(limit) || (reported_of(limit) && !swept_less(limit));
}

/// Between what ran and what was refused, of a sweep that tells no more.
static Place largest_that_runs(const Ranked& limits) {
    Place place = place_of("largest that runs", limits, Unit::bytes);
    for (std::size_t i = 0; i < limits.size(); ++i)
        if (const auto refused = refused_step(*limits[i].second))
            std::get<Quantity>(place.cells[i].second.is).range = {limits[i].first, *refused};
    return place;
}

/// The limits differ wherever they lie between what ran and what was refused.
static bool surely_apart(const Ranked& limits) {
    constexpr double kApart = 1.05; // times
    Ranked most = limits;
    for (auto& [bytes, curve] : most) bytes = refused_step(*curve).value_or(bytes);
    return apart(limits, kApart) && apart(sorted(std::move(most)), kApart);
}

/// What is known of those that are not measured to their end.
static Place at_least(const Ranked& limits) {
    Place place{"at least", {}};
    for (const auto& [bytes, curve] : limits)
        place.cells.emplace_back(device_text(curve), Quantity{bytes, Unit::bytes});
    return place;
}

static void tell_scratchpad_limit(const Card& card, Statements& out) {
    const Curves tried = plain_curves(card, kLimits, "scratchpad"); // what was asked for until it was refused
    Ranked limits = ranked(tried, accepted_bytes);
    for (const Curve* curve : plain_curves(card, kLatency)) {
        const double last = curve->series->points.back().x;
        const bool known = std::any_of(limits.begin(), limits.end(),
            [&](const auto& limit) { return device_text(limit.second) == device_text(curve); });
        if (!known && curve->path->stage == Stage::scratchpad && last >= 0.9 * curve->device->scratchpad_bytes)
            limits.emplace_back(last, curve);
    }
    std::erase_if(limits,
        [](const auto& limit) { return limit.second->device->cpu; }); // a processor's scratchpad is ordinary memory
    limits = sorted(std::move(limits));
    const Curves curves = curves_in(limits);
    Ranked unended = limits;
    std::erase_if(unended, [](const auto& limit) { return shows_limit(*limit.second); });
    std::erase_if(limits, [](const auto& limit) { return !shows_limit(*limit.second); });
    if (!surely_apart(limits)) return;
    CardFact fact = fact_of(card, {}, limits,
        {{"", {largest_that_runs(limits), at_least(unended), bytes_of("refused", curves, refused_well_above),
                  bytes_of("the driver reports", curves, reported_of),
                  bytes_of("without opt-in", curves, without_opt_in), static_arrays(curves)}}});
    fact.notes = sweep_notes(curves);
    tell(out, std::move(fact), curves);
}

const Rule scratchpad_limit{"scratchpad_limit", "path", tell_scratchpad_limit};

static void tell_unlike_reported(const Card& card, Statements& out) {
    for (const Curve* curve : plain_curves(card, kLimits)) {
        if (cites(out, curve->series->id)) continue; // said where APIs differ
        const bool more = takes_more_than_reported(*curve);
        if (!more && !is_below_reported(*curve)) continue;
        const double reported = reported_bytes(*curve), accepted = accepted_bytes(*curve);
        const Ranked told{{accepted, curve}};
        CardFact fact = fact_of(card,
            {{"path", curve->series->id.path}, {"what", more ? term::memory_of_kernel : term::of_workgroup}}, told,
            {{"", {place_of(refused_of(*curve) ? "runs" : "at least", told, Unit::bytes),
                      bytes_of("refused", {curve}, refused_well_above),
                      bytes_of("the driver reports", {curve}, reported_of), static_arrays({curve})}}});
        if (more) fact.cause = Cause::in_buffer_memory;
        fact.effect = std::max(accepted / reported, reported / accepted);
        tell(out, std::move(fact), {curve});
    }
}

const Rule limit_unlike_reported{"limit_unlike_reported", "path", tell_unlike_reported};

} // namespace sonde
