// Nested boxes as SVG.
#include "core/report/memory_map.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/data/footprints.h"
#include "core/diagnosis/card_grid.h"
#include "core/report/html.h"

namespace sonde {

namespace {
constexpr double kWidth = 290, kLeft = 36, kRight = 284, kTop = 4, kBottom = 188, kAxis = 212,
                 kStrip = 38;                                   // kTop to kBottom: the boxes
constexpr std::size_t kStripLetters = 42;                       // of a line above a strip
constexpr double kLetter = 6.8, kLine = 14, kLabel = 2 * kLine; // about as wide and high as text is

/// Plain latency curves of a device that have levels.
Curves curves_with_levels(const Card& card, const DeviceRecord& device, bool memory) {
    Curves curves;
    for (const Curve& curve : card.curves) {
        if (curve.device != &device || !curve.path || !is_plain(curve.series->id.options) || curve.levels.empty() ||
            curve.path->stage == Stage::each_lane)
            continue;
        const Family family = family_of(*curve.path);
        const bool beside = (family == Family::scratchpad || family == Family::constant) && !curve.path->uniform;
        const bool again = std::any_of(curves.begin(), curves.end(),
            [&](const Curve* other) { return other->path == curve.path; }); // of another run
        if (!again && (memory ? family == Family::memory : beside)) curves.push_back(&curve);
    }
    return curves;
}

/// The curve of the table's loads, or the one that shows the most of a device's memory.
const Curve* memory_of(const Card& card, const DeviceRecord& device) {
    const Curves curves = curves_with_levels(card, device, true);
    const std::string loads = path_of_loads(card);
    const auto rank = [&](const Curve* curve) { return std::pair(curve->path->name == loads, curve->levels.size()); };
    const auto best = std::ranges::max_element(curves, {}, rank);
    return best == curves.end() ? nullptr : *best;
}

/// What a figure draws.
struct Mapped {
    const DeviceRecord* device;
    const Curve* memory;
    Curves beside;
};

/// Where a box ends: DRAM with the device's memory.
double end_of(const Finding& level, const LevelName& name, const DeviceRecord& device) {
    const double inside = level.capacity_bytes->first, memory = static_cast<double>(device.memory_bytes);
    return name == LevelName::dram() && memory > inside ? memory : level.capacity_bytes->second.value_or(inside);
}

struct Scales {
    bool cycles = true;
    double x_low = INFINITY, x_high = 0, y_low = INFINITY, y_high = 0;

