// The readers of curves that other tools wrote, each known by its text.
#include "core/analysis/curve_tools.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "core/analysis/curve_text.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"

namespace sonde {

namespace {

// --- Tools whose curves begin with a title and go on with rows of a fixed number of numbers.

struct Tool {
    const char* name;
    std::optional<std::string> (*title)(std::string_view); // the curve's name, where a line begins one
    std::size_t numbers, x, y;                             // in a row: how many, and which
    double bytes, granule;                                 // of a size's unit; sizes are multiples of
    const char *unit, *note;
    bool small_pages = false; // it walks a processor's pages of 4 KiB
    bool beyond_l1 = false;   // latencies are those beyond an L1 hit
    std::size_t clock = 0;    // which number is MHz; 0: none
};

std::string after(std::string_view text, std::string_view word) {
    const std::size_t at = text.find(word);
    return at == std::string_view::npos ? "" : std::string(trimmed(text.substr(at + word.size()), " \t\r,:[]()"));
}

constexpr std::array kTools{
    Tool{"lmbench lat_mem_rd",
        [](std::string_view line) {
            return line.starts_with("\"stride=") ? std::optional("stride " + after(line, "=")) : std::nullopt;
        },
        2, 0, 1, 0x1p20, 512, "ns", "", true},
    Tool{"tinymembench",
        [](std::string_view line) {
            return line.starts_with("block size :") && line.find("random read") != std::string_view::npos
                       ? std::optional(after(line, "dual random read"))
                       : std::nullopt;
        },
        3, 0, 1, 1, 1, "ns", "tinymembench tells the time beyond an L1 hit: add L1's latency", true, true},
    Tool{"Chips and Cheese",
        [](std::string_view line) {
            if (line.starts_with("Sattolo,")) return std::optional(after(line.substr(0, line.find(" (")), "Sattolo,"));
            return line.starts_with("Region,Latency") || line.find("Size (KB),Latency (ns)") != std::string_view::npos
                       ? std::optional(std::string())
                       : std::nullopt;
        },
        2, 0, 1, 1024, 1, "ns", "", true},
    Tool{"gpu-benches gpu-latency",
        [](std::string_view line) { return line.starts_with("clock:") ? std::optional(std::string()) : std::nullopt; },
        5, 2, 4, 1024, 1, "cycles", "", false, false, 1},
};

/// The numbers of a row between blanks and ',', ':', '/', units left out; nullopt where anything else is in it.
std::optional<std::vector<double>> numbers_of(std::string_view line) {
    std::vector<double> numbers;
    while (!(line = trimmed(line, " \t\r,:/")).empty()) {
        const std::string_view word = line.substr(0, line.find_first_of(" \t\r,:/"));
        line.remove_prefix(word.size());
        if (find_latency_unit(word)) continue;
        const auto number = leading_number(word);
        if (!number || !number->rest.empty()) return std::nullopt;
        numbers.push_back(number->value);
    }
    return numbers;
}

std::vector<FileCurve> read_tool(const Tool& tool, const CurveText& text) {
    std::vector<FileCurve> curves;
    bool inside = false;
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        const std::string_view line = trimmed(text.lines[i]);
        if (const auto title = tool.title(line)) {
            curves.push_back({.tool = tool.name,
                .name = printable(*title),
                .unit = tool.unit,
                .note = tool.note,
                .small_pages = tool.small_pages});
            inside = true;
        } else if (inside && !line.empty()) {
            const auto row = numbers_of(line);
            if (!row) {
                inside = false; // the tool goes on to other things
                continue;
            }
            if (row->size() != tool.numbers)
                throw UsageError(fmt::format(
                    "{}: {} numbers, where {} writes {}", text.where(i), row->size(), tool.name, tool.numbers));
            const double bytes = std::round((*row)[tool.x] * tool.bytes / tool.granule) * tool.granule;
            if (tool.clock) {
                const double mhz = (*row)[tool.clock];
                curves.back().clock_mhz = mhz > 0 && (curves.back().points.empty() || curves.back().clock_mhz == mhz)
                                              ? std::optional(mhz)
                                              : std::nullopt;
            }
            if ((*row)[tool.y] == 0 && tool.beyond_l1 && curves.back().points.empty())
                curves.back().first_level = 2; // no longer than an L1 hit; it is no point of a logarithmic curve
            else
                curves.back().points.push_back(
                    {memory_size(bytes, text.where(i)), positive_value((*row)[tool.y], "latency", text.where(i))});
        }
    }
    return curves;
}

// --- MT4G.

/// Raw timings ("... - L1 Size.txt"): a size, then the cycles of each load. Their mean is what the walk took per load.
std::vector<FileCurve> read_mt4g_timings(const CurveText& text) {
    const bool named =
        text.name.ends_with(" Size.txt") && text.name.find(" - ") != std::string::npos; // as MT4G names them
    const std::size_t fewest_loads = named ? 1 : 8; // it writes hundreds, but of a constant L1.5 their mean
    constexpr double kSmallest = 512;               // bytes; in other files of MT4G's strides stand first
    FileCurve curve{.tool = "MT4G", .name = "", .unit = "cycles", .note = ""};
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        if (trimmed(text.lines[i]).empty()) continue;
        const auto row = numbers_of(text.lines[i]);
        const auto whole = [](double number) { return number == std::floor(number); };
        if (!row || row->size() <= fewest_loads || row->front() < kSmallest ||
            !std::all_of(row->begin(), row->end(), whole) ||
            (!curve.points.empty() && row->front() <= curve.points.back().x))
            return {};
        curve.points.push_back({memory_size(row->front(), text.where(i)),
            std::accumulate(row->begin() + 1, row->end(), 0.0) / static_cast<double>(row->size() - 1)});
    }
    return {curve};
}

