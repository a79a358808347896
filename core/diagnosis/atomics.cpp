// Rules about atomic operations.
#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <tuple>

#include "core/analysis/traffic.h"
#include "core/base/text.h"
#include "core/diagnosis/rules.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kAtomicsApart = 1.3; // times: of one operation on one layout
constexpr double kOfSubgroup = 0.75;  // of its lanes: as many times is one instruction for all of them
constexpr double kJoined = 3;         // times the additions on one address: far more than drivers and launches make

std::string op_rate(double rate) { return format_si(rate * 1e9, "op/s"); }

/// All that a series was asked for but the type of its operands.
Options without_type(Options options) {
    options.set(option::type, "");
    return options;
}

std::string type_text(const Options& options) {
    return option::type.asked(options) ? option::type.word(options) : "u32";
}
/// "u32 add"
std::string operation_text(const Options& options) {
    return fmt::format(
        "{} {}", type_text(options), option::operation.asked(options) ? option::operation.word(options) : "add");
}

/// Rates of one operation and layout through all devices with as many workgroups.
struct AtomicRates {
    double workgroups = 0;
    Ranked rates{};

    /// Those that through_each names first and last.
    const Curve* first() const { return named(unranked_groups(rates).front()); }
    const Curve* last() const { return named(unranked_groups(rates).back()); }
    double ratio() const { return value_at(*first(), workgroups) / value_at(*last(), workgroups); }

private:
    static const Curve* named(const Ranked& group) {
        return std::ranges::min(group, {}, [](const auto& each) { return device_text(each.second); }).second;
    }
};

/// By the numbers of workgroups that all of them were measured with, the largest first.
std::vector<AtomicRates> rates_by_workgroups(const Curves& alike) {
    std::vector<AtomicRates> all;
    for (const CurvePoint& point : points_of(*alike[0])) {
        Ranked rates = ranked(alike, [&](const Curve& curve) { return value_at(curve, point.x); });
        if (rates.size() == alike.size()) all.insert(all.begin(), {point.x, std::move(rates)});
    }
    return all;
}

std::string times_text(double ratio) { return fmt::format("{:.{}f}", ratio, ratio < 10 ? 1 : 0); }

/// How many times the fastest are faster than the slowest: "4.1"; where a run would not rank some among themselves
/// "2.9-4.1".
std::string times_apart(const Ranked& rates) {
    const auto groups = unranked_groups(sorted(rates));
    const std::string least = times_text(groups.front().back().first / groups.back().front().first),
                      most = times_text(groups.front().front().first / groups.back().back().first);
    return least == most ? most : least + "-" + most;
}

/// " (slowest through b:0)", where it is not among the slowest of `told`, or those are several of which it is one.
std::string slowest_text(const Ranked& rates, const Ranked& told) {
    const auto device_of = [](const auto& each) { return device_text(each.second); };
    const Ranked now = unranked_groups(sorted(rates)).back(), before = unranked_groups(sorted(told)).back();
    return std::ranges::is_permutation(texts_of(now, device_of), texts_of(before, device_of))
               ? ""
               : fmt::format(" (slowest through {})", list_text(now, device_of));
}

/// "Atomic u32 add on neighbouring words in scratchpad: 8.3 Top/s through a:0, 2.8 Top/s through b:0, 3.0 times apart
/// with 528 workgroups, 6.0 with 132 and 5.7 with one"
std::string text_of(const AtomicRates& told, const std::vector<AtomicRates>& by_workgroups) {
    const SeriesId& id = told.first()->series->id;
    const auto groups = [](double number) { return number == 1 ? std::string("one") : fmt::format("{:g}", number); };
    std::vector<std::string> ratios{fmt::format("{} times apart with {} workgroup{}", times_apart(told.rates),
        groups(told.workgroups), told.workgroups == 1 ? "" : "s")},
        listed;
    for (const AtomicRates& other : by_workgroups) {
        if (other.workgroups == told.workgroups) continue;
        const std::size_t apart = unranked_groups(other.rates).size();
        if (apart > 1 && apart == unranked_groups(told.rates).size())
            ratios.push_back(fmt::format("{} with {}{}", times_apart(other.rates), groups(other.workgroups),
                slowest_text(other.rates, told.rates)));
        else if (apart == 1 && spread_of(other.rates) <= kOneFigure)
            ratios.push_back("alike with " + groups(other.workgroups));
        else
            listed.push_back(
                fmt::format("; with {}: {}", groups(other.workgroups), through_each(other.rates, op_rate)));
    }
    return fmt::format("Atomic {} on {} in {}: {}, {}{}", operation_text(id.options), atomic_cells(id),
        id.path == "scratchpad" ? "scratchpad" : "global memory", through_each(told.rates, op_rate), list_text(ratios),
        fmt::join(listed, ""));
}

