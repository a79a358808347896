// The matrix level x (API, path).
#include "core/diagnosis/matrix.h"

#include <algorithm>
#include <array>

#include "core/base/grouped.h"

namespace sonde {

namespace {
/// Latency series in the order of the table of paths; those of other versions' paths at the end.
Curves latencies_of(const Card& card) {
    Curves curves;
    for (const Curve& curve : card.curves)
        if (has_levels(curve.series->id) && (curve.series->status != Status::ok || !curve.series->points.empty()))
            curves.push_back(&curve); // other tools' single values are no curve
    const auto place = [](const Curve* curve) {
        return curve->path ? curve->path : all_paths().data() + all_paths().size();
    };
    std::stable_sort(curves.begin(), curves.end(), [&](const Curve* a, const Curve* b) { return place(a) < place(b); });
    return curves;
}

const Curve* curve_of(const Curves& curves, const DeviceInfo& device) {
    const auto found = std::find_if(
        curves.begin(), curves.end(), [&](const Curve* curve) { return curve->series->id.device == device.id; });
    return found == curves.end() ? nullptr : *found;
}

bool is_unsure(const Curve& curve, const LevelName& name) {
    return std::ranges::find(curve.unsure, name, &Finding::level) != curve.unsure.end();
}

MatrixCell cell_of(const Card& card, const Curve* curve, const LevelName& name) {
    if (!curve) return {};
    if (curve->series->status == Status::unsupported) return {Reached::unsupported, nullptr, curve};
    if (curve->series->status == Status::failed && curve->levels.empty()) return {Reached::failed, nullptr, curve};
    if (curve->scatters || curve->disturbed) return {Reached::scattered, nullptr, curve};
    if (const Finding* level = curve->reached(name)) return {Reached::reached, level, curve};
    if (is_unsure(*curve, name)) return {Reached::unsure, nullptr, curve};
    return {curve->passes(name)                ? Reached::passed_by
            : lies_between(card, *curve, name) ? Reached::blurred
                                               : Reached::not_covered,
        nullptr, curve};
}

/// The farthest footprint at which any of these curves is in the level, surely or not.
double last_inside(const Curves& curves, const LevelName& name) {
    double last = 0;
    for (const Curve* curve : curves) {
        if (!curve) continue;
        if (const Finding* level = curve->reached(name)) last = std::max(last, level->capacity_bytes->first);
        for (const Finding& level : curve->unsure)
            if (level.level == name) last = std::max(last, level.capacity_bytes->first);
    }
    return last;
}

/// The levels that any of these curves reached or passed by, nearest first; one row where there is none, for the
/// reasons.
std::vector<LevelName> level_names_of(const Card& card, const Curves& curves) {
    std::vector<LevelName> names;
    for (const LevelName& name : card.level_names)
        if (std::any_of(curves.begin(), curves.end(), [&](const Curve* curve) {
                return curve && !curve->scatters &&
                       (curve->reached(name) || curve->passes(name) || is_unsure(*curve, name));
            }))
            names.push_back(name);
    const auto add = [&](const LevelName& name) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const Curve* curve : curves) {
        if (!curve || curve->scatters) continue;
        for (const LevelName& name : curve->level_names) add(name);
        for (const Finding& level : curve->unsure) add(level.level);
    }
    if (std::ranges::any_of(curves, [](const Curve* curve) { return curve && curve->device->cpu; }))
        std::ranges::stable_sort(names, {}, [&](const LevelName& name) {
            return last_inside(curves, name);
        }); // L1 may be sure through another API alone
    std::stable_partition(names.begin(), names.end(),
        [](const LevelName& name) { return name.kind != LevelName::Kind::dram; }); // behind what the card's curve lacks
    if (names.empty()) names.emplace_back();
    return names;
}
} // namespace

const char* to_text(Reached reach) {
    constexpr std::array kNames{"reached", "passed by", "not told apart", "not sure", "not covered", "unsupported",
        "failed", "scatters", "not measured"};
    return kNames[static_cast<std::size_t>(reach)];
}

bool lies_between(const Card& card, const Curve& curve, const LevelName& name) {
    const auto place = std::ranges::find(card.level_names, name);
    const auto reached = [&](const LevelName& each) { return curve.reached(each); };
    return place != card.level_names.end() && std::any_of(card.level_names.begin(), place, reached) &&
           std::any_of(place + 1, card.level_names.end(), reached);
}

Matrix matrix_of(const Card& card) {
    Matrix matrix;
    const Curves all = latencies_of(card);
    for (const DeviceRecord* device : card.devices)
        if (curve_of(all, *device)) matrix.devices.push_back(device);
    for (const Curves& kind :
        grouped(all, [](const Curve* curve) { return std::pair(curve->series->id.path, curve->series->id.options); })) {
        Curves columns;
        for (const DeviceRecord* device : matrix.devices) columns.push_back(curve_of(kind, *device));
        for (const LevelName& name : level_names_of(card, columns)) {
            MatrixRow row{kind[0]->series->id.path, kind[0]->series->id.options, name, {}};
            for (const Curve* curve : columns) row.cells.push_back(cell_of(card, curve, name));
            matrix.rows.push_back(std::move(row));
        }
    }
    return matrix;
}

} // namespace sonde
