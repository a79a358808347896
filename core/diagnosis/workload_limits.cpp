// What a workload's time is beside the limits of its device.
#include "core/diagnosis/workload_limits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/base/text.h"
#include "core/data/footprints.h"
#include "core/data/shared_options.h"
#include "core/diagnosis/arithmetic.h"
#include "core/diagnosis/overview.h"

namespace sonde {

bool by_lanes(const std::string& operation) {
    const Operation* known = find_operation(operation);
    return operation.empty() || (known && !known->matrix);
}
std::string operation_text(const std::string& operation) {
    return operation.empty()     ? "FMA"
           : by_lanes(operation) ? fmt::format("FMA {}", to_text(find_operation(operation)->number))
                                 : operation;
}
std::string limit_words(const LimitBy& by) {
    static constexpr std::array<std::string_view, 12> kTexts{"{level} reads", "{level} writes",
        "{level} reads and writes", "{level} reads of tiles", "{level} sectors", "random loads from {level}",
        "{level} latency (loads in flight)", "scratchpad reads", "{operation} rate",
        "{operation} rate on as many cores as workgroups", "atomics on one address", "atomics on few addresses"};
    return filled(kTexts[static_cast<std::size_t>(by.resource)],
        {{"level", by.level}, {"operation", operation_text(by.operation)}});
}
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
constexpr double kMoreThanRate = 1.15; // times a rate of operations that a workload beats
constexpr double kMuchCached = 0.05;   // of a footprint: a rate from it is not DRAM's alone
constexpr double kManyLaunches = 8; // times its shortest launch: less than an eighth of a workload's time is the launch

bool timed_by_host(const Series& series) {
    return series.evidence.timers && series.evidence.timers->value_from == Timer::host;
}

/// Whether so much of a time by the host's clock may be launches that no other limit can be read from it: the
/// workload's shortest launch bounds what one costs.
bool may_be_launches(const Series& series, double x) {
    if (!timed_by_host(series)) return false;
    const double unit = is_rate(series.unit) ? -1 : 1; // a rate's reciprocal is a time
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
        const std::optional<WorkloadLimit> traffic = memory();
        if (!traffic) return false;
        if (traffic->ns > 0) point.limits.push_back(*traffic);
        for (const auto& limit :
            {random_sectors(), random_loads(), latency(), tiles(), scratchpad(), arithmetic(), atomics()}) {
            if (!limit) continue;
            if (limit->ns > 0) point.limits.push_back(*limit);
            else point.missing.push_back(limit->by);
        }
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
            return is_alone(option::width, curve.series->id.options) ? at(curve, footprint) : 0;
        });
    }
    MeasuredRate streams(const char* operation, double footprint) const {
        return best(
            kStream, path_, option::operation.as(operation), [&](const Curve& curve) { return at(curve, footprint); });
    }
    /// The level in which a footprint lies, as the latency of loads shows it.
    LevelName level_at(double footprint) const {
        const Curve* curve = plain_curve(card_, kLatency, device_, path_);
        if (!curve) return LevelName::untold();
        for (std::size_t i = 0; i < curve->levels.size(); ++i)
            if (i + 1 == curve->levels.size() || footprint <= on(curve->levels[i])) return curve->level_names[i];
        return LevelName::untold();
    }

    /// All cores read both partitions. Rates of a processor tell no levels apart by the latency of one core.
    LevelName cache_at(double footprint) const {
        return workload_.device->cpu ? LevelName::untold() : level_at(footprint).whole();
    }

    /// As many bytes as are both read and written move like a copy's, or where none was measured like reads and stores
    /// by themselves, as the rest does.
    std::optional<WorkloadLimit> memory() const {
        const MeasuredRate copies = streams("copy", footprint_);
        const double both = copies.value > 0 ? std::min(demand_.read_bytes, demand_.written_bytes) : 0;
        const Resource which = demand_.written_bytes <= 0 ? Resource::reads
                               : demand_.read_bytes <= 0  ? Resource::writes
                                                          : Resource::reads_and_writes;
        WorkloadLimit limit{.by = {which, cache_at(footprint_)}};
        limit.cached =
            limit.by.level == LevelName::dram() && card_.largest(&DeviceInfo::cache_bytes) > kMuchCached * footprint_;
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
        return WorkloadLimit{.by = {Resource::sectors, level_at(random_footprint())},
            .ns = demand_.random_loads * sector.value / rate.value,
            .measured = {rate.curve, sector.curve},
            .of = Quantity{sector.value, Unit::bytes}};
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
        const LimitBy by{Resource::random_loads, level_at(random_footprint())};
        if (rate_in(0).value <= 0 || level_at(largest) != by.level) return WorkloadLimit{.by = by};
        return over(by, demand_.random_loads, rate_in(largest), Quantity{largest, Unit::bytes});
    }
    /// By as many loads as are under way at once.
    std::optional<WorkloadLimit> latency() const {
        const Curve* curve = plain_curve(card_, kLatency, device_, path_);
        if (!curve || demand_.random_loads <= 0 || demand_.loads_in_flight.value_or(0) <= 0) return std::nullopt;
        return WorkloadLimit{.by = {Resource::latency, level_at(random_footprint())},
            .ns = demand_.random_loads * at(*curve, random_footprint()) / *demand_.loads_in_flight,
            .measured = {curve},
            .of = Quantity{*demand_.loads_in_flight, Unit::count}};
    }
    static std::optional<WorkloadLimit> over(
        LimitBy by, double amount, const MeasuredRate& rate, std::optional<Quantity> of = {}) {
        if (amount <= 0) return std::nullopt;
        if (rate.value <= 0) return WorkloadLimit{.by = std::move(by)};
        return WorkloadLimit{.by = std::move(by), .ns = amount / rate.value, .measured = {rate.curve}, .of = of};
    }
    /// Resident workgroups load the same tiles about the same time: a cache that holds these serves all but the first.
    std::optional<WorkloadLimit> tiles() const {
        const double footprint = demand_.tile_footprint_bytes.value_or(footprint_);
        return over({Resource::tiles, cache_at(footprint)}, demand_.tile_bytes, reads(footprint));
    }
    std::optional<WorkloadLimit> scratchpad() const {
        return over({Resource::scratchpad}, demand_.scratchpad_bytes, best(kBandwidth, "scratchpad", {}, highest_of));
    }
    /// Of as many cores as there are workgroups for.
    std::optional<WorkloadLimit> arithmetic() const {
        MeasuredRate rate = operation_rate(card_, device_, demand_.operation);
        const double cores = rate.curve ? rate.curve->device->cores : 0;
        if (!demand_.workgroups || *demand_.workgroups >= cores)
            return over({Resource::operations, {}, demand_.operation}, demand_.operations, rate);
        rate.value *= *demand_.workgroups / cores;
        return over({Resource::few_cores, {}, demand_.operation}, demand_.operations, rate,
            Quantity{*demand_.workgroups, Unit::count});
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
        if (!on_one_address()) return over({Resource::few_addresses}, demand_.atomics, {});
        const Options layout = option::layout.as(CellLayout::same_address);
        return over({Resource::one_address}, demand_.atomics,
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

/// What one size of a series beats limits none of them: L1, of which all cores' together hold much, serves a part of
/// what counts as the reads of a farther cache.
void drop_beaten_memory(std::vector<WorkloadPoint>& points) {
    std::set<LimitBy> beaten;
    for (const WorkloadPoint& point : points)
        for (const WorkloadLimit& limit : point.limits)
            if (!limit.by.level.is_none() && limit.by.level != LevelName::dram() && limit.ns > kBeaten * point.ns)
                beaten.insert(limit.by);
    for (WorkloadPoint& point : points)
        std::erase_if(point.limits, [&](const WorkloadLimit& limit) { return beaten.contains(limit.by); });
    std::erase_if(points, [](const WorkloadPoint& point) { return point.limits.empty(); });
}

std::vector<WorkloadPoint> points_of_workload(const Card& card, const Curve& curve) {
    std::vector<WorkloadPoint> points;
    const bool rates = is_rate(curve.series->unit);
    for (const Point& point : curve.series->points) {
        const Demand* demand = demand_at(*curve.series, point.x);
        if (!demand || !(point.median.value_or(0) > 0) || may_be_launches(card, curve.series->id, point.x)) continue;
        WorkloadPoint found{.curve = &curve, .x = point.x, .ns = rates ? 1 / *point.median : *point.median};
        if (Limits(card, curve, *demand, point.x).find(found)) points.push_back(std::move(found));
    }
    drop_beaten_memory(points);
    return points;
}

/// A device's rate of operations that one workload beats, as compilers make vectors of it, limits no other.
void drop_beaten_limits(std::vector<WorkloadPoint>& points) {
    std::set<std::pair<std::string, LimitBy>> beaten; // of devices
    const auto by_operations = [](const WorkloadPoint& point) {
        const Demand* demand = demand_at(*point.curve->series, point.x);
        return std::pair(
            device_text(point.curve), LimitBy{Resource::operations, {}, demand ? demand->operation : std::string()});
    };
    for (const WorkloadPoint& point : points)
        if (point.limits.front().by == by_operations(point).second && point.ratio() < 1 / kMoreThanRate)
            beaten.insert(by_operations(point));
    for (WorkloadPoint& point : points) {
        const auto by = by_operations(point);
        if (point.ratio() >= 1 / kMoreThanRate && beaten.contains(by) &&
            std::erase_if(point.limits, [&](const WorkloadLimit& limit) { return limit.by == by.second; }) > 0)
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
