// Times of workloads from the limits that were measured beside them.
#include "core/diagnosis/workloads.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/base/text.h"
#include "core/diagnosis/overview.h"
#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
constexpr double kPlaceAtRandom = 4; // of coalescing's orders: each load anywhere in the footprint
constexpr double kNearEnd = 2;       // times the end of a sweep: its last rate still holds
constexpr double kSameLead = 0.9;    // of a limit over the next: rates vary by less

/// A rate per ns and whose it is; 0: none.
struct MeasuredRate {
    double value = 0;
    const Curve* curve = nullptr;
};

/// The workload's device, and what was measured through it.
class Limits {
public:
    Limits(const Card& card, const Curve& workload, const Demand& demand, double x)
        : card_(card), device_(device_text(&workload)), path_(demand.footprint_bytes ? "global" : workload.series->id.path), demand_(demand), footprint_(demand.footprint_bytes.value_or(x)),
          by_host_(workload.series->evidence.timers && workload.series->evidence.timers->value_from == Timer::host) {}

    /// Into the point; false: the rate of its memory traffic is not known.
    bool find(WorkloadPoint& point) const {
        const auto add = [&](double amount, const char* what, const std::optional<WorkloadLimit>& limit) {
            if (limit && limit->ns > 0) point.limits.push_back(*limit);
            else if (amount > 0 && *what) point.missing.emplace_back(what);
        };
        const std::optional<WorkloadLimit> traffic = memory();
        if (!traffic) return false;
        add(0, "", traffic), add(0, "", random_sectors()), add(demand_.random_loads, "random loads", random_loads()), add(0, "", latency()), add(demand_.tile_bytes, "bandwidth", tiles());
        add(demand_.scratchpad_bytes, "scratchpad bandwidth", scratchpad()), add(demand_.operations, "FMA rate", arithmetic()), add(demand_.atomics, "atomics", atomics());
        if (const auto limit = launches()) point.limits.push_back(*limit), point.launch_ns = limit->ns;
        std::ranges::stable_sort(point.limits, std::greater(), &WorkloadLimit::ns);
        return !point.limits.empty();
    }

private:
    /// The series of the workload's device that have these options, of which `wanted` makes a rate; the highest.
    template <class Wanted> MeasuredRate best(std::string_view probe, std::string_view path, const Options& options, const Wanted& wanted) const {
        MeasuredRate found;
        for (const Curve* curve : curves_of(card_, probe)) {
            const Options& own = curve->series->id.options;
            if (device_text(curve) != device_ || curve->series->id.path != path || !std::includes(own.begin(), own.end(), options.begin(), options.end())) continue;
            if (const double value = wanted(*curve); value > found.value) found = {value, curve};
        }
        return found;
    }
    static double highest_of(const Curve& curve) {
        double most = 0;
        for (const Point& point : curve.series->points) most = std::max(most, point.median.value_or(0));
        return most;
    }
    /// At a footprint, or where the sweep ends a little before it.
    static double at(const Curve& curve, double footprint) {
        const auto& points = curve.series->points;
        if (points.empty() || curve.series->x.unit != "bytes") return 0;
        return value_between(*curve.series, footprint > points.back().x && footprint <= kNearEnd * points.back().x ? points.back().x : footprint).value_or(0);
    }
    MeasuredRate reads(double footprint) const {
        return best("bandwidth", path_, {}, [&](const Curve& curve) { return curve.series->id.options.size() == 1 && curve.series->id.options.contains("width") ? at(curve, footprint) : 0; });
    }
    MeasuredRate streams(const char* operation, double footprint) const {
        return best("stream", path_, {{"operation", operation}}, [&](const Curve& curve) { return at(curve, footprint); });
    }
    /// The level in which a footprint lies, as the latency of loads shows it.
    std::string level_at(double footprint) const {
        const Curve* curve = plain_curve(card_, "latency", device_, path_);
        if (!curve) return "memory";
        for (std::size_t i = 0; i < curve->levels.size(); ++i)
            if (i + 1 == curve->levels.size() || footprint <= on(curve->levels[i])) return curve->level_names[i];
        return "memory";
    }

    /// As many bytes as are both read and written move like a copy's, or where none was measured like reads and stores by themselves, as the rest does.
    std::optional<WorkloadLimit> memory() const {
        const MeasuredRate copies = streams("copy", footprint_);
        const double both = copies.value > 0 ? std::min(demand_.read_bytes, demand_.written_bytes) : 0;
        const char* what = demand_.written_bytes <= 0 ? "reads" : demand_.read_bytes <= 0 ? "writes" : "read+write";
        WorkloadLimit limit{fmt::format("{} {}", level_at(footprint_), what)};
        const auto part = [&](double bytes, const MeasuredRate& rate) {
            if (bytes <= 0) return true;
            if (rate.value <= 0) return false;
            limit.ns += bytes / rate.value, limit.measured.push_back(rate.curve);
            return true;
        };
        if (!part(2 * both, copies) || !part(demand_.read_bytes - both, reads(footprint_)) || !part(demand_.written_bytes - both, streams("fill", footprint_))) return std::nullopt;
        return limit;
    }
    double random_footprint() const { return demand_.random_footprint_bytes.value_or(footprint_); }

