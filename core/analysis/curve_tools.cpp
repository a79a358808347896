// The readers of curves that other tools wrote, each known by its text.
#include "core/analysis/curve_tools.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

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
    std::size_t numbers, x, y;                             // in a row: how many at least, and which
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

/// Whether a row's time of so many loads, at its clock, is its number of cycles a load.
bool is_in_cycles(std::span<const double> row) {
    constexpr double kRounding = 0.02;
    if (!(row[0] > 0)) return false;
    const double cycles = row[3] * row[1] * 1000 / row[0];
    return std::abs(cycles - row[4]) <= kRounding * row[4] + row[1] * 100 / row[0];
}

/// Where in the rows the tool's numbers begin: behind what a newer version, or a log, puts before them.
std::size_t first_number(const Tool& tool, const std::vector<std::vector<double>>& rows) {
    std::size_t shortest = std::numeric_limits<std::size_t>::max();
    for (const auto& row : rows) shortest = std::min(shortest, row.size());
    for (std::size_t at = 0; tool.clock && !rows.empty() && at + tool.numbers <= shortest; ++at) {
        const auto fits = std::ranges::count_if(
            rows, [&](const auto& row) { return is_in_cycles(std::span(row).subspan(at, tool.numbers)); });
        if (2 * fits > static_cast<std::ptrdiff_t>(rows.size())) return at;
    }
    return 0;
}

/// "cpu4 Cortex-A76" of "Executing benchmark on cpu4 (Cortex-A76):", as scripts write that try a tool on one core of
/// each cluster; "cpu4" of "taskset -c 4 ./tinymembench"; "" of any other line.
std::string core_named(std::string_view line) {
    constexpr std::string_view kPinned = "taskset -c ", kDigits = "0123456789";
    const auto number_at = [&](std::size_t at) {
        return line.substr(std::min(at, line.size()), line.find_first_not_of(kDigits, at) - at);
    };
    if (const std::size_t at = line.find(kPinned); at != line.npos) {
        const std::string_view number = number_at(at + kPinned.size());
        return number.empty() ? "" : fmt::format("cpu{}", number);
    }
    for (const std::string_view word : {"on cpu", "on core ", "on core", "on CPU "}) {
        const std::size_t at = line.find(word);
        const std::string_view number = at == line.npos ? "" : number_at(at + word.size());
        if (number.empty()) continue;
        const std::size_t open = line.find('(', at), close = line.find(')', at);
        const bool has_kind = open != line.npos && close != line.npos && open < close;
        return printable(has_kind ? fmt::format("cpu{} {}", number, line.substr(open + 1, close - open - 1))
                                  : fmt::format("cpu{}", number));
    }
    return "";
}

/// Reads the curves of one tool, line by line.
class ToolReader {
public:
    ToolReader(const Tool& tool, const CurveText& text) : tool_(tool), text_(text) {}

    std::vector<FileCurve> read() {
        for (std::size_t i = 0; i < text_.lines.size(); ++i) {
            const std::string_view line = trimmed(text_.lines[i]);
            if (is_blank(line)) continue;
            if (std::string core = core_named(line); !core.empty()) core_ = std::move(core);
            const auto title = tool_.title(line);
            if (title) begin(*title);
            else if (!curves_.empty() && begins_another(line)) inside_ = false;
            if (!title && !take_row(line, i)) other_.add(i), stray_ = true;
        }
        end_curve();
        std::erase_if(curves_, [](const FileCurve& curve) { return curve.points.empty(); });
        if (curves_.empty()) return {};
        std::vector<std::string>& left_out = curves_.front().left_out;
        if (below_ > 0)
            left_out.push_back(fmt::format("{} value{} below the timer's step, among others above it: no latency of 0 "
                                           "can be drawn",
                below_, below_ == 1 ? "" : "s"));
        for (const auto& [lines, what] : {std::pair{&unmeasured_, "no values that can be measured: "}, {&other_, ""}})
            if (!lines->empty()) left_out.push_back(what + lines->text(text_));
        return std::move(curves_);
    }

private:
    struct Row {
        std::vector<double> numbers;
        std::size_t line;
    };

