// Figures without footprints, put where the report's own levels are.
#include "core/report/overlay.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace sonde {

namespace {
constexpr const char* kPath = "global";

/// The first curve through the card's memory, whose levels say where figures belong.
const Curve* measure_of(std::span<const Card> cards) {
    for (const Card& card : cards)
        for (const Curve& curve : card.curves)
            if (curve.usable() && curve.series->id.probe == "latency" && curve.series->id.path == kPath && curve.series->id.options.empty() && curve.levels.size() > 1) return &curve;
    return nullptr;
}

/// What one device's figures say of each level, which may be several: from the lowest to the highest.
struct Overlay {
    std::string title, url, unit;
    std::map<const Finding*, std::pair<double, double>> levels;
};
} // namespace

Json overlay_of(std::span<const Card> cards, const std::vector<PublishedFigure>& figures) {
    const Curve* measure = measure_of(cards);
    std::vector<Overlay> overlays;
    for (const PublishedFigure& figure : figures) {
        const bool latency = figure.question.probe == "latency" && figure.question.path == kPath && (figure.unit == "cycles" || figure.unit == "ns");
        const Finding* level = latency && measure ? measure->reached(figure.level) : nullptr;
        if (!level || !std::isfinite(figure.low) || !std::isfinite(figure.high)) continue;
        auto found = std::find_if(overlays.begin(), overlays.end(), [&](const Overlay& each) { return each.title == figure.device && each.unit == figure.unit; });
        if (found == overlays.end()) found = overlays.insert(overlays.end(), Overlay{figure.device, figure.url, figure.unit, {}});
        const auto [entry, made] = found->levels.try_emplace(level, figure.low, figure.high);
        if (!made) entry->second = {std::min(entry->second.first, figure.low), std::max(entry->second.second, figure.high)};
    }
    Json list = Json::array();
    for (const Overlay& overlay : overlays) {
        std::vector<std::pair<double, double>> line;
        for (const auto& [level, range] : overlay.levels)
            for (const double x : {level->x.front(), level->capacity_bytes->first}) line.emplace_back(x, (range.first + range.second) / 2);
        std::sort(line.begin(), line.end());
        Json points = Json::array();
        for (const auto& [x, y] : line) points.push_back({x, y});
        list.push_back({{"probe", "latency"}, {"title", overlay.title}, {"url", overlay.url}, {"unit", overlay.unit}, {"points", points}});
    }
    return list;
}

} // namespace sonde