    /// A sector for each random load, at the rate of reads.
    std::optional<WorkloadLimit> random_sectors() const {
        if (demand_.random_loads <= 0) return std::nullopt;
        const auto sector_of = [](const Curve& curve) {
            const auto found = is_strided(curve) ? sectors(curve_of(*curve.series), std::strtod(curve.series->id.options.at("width").c_str(), nullptr)) : std::nullopt;
            return found ? found->bytes : 0;
        };
        const MeasuredRate sector = best("coalescing", path_, {{"pattern", "stride"}}, sector_of), rate = reads(random_footprint());
        if (sector.value <= 0 || rate.value <= 0) return std::nullopt;
        return WorkloadLimit{fmt::format("{} sectors of {:g} bytes", level_at(random_footprint()), sector.value), demand_.random_loads * sector.value / rate.value, {rate.curve, sector.curve}};
    }
    /// At the rate of random loads from a footprint that is no larger.
    std::optional<WorkloadLimit> random_loads() const {
        if (demand_.random_loads <= 0) return std::nullopt;
        const MeasuredRate rate = best("coalescing", path_, {{"pattern", "order"}, {"width", "4"}}, [&](const Curve& curve) {
            if (static_cast<double>(curve.series->evidence.footprint_bytes.value_or(~0ull)) > random_footprint()) return 0.0;
            const auto& points = curve.series->points;
            const auto random = std::ranges::find(points, kPlaceAtRandom, &Point::x);
            return random == points.end() ? 0.0 : random->median.value_or(0) / 4;
        });
        if (rate.value <= 0) return std::nullopt;
        return WorkloadLimit{"random loads", demand_.random_loads / rate.value, {rate.curve}};
    }
    /// By as many loads as are under way at once.
    std::optional<WorkloadLimit> latency() const {
        const Curve* curve = plain_curve(card_, "latency", device_, path_);
        if (!curve || demand_.random_loads <= 0 || demand_.loads_in_flight.value_or(0) <= 0) return std::nullopt;
        return WorkloadLimit{fmt::format("{} latency over {:.3g} loads in flight", level_at(random_footprint()), *demand_.loads_in_flight), demand_.random_loads * at(*curve, random_footprint()) / *demand_.loads_in_flight, {curve}};
    }
    std::optional<WorkloadLimit> over(const std::string& name, double amount, const MeasuredRate& rate) const {
        if (amount <= 0 || rate.value <= 0) return std::nullopt;
        return WorkloadLimit{name, amount / rate.value, {rate.curve}};
    }
    /// Resident workgroups load the same tiles about the same time: a cache that holds these serves all but the first.
    std::optional<WorkloadLimit> tiles() const {
        const double footprint = demand_.tile_footprint_bytes.value_or(footprint_);
        return over(fmt::format("{} reads of tiles", level_at(footprint)), demand_.tile_bytes, reads(footprint));
    }
    std::optional<WorkloadLimit> scratchpad() const { return over("scratchpad", demand_.scratchpad_bytes, best("bandwidth", "scratchpad", {}, highest_of)); }
    std::optional<WorkloadLimit> arithmetic() const { return over("FMA", demand_.operations, best("rate", "global", {{"operation", "fma.f32"}}, highest_of)); }
    std::optional<WorkloadLimit> atomics() const {
        const Options layout{{"layout", demand_.atomics_layout}};
        return over("atomics", demand_.atomics, best("atomics", demand_.atomics_path, layout, [&](const Curve& curve) { return curve.series->id.options == layout ? highest_of(curve) : 0; }));
    }
    /// Of times by the host's clock: the device's are those of the kernels alone.
    std::optional<WorkloadLimit> launches() const {
        if (!by_host_) return std::nullopt;
        const MeasuredRate rate = best("launch", "global", {{"test", "queued"}}, [](const Curve& curve) { return curve.series->points.empty() || !curve.series->points.front().median ? 0 : 1 / *curve.series->points.front().median; });
        return over("launch rate", demand_.launches, rate);
    }

    const Card& card_;
    const std::string device_, path_;
    const Demand& demand_;
    const double footprint_;
    const bool by_host_;
};

std::vector<WorkloadPoint> points_of_workload(const Card& card, const Curve& curve) {
    std::vector<WorkloadPoint> points;
    const auto& demands = curve.series->evidence.demand;
    const bool is_rate = curve.series->unit.ends_with("/s");
    for (const Point& point : curve.series->points) {
        const auto next = std::ranges::upper_bound(demands, point.x, {}, &Demand::from_x);
        if (next == demands.begin() || !(point.median.value_or(0) > 0)) continue;
        WorkloadPoint found{.curve = &curve, .x = point.x, .ns = is_rate ? 1 / *point.median : *point.median};
        if (Limits(card, curve, *std::prev(next), point.x).find(found)) points.push_back(std::move(found));
    }
    return points;
}

std::string rate_of(const WorkloadPoint& point, double ns) { return format_si(1e9 / ns, point.curve->series->unit.substr(1)); }

