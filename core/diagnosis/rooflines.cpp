// Workloads below their ceilings.
#include <set>

#include <fmt/format.h>

#include "core/data/shared_options.h"
#include "core/diagnosis/overview.h"
#include "core/diagnosis/workload_limits.h"

namespace sonde {

std::vector<Roofline> rooflines_of(const Card& card) {
    std::vector<Roofline> rooflines;
    for (const DeviceRecord* device : card.devices) {
        Roofline roofline{.device = device->id};
        std::set<std::string> operations; // that have a roof
        if (const Curve* latency = plain_curve(card, kLatency, device->id, "global"))
            for (std::size_t i = 0; i < latency->levels.size(); ++i)
                if (const auto rate = read_rate(card, *latency, latency->levels[i]);
                    rate && latency->level_names[i].part != LevelName::Part::far) // all cores read both partitions
                    roofline.ceilings.push_back({latency->level_names[i].whole().text(), rate->gigabytes});
        if (const MeasuredRate scratchpad = best_rate(card, device->id, kBandwidth, "scratchpad", {}, highest_of);
            scratchpad.value > 0)
            roofline.ceilings.push_back({"scratchpad", scratchpad.value});
        for (const Curve& curve : card.curves) {
            const auto& demands = curve.series->evidence.demand;
            if (!curve.usable() || device_text(&curve) != device->id || demands.empty() || curve.series->points.empty())
                continue;
            const Demand& demand = demands.back();
            if (!demand.footprint_bytes && curve.series->id.path != "global")
                continue; // its bytes are not of this memory
            const double bytes = demand.read_bytes + demand.written_bytes,
                         rate = curve.series->points.back().median.value_or(0),
                         roof = operation_rate(card, device->id, demand.operation).value;
            if (!(bytes > 0 && demand.operations > 0 && rate > 0 && roof > 0)) continue;
            if (operations.insert(demand.operation).second)
                roofline.roofs.push_back({operation_text(demand.operation), roof});
            roofline.points.push_back({fmt::format("{}", fmt::join(words_of(curve.series->id), " ")),
                demand.operations / bytes, demand.operations * rate});
        }
        if (!roofline.ceilings.empty() && !roofline.points.empty()) rooflines.push_back(std::move(roofline));
    }
    return rooflines;
}

} // namespace sonde