    void begin(const std::string& title) {
        end_curve();
        curves_.push_back({.tool = tool_.name,
            .name = printable(title),
            .core = core_,
            .unit = tool_.unit,
            .note = tool_.note,
            .small_pages = tool_.small_pages});
        inside_ = true, stray_ = false;
    }

    /// A title of lmbench's other tools, whose rows look like these.
    static bool begins_another(std::string_view line) { return line.starts_with('"'); }

    /// A row goes on with the curve; behind a stray line only where it goes on with the sizes, for other tables have
    /// rows of as many numbers. Sizes that begin anew are a further curve.
    bool take_row(std::string_view line, std::size_t at) {
        auto numbers = inside_ ? numbers_of(line) : std::nullopt;
        if (!numbers || numbers->size() < tool_.numbers) return false;
        if (!rows_.empty() && !tool_.clock) {
            const double size = (*numbers)[tool_.x], first = rows_.front().numbers[tool_.x];
            const bool back = size <= rows_.back().numbers[tool_.x];
            if (stray_ && back) return inside_ = false;
            if (back && size <= first && rows_.size() >= kFewest) begin(curves_.back().name);
        }
        stray_ = false;
        rows_.push_back({std::move(*numbers), at});
        return true;
    }

    void end_curve() {
        if (curves_.empty() || rows_.empty()) return;
        std::vector<std::vector<double>> all;
        for (const Row& row : rows_) all.push_back(row.numbers);
        const std::size_t from = first_number(tool_, all);
        const std::string name = curves_.back().name;
        for (Row& row : rows_) {
            row.numbers.erase(row.numbers.begin(), row.numbers.begin() + static_cast<std::ptrdiff_t>(from));
            const std::vector<CurvePoint>& points = curves_.back().points;
            const double kib = row.numbers[tool_.x];
            if (tool_.clock && points.size() >= kFewest && kib * tool_.bytes <= points.front().x) { // a further run
                FileCurve next = curves_.back();
                next.points.clear(), next.clock_mhz.reset();
                curves_.push_back(std::move(next));
            }
            add(row);
        }
        rows_.clear();
    }

    void add(const Row& row) {
        FileCurve& curve = curves_.back();
        const double size = row.numbers[tool_.x], latency = row.numbers[tool_.y];
        const double bytes = std::round(size * tool_.bytes / tool_.granule) * tool_.granule;
        if (latency == 0 && tool_.beyond_l1) { // no longer than an L1 hit; it is no point of a logarithmic curve
            if (curve.points.empty()) curve.first_level = 2;
            else ++below_;
            return;
        }
        if (!std::isfinite(latency) || latency <= 0 || !std::isfinite(size) || size <= 0)
            return unmeasured_.add(row.line);
        if (tool_.clock) {
            const double mhz = row.numbers[tool_.clock];
            curve.clock_mhz =
                mhz > 0 && (curve.points.empty() || curve.clock_mhz == mhz) ? std::optional(mhz) : std::nullopt;
        }
        curve.points.push_back({memory_size(bytes, text_.where(row.line)), latency});
    }

    static constexpr std::size_t kFewest = 3; // sizes of a curve
    const Tool& tool_;
    const CurveText& text_;
    std::vector<FileCurve> curves_;
    std::vector<Row> rows_; // of the last one
    UnreadLines other_, unmeasured_;
    std::size_t below_ = 0;
    bool inside_ = false, stray_ = false;
    std::string core_; // that what follows was measured on
};

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
        if (std::vector<FileCurve> curves = ToolReader(tool, text).read(); !curves.empty()) return curves;
    if (std::vector<FileCurve> curves = read_mt4g_timings(text); !curves.empty() && !curves.front().points.empty())
        return curves;
    return {};
}

} // namespace sonde
