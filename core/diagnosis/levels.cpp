// Rules about which levels a path reaches.
#include <algorithm>
#include <cmath>

#include "core/analysis/load_times.h"
#include "core/analysis/structure.h"
#include "core/base/text.h"
#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
constexpr double kOtherLatency = 0.15;   // share: a level further off is reached another way
constexpr double kSameLatency = 0.02;    // share: no further off is the same one
constexpr double kAsReported = 1.15;     // times: a cache ends where its driver says
constexpr double kLanesDiffer = 1.015;   // times: one lane's latency and that of all
constexpr double kSharedOut = 1.1;       // times: what lanes cost, before it is shared out among them
constexpr double kOneCost = 0.05;        // share by which costs of lanes differ that are told as one
constexpr double kHalf = 1.25;           // times: and its nearer part at half of that
constexpr std::size_t kFewestShared = 6; // footprints that two curves have in common before they count as one

bool in_memory(const Curve& curve) {
    return family_of(*curve.path) == Family::memory && curve.path->stage == Stage::nothing;
}

/// L1, where the curve goes on to a second and both are no chance of the noise.
const Finding* sure_first(const Card& card, const Curve& curve) {
    const Finding* first = curve.reached(card.level_names[0]);
    return first && curve.levels.size() > 1 && first->is_sure() && curve.levels[1].is_sure() ? first : nullptr;
}

/// L1 as some curve has it: the same path through another API, else another path of the same device.
const Curve* which_has_first(const Card& card, const Curves& same_path, const Curve& lacking) {
    Curves candidates = plain_curves(card, kLatency);
    std::erase_if(candidates,
        [&](const Curve* curve) { return !in_memory(*curve) || device_text(curve) != lacking.series->id.device; });
    candidates.insert(candidates.begin(), same_path.begin(), same_path.end());
    const auto found = std::find_if(
        candidates.begin(), candidates.end(), [&](const Curve* curve) { return curve->reached(card.level_names[0]); });
    return found == candidates.end() ? nullptr : *found;
}

bool same_build(const Curve& a, const Curve& b) {
    const auto defines = [](const Curve& curve) {
        return curve.series->evidence.kernel.value_or(KernelEvidence{}).defines;
    };
    return defines(a) == defines(b);
}

/// Largest difference of two curves at the footprints of the first, as a share; nullopt: too few lie within both.
std::optional<double> apart(const Series& a, const Series& b) {
    double largest = 0;
    std::size_t shared = 0;
    for (const Point& point : a.points) {
        const auto other = value_between(b, point.x);
        if (!other || !point.median) continue;
        ++shared;
        largest = std::max(largest, std::abs(std::log(*point.median / *other)));
    }
    return shared < kFewestShared ? std::nullopt : std::optional(largest);
}

/// Both reach the same levels, the first one included: its end at the very same footprint, the others' within a step of
/// the sweep.
bool levels_meet(const Card& card, const Curve& a, const Curve& b) {
    if (a.level_names != b.level_names || a.level_names.size() < 2 || a.level_names[0] != card.level_names[0])
        return false;
    for (std::size_t i = 0; i < a.levels.size(); ++i)
        if (!ends_meet(a.levels[i], b.levels[i], i == 0 ? 1 : kOneStep)) return false;
    return true;
}

std::string levels_text(const Curve& curve) { return list_text(curve.levels, level_text); }

/// A path whose L1 ends earlier through one device than through the one where it ends last.
struct Smaller {
    const Curve *curve, *largest;
};

std::vector<Smaller> smaller_ones(const Card& card) {
    std::vector<Smaller> found;
    for (const Curves& curves : latency_by_path(card)) {
        if (!in_memory(*curves[0]) || curves[0]->device->cpu)
            continue; // the caches of a processor are the same through all drivers
        const Ranked ends = ranked(
            curves, [&](const Curve& curve) { return sure_first(card, curve) ? on(*sure_first(card, curve)) : 0; });
        for (const Curve* curve : curves) {
            const Finding* first = sure_first(card, *curve);
            if (first && curve != ends[0].second && same_build(*curve, *ends[0].second) && off(*first) < ends[0].first)
                found.push_back({curve, ends[0].second});
        }
    }
    return found;
}

