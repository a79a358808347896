// Rules about atomic operations.
#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

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

/// Whether the last number of workgroups is clearly faster than the one before.
bool still_rises(const Curve& curve) {
    const auto points = points_of(curve);
    return points.size() > 1 && points.back().y > kStillRises * points.end()[-2].y;
}

std::string type_text(const Options& options) { return option::type.asked(options) ? option::type.word(options) : "u32"; }

/// All that a series was asked for but the type of its operands.
Options without_type(Options options) {
    options.set(option::type, "");
    return options;
}
} // namespace

const Rule atomics_joined{"atomics_joined", "path", "Additions aggregated by a compiler", [](const Card& card, Statements& out) {
    std::vector<std::pair<double, std::string>> places; // how many times the rates lie apart
    Curves about;
    for (const auto& [path, name] : {std::pair{"global", "global"}, std::pair{"scratchpad", "scratchpad (one address per workgroup)"}}) {
        Curves added = curves_with(card, kAtomics, path, option::layout.as(CellLayout::same_address));
        std::erase_if(added, [](const Curve* curve) { return curve->series->id.options.size() > 1; }); // another operation
        const Ranked rates = ranked(added, highest_of);
        if (!differ(rates, kJoined)) continue;
        const Curve &fastest = *rates.front().second, &slowest = *rates.back().second;
        const std::string cause = ratio_of(rates) < fastest.device->subgroup * kOfSubgroup ? "" : fmt::format(", consistent with one atomic instruction per subgroup of {} through {}", fastest.device->subgroup, device_text(&fastest));
        std::vector<std::string> code;
        for (const Curve* curve : {&fastest, &slowest})
            if (const std::string instruction = atomic_instruction(*curve->series); !instruction.empty()) code.push_back(fmt::format("{} {}", device_text(curve), instruction));
        places.emplace_back(ratio_of(rates), fmt::format("on {}, each lane's counted: {}, {}{:.2g} times apart{}{}{}", name, through_each(rates, op_rate), still_rises(fastest) ? "at least " : "", ratio_of(rates), cause, code.empty() ? "" : ". Instructions: ", fmt::join(code, ", ")));
        for (const Curve* curve : curves_in(rates)) about.push_back(curve);
    }
    if (places.empty()) return;
    std::ranges::stable_sort(places, std::greater(), &std::pair<double, std::string>::first);
    say(out, about, "Additions on one address {}.", sentences(texts_of(places, [](const auto& place) { return place.second; }))).effect = places[0].first;
}};

/// Of other layouts and operations, the three that differ most.
const Rule atomics_apart{"atomics_apart", "path", "Rates of atomic operations by API", [](const Card& card, Statements& out) {
    constexpr std::size_t kMostTold = 3;
    std::vector<Ranked> differing;
    for (const Curves& alike : grouped(curves_of(card, kAtomics), [](const Curve* curve) { return std::pair(curve->series->id.path, curve->series->id.options); })) {
        const Ranked rates = ranked(alike, highest_of);
        if (option::layout.is(alike[0]->series->id.options, CellLayout::same_address)) continue; // atomics_joined
        if (differ(rates, kAtomicsApart) && !still_rises(*rates.back().second)) differing.push_back(rates); // of one that rises the end is not known
    }
    std::ranges::stable_sort(differing, std::greater(), ratio_of);
    std::size_t told = 0;
    for (const auto& alike : grouped(differing, [](const Ranked& rates) { return std::pair(rates[0].second->series->id.path, without_type(rates[0].second->series->id.options)); })) {
        if (told++ == kMostTold) break;
        const Ranked& rates = alike[0];
        const auto instruction = [](const auto& each) {
            const std::string text = atomic_instruction(*each.second->series);
            return text.substr(0, text.find(" (by ptxas)"));
        };
        const auto kinds = grouped(rates, instruction);
        const SeriesId& id = rates[0].second->series->id;
        const std::string code = instruction(rates[0]).empty() ? "Cause unknown" : kinds.size() == 1 ? fmt::format("Each has {}; cause unknown", instruction(rates[0]))
            : fmt::format("Instructions: {}", list_text(kinds, [&](const auto& same) { return fmt::format("{} through {}", instruction(same[0]), list_text(same, [](const auto& each) { return device_text(each.second); })); }));
        const auto rate = [&](double each) { return (each == rates[0].first && still_rises(*rates[0].second) ? "at least " : "") + op_rate(each); };
        Curves about = curves_in(rates);
        std::vector<std::string> likewise;
        for (const Ranked& other : std::span(alike).subspan(1)) {
            likewise.push_back(fmt::format("{} {:.3g} times", type_text(other[0].second->series->id.options), ratio_of(other)));
            for (const Curve* curve : curves_in(other)) about.push_back(curve);
        }
        Statement& said = say(out, about, "Atomics on {} with {}: {}{}. {}.", id.path, options_text(id.options), through_each(rates, rate), likewise.empty() ? "" : fmt::format(", {:.3g} times apart (and {})", ratio_of(rates), list_text(likewise)), code);
        said.effect = ratio_of(rates), said.tells_all = false;
    }
}};

} // namespace sonde
