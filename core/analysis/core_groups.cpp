// Least squares over three means, from several beginnings.
#include "core/analysis/core_groups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "core/base/statistics.h"

namespace sonde {

namespace {
constexpr int kShuffles = 5, kRounds = 30;
constexpr std::size_t kBeginnings = 8;
constexpr double kExplains = 0.2, kAboveChance = 3;

struct Neighbour {
    std::size_t core;
    double value; // ln time
};
using Graph = std::vector<std::vector<Neighbour>>; // by core
using Sides = std::vector<std::uint8_t>;           // by core: which group it is in

struct Split {
    Sides sides;
    double explained = 0; // of the variance
};

template <class Visit> void each_pair(const Graph& graph, const Visit& visit) {
    for (std::size_t a = 0; a < graph.size(); ++a)
        for (const auto& [b, value] : graph[a])
            if (b < a) visit(a, b, value);
}

/// Means within group 0, across, within group 1.
std::array<double, 3> means(const Graph& graph, const Sides& sides) {
    std::array<double, 3> sums{}, counts{};
    each_pair(graph, [&](std::size_t a, std::size_t b, double value) {
        sums[sides[a] + sides[b]] += value;
        ++counts[sides[a] + sides[b]];
    });
    const double all = (sums[0] + sums[1] + sums[2]) / (counts[0] + counts[1] + counts[2]);
    for (std::size_t i = 0; i < 3; ++i) sums[i] = counts[i] > 0 ? sums[i] / counts[i] : all;
    return sums;
}

double residual(const Graph& graph, const Sides& sides) {
    const auto of = means(graph, sides);
    double sum = 0;
    each_pair(graph,
        [&](std::size_t a, std::size_t b, double value) { sum += std::pow(value - of[sides[a] + sides[b]], 2); });
    return sum;
}

/// Moves cores to the side on which their pairs fit better until none moves.
void settle(const Graph& graph, Sides& sides) {
    bool moved = true;
    for (int round = 0; moved && round < kRounds; ++round) {
        const auto of = means(graph, sides);
        moved = false;
        for (std::size_t core = 0; core < graph.size(); ++core) {
            std::array<double, 2> costs{};
            for (const auto& [other, value] : graph[core])
                for (std::size_t side = 0; side < 2; ++side)
                    costs[side] += std::pow(value - of[side + sides[other]], 2);
            const std::uint8_t better = costs[1] < costs[0];
            moved = moved || better != sides[core];
            sides[core] = better;
        }
    }
}

/// By each core's mean, and by what some cores have to the others.
std::vector<Sides> beginnings(const Graph& graph) {
    std::vector<double> of_core;
    for (const auto& row : graph) {
        double sum = 0;
        for (const Neighbour& each : row) sum += each.value;
        of_core.push_back(row.empty() ? 0 : sum / static_cast<double>(row.size()));
    }
    const auto above = [](double value, double limit) { return static_cast<std::uint8_t>(value > limit); };
    std::vector<Sides> all(1);
    const double middle = median(of_core);
    for (const double mean : of_core) all[0].push_back(above(mean, middle));
    for (std::size_t core = 0; core < graph.size(); core += std::max<std::size_t>(1, graph.size() / kBeginnings)) {
        if (graph[core].size() < graph.size() / 2) continue;
        std::vector<double> values;
        for (const Neighbour& each : graph[core]) values.push_back(each.value);
        Sides sides(graph.size(), 1);
        sides[core] = 0;
        for (const auto& [other, value] : graph[core]) sides[other] = above(value, median(values));
        all.push_back(std::move(sides));
    }
    return all;
}

Split best_split(const Graph& graph) {
    const double whole = residual(graph, Sides(graph.size(), 0));
    Split best;
    for (Sides& sides : beginnings(graph)) {
        settle(graph, sides);
        const double explained = whole > 0 ? 1 - residual(graph, sides) / whole : 0;
        if (best.sides.empty() || explained > best.explained) best = {std::move(sides), explained};
    }
    return best;
}

/// Each pair once.
Graph graph_of(std::span<const PairTime> pairs) {
    std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> times;
    std::size_t cores = 0;
    for (const auto& [first, second, time] : pairs) {
        if (first == second || !(time > 0)) continue;
        times[std::minmax(first, second)].push_back(std::log(time));
        cores = std::max({cores, first + 1, second + 1});
    }
    Graph graph(cores);
    for (const auto& [pair, logs] : times) {
        const double value = std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size());
        graph[pair.first].push_back({pair.second, value});
        graph[pair.second].push_back({pair.first, value});
    }
    return graph;
}

/// The same pairs with each other's times.
Graph shuffled(const Graph& graph, std::mt19937& random) {
    std::vector<double> values;
    each_pair(graph, [&](std::size_t, std::size_t, double value) { values.push_back(value); });
    std::shuffle(values.begin(), values.end(), random);
    Graph mixed(graph.size());
    std::size_t next = 0;
    each_pair(graph, [&](std::size_t a, std::size_t b, double) {
        mixed[a].push_back({b, values[next]});
        mixed[b].push_back({a, values[next++]});
    });
    return mixed;
}

/// ln time by core and line, without the means of both: as pairs, lines numbered behind the cores.
std::vector<PairTime> without_means(const std::vector<std::vector<double>>& times) {
    const std::size_t cores = times.size(), lines = times[0].size();
    std::vector<double> of_core(cores), of_line(lines);
    double all = 0;
    for (std::size_t core = 0; core < cores; ++core)
        for (std::size_t line = 0; line < lines; ++line) {
            const double value = std::log(times[core][line]);
            of_core[core] += value / static_cast<double>(lines);
            of_line[line] += value / static_cast<double>(cores);
            all += value / static_cast<double>(cores * lines);
        }
    std::vector<PairTime> pairs;
    for (std::size_t core = 0; core < cores; ++core)
        for (std::size_t line = 0; line < lines; ++line)
            pairs.push_back({core, cores + line, times[core][line] / std::exp(of_core[core] + of_line[line] - all)});
    return pairs;
}
} // namespace

