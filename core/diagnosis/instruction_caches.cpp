// Rules about instruction caches: straight code and loops by their size.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>

#include "core/analysis/level_findings.h"
#include "core/base/text.h"
#include "core/diagnosis/fact_of.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr double kSameLevels = 1.03; // times

struct CodeLevels {
    const Curve* curve;
    std::vector<Finding> levels;
};

/// Of each variant of `code-size` the device whose sizes go furthest.
std::vector<CodeLevels> code_levels(const Card& card) {
    std::vector<CodeLevels> variants;
    for (const Curves& alike :
        grouped(curves_of(card, kCodeSize), [](const Curve* curve) { return curve->series->id.options; })) {
        const Curve& widest =
            **std::ranges::max_element(alike, {}, [](const Curve* curve) { return curve->series->points.back().x; });
        const std::vector<Finding> levels = level_findings(*widest.series, *widest.device);
        const bool known =
            std::ranges::all_of(levels, [](const Finding& level) { return level.cycles && level.capacity_bytes; });
        if (widest.series->points.size() >= kFewestForLevels && levels.size() >= 2 && known)
            variants.push_back({&widest, levels});
    }
    return variants;
}

/// Other devices' curves of a variant that show the same levels as far as their sizes go.
Curves alike_curves(const Card& card, const CodeLevels& variant) {
    Curves alike = curves_with(card, kCodeSize, variant.curve->series->id.path, variant.curve->series->id.options);
    std::erase_if(alike, [&](const Curve* curve) {
        const auto levels = level_findings(*curve->series, *curve->device);
        const auto same = [&](const Finding& own, const Finding& level) {
            return own.cycles && own.capacity_bytes &&
                   std::max(*own.cycles / *level.cycles, *level.cycles / *own.cycles) <= kSameLevels &&
                   on(own) <= off(level);
        };
        return curve == variant.curve || levels.empty() || levels.size() > variant.levels.size() ||
               !std::ranges::equal(levels, std::span(variant.levels).first(levels.size()), same);
    });
    return alike;
}
} // namespace

namespace {
double growth_of(const CodeLevels& variant) { return *variant.levels.back().cycles / *variant.levels.front().cycles; }

/// "second cache"; "beyond" them, where the curve ends.
std::string code_place(const Finding& level, std::size_t number) {
    static constexpr std::array kFirst{"first cache", "second cache", "third cache"};
    if (off(level) == INFINITY) return "beyond";
    return number < kFirst.size()
               ? kFirst[number]
               : filled(label::cache_number, {{"number", as_count(static_cast<double>(number + 1))}});
}

/// Cycles of an instruction, and the loop at which the cache ends.
std::vector<Place> places_of_code(const CodeLevels& variant, const Curves& alike) {
    std::vector<Place> places;
    for (std::size_t i = 0; i < variant.levels.size(); ++i) places.push_back({code_place(variant.levels[i], i), {}});
    const auto add = [&](const Curve* curve, const std::vector<Finding>& levels) {
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const Cell end = end_cell(levels[i]);
            places[i].cells.emplace_back(
                device_text(curve), Cell(Quantity{*levels[i].cycles, Unit::cycles},
                                        end.quantity() ? std::optional(*end.quantity()) : std::nullopt));
        }
    };
    add(variant.curve, variant.levels);
    for (const Curve* curve : alike) add(curve, level_findings(*curve->series, *curve->device));
    return places;
}
} // namespace

static void tell_instruction_caches(const Card& card, Statements& out) {
    std::vector<CodeLevels> variants = code_levels(card);
    if (variants.empty()) return;
    std::ranges::stable_sort(variants, std::greater(), growth_of);
    std::vector<PlaceGroup> rows;
    Curves about;
    for (const CodeLevels& each : variants) {
        const Curves alike = alike_curves(card, each);
        rows.push_back({options_text(each.curve->series->id.options), places_of_code(each, alike)});
        about.push_back(each.curve);
        about.insert(about.end(), alike.begin(), alike.end());
    }
    CardFact fact = fact_of(card, path_slots(*variants[0].curve), {{growth_of(variants[0]), variants[0].curve}}, rows);
    fact.effect = growth_of(variants[0]);
    tell(out, std::move(fact), about);
}

const Rule instruction_caches{"instruction_caches", "path", tell_instruction_caches};

} // namespace sonde