/// "16-19 KiB against 64-76 KiB on global and texel", a text for all paths whose ends may be the same.
std::vector<std::string> ends_text(const std::vector<Smaller>& group, const std::string& level) {
    const auto meet = [&](const Curve* a, const Curve* b) {
        return ends_meet(*a->reached(level), *b->reached(level), kOneStep);
    };
    std::vector<std::vector<Smaller>> alike;
    for (const Smaller& each : group) {
        const auto found = std::find_if(alike.begin(), alike.end(),
            [&](const auto& set) { return meet(set[0].curve, each.curve) && meet(set[0].largest, each.largest); });
        (found == alike.end() ? alike.emplace_back() : *found).push_back(each);
    }
    return texts_of(alike, [&](const std::vector<Smaller>& set) {
        return fmt::format("{} against {} on {}", capacity_text(*set[0].curve->reached(level)),
            capacity_text(*set[0].largest->reached(level)),
            list_text(set, [](const Smaller& each) { return path_text(*each.curve); }));
    });
}
} // namespace

/// Times the latency of one level is another's.
static double ratio(const Finding& a, const Finding& b) {
    const auto [of_a, of_b] = latencies(a, b);
    return of_b > 0 ? of_a / of_b : 1;
}

/// Whether the scratchpad that the kernels hold can be the cause.
static std::string held_text(const Curve* a, const Curve* b) {
    const auto held = [](const Curve* curve) {
        return curve->series->evidence.kernel ? curve->series->evidence.kernel->held_scratchpad_bytes : std::nullopt;
    };
    if (!held(a) || !held(b)) return "How much scratchpad the kernels hold is not recorded; cause unknown";
    if (*held(a) == *held(b))
        return fmt::format("Both latency kernels hold {} scratchpad: consistent with another carve-out, which a driver "
                           "chooses for each kernel",
            *held(a) > 0 ? format_bytes(*held(a)) + " of" : "no");
    return fmt::format(
        "The kernels hold {} and {} of scratchpad, which L1 gives up", format_bytes(*held(a)), format_bytes(*held(b)));
}

const Rule l1_not_reached{
    "l1_not_reached", "path", [](const Card& card, Statements& out) {
        if (card.level_names.size() < 2) return;
        for (const Curves& curves : latency_by_path(card)) {
            if (!in_memory(*curves[0])) continue;
            Curves lacking = curves;
            std::erase_if(lacking, [&](const Curve* curve) {
                return !curve->passes(card.level_names[0]) || !which_has_first(card, curves, *curve);
            });
            if (lacking.empty()) continue;
            const Curve &first = *lacking[0], &having = *which_has_first(card, curves, first);
            const std::string nearest = list_text(lacking, [](const Curve* curve) {
                return fmt::format(
                    "{} ({}) through {}", curve->level_names[0], level_text(curve->levels[0]), device_text(curve));
            });
            const std::string devices = list_text(lacking, device_text);
            lacking.push_back(&having);
            say(out, lacking, "{} does not reach L1 through {}. Its nearest level is {}. {} through {} has {}.",
                path_text(first), devices, nearest, path_text(having), device_text(&having),
                level_text(*having.reached(card.level_names[0])))
                .effect = lacking.size() - 1 < curves.size()
                              ? ratio(first.levels[0], *having.reached(card.level_names[0]))
                              : 1; // where no API reaches it none differs
        }
    }};

const Rule smaller_l1{"smaller_l1", "path",
    [](const Card& card, Statements& out) {
        if (card.level_names.empty()) return;
        const auto first = [&](const Curve* curve) -> const Finding& { return *curve->reached(card.level_names[0]); };
        for (const auto& group : grouped(smaller_ones(card),
                 [](const Smaller& each) { return std::pair(device_text(each.curve), device_text(each.largest)); })) {
            const auto [curve, largest] = group[0];
            Curves curves;
            for (const Smaller& each : group) curves.insert(curves.end(), {each.curve, each.largest});
            say(out, curves, "L1 of the latency kernel ends earlier through {} than through {}: {}. {}.",
                device_text(curve), device_text(largest), sentences(ends_text(group, card.level_names[0])),
                held_text(curve, largest))
                .effect = on(first(largest)) / on(first(curve));
        }
    },
    "witness: l1-end; evidence: held_scratchpad_bytes"};

