// What a workload's time is beside the limits of its device.
#include "core/diagnosis/workload_limits.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/base/text.h"
#include "core/data/shared_options.h"
#include "core/diagnosis/arithmetic.h"
#include "core/diagnosis/overview.h"

namespace sonde {

bool by_lanes(const std::string& operation) { return operation.empty() || operation.starts_with("fma."); }
std::string operation_text(const std::string& operation) {
    return operation.empty() ? "FMA" : by_lanes(operation) ? "FMA " + operation.substr(4) : operation;
}
std::string operation_limit(const std::string& operation) { return operation_text(operation) + " rate"; }
MeasuredRate operation_rate(const Card& card, const std::string& device, const std::string& operation) {
    if (!by_lanes(operation))
        return best_rate(card, device, kMatrix, "global",
            option::data.as(DataKind::integers) * option::operation.as(operation), highest_of);
    const auto of_all_cores = [](const Curve& curve) {
        return option::cores.asked(curve.series->id.options) ? 0 : highest_of(curve);
    };
    return best_rate(
        card, device, kRate, "global", option::operation.as(operation.empty() ? "fma.f32" : operation), of_all_cores);
}

const Demand* demand_at(const Series& series, double x) {
    const auto& demands = series.evidence.demand;
    const auto next = std::ranges::upper_bound(demands, x, {}, &Demand::from_x);
    return next == demands.begin() ? nullptr : &*std::prev(next);
}

std::vector<std::string> words_of(const SeriesId& id) {
    std::vector<std::string> words{id.probe};
    for (const auto& [option, word] : id.options) words.push_back(word);
    return words;
}

namespace {
constexpr int kWord = 4; // bytes of a random load
constexpr double kNearEnd =
    2.01; // times the end of a sweep: its last rate still holds; a sweep may end a little below a power of two
constexpr double kMuchCached = 0.05; // of a footprint: a rate from it is not DRAM's alone
constexpr double kManyLaunches = 8; // times its shortest launch: less than an eighth of a workload's time is the launch

bool timed_by_host(const Series& series) {
    return series.evidence.timers && series.evidence.timers->value_from == Timer::host;
}

/// Whether so much of a time by the host's clock may be launches that no other limit can be read from it: the
/// workload's shortest launch bounds what one costs.
bool may_be_launches(const Series& series, double x) {
    if (!timed_by_host(series)) return false;
    const double unit = series.unit.ends_with("/s") ? -1 : 1; // a rate's reciprocal is a time
    double least = INFINITY, own = 0;
    for (const Point& point : series.points) {
        const Demand* demand = demand_at(series, point.x);
        if (!demand || demand->launches <= 0 || !(point.median.value_or(0) > 0)) continue;
        const double launch = std::pow(*point.median, unit) / demand->launches;
        least = std::min(least, launch);
        if (point.x == x) own = launch;
    }
    return own > 0 && own < kManyLaunches * least;
}

/// The workload's device, and what was measured through it.
class Limits {
public:
    Limits(const Card& card, const Curve& workload, const Demand& demand, double x)
        : card_(card),
          workload_(workload),
          device_(device_text(&workload)),
          path_(demand.footprint_bytes ? "global" : workload.series->id.path),
          demand_(demand),
          footprint_(demand.footprint_bytes.value_or(x)) {}

    /// Into the point; false: the rate of its memory traffic is not known.
    bool find(WorkloadPoint& point) const {
        const auto add = [&](double amount, const char* what, const std::optional<WorkloadLimit>& limit) {
            if (limit && limit->ns > 0) point.limits.push_back(*limit);
            else if (amount > 0 && *what) point.missing.emplace_back(what);
        };
        const std::optional<WorkloadLimit> traffic = memory();
        if (!traffic) return false;
        add(0, "", traffic), add(0, "", random_sectors()), add(demand_.random_loads, "random loads", random_loads()),
            add(0, "", latency()), add(demand_.tile_bytes, "bandwidth", tiles());
        add(demand_.scratchpad_bytes, "scratchpad bandwidth", scratchpad()),
            add(demand_.operations, by_lanes(demand_.operation) ? "FMA rate" : "rate of matrix units", arithmetic()),
            add(demand_.atomics, on_one_address() ? "atomics" : "atomics on few addresses", atomics());
        std::ranges::stable_sort(point.limits, std::greater(), &WorkloadLimit::ns);
        return !point.limits.empty();
    }

private:
    template <class Wanted>
    MeasuredRate best(const Probe& probe, std::string_view path, const Options& options, const Wanted& wanted) const {
        return best_rate(card_, device_, probe, path, options, wanted);
    }
    /// At a footprint, or where the sweep ends a little before it.
    static double at(const Curve& curve, double footprint) {
        const auto& points = curve.series->points;
        if (points.empty() || curve.series->x.unit != "bytes") return 0;
        return value_between(*curve.series,
            footprint > points.back().x && footprint <= kNearEnd * points.back().x ? points.back().x : footprint)
            .value_or(0);
    }
    MeasuredRate reads(double footprint) const {
        return best(kBandwidth, path_, {}, [&](const Curve& curve) {
            return option::width.alone(curve.series->id.options) ? at(curve, footprint) : 0;
        });
    }
    MeasuredRate streams(const char* operation, double footprint) const {
        return best(
            kStream, path_, option::operation.as(operation), [&](const Curve& curve) { return at(curve, footprint); });
    }
    /// The level in which a footprint lies, as the latency of loads shows it.
    std::string level_at(double footprint) const {
        const Curve* curve = plain_curve(card_, kLatency, device_, path_);
        if (!curve) return "memory";
        for (std::size_t i = 0; i < curve->levels.size(); ++i)
            if (i + 1 == curve->levels.size() || footprint <= on(curve->levels[i])) return curve->level_names[i];
        return "memory";
    }