/// "23.1 GLUP/s at 16777216 cells, 84 % of DRAM read+write (27.4 GLUP/s); bound by it"
std::string point_text(const WorkloadPoint& point) {
    const WorkloadLimit& limit = point.limits.front();
    const std::string text = fmt::format("{} at {}, {:.0f} % of {} ({})", rate_of(point, point.ns), place_text(point.curve->series->x, point.x), 100 / point.ratio(), limit.name, rate_of(point, limit.ns));
    if (point.ratio() < 1 / kUnexplained) return text + fmt::format(", {:.2f} times the predicted time: faster than this limit, cause unknown", point.ratio());
    if (point.ratio() <= kUnexplained) return text + "; bound by it";
    if (const double in_turn = limit.ns + point.launch_ns; point.launch_ns < limit.ns && point.ns <= kUnexplained * in_turn)
        return text + fmt::format("; bound by it and by launches, whose times add up to {:.0f} % of the measured one", 100 * in_turn / point.ns);
    return text + (point.missing.empty() ? fmt::format(", {:.2f} times the predicted time: unexplained", point.ratio()) : fmt::format(" ({} not measured here)", list_text(point.missing)));
}
} // namespace

std::vector<WorkloadPoint> workload_points(const Card& card) {
    std::vector<WorkloadPoint> points;
    for (const Curve& curve : card.curves)
        if (curve.usable() && curve.path)
            for (WorkloadPoint& point : points_of_workload(card, curve)) points.push_back(std::move(point));
    return points;
}

std::vector<Roofline> rooflines_of(const Card& card) {
    std::vector<Roofline> rooflines;
    for (const DeviceRecord* device : card.devices) {
        Roofline roofline{.device = device->id};
        if (const Curve* latency = plain_curve(card, "latency", device->id, "global"))
            for (std::size_t i = 0; i < latency->levels.size(); ++i)
                if (const auto rate = read_rate(card, *latency, latency->levels[i]); rate && latency->level_names[i] != "L2 far") // all cores read both partitions
                    roofline.ceilings.push_back({latency->level_names[i] == "L2 near" ? "L2" : latency->level_names[i], rate->gigabytes});
        for (const Curve* curve : curves_of(card, "rate"))
            if (const auto operation = curve->series->id.options.find("operation"); device_text(curve) == device->id && operation != curve->series->id.options.end() && operation->second == "fma.f32")
                for (const Point& point : curve->series->points) roofline.peak = std::max(roofline.peak, point.median.value_or(0));
        for (const Curve& curve : card.curves) {
            const auto& demands = curve.series->evidence.demand;
            if (!curve.usable() || !curve.path || device_text(&curve) != device->id || demands.empty() || curve.series->points.empty()) continue;
            const double bytes = demands.back().read_bytes + demands.back().written_bytes, operations = demands.back().operations, rate = curve.series->points.back().median.value_or(0);
            if (bytes > 0 && operations > 0 && rate > 0) roofline.points.push_back({curve.series->id.probe, operations / bytes, operations * rate});
        }
        if (!roofline.ceilings.empty() && roofline.peak > 0 && !roofline.points.empty()) rooflines.push_back(std::move(roofline));
    }
    return rooflines;
}

/// By how much the longest limit exceeds the next.
double lead_of(const WorkloadPoint& point) { return point.limits.size() < 2 ? std::numeric_limits<double>::infinity() : point.limits[0].ns / point.limits[1].ns; }

/// Of each series and limit the size at which that limit exceeds the others the most, and of nearly equal ones the largest.
const Rule workload_bound{"workload_bound", "path", "A workload beside its limits", [](const Card& card, Statements& out) {
    for (const auto& series : grouped(workload_points(card), [](const WorkloadPoint& point) { return point.curve; })) {
        std::vector<const WorkloadPoint*> told;
        for (const WorkloadPoint& point : series) {
            const auto same = std::ranges::find(told, point.limits.front().name, [](const WorkloadPoint* each) { return each->limits.front().name; });
            if (same == told.end()) told.push_back(&point);
            else if (lead_of(point) >= kSameLead * lead_of(**same)) *same = &point;
        }
        std::ranges::sort(told, std::greater(), [](const WorkloadPoint* each) { return each->x; });
        Curves about{series[0].curve};
        for (const WorkloadPoint* point : told)
            for (const Curve* curve : point->limits.front().measured)
                if (std::ranges::find(about, curve) == about.end()) about.push_back(curve);
        const SeriesId& id = series[0].curve->series->id;
        Statement& said = say(out, about, "{} through {}: {}.", id.options.empty() ? id.probe : fmt::format("{} {}", id.probe, options_text(id.options)), id.device, fmt::format("{}", fmt::join(texts_of(told, [](const WorkloadPoint* point) { return point_text(*point); }), "; ")));
        if (told.front()->missing.empty()) said.effect = std::max(1.0, told.front()->ratio());
        for (const WorkloadPoint* point : told) said.from[0].x.push_back(point->x);
    }
}, "evidence: demand"};

} // namespace sonde
