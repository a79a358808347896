// Latency curves that others measured on real cards and published. Real curves tell methods apart far better than
// modelled ones.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/levels.h"

namespace sonde {

struct PublishedCurve {
    struct Range {
        double low, high;
    };
    std::string_view name;
    std::vector<Range> levels;      // cycles, ascending: what a person reads off the curve
    std::vector<Range> knees;       // KiB: where each level but the last ends
    std::vector<CurvePoint> points; // bytes, cycles
};

std::span<const PublishedCurve> published_curves();

} // namespace sonde