    /// All cores read both partitions. Rates of a processor tell no levels apart by the latency of one core.
    std::string cache_at(double footprint) const {
        if (workload_.device->cpu) return "memory";
        std::string level = level_at(footprint);
        return level.starts_with("L2 ") ? "L2" : level;
    }

    /// As many bytes as are both read and written move like a copy's, or where none was measured like reads and stores
    /// by themselves, as the rest does.
    std::optional<WorkloadLimit> memory() const {
        const MeasuredRate copies = streams("copy", footprint_);
        const double both = copies.value > 0 ? std::min(demand_.read_bytes, demand_.written_bytes) : 0;
        const char* what = demand_.written_bytes <= 0 ? "reads"
                           : demand_.read_bytes <= 0  ? "writes"
                                                      : "reads and writes";
        WorkloadLimit limit{fmt::format("{} {}", cache_at(footprint_), what)};
        limit.cached =
            limit.name.starts_with("DRAM") && card_.largest(&DeviceInfo::cache_bytes) > kMuchCached * footprint_;
        const auto part = [&](double bytes, const MeasuredRate& rate) {
            if (bytes <= 0) return true;
            if (rate.value <= 0) return false;
            limit.ns += bytes / rate.value, limit.measured.push_back(rate.curve);
            return true;
        };
        if (!part(2 * both, copies) || !part(demand_.read_bytes - both, reads(footprint_)) ||
            !part(demand_.written_bytes - both, streams("fill", footprint_)))
            return std::nullopt;
        return limit;
    }
    double random_footprint() const { return demand_.random_footprint_bytes.value_or(footprint_); }

