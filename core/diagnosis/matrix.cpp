// The matrix level x (API, path).
#include "core/diagnosis/matrix.h"

#include <algorithm>
#include <array>

namespace sonde {

namespace {
constexpr std::array kReachNames{"reached", "passed by", "not covered", "unsupported", "failed", "not measured"};

using RowKind = std::pair<std::string, std::map<std::string, std::string>>; // path and options: what a group of rows is about

RowKind kind_of(const Curve& curve) { return {curve.series->id.path, curve.series->id.options}; }

/// The kinds of latency series in the order of the table of paths.
std::vector<RowKind> kinds_of(const Card& card) {
    std::vector<const Curve*> curves;
    for (const Curve& curve : card.curves)
        if (curve.series->id.probe == "latency") curves.push_back(&curve);
    std::stable_sort(curves.begin(), curves.end(), [](const Curve* a, const Curve* b) {
        return (a->path ? a->path : all_paths().data() + all_paths().size()) < (b->path ? b->path : all_paths().data() + all_paths().size());
    });
    std::vector<RowKind> kinds;
    for (const Curve* curve : curves)
        if (std::find(kinds.begin(), kinds.end(), kind_of(*curve)) == kinds.end()) kinds.push_back(kind_of(*curve));
    return kinds;
}

const Curve* curve_of(const Card& card, const Json& device, const RowKind& kind) {
    for (const Curve& curve : card.curves)
        if (curve.series->id.probe == "latency" && curve.series->id.device == text_field(device, "id") && kind_of(curve) == kind) return &curve;
    return nullptr;
}

MatrixCell cell_of(const Curve* curve, const std::string& tier) {
    if (!curve) return {};
    if (curve->series->status == Status::unsupported) return {Reached::unsupported, nullptr, curve};
    if (curve->series->status == Status::failed && curve->levels.empty()) return {Reached::failed, nullptr, curve};
    if (const Finding* level = curve->reached(tier)) return {Reached::reached, level, curve};
    return {curve->passes(tier) ? Reached::passed_by : Reached::not_covered, nullptr, curve};
}

/// The tiers that any of these curves reached or passed by, nearest first; one row where there is none, for the reasons.
std::vector<std::string> tiers_of(const Card& card, const std::vector<const Curve*>& curves) {
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

const char* to_text(Reached reach) { return kReachNames[static_cast<std::size_t>(reach)]; }

Matrix matrix_of(const Card& card) {
    Matrix matrix;
    const std::vector<RowKind> kinds = kinds_of(card);
    for (const Json* device : card.devices)
        if (std::any_of(kinds.begin(), kinds.end(), [&](const RowKind& kind) { return curve_of(card, *device, kind); })) matrix.devices.push_back(device);
    for (const RowKind& kind : kinds) {
        std::vector<const Curve*> curves;
        for (const Json* device : matrix.devices) curves.push_back(curve_of(card, *device, kind));
        const std::vector<std::string> tiers = tiers_of(card, curves);
        for (const std::string& tier : tiers) {
            MatrixRow row{kind.first, kind.second, tier, {}};
            for (const Curve* curve : curves) row.cells.push_back(cell_of(curve, tier));
            matrix.rows.push_back(std::move(row));
        }
    }
    return matrix;
}

} // namespace sonde
