// Figures without footprints, put where the report's own levels are.
#include "core/report/overlay.h"

#include <algorithm>
#include <cmath>

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

struct Overlay {
    std::string title, url, unit;
    std::vector<std::pair<double, double>> points;
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
        const double value = (figure.low + figure.high) / 2;
        found->points.emplace_back(level->x.front(), value);
        found->points.emplace_back(level->capacity_bytes->first, value);
    }
    Json list = Json::array();
    for (Overlay& overlay : overlays) {
        std::sort(overlay.points.begin(), overlay.points.end());
        Json points = Json::array();
        for (const auto& [x, y] : overlay.points) points.push_back({x, y});
        list.push_back({{"probe", "latency"}, {"title", overlay.title}, {"url", overlay.url}, {"unit", overlay.unit}, {"points", points}});
    }
    return list;
}

} // namespace sonde
