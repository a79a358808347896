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
        if (curve.series->id.probe == "latency") curves.push_back(&curve);
    const auto place = [](const Curve* curve) { return curve->path ? curve->path : all_paths().data() + all_paths().size(); };
    std::stable_sort(curves.begin(), curves.end(), [&](const Curve* a, const Curve* b) { return place(a) < place(b); });
    return curves;
}

const Curve* curve_of(const Curves& curves, const Json& device) {
    const auto found = std::find_if(curves.begin(), curves.end(), [&](const Curve* curve) { return curve->series->id.device == text_field(device, "id"); });
    return found == curves.end() ? nullptr : *found;
}

MatrixCell cell_of(const Curve* curve, const std::string& tier) {
    if (!curve) return {};
    if (curve->series->status == Status::unsupported) return {Reached::unsupported, nullptr, curve};
    if (curve->series->status == Status::failed && curve->levels.empty()) return {Reached::failed, nullptr, curve};
    if (const Finding* level = curve->reached(tier)) return {Reached::reached, level, curve};
    return {curve->passes(tier) ? Reached::passed_by : Reached::not_covered, nullptr, curve};
}

/// The tiers that any of these curves reached or passed by, nearest first; one row where there is none, for the reasons.
std::vector<std::string> tiers_of(const Card& card, const Curves& curves) {
    std::vector<std::string> tiers;
    for (const std::string& tier : card.tiers)
        if (std::any_of(curves.begin(), curves.end(), [&](const Curve* curve) { return curve && (curve->reached(tier) || curve->passes(tier)); }))
            tiers.push_back(tier);
    for (const Curve* curve : curves)
        if (curve)
            for (const std::string& tier : curve->tiers)
                if (std::find(tiers.begin(), tiers.end(), tier) == tiers.end()) tiers.push_back(tier);
    if (tiers.empty()) tiers.emplace_back();
    return tiers;
}
} // namespace

const char* to_text(Reached reach) {
    constexpr std::array kNames{"reached", "passed by", "not covered", "unsupported", "failed", "not measured"};
    return kNames[static_cast<std::size_t>(reach)];
}

Matrix matrix_of(const Card& card) {
    Matrix matrix;
    const Curves all = latencies_of(card);
    for (const Json* device : card.devices)
        if (curve_of(all, *device)) matrix.devices.push_back(device);
    for (const Curves& kind : grouped(all, [](const Curve* curve) { return std::pair(curve->series->id.path, curve->series->id.options); })) {
        Curves columns;
        for (const Json* device : matrix.devices) columns.push_back(curve_of(kind, *device));
        for (const std::string& tier : tiers_of(card, columns)) {
            MatrixRow row{kind[0]->series->id.path, kind[0]->series->id.options, tier, {}};
            for (const Curve* curve : columns) row.cells.push_back(cell_of(curve, tier));
            matrix.rows.push_back(std::move(row));
        }
    }
    return matrix;
}

} // namespace sonde
