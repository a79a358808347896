// Rules about atomic operations.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/traffic.h"
#include "core/base/text.h"
#include "core/diagnosis/rules.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kAtomicsApart = 1.3; // times: of one operation on one layout
constexpr double kStillRises = 1.03;  // times the rate of the last number of workgroups but one
constexpr double kOfSubgroup = 0.75;  // of its lanes: as many times is one instruction for all of them
constexpr double kJoined = 3;         // times the additions on one address: far more than drivers and launches make

std::string op_rate(double rate) { return format_si(rate * 1e9, "op/s"); }


/// Those whose last number of workgroups is clearly faster than the one before.
Curves still_rising(const Ranked& rates) {
    Curves rising;
    for (const auto& [rate, curve] : rates)
        if (const auto points = points_of(*curve); points.size() > 1 && points.back().y > kStillRises * points.end()[-2].y) rising.push_back(curve);
    return rising;
}
} // namespace

const Rule atomics_joined{"atomics_joined", "path", "Additions aggregated by a compiler", [](const Card& card, Statements& out) {
    Parts parts;
    std::vector<std::string> instructions, by_path;
    double most = 1, least = std::numeric_limits<double>::infinity(); // times
    const Curve* highest = nullptr;
    std::string joined_on;
    for (const auto& [path, name] : {std::pair{"global", "global"}, std::pair{"scratchpad", "scratchpad (one address per workgroup)"}}) {
        Curves added = curves_with(card, kAtomics, path, option::layout.as(CellLayout::same_address));
        std::erase_if(added, [](const Curve* curve) { return curve->series->id.options.size() > 1; }); // another operation
        const Ranked rates = ranked(added, highest_of);
        if (!differ(rates, kJoined)) continue;
        std::vector<std::string> code;
        for (const Curve* curve : {rates.front().second, rates.back().second})
            if (const std::string instruction = atomic_instruction(*curve->series); !instruction.empty()) code.push_back(fmt::format("{} {}", device_text(curve), instruction));
        parts.add(fmt::format("on {} {}", name, through_each(rates, op_rate)), curves_in(rates));
        if (!code.empty()) instructions.push_back(fmt::format("on {}: {}", path, fmt::join(code, ", ")));
        by_path.push_back(fmt::format("{:.3g} (on {})", rates.front().first / rates.back().first, path));
        const double times = rates.front().first / rates.back().first;
        if (times > most) most = times, highest = rates.front().second, joined_on = path;
        least = std::min(least, times);
    }
    if (parts.texts.empty()) return;
    const std::uint32_t lanes = highest->device->subgroup;
    const std::string all_lanes = fmt::format("consistent with one atomic instruction per subgroup of {} through {}", lanes, device_text(highest));
    const std::string cause = most < lanes * kOfSubgroup ? "" : least < lanes * kOfSubgroup ? fmt::format(". On {} that is {}", joined_on, all_lanes) : ": " + all_lanes;
    say(out, parts.curves, "Additions on one address, each lane's counted: {}. The highest is {} times the lowest{}.{}", sentences(parts.texts), list_text(by_path), cause,
        instructions.empty() ? "" : fmt::format(" Instructions {}.", sentences(instructions))).effect = most;
}};

/// Of other layouts and operations, the three that differ most.
const Rule atomics_apart{"atomics_apart", "path", "Rates of atomic operations by API", [](const Card& card, Statements& out) {
    constexpr std::size_t kMostTold = 3;
    std::vector<Ranked> differing;
    for (const Curves& alike : grouped(curves_of(card, kAtomics), [](const Curve* curve) { return std::pair(curve->series->id.path, curve->series->id.options); })) {
        const Ranked rates = ranked(alike, highest_of);
        if (option::layout.is(alike[0]->series->id.options, CellLayout::same_address)) continue; // atomics_joined
        if (differ(rates, kAtomicsApart)) differing.push_back(rates);
    }
    std::ranges::stable_sort(differing, std::greater(), ratio_of);
    differing.resize(std::min(differing.size(), kMostTold));
    for (const Ranked& rates : differing) {
        const auto instruction = [](const auto& each) {
            const std::string text = atomic_instruction(*each.second->series);
            return text.substr(0, text.find(" (by ptxas)"));
        };
        const auto kinds = grouped(rates, instruction);
        const SeriesId& id = rates[0].second->series->id;
        const std::string code = instruction(rates[0]).empty() ? "Cause unknown" : kinds.size() == 1 ? fmt::format("Each has {}; cause unknown", instruction(rates[0]))
            : fmt::format("Instructions: {}", list_text(kinds, [&](const auto& same) { return fmt::format("{} through {}", instruction(same[0]), list_text(same, [](const auto& each) { return device_text(each.second); })); }));
        const Curves rising = still_rising(rates);
        const std::string rises = rising.empty() ? "" : fmt::format("With {:g} workgroups, the most tried, the rate still rises: {}. ", rising[0]->series->points.back().x, list_text(rising, [](const Curve* curve) {
            const CurvePoint before = points_of(*curve).end()[-2];
            return fmt::format("from {} with {:g} through {}", op_rate(before.y), before.x, device_text(curve));
        }));
        Statement& said = say(out, curves_in(rates), "Atomics on {} with {}: {}. {}{}.", id.path, options_text(id.options), through_each(rates, op_rate), rises, code);
        said.effect = ratio_of(rates), said.tells_all = false;
    }
}};

} // namespace sonde