    explicit Scales(const std::vector<Mapped>& maps) {
        const auto widen = [&](const Curve& curve, const DeviceRecord& device) {
            for (std::size_t i = 0; i < curve.levels.size(); ++i) {
                cycles &= curve.levels[i].cycles.has_value();
                x_low = std::min(x_low, curve.levels[i].capacity_bytes->first / 4);
                x_high = std::max(x_high, end_of(curve.levels[i], curve.level_names[i], device));
            }
        };
        for (const Mapped& map : maps) {
            widen(*map.memory, *map.device);
            for (const Curve* curve : map.beside) widen(*curve, *map.device);
        }
        for (const Mapped& map : maps)
            for (const Finding& level : map.memory->levels)
                y_low = std::min(y_low, latency(level) / 2), y_high = std::max(y_high, latency(level) * 1.05);
    }
    double latency(const Finding& level) const { return cycles ? *level.cycles : *level.value; }
    const char* unit() const { return cycles ? "cycles" : "ns"; }
    std::string number(const Finding& level) const {
        return cycles ? fmt::format("{:.{}f}", *level.cycles, *level.cycles < 100 ? 1 : 0)
                      : fmt::format("{:.3g}", *level.value);
    }
    std::string text(const Finding& level) const { return fmt::format("{} {}", number(level), unit()); }
    double x(double bytes) const {
        return kLeft + (kRight - kLeft) * std::log(bytes / x_low) / std::log(x_high / x_low);
    }
    double y(double latency) const {
        return kBottom - (kBottom - kTop) * std::log(latency / y_low) / std::log(y_high / y_low);
    }
};

std::string text_svg(std::string_view kind, double x, double y, std::string_view anchor, std::string_view text) {
    return fmt::format(
        "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", kind, x, y, anchor, escaped(text));
}

std::string box_svg(std::string_view kind, std::size_t colour, double top, double width, double height) {
    return fmt::format(
        "<rect class=\"box {}s{}\" x=\"{:.0f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\"/>", kind,
        colour, kLeft, top, width, height);
}

/// Sizes below, latencies at the left.
std::string axes_svg(const Scales& scales) {
    std::string svg;
    const auto rule = [&](const char* kind, double x1, double y1, double x2, double y2) {
        svg += fmt::format(
            "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>", kind, x1, y1, x2, y2);
    };
    for (double power = 10 * std::ceil(std::log2(scales.x_low) / 10); power <= std::log2(scales.x_high); power += 10) {
        const double x = scales.x(std::exp2(power));
        rule("grid", x, kTop, x, kBottom);
        svg += text_svg("soft", x, kAxis - 8, "middle", format_bytes(std::exp2(power)));
    }
    const int steps[] = {1, 2, 5};
    for (double decade = std::floor(std::log10(scales.y_low)); decade <= std::log10(scales.y_high); ++decade)
        for (const int step : steps)
            if (const double value = step * std::pow(10, decade); value >= scales.y_low && value <= scales.y_high) {
                rule("grid", kLeft, scales.y(value), kRight, scales.y(value));
                svg += text_svg("soft", kLeft - 4, scales.y(value) + 4, "end", fmt::format("{:g}", value));
            }
    rule("axis", kLeft, kBottom, kRight, kBottom);
    return svg +
           fmt::format(
               "<text class=\"soft\" x=\"{:.0f}\" y=\"6\" text-anchor=\"middle\" transform=\"rotate(-90)\">{}</text>",
               -(kTop + kBottom) / 2, scales.unit());
}

/// Where a level's two lines of text stand, clear of those of other levels.
struct Spot {
    double left, right, y;
};

/// The one nearest to where the text would stand, above the lower axis.
double free_line(std::vector<Spot>& taken, Spot spot) {
    constexpr double kLowest = kBottom - kLine - 4;
    const double wanted = std::min(spot.y, kLowest);
    std::vector<double> lines{wanted};
    for (const Spot& other : taken) lines.insert(lines.end(), {other.y - kLabel, other.y + kLabel});
    const auto is_free = [&](double y) {
        return y >= kTop + kLine && y <= kLowest && std::none_of(taken.begin(), taken.end(), [&](const Spot& other) {
            return spot.left < other.right && other.left < spot.right && std::abs(y - other.y) < kLabel;
        });
    };
    std::erase_if(lines, [&](double y) { return !is_free(y); });
    const auto nearest = std::min_element(
        lines.begin(), lines.end(), [&](double a, double b) { return std::abs(a - wanted) < std::abs(b - wanted); });
    spot.y = nearest == lines.end() ? wanted : *nearest;
    taken.push_back(spot);
    return spot.y;
}

/// Where a level's box ends: surely, and at most.
std::pair<double, double> ends_of(
    const Finding& level, const LevelName& name, const DeviceRecord& device, const Scales& scales) {
    const double end = scales.x(end_of(level, name, device));
    return {level.capacity_bytes->second ? scales.x(level.capacity_bytes->first) : end, end};
}

/// Its name, latency and size: in the box, or where it is too narrow at its right.
std::string level_text(const Finding& level, const LevelName& name, const DeviceRecord& device, const Scales& scales,
    std::vector<Spot>& taken) {
    const auto [sure, end] = ends_of(level, name, device, scales);
    const std::string title = fmt::format("{}  {}", name.text(), scales.number(level)),
                      size = name == LevelName::dram() && device.memory_bytes ? format_bytes(device.memory_bytes)
                                                                              : capacity_text(level);
    const double wide = kLetter * static_cast<double>(std::max(title.size(), size.size()));
    const bool inside = sure - kLeft > wide + 12;
    const double x = inside ? sure - 6 : end + 6, y = free_line(taken, {inside ? x - wide : x, inside ? x : x + wide,
                                                                           scales.y(scales.latency(level)) + 15});
    const char* anchor = inside ? "end" : "start";
    return text_svg("strong", x, y, anchor, title) + text_svg("small", x, y + kLine, anchor, size);
}

std::string level_boxes(
    const Finding& level, const LevelName& name, const DeviceRecord& device, const Scales& scales, std::size_t colour) {
    const double top = scales.y(scales.latency(level));
    const auto [sure, end] = ends_of(level, name, device, scales);
    return (level.capacity_bytes->second ? box_svg("unsure ", colour, top, end - kLeft, kBottom - top) : "") +
           box_svg("", colour, top, std::max(2.0, sure - kLeft), kBottom - top);
}

/// A curve beside the memory, from `top` on, which goes to its lower end.
std::string strip_svg(const Curve& curve, const Scales& scales, std::size_t colour, double& top) {
    std::string text = fmt::format("<tspan class=\"strong\">{}</tspan>", escaped(curve.path->name)), boxes;
    std::size_t letters = curve.path->name.size();
    const double begin = top;
    for (const Finding& level : curve.levels) {
        const std::string next = fmt::format(
            " {} to {}{}", scales.text(level), capacity_text(level), &level == &curve.levels.back() ? "" : ",");
        const bool fits = (letters += next.size()) <= kStripLetters;
        text += fits ? escaped(next)
                     : fmt::format("<tspan x=\"{}\" dy=\"{}\">{}</tspan>", kLeft, kLine, escaped(next.substr(1)));
        if (!fits) letters = next.size(), top += kLine;
    }
    for (const Finding& level : curve.levels)
        boxes += box_svg("", colour, top + 15,
            std::max(2.0, scales.x(level.capacity_bytes->second.value_or(level.capacity_bytes->first)) - kLeft), 12);
    top += kStrip;
    return fmt::format("<g data-strip=\"{}\"><text class=\"soft\" x=\"{}\" y=\"{:.1f}\">{}</text>{}</g>\n",
        escaped(curve.path->name), kLeft, begin + 10, text, boxes);
}

std::string figure_html(const Mapped& map, const Scales& scales, std::size_t colour) {
    std::vector<std::size_t> order(map.memory->levels.size()); // the slowest first: the others lie on it
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return scales.latency(map.memory->levels[a]) > scales.latency(map.memory->levels[b]);
    });
    std::string boxes, spoken, strips;
    std::vector<Spot> taken;
    std::vector<std::string> texts(order.size());
    for (auto i = order.rbegin(); i != order.rend(); ++i)
        texts[*i] = level_text(map.memory->levels[*i], map.memory->level_names[*i], *map.device, scales,
            taken); // from below: the lowest has the least room
    for (const std::size_t i : order) {
        const Finding& level = map.memory->levels[i];
        const LevelName& name = map.memory->level_names[i];
        boxes += fmt::format("<g data-level=\"{}\">{}{}</g>\n", escaped(name.text()),
            level_boxes(level, name, *map.device, scales, colour), texts[i]);
        spoken += fmt::format("; {} {} to {}", name.text(), scales.text(level), capacity_text(level));
    }
    double below = kAxis + 4;
    for (const Curve* curve : map.beside) strips += strip_svg(*curve, scales, colour, below);
    return fmt::format("<figure><figcaption><span class=\"swatch b{}\"></span>{} <small>{} · {}</small></figcaption>\n"
                       "<svg class=\"map\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\" "
                       "data-device=\"{}\">{}\n{}{}</svg></figure>\n",
        colour, escaped(map.device->id), escaped(map.memory->path->name), escaped(map.device->driver),
        escaped(map.device->id + spoken), kWidth, below - 4, escaped(map.device->id), axes_svg(scales), boxes, strips);
}
} // namespace

std::map<std::string, std::size_t> device_colours(std::span<const Card> cards) {
    constexpr std::size_t kColours = 8;
    std::map<std::string, std::size_t> colours;
    for (const Card& card : cards)
        for (const DeviceRecord* device : card.devices) colours.try_emplace(device->id, colours.size() % kColours);
    return colours;
}

std::string memory_map_html(const Card& card, const std::map<std::string, std::size_t>& colours) {
    std::vector<Mapped> maps;
    for (const DeviceRecord* device : card.devices)
        if (const Curve* memory = memory_of(card, *device))
            maps.push_back({device, memory, curves_with_levels(card, *device, false)});
    if (maps.empty()) return "";
    const Scales scales(maps);
    std::string figures;
    for (const Mapped& map : maps) figures += figure_html(map, scales, colours.at(map.device->id));
    return "<div class=\"maps\">\n" + figures + "</div>\n";
}

} // namespace sonde
