// Rules about instruction caches: straight code and loops by their size.
#include <algorithm>
#include <cmath>
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

std::string code_level_text(const Finding& level) {
    const auto& [on, off] = *level.capacity_bytes;
    return fmt::format("{:.3g} cycles {}", *level.cycles, off ? "to " + format_byte_range(on, *off) : "beyond");
}

/// All variants' levels at once, "1.04-1.05 cycles to 22.6-32 KiB, ...", each capacity within what all of them bound;
/// "" where they show unlike ones.
std::string shared_levels(const std::vector<CodeLevels>& variants) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < variants[0].levels.size(); ++i) {
        double least = INFINITY, most = 0, on = 0, off = INFINITY;
        const CodeLevels* slowest = nullptr;
        for (const CodeLevels& variant : variants) {
            if (variant.levels.size() != variants[0].levels.size()) return "";
            const Finding& level = variant.levels[i];
            if (*level.cycles > most) slowest = &variant;
            least = std::min(least, *level.cycles), most = std::max(most, *level.cycles);
            on = std::max(on, level.capacity_bytes->first),
            off = std::min(off, level.capacity_bytes->second.value_or(INFINITY));
        }
        if (on > off) return "";
        const std::string cycles = fmt::format("{:.3g}", least) == fmt::format("{:.3g}", most)
                                       ? fmt::format("{:.3g}", least)
                                       : fmt::format("{:.3g}-{:.3g}", least, most);
        const std::string by = most > kLatencyApart * least
                                   ? fmt::format(" (most with {})", options_text(slowest->curve->series->id.options))
                                   : "";
        parts.push_back(fmt::format("{} cycles{} {}", cycles, by,
            std::isinf(off) ? "beyond"
            : on < off      ? "to " + format_byte_range(on, off)
                            : "to about " + format_bytes(on)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

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

/// What the last run of the same code takes, of those whose kernels count cycles: a run is too short for other clocks.
const Rule reruns_apart{
    "reruns_apart", "path", [](const Card& card, Statements& out) {
        const auto cycles_of = [](const Point& point) { return point.cycles.value_or(0); };
        const Ranked last = ranked(curves_with(card, kFirstRun, "global", {{"card", "awake"}}),
            [&](const Curve& curve) { return cycles_of(curve.series->points.back()); });
        if (last.size() < 2 || !apart(last, kLatencyApart)) return;
        Ranked first = last;
        for (auto& [cycles, curve] : first) cycles = cycles_of(curve->series->points.front());
        std::erase_if(first, [](const auto& each) { return each.first <= 0; });
        tell(out,
            fact_of(card,
                fmt::format("An instruction of code without a loop, the last of {:g} launches",
                    last[0].second->series->points.back().x),
                last,
                {{"", {place_of("last launch", last, Unit::cycles), place_of("first launch", first, Unit::cycles)}}}),
            curves_in(last));
    }};

const Rule instruction_caches{
    "instruction_caches", "path", [](const Card& card, Statements& out) {
        const std::vector<CodeLevels> variants = code_levels(card);
        if (variants.empty()) return;
        std::string text = shared_levels(variants);
        const auto variant_text = [](const CodeLevels& each) {
            return fmt::format("{} ({})", options_text(each.curve->series->id.options), device_text(each.curve));
        };
        std::vector<std::string> others; // devices
        Curves about;
        for (const CodeLevels& each : variants) {
            about.push_back(each.curve);
            for (const Curve* curve : alike_curves(card, each)) {
                about.push_back(curve);
                if (std::ranges::find(others, device_text(curve)) == others.end()) others.push_back(device_text(curve));
            }
        }
        if (!text.empty()) text += ". Measured with " + list_text(variants, variant_text);
        else
            text = fmt::format("{}", fmt::join(texts_of(variants,
                                                   [&](const CodeLevels& each) {
                                                       return fmt::format("{}: {}", variant_text(each),
                                                           fmt::join(texts_of(each.levels, code_level_text), ", "));
                                                   }),
                                         "; "));
        if (!others.empty())
            text += fmt::format(". The same levels within {:.0f} %, up to the sizes measured, through {}",
                100 * (kSameLevels - 1), list_text(others));
        double effect = 0;
        for (const CodeLevels& each : variants)
            effect = std::max(effect, *each.levels.back().cycles / *each.levels.front().cycles);
        say(out, about, "Instruction caches, cycles of an instruction (fma.f32) by the size of its loop: {}.", text)
            .effect = effect;
    }};

} // namespace sonde