    /// A sector for each random load, at the rate of reads.
    std::optional<WorkloadLimit> random_sectors() const {
        if (demand_.random_loads <= 0) return std::nullopt;
        const auto sector_of = [](const Curve& curve) {
            const auto found =
                is_strided(curve) ? sectors(curve_of(*curve.series), width_of(curve.series->id.options)) : std::nullopt;
            return found ? found->bytes : 0;
        };
        const MeasuredRate sector = best(kCoalescing, path_, option::pattern.as(AccessPattern::stride), sector_of),
                           rate = reads(random_footprint());
        if (sector.value <= 0 || rate.value <= 0) return std::nullopt;
        return WorkloadLimit{fmt::format("{} sectors of {:g} bytes", level_at(random_footprint()), sector.value),
            demand_.random_loads * sector.value / rate.value, {rate.curve, sector.curve}};
    }
    /// At the rate of random loads from the largest footprint measured that is no larger and in the same level.
    std::optional<WorkloadLimit> random_loads() const {
        if (demand_.random_loads <= 0) return std::nullopt;
        double largest = 0;
        const auto bytes = [&](const Curve& curve) {
            return scattered_bytes(curve.series->evidence.footprint_bytes.value_or(~0ull), kWord);
        };
        const auto rate_in = [&](double least) {
            return best(kCoalescing, path_, option::pattern.as(AccessPattern::order) * option::width.as(4),
                [&](const Curve& curve) {
                    if (bytes(curve) < least || bytes(curve) > random_footprint() ||
                        option::stores.asked(curve.series->id.options))
                        return 0.0;
                    largest = std::max(largest, bytes(curve));
                    return value_at(curve, kScatteredPlace) / kWord;
                });
        };
        if (rate_in(0).value <= 0 || level_at(largest) != level_at(random_footprint())) return std::nullopt;
        const MeasuredRate rate = rate_in(largest);
        return WorkloadLimit{fmt::format("random loads from {}", format_bytes(largest)),
            demand_.random_loads / rate.value, {rate.curve}};
    }
    /// By as many loads as are under way at once.
    std::optional<WorkloadLimit> latency() const {
        const Curve* curve = plain_curve(card_, kLatency, device_, path_);
        if (!curve || demand_.random_loads <= 0 || demand_.loads_in_flight.value_or(0) <= 0) return std::nullopt;
        return WorkloadLimit{fmt::format("{} latency over {:.3g} loads in flight", level_at(random_footprint()),
                                 *demand_.loads_in_flight),
            demand_.random_loads * at(*curve, random_footprint()) / *demand_.loads_in_flight, {curve}};
    }
    std::optional<WorkloadLimit> over(const std::string& name, double amount, const MeasuredRate& rate) const {
        if (amount <= 0 || rate.value <= 0) return std::nullopt;
        return WorkloadLimit{name, amount / rate.value, {rate.curve}};
    }
    /// Resident workgroups load the same tiles about the same time: a cache that holds these serves all but the first.
    std::optional<WorkloadLimit> tiles() const {
        const double footprint = demand_.tile_footprint_bytes.value_or(footprint_);
        return over(cache_at(footprint) + " reads of tiles", demand_.tile_bytes, reads(footprint));
    }
    std::optional<WorkloadLimit> scratchpad() const {
        return over("scratchpad reads", demand_.scratchpad_bytes, best(kBandwidth, "scratchpad", {}, highest_of));
    }
    /// Of as many cores as there are workgroups for.
    std::optional<WorkloadLimit> arithmetic() const {
        MeasuredRate rate = operation_rate(card_, device_, demand_.operation);
        std::string name = operation_limit(demand_.operation);
        const double cores = rate.curve ? rate.curve->device->cores : 0;
        if (demand_.workgroups && *demand_.workgroups < cores)
            rate.value *= *demand_.workgroups / cores,
                name += fmt::format(" on {:g} of {:g} cores", *demand_.workgroups, cores);
        return over(name, demand_.operations, rate);
    }
    /// The probe `atomics` has one address for all, or one for each: neither bounds additions to a few. Files from
    /// before say "consecutive" of words that fall into few bins at random.
    bool on_one_address() const { return demand_.atomics_layout == "same-address"; }
    /// As far as listings tell: a count may be an instruction of its own.
    bool one_instruction(const Curve& curve) const {
        const std::string own = atomic_mnemonic(*workload_.series), its = atomic_mnemonic(*curve.series);
        return own.empty() || its.empty() || own == its;
    }
    std::optional<WorkloadLimit> atomics() const {
        if (!on_one_address()) return std::nullopt;
        const Options layout = option::layout.as(CellLayout::same_address);
        return over("atomics on one address", demand_.atomics,
            best(kAtomics, demand_.atomics_path, layout, [&](const Curve& curve) {
                return curve.series->id.options == layout && one_instruction(curve) ? highest_of(curve) : 0;
            }));
    }
    const Card& card_;
    const Curve& workload_;
    const std::string device_, path_;
    const Demand& demand_;
    const double footprint_;
};

/// The same through any API, so that those with the cheaper launches do not stand alone.
bool may_be_launches(const Card& card, const SeriesId& id, double x) {
    return std::ranges::any_of(card.curves, [&](const Curve& each) {
        const SeriesId& other = each.series->id;
        return each.usable() &&
               std::tie(other.probe, other.path, other.options) == std::tie(id.probe, id.path, id.options) &&
               may_be_launches(*each.series, x);
    });
}

std::vector<WorkloadPoint> points_of_workload(const Card& card, const Curve& curve) {
    std::vector<WorkloadPoint> points;
    const bool is_rate = curve.series->unit.ends_with("/s");
    for (const Point& point : curve.series->points) {
        const Demand* demand = demand_at(*curve.series, point.x);
        if (!demand || !(point.median.value_or(0) > 0) || may_be_launches(card, curve.series->id, point.x)) continue;
        WorkloadPoint found{.curve = &curve, .x = point.x, .ns = is_rate ? 1 / *point.median : *point.median};
        if (Limits(card, curve, *demand, point.x).find(found)) points.push_back(std::move(found));
    }
    return points;
}

/// A device's rate of operations that one workload beats, as compilers make vectors of it, limits no other.
void drop_beaten_limits(std::vector<WorkloadPoint>& points) {
    std::set<std::pair<std::string, std::string>> beaten; // device, and limit by operations
    const auto by_operations = [](const WorkloadPoint& point) {
        const Demand* demand = demand_at(*point.curve->series, point.x);
        return std::pair(
            device_text(point.curve), demand && demand->operations > 0 ? operation_limit(demand->operation) : "");
    };
    for (const WorkloadPoint& point : points)
        if (point.limits.front().name == by_operations(point).second && point.ratio() < 1 / kUnexplained)
            beaten.insert(by_operations(point));
    for (WorkloadPoint& point : points) {
        const auto by = by_operations(point);
        if (point.ratio() >= 1 / kUnexplained && beaten.contains(by) &&
            std::erase_if(point.limits, [&](const WorkloadLimit& limit) { return limit.name == by.second; }) > 0)
            point.missing.push_back(by.second);
    }
    std::erase_if(points, [](const WorkloadPoint& point) { return point.limits.empty(); });
}
} // namespace

std::vector<WorkloadPoint> workload_points(const Card& card) {
    std::vector<WorkloadPoint> points;
    for (const Curve& curve : card.curves)
        if (curve.usable() && curve.path)
            for (WorkloadPoint& point : points_of_workload(card, curve)) points.push_back(std::move(point));
    drop_beaten_limits(points);
    return points;
}

} // namespace sonde
