// Rules about atomic operations.
#include <algorithm>
#include <functional>

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

    /// Of numbers with which all were measured.
    explicit AtomicOperation(const Curves& alike) : curves(alike) {
        std::size_t before = 0;
        for (const CurvePoint& point : points_of(*alike[0])) {
            Ranked rates = ranked(alike, [&](const Curve& curve) { return value_at(curve, point.x); });
            if (rates.size() < alike.size()) continue;
            places.insert(
                places.begin(), place_of(filled(label::workgroups, {{"workgroups", as_count(point.x)}}), rates));
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

PlaceGroup rows_of(const AtomicOperation& operation) {
    PlaceGroup group{filled(label::atomic, operation_slots(operation.curves[0]->series->id.options)), operation.places};
    group.places.push_back(
        instructions_of(operation.curves, [](const Curve& curve) { return atomic_form(*curve.series); }));
    return group;
}

void tell_layout(const Card& card, const std::vector<AtomicOperation>& differing, Statements& out) {
    const AtomicOperation& told = differing[0];
    const SeriesId& id = told.curves[0]->series->id;
    std::vector<PlaceGroup> rows;
    Curves about;
    for (const AtomicOperation& each : differing) {
        rows.push_back(rows_of(each));
        about.insert(about.end(), each.curves.begin(), each.curves.end());
    }
    CardFact fact = fact_of(card,
        joined(operation_slots(id.options),
            {{"cells", std::string(atomic_cells(id))}, {"path", id.path}, {"workgroups", as_count(told.workgroups)}}),
        told.told, rows);
    // Only lanes at one address can be joined: the instruction that does it lies in a branch that others do not take.
    if (option::layout.is(id.options, CellLayout::same_address) && joins_lanes(*told.told.front().second) &&
        !joins_lanes(*told.told.back().second))
        fact.cause = Cause::joined_by_compiler;
    tell(out, std::move(fact), about).tells_all = false;
}

/// A fact for each path and layout, of all its operations whose rates differ.
void tell_atomics(const Card& card, Statements& out) {
    Curves atomics = curves_of(card, kAtomics);
    std::erase_if(atomics, [](const Curve* curve) {
        return curve->device->cpu || curve->device->software || !option::layout.asked(curve->series->id.options);
    }); // there the system places the few threads
    const auto layout_of = [](const Curve* curve) {
        const SeriesId& id = curve->series->id;
        return std::pair(id.path, option::layout.in(id.options));
    };
    for (const Curves& of_layout : grouped(atomics, layout_of)) {
        std::vector<AtomicOperation> differing;
        for (const Curves& alike : grouped(of_layout, [](const Curve* curve) { return curve->series->id.options; }))
            if (AtomicOperation each(alike); each.differs()) differing.push_back(std::move(each));
        std::ranges::stable_sort(differing, std::greater(), order_of);
        if (!differing.empty()) tell_layout(card, differing, out);
    }
}
} // namespace

const Rule atomics_apart{"atomics_apart", "path", tell_atomics};

} // namespace sonde
