// Times of workloads from the limits that were measured beside them.
#include <algorithm>
#include <cctype>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "core/analysis/findings.h"
#include "core/analysis/traffic.h"
#include "core/base/text.h"
#include "core/diagnosis/rules.h"
#include "core/diagnosis/workload_limits.h"

namespace sonde {

namespace {
constexpr double kSameLead = 0.9; // of a limit over the next: rates vary by less

std::string rate_of(const WorkloadPoint& point, double ns) {
    return work_rate(1 / ns, demand_at(*point.curve->series, point.x), point.curve->series->unit);
}

/// A limit that was not measured may be the one that binds.
bool has_no_prediction(const WorkloadPoint& point) { return !point.missing.empty() && point.ratio() > kUnexplained; }

bool is_near_limit(const WorkloadPoint& point) {
    return point.ratio() >= 1 / kUnexplained && point.ratio() <= kUnexplained;
}

/// Where a rate lies beside the one that its longest limit allows: "near the limit by FMA rate".
std::string verdict_text(const WorkloadPoint& point) {
    const WorkloadLimit& longest = point.limits.front();
    return fmt::format("{} the limit by {}{}",
        is_near_limit(point) ? "near"
        : point.ratio() > 1  ? "below"
                             : "above",
        longest.cached ? "caches and " : "", longest.name);
}

/// Of products by matrix units that another limit is nearer to: ". Of mma.f16.f32.m16n8k16 rate: 46 % of 653 TFLOP/s
/// through a:0".
std::string of_matrix_rate(const std::vector<WorkloadPoint>& alike) {
    std::vector<std::string> shares;
    std::string name;
    for (const WorkloadPoint& point : alike) {
        const Demand* demand = demand_at(*point.curve->series, point.x);
        if (!demand || by_lanes(demand->operation)) continue;
        name = operation_limit(demand->operation);
        const auto limit = std::ranges::find(point.limits, name, &WorkloadLimit::name);
        if (limit != point.limits.begin() && limit != point.limits.end())
            shares.push_back(fmt::format("{:.0f} % of {} through {}", 100 * limit->ns / point.ns,
                rate_of(point, limit->ns), device_text(point.curve)));
    }
    return shares.empty() ? "" : fmt::format(". Beside the {}: {}", name, list_text(shares));
}

/// A workload at one size, through all devices whose time the same limit bounds there.
using WorkloadPlace = std::vector<WorkloadPoint>;

/// By how much the longest limit exceeds the next, on the device where it does so least.
double lead_of(const WorkloadPlace& place) {
    double lead = std::numeric_limits<double>::infinity();
    for (const WorkloadPoint& point : place)
        if (point.limits.size() > 1) lead = std::min(lead, point.limits[0].ns / point.limits[1].ns);
    return lead;
}

/// Of each limit the size that most devices have in common, of those where it exceeds the others the most, and of
/// nearly equal ones the largest. The largest size first, and there also what limits other devices. None of points
/// without a prediction.
std::vector<WorkloadPlace> told_places(std::vector<WorkloadPoint> points) {
    std::erase_if(points, has_no_prediction);
    const auto limit = [](const WorkloadPlace& place) { return place[0].limits.front().name; };
    const auto all =
        grouped(points, [](const WorkloadPoint& point) { return std::pair(point.limits.front().name, point.x); });
    std::vector<WorkloadPlace> told;
    for (const WorkloadPlace& place : all) {
        const auto same = std::ranges::find(told, limit(place), limit);
        if (same == told.end()) told.push_back(place);
        else if (place.size() > same->size() ||
                 (place.size() == same->size() && lead_of(place) >= kSameLead * lead_of(*same)))
            *same = place;
    }
    std::ranges::sort(told, std::greater(), [](const WorkloadPlace& each) { return each[0].x; });
    std::vector<WorkloadPoint> at_sizes;
    for (const WorkloadPlace& place : told) {
        const auto at_first = std::ranges::find_if(all, [&](const WorkloadPlace& other) {
            return limit(other) == limit(place) && other[0].x == told[0][0].x && other.size() >= place.size();
        });
        const WorkloadPlace& chosen = at_first == all.end() ? place : *at_first;
        at_sizes.insert(at_sizes.end(), chosen.begin(), chosen.end());
    }
    told = grouped(at_sizes, [](const WorkloadPoint& point) { return point.x; });
    for (WorkloadPlace& place : told) std::ranges::stable_sort(place, {}, &WorkloadPoint::ns);
    return told;
}

/// "16777216 cells, near the limit by DRAM reads and writes: 26.5 GLUP/s through vulkan:0 (94 % of 28.2 GLUP/s)
/// and 24.7 GLUP/s through opencl:1.0 (90 % of 27.4 GLUP/s)", a sentence for each verdict, each API beside its own
/// limit.
std::string place_text(const WorkloadPlace& place) {
    const auto rate_text = [](const WorkloadPoint& point) {
        const std::string share = point.ratio() < 1 / kUnexplained ? fmt::format("{:.2g} times", 1 / point.ratio())
                                                                   : fmt::format("{:.0f} % of", 100 / point.ratio());
        return fmt::format("{} through {} ({} {})", rate_of(point, point.ns), device_text(point.curve), share,
            rate_of(point, point.limits.front().ns));
    };
    return fmt::format("{}, {}", place_text(place[0].curve->series->x, place[0].x),
        sentences(texts_of(grouped(place, verdict_text), [&](const WorkloadPlace& alike) {
            return fmt::format("{}: {}{}{}", verdict_text(alike[0]), list_text(alike, rate_text),
                is_near_limit(alike[0]) ? "" : ", cause unknown", of_matrix_rate(alike));
        })));
}

/// "GEMM mma.f16.f32.m16n8k16", "Histogram global uniform"; a path where the probe has several.
std::string workload_text(const SeriesId& id) {
    constexpr std::string_view kPrefix = "workload.", kAbbreviations[] = {"gemm", "fft", "lbm"};
    const Probe* probe = find_probe(id.probe);
    std::vector<std::string> words = words_of(id);
    std::string& name = words[0];
    if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
    const std::size_t capitals = std::ranges::find(kAbbreviations, name) == std::end(kAbbreviations) ? 1 : name.size();
    std::transform(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(capitals), name.begin(),
        [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    if (probe && probe->paths.size() > 1) words.insert(words.begin() + 1, id.path);
    return fmt::format("{}", fmt::join(words, " "));
}
} // namespace

const Rule workload_bound{"workload_bound", "path",
    [](const Card& card, Statements& out) {
        for (const auto& points : grouped(workload_points(card), [](const WorkloadPoint& point) {
                 const SeriesId& id = point.curve->series->id;
                 return std::tuple(id.probe, id.path, id.options);
             })) {
            const auto told = told_places(points);
            if (told.empty()) continue;
            Curves about;
            double effect = 1;
            for (const WorkloadPlace& place : told)
                for (const WorkloadPoint& point : place) {
                    about.push_back(point.curve);
                    if (point.missing.empty()) effect = std::max(effect, point.ratio());
                }
            for (const WorkloadPlace& place : told)
                for (const WorkloadPoint& point : place)
                    about.insert(
                        about.end(), point.limits.front().measured.begin(), point.limits.front().measured.end());
            Curves each_once;
            for (const Curve* curve : about)
                if (std::ranges::find(each_once, curve) == each_once.end()) each_once.push_back(curve);
            const SeriesId& id = points[0].curve->series->id;
            Statement& said = say(out, each_once, "{}, {}.", workload_text(id),
                fmt::join(texts_of(told, [](const WorkloadPlace& place) { return place_text(place); }), ". At "));
            said.effect = effect;
            for (CitedSeries& from : said.from)
                for (const WorkloadPlace& place : told)
                    for (const WorkloadPoint& point : place)
                        if (point.curve->series->id == from.series) from.x.push_back(point.x);
        }
    },
    "evidence: demand"};

} // namespace sonde
