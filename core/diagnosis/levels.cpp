// Rules about which levels a path reaches.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
constexpr double kOtherLatency = 0.15;   // share: a level further off is reached another way
constexpr double kSameLatency = 0.02;    // share: no further off is the same one
constexpr double kAsReported = 1.15;     // times: a cache ends where its driver says
constexpr double kHalf = 1.25;           // times: and its nearer part at half of that
constexpr std::size_t kFewestShared = 6; // footprints that two curves have in common before they count as one

bool in_memory(const Curve& curve) { return family_of(*curve.path) == Family::memory && curve.path->stage == Stage::nothing; }

/// The first level, where the curve goes on to a second and both are no chance of the noise.
const Finding* sure_first(const Card& card, const Curve& curve) {
    const Finding* first = curve.reached(card.tiers[0]);
    return first && curve.levels.size() > 1 && first->is_sure() && curve.levels[1].is_sure() ? first : nullptr;
}

/// The first level as some curve has it: the same path through another API, else another path of the same device.
const Curve* which_has_first(const Card& card, const Curves& same_path, const Curve& lacking) {
    for (const Curve* curve : same_path)
        if (curve->reached(card.tiers[0])) return curve;
    for (const Curve* curve : plain_curves(card, "latency"))
        if (in_memory(*curve) && curve->series->id.device == lacking.series->id.device && curve->reached(card.tiers[0])) return curve;
    return nullptr;
}

bool same_build(const Curve& a, const Curve& b) {
    const Json::json_pointer defines("/kernel/defines");
    const auto of = [&](const Curve& curve) { return curve.series->evidence.contains(defines) ? curve.series->evidence.at(defines) : Json(); };
    return of(a) == of(b);
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

/// Both reach the same tiers, the first one included: its end at the very same footprint, the others' within a step of the sweep.
bool levels_meet(const Card& card, const Curve& a, const Curve& b) {
    if (a.tiers != b.tiers || a.tiers.size() < 2 || a.tiers[0] != card.tiers[0]) return false;
    for (std::size_t i = 0; i < a.levels.size(); ++i)
        if (!ends_meet(a.levels[i], b.levels[i], i == 0 ? 1 : kOneStep)) return false;
    return true;
}

std::string levels_text(const Curve& curve) {
    std::vector<std::string> texts;
    for (const Finding& level : curve.levels) texts.push_back(level_text(level));
    return list_text(texts);
}
} // namespace

void no_first_level(const Card& card, Statements& out) {
    if (card.tiers.size() < 2) return;
    for (const std::string& path : paths_in(plain_curves(card, "latency"))) {
        const Curves curves = plain_curves(card, "latency", path);
        if (!in_memory(*curves[0])) continue;
        Curves lacking;
        const Curve* having = nullptr;
        for (const Curve* curve : curves) {
            const Curve* other = curve->passes(card.tiers[0]) ? which_has_first(card, curves, *curve) : nullptr;
            if (!other) continue;
            lacking.push_back(curve);
            if (!having) having = other;
        }
        if (lacking.empty()) continue;
        const Curve& first = *lacking[0];
        std::string text = fmt::format("{} reaches no first level through {}: its nearest is {} ({}), where {} through {} has {}.", path, devices_text(lacking),
                                       first.tiers[0], level_text(first.levels[0]), having->series->id.path, having->series->id.device,
                                       level_text(*having->reached(card.tiers[0])));
        lacking.push_back(having);
        out.push_back(statement(std::move(text), lacking));
    }
}

namespace {
/// A path whose first level ends earlier through one device than through the one where it ends last.
struct Smaller {
    const Curve *curve, *largest;
    std::string devices() const { return fmt::format("{} gets a smaller first level than {}", curve->series->id.device, largest->series->id.device); }
};

std::vector<Smaller> smaller_ones(const Card& card) {
    std::vector<Smaller> found;
    for (const std::string& path : paths_in(plain_curves(card, "latency"))) {
        const Curve* largest = nullptr;
        const Curves curves = plain_curves(card, "latency", path);
        if (!in_memory(*curves[0])) continue;
        for (const Curve* curve : curves)
            if (const Finding* first = sure_first(card, *curve); first && (!largest || on(*first) > on(*largest->reached(card.tiers[0])))) largest = curve;
        for (const Curve* curve : curves) {
            const Finding* first = sure_first(card, *curve);
            if (first && curve != largest && same_build(*curve, *largest) && off(*first) < on(*largest->reached(card.tiers[0]))) found.push_back({curve, largest});
        }
    }
    return found;
}
} // namespace

void smaller_first_level(const Card& card, Statements& out) {
    if (card.tiers.empty()) return;
    std::vector<Smaller> found = smaller_ones(card);
    while (!found.empty()) {
        const Smaller first = found[0];
        Curves curves;
        std::vector<std::string> others;
        for (const Smaller& each : found) {
            if (each.devices() != first.devices()) continue;
            curves.insert(curves.end(), {each.curve, each.largest});
            if (curves.size() > 2) others.push_back(each.curve->series->id.path);
        }
        std::erase_if(found, [&](const Smaller& each) { return each.devices() == first.devices(); });
        std::string text = fmt::format("{} on {}: {} against {}", first.devices(), first.curve->series->id.path, capacity_text(*first.curve->reached(card.tiers[0])),
                                       capacity_text(*first.largest->reached(card.tiers[0])));
        if (!others.empty()) text += fmt::format("; and so on {}", list_text(others));
        out.push_back(statement(text + ".", curves));
    }
}