std::optional<CoreGroups> core_groups(std::span<const PairTime> pairs) {
    const Graph graph = graph_of(pairs);
    if (graph.size() < 4) return std::nullopt;
    Split split = best_split(graph);
    std::mt19937 random(1); // the same answer each time
    double by_chance = 0;
    for (int i = 0; i < kShuffles; ++i) by_chance = std::max(by_chance, best_split(shuffled(graph, random)).explained);
    if (split.explained < kExplains || split.explained < kAboveChance * by_chance) return std::nullopt;
    std::array<std::vector<double>, 3> times;
    each_pair(graph, [&](std::size_t a, std::size_t b, double value) {
        times[split.sides[a] + split.sides[b]].push_back(std::exp(value));
    });
    if (times[0].empty() || times[1].empty() || times[2].empty()) return std::nullopt; // a core alone is no group
    const bool swap = median(times[2]) < median(times[0]);
    CoreGroups groups{.within_near = median(times[swap ? 2 : 0]),
        .within_far = median(times[swap ? 0 : 2]),
        .across = median(times[1])};
    for (std::size_t core = 0; core < graph.size(); ++core)
        if (!graph[core].empty()) ((split.sides[core] != 0) == swap ? groups.near : groups.far).push_back(core);
    return groups;
}

std::optional<CacheParts> cache_parts(const std::vector<std::vector<double>>& times) {
    constexpr double kFarther = 1.03;
    const bool whole = !times.empty() && std::ranges::all_of(times, [&](const auto& row) {
        return !row.empty() && row.size() == times[0].size() &&
               std::ranges::all_of(row, [](double time) { return time > 0; });
    });
    if (!whole) return std::nullopt;
    const auto groups = core_groups(without_means(times));
    if (!groups) return std::nullopt;
    CacheParts parts;
    const bool crosswise =
        groups->across <
        std::min(groups->within_near, groups->within_far); // a group's cores are then near to the other's lines
    for (const std::size_t side : {0, 1})
        for (const std::size_t place : side == 0 ? groups->near : groups->far) {
            if (place < times.size()) parts.cores[side].push_back(place);
            else parts.lines[crosswise ? 1 - side : side].push_back(place - times.size());
        }
    std::array<std::vector<double>, 2> values; // near, far
    for (std::size_t of_core = 0; of_core < 2; ++of_core)
        for (std::size_t of_line = 0; of_line < 2; ++of_line)
            for (const std::size_t core : parts.cores[of_core])
                for (const std::size_t line : parts.lines[of_line])
                    values[of_core == of_line ? 0 : 1].push_back(times[core][line]);
    if (values[0].empty() || values[1].empty()) return std::nullopt;
    parts.near = median(values[0]);
    parts.far = median(values[1]);
    return parts.far >= kFarther * parts.near ? std::optional(parts) : std::nullopt;
}

} // namespace sonde