const Rule cache_in_parts{
    "cache_in_parts", "path", [](const Card& card, Statements& out) {
        for (const Curve* curve : plain_curves(card, kLatency, "global")) {
            const auto reported = static_cast<double>(curve->device->cache_bytes);
            if (curve->device->cpu || reported <= 0) continue;
            for (std::size_t i = 1; i + 2 < curve->levels.size(); ++i) {
                const Finding &near = curve->levels[i], &far = curve->levels[i + 1];
                if (!near.is_sure() || !far.is_sure() ||
                    !(on(far) < reported * kAsReported && off(far) > reported / kAsReported))
                    continue;
                if (on(near) < reported / 2 / kHalf || off(near) > reported / 2 * kHalf) continue;
                const auto kinds = kinds_of_level(card, *curve, near);
                const std::string mean =
                    kinds ? fmt::format("is a mean: by load-times {} at {} take about {:.0f}, the others {:.0f}",
                                share_of_loads(kinds->kinds.share), format_bytes(kinds->bytes), kinds->kinds.faster,
                                kinds->kinds.slower)
                          : "may be a mean of nearer and farther hits";
                say(out, {curve},
                    "A walk by one core through {} finds {} to {} and {} to {}; the driver reports one cache of {}. "
                    "Cause unknown: partitions of one cache, or lines that it holds twice. The latency of {} {}. That "
                    "of {} may include loads from DRAM.",
                    device_text(curve), curve->level_names[i], capacity_text(near), curve->level_names[i + 1],
                    capacity_text(far), format_bytes(reported), curve->level_names[i], mean, curve->level_names[i + 1]),
                    out.back().from[0].x = {near.x.back(), far.x.back()};
            }
        }
    }};

const Rule option_moves_l1{
    "option_moves_l1", "path", [](const Card& card, Statements& out) {
        if (card.level_names.empty()) return;
        Curves sure = curves_of(card, kLatency);
        std::erase_if(sure, [&](const Curve* curve) { return !sure_first(card, *curve); });
        const auto first = [&](const Curve* curve) -> const Finding& { return *curve->reached(card.level_names[0]); };
        for (Curves& with :
            grouped(sure, [](const Curve* curve) { return std::pair(device_text(curve), curve->series->id.path); })) {
            if (with.size() < 2) continue;
            std::sort(
                with.begin(), with.end(), [&](const Curve* a, const Curve* b) { return on(first(a)) > on(first(b)); });
            if (off(first(with.back())) >= on(first(with.front()))) continue;
            say(out, with, "On {} of {} L1 ends elsewhere by option: {}.", with[0]->series->id.path,
                device_text(with[0]),
                list_text(with,
                    [&](const Curve* each) {
                        return fmt::format(
                            "{} with {}", capacity_text(first(each)), options_text(each->series->id.options));
                    }))
                .effect = on(first(with.front())) / on(first(with.back()));
        }
    }};

const Rule one_cache_two_paths{
    "one_cache_two_paths", "path", [](const Card& card, Statements& out) {
        if (card.level_names.size() < 2) return;
        for (Curves& textures : latency_by_path(card)) {
            const auto global = [&](const Curve* texture) {
                return plain_curve(card, kLatency, device_text(texture), "global");
            };
            std::erase_if(textures, [&](const Curve* curve) {
                return (curve->path->space != Space::texel && curve->path->space != Space::image2d) || !global(curve) ||
                       !levels_meet(card, *curve, *global(curve));
            });
            if (textures.empty()) continue;
            Curves curves;
            for (const Curve* texture : textures) curves.insert(curves.end(), {texture, global(texture)});
            const auto end = [](const Curve* texture) {
                return fmt::format("{} through {}", capacity_text(texture->levels[0]), device_text(texture));
            };
            say(out, curves,
                "{} and global end their levels at the same footprints (L1 at {}): consistent with one cache. A hit "
                "takes {} by the texture units, {} by a load.",
                textures[0]->series->id.path, list_text(textures, end), latency_text(textures[0]->levels[0]),
                latency_text(curves[1]->levels[0]));
        }
    }};

const Rule uniform_apart{
    "uniform_apart", "path", [](const Card& card, Statements& out) {
        for (const Curve* uniform : plain_curves(card, kLatency)) {
            const std::string& path = uniform->series->id.path;
            const Curve* varying = plain_curve(card, kLatency, device_text(uniform), path.substr(0, path.find('.')));
            if (!uniform->path->uniform || !varying || varying == uniform || uniform->levels.empty() ||
                varying->levels.empty())
                continue;
            const auto [a, b] = latencies(uniform->levels[0], varying->levels[0]);
            const bool other_ends = uniform->levels.size() > 1 && varying->levels.size() > 1 &&
                                    !ends_meet(uniform->levels[0], varying->levels[0], kOneStep);
            if (std::abs(a - b) <= kOtherLatency * std::max(a, b) && !other_ends) continue;
            say(out, {uniform, varying},
                "Through {} loads of one address for all lanes differ from others: {} has {}, {} has {}.",
                device_text(uniform), path, levels_text(*uniform), varying->series->id.path, levels_text(*varying));
        }
    }};

