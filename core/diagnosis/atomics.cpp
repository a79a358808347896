// Rules about atomic operations.
#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>

#include "core/analysis/traffic.h"
#include "core/diagnosis/fact_of.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kAtomicsApart = 1.3; // times: of one operation on one layout

Slots operation_slots(const Options& options) {
    return {{"type", option::type.asked(options) ? option::type.word(options) : "u32"},
        {"operation", option::operation.asked(options) ? option::operation.word(options) : "add"}};
}

/// Whether the machine code has one atomic instruction for all lanes of a subgroup.
bool joins_lanes(const Curve& curve) {
    const auto& kernel = curve.series->evidence.kernel;
    return kernel && kernel->atomics &&
           std::ranges::any_of(*kernel->atomics, [](const AtomicEvidence& each) { return !each.combined_by.empty(); });
}

/// One operation through all devices that ran it with as many workgroups.
struct AtomicOperation {
    Curves curves{};
    double workgroups = 0;       // the most with which they differ
    Ranked told{};               // with so many
    std::vector<Place> places{}; // those, then the others, the most first

    /// Of numbers with which all of one form were measured. `other_form`: they return a result where these return none,
    /// or the reverse; their rates stand beside, unranked.
    AtomicOperation(const Curves& alike, const Curves& other_form) : curves(alike) {
        curves.insert(curves.end(), other_form.begin(), other_form.end());
        std::size_t before = 0;
        for (const CurvePoint& point : points_of(*alike[0])) {
            Ranked rates = ranked(alike, [&](const Curve& curve) { return value_at(curve, point.x); });
            if (rates.size() < alike.size()) continue;
            Place place = place_of(filled(label::workgroups, {{"workgroups", as_count(point.x)}}), rates);
            for (const Curve* other : other_form)
                if (const double rate = value_at(*other, point.x); rate > 0)
                    place.cells.emplace_back(device_text(other), quantity_of(rate, *other->series));
            places.insert(places.begin(), std::move(place));
            ++before;
            if (differ(rates, kAtomicsApart)) workgroups = point.x, told = std::move(rates), before = 0;
        }
        const auto first = places.begin() + static_cast<std::ptrdiff_t>(before);
        if (differs()) std::rotate(places.begin(), first, first + 1);
    }
    bool differs() const { return workgroups > 0; }
};

/// All workgroups before few, then the farthest apart.
std::pair<double, double> order_of(const AtomicOperation& each) { return {each.workgroups, ratio_of(each.told)}; }

Slots atomic_slots(const AtomicOperation& each) {
    const SeriesId& id = each.curves[0]->series->id;
    return joined(operation_slots(id.options), {{"cells", std::string(atomic_cells(id))}, {"path", id.path}});
}

PlaceGroup rows_of(const AtomicOperation& operation, std::string_view title) {
    PlaceGroup group{filled(title, atomic_slots(operation)), operation.places};
    group.places.push_back(
        instructions_of(operation.curves, [](const Curve& curve) { return atomic_form(*curve.series); }));
    return group;
}

/// Whether only the code of one side joins lanes: of the faster where they have one address, of the slower where they
/// have others, as the instruction lies in a branch that these do not take.
bool is_by_joining(const AtomicOperation& each) {
    const Curve &fast = *each.told.front().second, &slow = *each.told.back().second;
    const bool one_address = option::layout.is(fast.series->id.options, CellLayout::same_address);
    return joins_lanes(one_address ? fast : slow) && !joins_lanes(one_address ? slow : fast);
}

/// `differing`: of one path and layout, or of several if one cause makes all of them differ; the first is told.
void tell_operations(const Card& card, const std::vector<AtomicOperation>& differing, std::string_view title,
    Cause cause, Statements& out) {
    const AtomicOperation& told = differing[0];
    std::vector<PlaceGroup> rows;
    Curves about;
    for (const AtomicOperation& each : differing) {
        rows.push_back(rows_of(each, title));
        about.insert(about.end(), each.curves.begin(), each.curves.end());
    }
    CardFact fact =
        fact_of(card, joined(atomic_slots(told), {{"workgroups", as_count(told.workgroups)}}), told.told, rows);
    fact.cause = cause;
    tell(out, std::move(fact), about).tells_all = false;
}

bool on_one_address(const AtomicOperation& each) {
    return option::layout.is(each.curves[0]->series->id.options, CellLayout::same_address);
}

/// Of which the rates differ; an instruction that returns a result is not ranked with one that returns none.
std::vector<AtomicOperation> differing_operations(const Card& card) {
    Curves atomics = curves_of(card, kAtomics);
    std::erase_if(atomics, [](const Curve* curve) {
        return curve->device->cpu || curve->device->software || !option::layout.asked(curve->series->id.options);
    }); // there the system places the few threads
    std::vector<AtomicOperation> differing;
    const auto operation_of = [](const Curve* curve) {
        const SeriesId& id = curve->series->id;
        return std::pair(id.path, id.options);
    };
    for (const Curves& operation : grouped(atomics, operation_of)) {
        std::vector<Curves> forms =
            grouped(operation, [](const Curve* curve) { return discards_result(*curve->series); });
        forms.resize(2);
        for (const auto& [ranked, beside] : {std::pair(0, 1), {1, 0}}) {
            if (forms[ranked].empty()) continue;
            if (AtomicOperation each(forms[ranked], forms[beside]); each.differs())
                differing.push_back(std::move(each));
        }
    }
    return differing;
}

/// A fact of all that joining lanes makes differ, if it does so at one address, and one for each path and layout of the
/// other operations.
void tell_atomics(const Card& card, Statements& out) {
    std::vector<AtomicOperation> others = differing_operations(card), joining;
    const auto first = std::stable_partition(others.begin(), others.end(), std::not_fn(is_by_joining));
    if (std::any_of(first, others.end(), on_one_address))
        joining.assign(std::move_iterator(first), std::move_iterator(others.end())), others.erase(first, others.end());
    std::ranges::stable_sort(joining, std::greater(),
        [](const AtomicOperation& each) { return std::pair(on_one_address(each), order_of(each)); });
    if (!joining.empty()) tell_operations(card, joining, label::atomic_on, Cause::joined_by_compiler, out);
    const auto layout_of = [](const AtomicOperation& each) {
        const SeriesId& id = each.curves[0]->series->id;
        return std::pair(id.path, option::layout.in(id.options));
    };
    for (std::vector<AtomicOperation>& of_layout : grouped(others, layout_of)) {
        std::ranges::stable_sort(of_layout, std::greater(), order_of);
        tell_operations(card, of_layout, label::atomic, Cause::none, out);
    }
}
} // namespace

const Rule atomics_apart{"atomics_apart", "path", tell_atomics};

} // namespace sonde