void cache_in_parts(const Card& card, Statements& out) {
    for (const Curve* curve : plain_curves(card, "latency")) {
        const double reported = number_field(*curve->device, "cache_bytes");
        if (curve->path->name != std::string_view("global") || flag_field(*curve->device, "cpu") || reported <= 0) continue;
        for (std::size_t i = 1; i + 2 < curve->levels.size(); ++i) {
            const Finding &near = curve->levels[i], &far = curve->levels[i + 1];
            if (!near.is_sure() || !far.is_sure() || !(on(far) < reported * kAsReported && off(far) > reported / kAsReported)) continue;
            if (on(near) < reported / 2 / kHalf || off(near) > reported / 2 * kHalf) continue;
            out.push_back(statement(fmt::format("{} and {} look like the two halves of one cache: {} ends at {}, and the driver of {} reports one cache of {}. A load takes {} from the near half, which ends at {}, and {} "
                                                "from the far one.",
                                                curve->tiers[i], curve->tiers[i + 1], curve->tiers[i + 1], capacity_text(far), curve->series->id.device, format_bytes(reported), latency_text(near), capacity_text(near), latency_text(far)),
                                    {curve}));
            out.back().from[0].x = {near.x.back(), far.x.back()};
        }
    }
}

void option_moves_first_level(const Card& card, Statements& out) {
    if (card.tiers.empty()) return;
    std::vector<std::pair<std::string, std::string>> told; // device and path
    for (const Curve& curve : card.curves) {
        const std::pair key{curve.series->id.device, curve.series->id.path};
        if (curve.series->id.options.empty() || std::find(told.begin(), told.end(), key) != told.end()) continue;
        told.push_back(key);
        Curves with;
        for (const Curve& other : card.curves)
            if (other.usable() && std::pair(other.series->id.device, other.series->id.path) == key && other.series->id.probe == "latency" &&
                sure_first(card, other))
                with.push_back(&other);
        if (with.size() < 2) continue;
        std::sort(with.begin(), with.end(), [&](const Curve* a, const Curve* b) { return on(*a->reached(card.tiers[0])) > on(*b->reached(card.tiers[0])); });
        const Finding &largest = *with.front()->reached(card.tiers[0]), &smallest = *with.back()->reached(card.tiers[0]);
        if (off(smallest) >= on(largest)) continue;
        std::vector<std::string> ends;
        for (const Curve* each : with)
            ends.push_back(fmt::format("{} with {}", capacity_text(*each->reached(card.tiers[0])), options_text(each->series->id.options)));
        out.push_back(statement(fmt::format("On {} of {} the first level ends where an option puts it: {}.", key.second, key.first, list_text(ends)), with));
    }
}

void one_cache_two_paths(const Card& card, Statements& out) {
    if (card.tiers.size() < 2) return;
    for (const std::string& path : paths_in(plain_curves(card, "latency"))) {
        Curves textures, curves;
        std::vector<std::string> ends;
        for (const Curve* texture : plain_curves(card, "latency", path)) {
            const Curve* global = plain_curve(card, "latency", texture->series->id.device, "global");
            if ((texture->path->space != Space::texel && texture->path->space != Space::image2d) || !global || !levels_meet(card, *texture, *global)) continue;
            textures.push_back(texture);
            curves.insert(curves.end(), {texture, global});
            ends.push_back(fmt::format("{} through {}", capacity_text(texture->levels[0]), texture->series->id.device));
        }
        if (textures.empty()) continue;
        out.push_back(statement(fmt::format("{} and global end their levels at the same footprints (the first at {}), as two ways into one cache do: {} by the "
                                            "texture units, {} by a load.",
                                            path, list_text(ends), latency_text(textures[0]->levels[0]), latency_text(curves[1]->levels[0])),
                                curves));
    }
}

void uniform_apart(const Card& card, Statements& out) {
    for (const Curve* uniform : plain_curves(card, "latency")) {
        const std::string& path = uniform->series->id.path;
        const Curve* varying = plain_curve(card, "latency", uniform->series->id.device, path.substr(0, path.find('.')));
        if (!uniform->path->uniform || !varying || varying == uniform || uniform->levels.empty() || varying->levels.empty()) continue;
        const auto [a, b, unit] = latencies(uniform->levels[0], varying->levels[0]);
        const bool other_ends = uniform->levels.size() > 1 && varying->levels.size() > 1 && !ends_meet(uniform->levels[0], varying->levels[0], kOneStep);
        if (std::abs(a - b) <= kOtherLatency * std::max(a, b) && !other_ends) continue;
        out.push_back(statement(fmt::format("Through {} an address that is the same in all lanes takes another way: {} has {}, {} has {}.",
                                            uniform->series->id.device, path, levels_text(*uniform), varying->series->id.path, levels_text(*varying)),
                                {uniform, varying}));
    }
}

void constant_is_global(const Card& card, Statements& out) {
    for (const Curve* constant : plain_curves(card, "latency")) {
        if (family_of(*constant->path) != Family::constant || constant->path->uniform) continue;
        const Curve* global = plain_curve(card, "latency", constant->series->id.device, "global");
        const auto difference = global ? apart(*constant->series, *global->series) : std::nullopt;
        if (!difference || *difference > kSameLatency || constant->levels.empty()) continue;
        std::string text = fmt::format(
            "{} through {} is the global path, not a constant cache: {} over its whole range to {}, as global, and no tier of its own",
            constant->series->id.path, constant->series->id.device, latency_text(constant->levels[0]), format_bytes(constant->series->points.back().x));
        Curves curves{constant, global};
        for (const Curve* other : plain_curves(card, "latency", constant->series->id.path))
            if (other->levels.size() > 1) {
                text += fmt::format("{} through {} it has {}", curves.size() == 2 ? ";" : ",", other->series->id.device, levels_text(*other));
                curves.push_back(other);
            }
        out.push_back(statement(text + ".", curves));
    }
}

} // namespace sonde