const Rule constant_is_global{
    "constant_is_global", "path", [](const Card& card, Statements& out) {
        for (const Curve* constant : plain_curves(card, kLatency)) {
            if (family_of(*constant->path) != Family::constant || constant->path->uniform) continue;
            const Curve* global = plain_curve(card, kLatency, device_text(constant), "global");
            const auto difference = global ? apart(*constant->series, *global->series) : std::nullopt;
            if (!difference || *difference > kSameLatency || constant->levels.empty()) continue;
            Curves others = plain_curves(card, kLatency, constant->series->id.path), curves{constant, global};
            std::erase_if(others, [](const Curve* other) { return other->levels.size() < 2; });
            curves.insert(curves.end(), others.begin(), others.end());
            std::string limit;
            if (const Curve* tried = plain_curve(card, kLimits, device_text(constant), constant->series->id.path);
                tried && takes_more_than_reported(*tried)) {
                limit = fmt::format(" A kernel through {} takes {}{}, where the driver reports {}.",
                    device_text(constant), tried->series->evidence.rejected_bytes ? "" : "at least ",
                    format_bytes(double(*tried->series->evidence.accepted_bytes)),
                    format_bytes(double(*tried->series->evidence.reported_bytes)));
                curves.push_back(tried);
            }
            const auto& kernel = constant->series->evidence.kernel;
            const std::string code =
                kernel ? kernel->load.instruction.substr(0, kernel->load.instruction.find(' ')) : "";
            const auto text = [](const Curve* other) {
                return fmt::format("{}, then {}", level_text(other->levels[0]), latency_text(other->levels.back()));
            };
            const auto elsewhere = texts_of(grouped(others, text), [&](const Curves& same) {
                return fmt::format(" Through {} it has {}.", list_text(same, device_text), text(same[0]));
            });
            say(out, curves, "{} through {}{} has the latency of global, not of a constant cache: {} to {}.{}{}",
                constant->series->id.path, device_text(constant), code.empty() ? "" : fmt::format(" ({})", code),
                latency_text(constant->levels[0]), format_bytes(constant->series->points.back().x),
                fmt::join(elsewhere, ""), limit)
                .effect = others.empty() ? 1 : ratio(others[0]->levels.back(), others[0]->levels[0]);
        }
    }};

const Rule lanes_differ{"lanes_differ", "path", [](const Card& card, Statements& out) {
                            Parts parts;
                            for (const Curve* curve : curves_with(
                                     card, kLatency, "global", option::apart.as("0") * option::lanes.as("all"))) {
                                const Series& series = *curve->series;
                                if (curve->device->cpu || series.points.empty())
                                    continue; // a processor's lanes are a loop's turns
                                const Point& point = series.points.front();
                                const auto alone = at_x(series.evidence.one_lane_ns, point.x);
                                if (!(alone.value_or(0) > 0) || !(point.median.value_or(0) > 0)) continue;
                                const double times = *point.median / *alone;
                                if (std::abs(std::log(times)) < std::log(kLanesDiffer)) continue;
                                const Finding all{.value = point.median, .unit = series.unit, .cycles = point.cycles},
                                    one{.value = alone,
                                        .unit = series.unit,
                                        .cycles = point.cycles ? std::optional(*point.cycles / times) : std::nullopt};
                                parts.add(fmt::format("{} at {} through {}, of one lane {}", latency_text(all),
                                              format_bytes(point.x), device_text(curve), latency_text(one)),
                                    {curve}, std::max(times, 1 / times));
                            }
                            parts.tell(out, "A load of all lanes of a subgroup from one address takes {}. Published "
                                            "latencies of one lane compare with the latter.");
                        }};