/// "Instructions: ATOMS.ADD through a:0 and b:0"; "" where no listing shows one.
std::string instructions_text(const Ranked& rates) {
    const auto instruction = [](const auto& each) { return atomic_form(*each.second->series); };
    Ranked known = rates;
    std::erase_if(known, [&](const auto& each) { return instruction(each).empty(); });
    const auto text = [&](const Ranked& same) {
        return fmt::format("{} through {}", instruction(same[0]),
            list_text(same, [](const auto& each) { return device_text(each.second); }));
    };
    return known.empty() ? "" : fmt::format(". Instructions: {}", list_text(grouped(known, instruction), text));
}

struct Differing {
    AtomicRates told;
    std::vector<AtomicRates> by_workgroups;
};

/// Whether the machine code has one atomic instruction for all lanes of a subgroup.
bool joins_lanes(const Curve& curve) {
    const auto& kernel = curve.series->evidence.kernel;
    return kernel && kernel->atomics &&
           std::ranges::any_of(*kernel->atomics, [](const AtomicEvidence& each) { return !each.combined_by.empty(); });
}
} // namespace

const Rule atomics_joined{
    "atomics_joined", "path", "Additions aggregated by a compiler", [](const Card& card, Statements& out) {
        Parts parts;
        for (const char* path : {"global", "scratchpad"}) {
            Curves added = curves_with(card, kAtomics, path, option::layout.as(CellLayout::same_address));
            std::erase_if(
                added, [](const Curve* curve) { return curve->series->id.options.size() > 1; }); // another operation
            const auto by_workgroups = added.empty() ? std::vector<AtomicRates>() : rates_by_workgroups(added);
            if (by_workgroups.empty() || !differ(by_workgroups[0].rates, kJoined)) continue;
            const AtomicRates& told = by_workgroups[0];
            const std::uint32_t lanes = told.first()->device->subgroup;
            const bool joined = told.ratio() >= lanes * kOfSubgroup || joins_lanes(*told.first());
            const std::string cause =
                joined ? fmt::format("consistent with one atomic instruction per subgroup of {} through {}", lanes,
                             device_text(told.first()))
                       : "cause unknown";
            parts.add(fmt::format("{}; every lane's addition counts; {}{}", text_of(told, by_workgroups), cause,
                          instructions_text(told.rates)),
                curves_in(told.rates), told.ratio());
        }
        if (!parts.texts.empty()) say(out, parts.curves, "{}.", fmt::join(parts.texts, ". ")).effect = parts.effect;
    }};

/// Of other layouts and operations, those that differ most, of all workgroups before those of few.
const Rule atomics_apart{
    "atomics_apart", "path", "Rates of atomic operations by API", [](const Card& card, Statements& out) {
        constexpr std::size_t kMostTold = 4;
        std::vector<Differing> differing;
        Curves atomics = curves_of(card, kAtomics);
        std::erase_if(atomics, [](const Curve* curve) {
            return curve->device->cpu || curve->device->software;
        }); // there the system places the few threads
        for (const Curves& alike : grouped(atomics,
                 [](const Curve* curve) { return std::pair(curve->series->id.path, curve->series->id.options); })) {
            if (option::layout.is(alike[0]->series->id.options, CellLayout::same_address)) continue; // atomics_joined
            const auto by_workgroups = rates_by_workgroups(alike);
            const auto told = std::ranges::find_if(
                by_workgroups, [](const AtomicRates& each) { return differ(each.rates, kAtomicsApart); });
            if (told != by_workgroups.end()) differing.push_back({*told, by_workgroups});
        }
        std::ranges::stable_sort(differing, std::greater(),
            [](const Differing& each) { return std::pair(each.told.workgroups, each.told.ratio()); });
        std::size_t told = 0;
        for (const auto& alike : grouped(differing, [](const Differing& each) {
                 const SeriesId& id = each.told.first()->series->id;
                 return std::tuple(id.path, without_type(id.options), each.told.workgroups);
             })) {
            if (told++ == kMostTold) break;
            const AtomicRates& first = alike[0].told;
            Curves about = curves_in(first.rates);
            std::vector<std::string> likewise;
            for (const Differing& other : std::span(alike).subspan(1)) {
                likewise.push_back(fmt::format("{} {} times{}", type_text(other.told.first()->series->id.options),
                    times_text(other.told.ratio()), slowest_text(other.told.rates, first.rates)));
                for (const Curve* curve : curves_in(other.told.rates)) about.push_back(curve);
            }
            Statement& said = say(out, about, "{}; cause unknown{}{}.", text_of(first, alike[0].by_workgroups),
                likewise.empty() ? ""
                                 : fmt::format(". Likewise with {:g} workgroup{} {}", first.workgroups,
                                       first.workgroups == 1 ? "" : "s", list_text(likewise)),
                instructions_text(first.rates));
            said.effect = first.ratio(), said.tells_all = false;
        }
    }};

} // namespace sonde