/// The result: no curve but the levels of each kind of memory.
std::vector<FileCurve> read_mt4g_json(std::string_view content, const std::string& name) {
    struct Unit {
        const char *curve, *name, *path;
    };
    static constexpr Unit kUnits[]{{"", "L1", "/memory/l1"}, {"", "L2", "/memory/l2"}, {"", "L3", "/memory/l3"},
        {"", "DRAM", "/memory/main"}, {"constant", "L1", "/memory/constant/l1"},
        {"constant", "L1.5", "/memory/constant/l1.5"}, {"scalar", "L1", "/memory/scalarL1"},
        {"read-only", "L1", "/memory/readOnly"}, {"texture", "L1", "/memory/texture"},
        {"shared memory", "scratchpad", "/memory/shared"}};
    if (!trimmed(content, " \t\r\n").starts_with('{')) return {};
    const Json result = read_json(content);
    std::vector<FileCurve> curves;
    for (const Unit& unit : kUnits) {
        const Json::json_pointer path(unit.path);
        if (!result.is_object() || !result.contains(path) || !result.at(path).is_object()) continue;
        const auto number = [&](const char* at) {
            const Json::json_pointer field(std::string(unit.path) + at);
            return result.contains(field) && result.at(field).is_number()
                       ? std::optional(result.at(field).get<double>())
                       : std::nullopt;
        };
        const auto latency = number("/latency/mean");
        if (!latency) continue;
        if (curves.empty() || curves.back().name != unit.curve)
            curves.push_back({.tool = "MT4G",
                .name = unit.curve,
                .unit = "cycles",
                .note = "levels as MT4G found them: its result holds no curve"});
        FileCurve& curve = curves.back();
        const auto measured = number("/size/size"), told = number("/size/value"); // by MT4G, by the driver
        Level level;
        level.latency = positive_value(*latency, "latency", name + unit.path);
        level.confidence = number("/size/confidence").value_or(std::numeric_limits<double>::quiet_NaN());
        if (measured || told) level.capacity_off = memory_size(measured ? *measured : *told, name + unit.path);
        level.capacity_on = level.capacity_off.value_or(curve.levels.empty() ? 0 : curve.levels.back().capacity_on);
        curve.levels.push_back(std::move(level));
        curve.level_names.emplace_back(unit.name);
    }
    return curves;
}

} // namespace

std::vector<FileCurve> curves_of_tool(std::string_view content, const std::string& name) {
    if (std::vector<FileCurve> curves = read_mt4g_json(content, name); !curves.empty()) return curves;
    const CurveText text = lines_of(content, name);
    for (const Tool& tool : kTools)
        if (std::vector<FileCurve> curves = read_tool(tool, text); !curves.empty()) return curves;
    if (std::vector<FileCurve> curves = read_mt4g_timings(text); !curves.empty() && !curves.front().points.empty())
        return curves;
    return {};
}

} // namespace sonde