namespace {
/// What a load of some lanes takes, and one of one lane, at the smallest footprint; in core cycles where both are
/// known, else ns.
struct LanesCost {
    const Curve* curve;
    std::uint32_t lanes, apart;
    double all, one;
    bool cycles;
    double footprint() const { return curve->series->points.front().x; }
    double further() const { return all / one < kSharedOut ? 0 : (all - one) / (lanes - 1); }
    /// Whether what differs is less than one cost is known to.
    bool agrees(const LanesCost& other) const {
        const auto near = [](double a, double b) {
            return a == b || (a > 0 && b > 0 && std::max(a, b) / std::min(a, b) - 1 <= kOneCost);
        };
        return cycles == other.cycles && near(all, other.all) && near(one, other.one) &&
               near(further(), other.further());
    }
    bool as_one() const { return std::abs(std::log(all / one)) < std::log(kLanesDiffer); }
    std::string text() const {
        const std::string beyond = further() > 0 ? fmt::format(", each further one {:.2g} on average", further()) : "";
        return cycles ? fmt::format("{:.0f} cycles (one lane {:.0f}{})", all, one, beyond)
                      : fmt::format("{:.3g} ns (one lane {:.3g}{})", all, one, beyond);
    }
};

std::optional<LanesCost> lanes_cost(const Curve* curve) {
    const Series& series = *curve->series;
    const auto apart = option::apart.in(series.id.options);
    if (!apart || curve->device->cpu || series.points.empty()) return std::nullopt;
    const Point& point = series.points.front();
    const double one = at_x(series.evidence.one_lane_ns, point.x).value_or(0),
                 lanes = series.evidence.lanes.value_or(0);
    if (!(one > 0) || !(point.median.value_or(0) > 0) || lanes < 2) return std::nullopt;
    const double unit = point.cycles ? *point.cycles / *point.median : 1;
    return LanesCost{
        curve, static_cast<std::uint32_t>(lanes), *apart, *point.median * unit, one * unit, point.cycles.has_value()};
}

/// Of each device and distance the one of most lanes.
std::vector<LanesCost> lanes_costs(const Curves& of_path) {
    std::vector<LanesCost> costs;
    for (const Curve* curve : of_path)
        if (const auto cost = lanes_cost(curve)) costs.push_back(*cost);
    std::vector<LanesCost> most;
    for (const auto& alike :
        grouped(costs, [](const LanesCost& each) { return std::pair(each.apart, device_text(each.curve)); }))
        most.push_back(*std::ranges::max_element(alike, {}, &LanesCost::lanes));
    std::ranges::stable_sort(most, {}, &LanesCost::apart);
    return most;
}

std::string devices_of(const std::vector<LanesCost>& costs) {
    return list_text(costs, [](const LanesCost& each) { return device_text(each.curve); });
}

/// "37 cycles through a:0 and b:0 (within 2 %), 60 cycles through c:0": devices that agree stand together.
std::string through_devices(const std::vector<LanesCost>& costs) {
    const auto first_alike = [&](const LanesCost& each) {
        return std::ranges::find_if(costs, [&](const LanesCost& first) { return first.agrees(each); }) - costs.begin();
    };
    const auto text = [](const std::vector<LanesCost>& alike) {
        double differ = 0;
        for (const LanesCost& each : alike)
            if (each.text() != alike[0].text())
                differ =
                    std::max({differ, std::abs(each.all / alike[0].all - 1), std::abs(each.one / alike[0].one - 1)});
        return fmt::format("{} through {}{}", alike[0].text(), devices_of(alike),
            differ > 0 ? fmt::format(" (agree within {:.0f} %)", std::ceil(100 * differ)) : "");
    };
    return fmt::format("{}", fmt::join(texts_of(grouped(costs, first_alike), text), ", "));
}
} // namespace

const Rule lanes_apart{
    "lanes_apart", "path", [](const Card& card, Statements& out) {
        for (const Curves& of_path :
            grouped(curves_of(card, kLatency), [](const Curve* curve) { return curve->series->id.path; })) {
            auto costs = lanes_costs(of_path);
            const auto free =
                std::stable_partition(costs.begin(), costs.end(), [](const LanesCost& each) { return !each.as_one(); });
            if (free == costs.begin()) continue;
            double effect = 1;
            std::vector<std::string> parts, aparts;
            for (const auto& same : grouped(std::vector(costs.begin(), free),
                     [](const LanesCost& each) { return std::pair(each.apart, each.lanes); })) {
                parts.push_back(fmt::format(
                    "{} lanes {} bytes apart take {}", same[0].lanes, same[0].apart, through_devices(same)));
                effect = std::max(effect, same[0].all / same[0].one);
            }
            for (const auto& alike :
                grouped(std::vector(free, costs.end()), [](const LanesCost& each) { return each.apart; }))
                aparts.push_back(fmt::format("{}", alike[0].apart));
            Curves about; // every number of lanes, so that none is told by itself
            std::ranges::copy_if(of_path, std::back_inserter(about),
                [](const Curve* curve) { return option::apart.asked(curve->series->id.options); });
            const std::string as_one =
                aparts.empty() ? "" : fmt::format(" At {} bytes apart they take as long as one.", list_text(aparts));
            const auto [least, most] = std::ranges::minmax(costs, {}, &LanesCost::footprint);
            say(out, about, "On {} at {}, {}.{}", of_path[0]->series->id.path,
                least.footprint() < most.footprint() ? format_byte_range(least.footprint(), most.footprint())
                                                     : format_bytes(most.footprint()),
                sentences(parts), as_one)
                .effect = effect;
        }
    }};

} // namespace sonde
