// The readers of curves: tools that are known by their text, and tables. Everything in a file is hostile until it is a number.
#include "core/analysis/curve_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/text.h"

namespace sonde {

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kLongestLine = 64 << 10;
constexpr std::size_t kMostRows = 1'000'000;
constexpr double kLargestSize = 0x1p60; // bytes; the analysis takes time by the square of the octaves
constexpr std::size_t kMostShown = 40;  // characters of a bad field in a message
constexpr std::string_view kBlanks = " \t\r\v\f";

using Line = std::string_view;
struct Text {
    std::string name; // in messages
    std::vector<Line> lines;
    std::string where(std::size_t line) const { return fmt::format("{}, line {}", name, line + 1); }
};

std::optional<double> find_unit(std::string_view name) {
    static const std::map<std::string_view, double> kUnits{{"B", 1}, {"byte", 1}, {"bytes", 1}, {"Bytes", 1}, {"KB", 1e3}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
                                                           {"K", 0x1p10}, {"k", 0x1p10}, {"KiB", 0x1p10}, {"M", 0x1p20}, {"MiB", 0x1p20}, {"G", 0x1p30}, {"GiB", 0x1p30}};
    const auto found = kUnits.find(name);
    return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

/// The unit that a latency is told in, and how many of it one `name` is.
struct LatencyUnit {
    std::string unit;
    double factor = 1;
};
std::optional<LatencyUnit> find_latency_unit(std::string_view name) {
    static const std::map<std::string_view, LatencyUnit> kUnits{{"ns", {"ns", 1}}, {"us", {"ns", 1e3}}, {"\u00b5s", {"ns", 1e3}}, {"ms", {"ns", 1e6}}, {"nanoseconds", {"ns", 1}},
                                                                {"cycles", {"cycles", 1}}, {"cycle", {"cycles", 1}}, {"clocks", {"cycles", 1}}, {"clk", {"cycles", 1}}};
    const auto found = kUnits.find(name);
    return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool between_digits(std::string_view text, std::size_t i) { return i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]); }

std::string_view trimmed(std::string_view text, std::string_view of = kBlanks) {
    const std::size_t first = text.find_first_not_of(of);
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(of) - first + 1);
}

/// The field for a message: short, and without what a terminal would obey.
std::string shown(std::string_view field) {
    std::string text(field.substr(0, kMostShown));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
    return field.size() > kMostShown ? text + "..." : text;
}

/// A number at the front of a text, and what follows it. Inf and NaN are numbers here, and refused later by name.
struct Number {
    double value = 0;
    std::string_view rest;
};
std::optional<Number> number_in(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    Number number;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
    if (error == std::errc::invalid_argument) return std::nullopt;
    if (error == std::errc::result_out_of_range) number.value = HUGE_VAL;
    number.rest = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    return number;
}

double positive(double value, const char* what, const std::string& where) {
    if (!std::isfinite(value)) throw UsageError(fmt::format("{}: the {} is not a finite number", where, what));
    if (value <= 0) throw UsageError(fmt::format("{}: the {} must be above 0, it is {}", where, what, value));
    return value;
}

double memory_size(double value, const std::string& where) {
    const double bytes = positive(value, "size", where);
    if (bytes < 1 || bytes > kLargestSize) throw UsageError(fmt::format("{}: no memory has {:g} bytes (--size-unit names the unit of sizes)", where, bytes));
    return bytes;
}

// --- Tools whose curves begin with a title and go on with rows of a fixed number of numbers.

struct Tool {
    const char* name;
    std::optional<std::string> (*title)(Line); // the curve's name, where a line begins one
    std::size_t numbers, x, y;                 // in a row: how many, and which
    double bytes, granule;                     // of a size's unit; sizes are multiples of
    const char *unit, *note;
    bool beyond_l1 = false; // latencies are those beyond an L1 hit
    std::size_t clock = 0;  // which number is MHz; 0: none
};

std::string after(std::string_view text, std::string_view word) {
    const std::size_t at = text.find(word);
    return at == std::string_view::npos ? "" : std::string(trimmed(text.substr(at + word.size()), " \t\r,:[]()"));
}

constexpr std::array kTools{
    Tool{"lmbench lat_mem_rd", [](Line line) { return line.starts_with("\"stride=") ? std::optional("stride " + after(line, "=")) : std::nullopt; }, 2, 0, 1, 0x1p20, 512, "ns", ""},
    Tool{"tinymembench", [](Line line) { return line.starts_with("block size :") && line.find("random read") != Line::npos ? std::optional(after(line, "dual random read")) : std::nullopt; },
         3, 0, 1, 1, 1, "ns", "tinymembench tells the time beyond an L1 hit: add L1's latency", true},
    Tool{"Chips and Cheese",
         [](Line line) {
             if (line.starts_with("Sattolo,")) return std::optional(after(line.substr(0, line.find(" (")), "Sattolo,"));
             return line.starts_with("Region,Latency") || line.find("Size (KB),Latency (ns)") != Line::npos ? std::optional(std::string()) : std::nullopt;
         },
         2, 0, 1, 1024, 1, "ns", ""},
    Tool{"gpu-benches gpu-latency", [](Line line) { return line.starts_with("clock:") ? std::optional(std::string()) : std::nullopt; }, 5, 2, 4, 1024, 1, "cycles", "", false, 1},
};

/// The numbers of a row between blanks and ',', ':', '/', units left out; nullopt where anything else is in it.
std::optional<std::vector<double>> numbers_of(Line line) {
    std::vector<double> numbers;
    while (!(line = trimmed(line, " \t\r,:/")).empty()) {
        const std::string_view word = line.substr(0, line.find_first_of(" \t\r,:/"));
        line.remove_prefix(word.size());
        if (find_latency_unit(word)) continue;
        const auto number = number_in(word);
        if (!number || !number->rest.empty()) return std::nullopt;
        numbers.push_back(number->value);
    }
    return numbers;
}

std::vector<FileCurve> read_tool(const Tool& tool, const Text& text) {
    std::vector<FileCurve> curves;
    bool inside = false;
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        const Line line = trimmed(text.lines[i]);
        if (const auto title = tool.title(line)) {
            curves.push_back({.tool = tool.name, .name = printable(*title), .unit = tool.unit, .note = tool.note});
            inside = true;
        } else if (inside && !line.empty()) {
            const auto row = numbers_of(line);
            if (!row) {
                inside = false; // the tool goes on to other things
                continue;
            }
            if (row->size() != tool.numbers) throw UsageError(fmt::format("{}: {} numbers, where {} writes {}", text.where(i), row->size(), tool.name, tool.numbers));
            const double bytes = std::round((*row)[tool.x] * tool.bytes / tool.granule) * tool.granule;
            if (tool.clock) {
                const double mhz = (*row)[tool.clock];
                curves.back().clock_mhz = mhz > 0 && (curves.back().points.empty() || curves.back().clock_mhz == mhz) ? std::optional(mhz) : std::nullopt;
            }
            if ((*row)[tool.y] == 0 && tool.beyond_l1 && curves.back().points.empty()) curves.back().first_level = 2; // no longer than an L1 hit; it is no point of a logarithmic curve
            else curves.back().points.push_back({memory_size(bytes, text.where(i)), positive((*row)[tool.y], "latency", text.where(i))});
        }
    }
    return curves;
}

// --- MT4G.

/// Raw timings ("... - L1 Size.txt"): a size, then the cycles of each load. Their mean is what the walk took per load.
std::vector<FileCurve> read_mt4g_timings(const Text& text) {
    const bool named = text.name.ends_with(" Size.txt") && text.name.find(" - ") != std::string::npos; // as MT4G names them
    const std::size_t fewest_loads = named ? 1 : 8;                                                 // it writes hundreds, but of a constant L1.5 their mean
    constexpr double kSmallest = 512;                                                               // bytes; in other files of MT4G's strides stand first
    FileCurve curve{.tool = "MT4G", .name = "", .unit = "cycles", .note = ""};
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        if (trimmed(text.lines[i]).empty()) continue;
        const auto row = numbers_of(text.lines[i]);
        const auto whole = [](double number) { return number == std::floor(number); };
        if (!row || row->size() <= fewest_loads || row->front() < kSmallest || !std::all_of(row->begin(), row->end(), whole) || (!curve.points.empty() && row->front() <= curve.points.back().x)) return {};
        curve.points.push_back({memory_size(row->front(), text.where(i)), std::accumulate(row->begin() + 1, row->end(), 0.0) / static_cast<double>(row->size() - 1)});
    }
    return {curve};
}

/// The result: no curve but the levels of each kind of memory.
std::vector<FileCurve> read_mt4g_json(std::string_view content, const std::string& name) {
    struct Unit {
        const char *curve, *name, *path;
    };
    static constexpr Unit kUnits[]{{"", "L1", "/memory/l1"}, {"", "L2", "/memory/l2"}, {"", "L3", "/memory/l3"}, {"", "DRAM", "/memory/main"}, {"constant", "L1", "/memory/constant/l1"},
                                       {"constant", "L1.5", "/memory/constant/l1.5"}, {"scalar", "L1", "/memory/scalarL1"}, {"read-only", "L1", "/memory/readOnly"}, {"texture", "L1", "/memory/texture"},
                                       {"shared memory", "scratchpad", "/memory/shared"}};
    if (!trimmed(content, " \t\r\n").starts_with('{')) return {};
    const Json result = Json::parse(content, nullptr, false);
    std::vector<FileCurve> curves;
    for (const Unit& unit : kUnits) {
        const Json::json_pointer path(unit.path);
        if (!result.is_object() || !result.contains(path) || !result.at(path).is_object()) continue;
        const auto number = [&](const char* at) {
            const Json::json_pointer field(std::string(unit.path) + at);
            return result.contains(field) && result.at(field).is_number() ? std::optional(result.at(field).get<double>()) : std::nullopt;
        };
        const auto latency = number("/latency/mean");
        if (!latency) continue;
        if (curves.empty() || curves.back().name != unit.curve)
            curves.push_back({.tool = "MT4G", .name = unit.curve, .unit = "cycles", .note = "levels as MT4G found them: its result holds no curve"});
        FileCurve& curve = curves.back();
        const auto measured = number("/size/size"), told = number("/size/value"); // by MT4G, by the driver
        Level level;
        level.latency = positive(*latency, "latency", name + unit.path);
        level.confidence = number("/size/confidence").value_or(std::numeric_limits<double>::quiet_NaN());
        if (measured || told) level.capacity_off = memory_size(measured ? *measured : *told, name + unit.path);
        level.capacity_on = level.capacity_off.value_or(curve.levels.empty() ? 0 : curve.levels.back().capacity_on);
        curve.levels.push_back(std::move(level));
        curve.level_names.emplace_back(unit.name);
    }
    return curves;
}

// --- Tables.

/// Decimal commas as points, where they can be nothing else: in quotes, or in a line whose columns semicolons separate. A line that does not
/// begin with a number is left as it is.
std::string with_points(std::string_view content, const std::string& where) {
    std::string text(content);
    const std::size_t first = text.find_first_not_of(" \t\r\"+");
    if (first == std::string::npos || !is_digit(text[first]) || text.find(',') == std::string::npos) return text;
    const bool semicolons = text.find(';') != std::string::npos;
    bool quoted = false, comma_in_field = false, comma = false, point = false, twice = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') quoted = !quoted;
        if (text[i] == ';' || text[i] == '"') comma_in_field = false;
        point = point || (text[i] == '.' && between_digits(text, i));
        if (text[i] != ',' || !between_digits(text, i) || !(semicolons || quoted)) continue;
        twice = twice || comma_in_field; // 1,024,000
        comma = comma_in_field = true;
        text[i] = '.';
    }
    if (twice || (comma && point)) throw UsageError(fmt::format("{}: it is not clear which of '.' and ',' is the decimal mark", where));
    return text;
}

/// The columns of a line: by semicolons where it has any, else by commas, else by tabs, else by blanks, where a unit belongs to the number before it.
std::vector<std::string> cells_of(Line line) {
    line = trimmed(line);
    std::vector<std::string> cells;
    for (const char separator : {';', ',', '\t'}) {
        if (line.find(separator) == Line::npos) continue;
        for (const std::string& cell : split(line, separator)) cells.emplace_back(trimmed(cell, " \t\r\v\f\""));
        if (separator == '\t') std::erase(cells, "");
        else if (cells.back().empty()) cells.pop_back(); // a separator at the end
        return cells;
    }
    for (; !line.empty(); line = trimmed(line)) {
        const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
        line.remove_prefix(word.size());
        const auto before = cells.empty() ? std::nullopt : number_in(cells.back());
        if (before && before->rest.empty() && (find_unit(word) || find_latency_unit(word))) cells.back() += word;
        else cells.emplace_back(trimmed(word, "\""));
    }
    return cells;
}

/// A title's unit: the last of its words that `find` knows.
template <class Find> auto unit_in(std::string_view title, Find find) {
    decltype(find(title)) unit;
    while (!(title = trimmed(title, " _()[],:-")).empty()) {
        const std::string_view word = title.substr(0, title.find_first_of(" _()[],:-"));
        title.remove_prefix(word.size());
        if (const auto found = find(word)) unit = found;
    }
    return unit;
}

/// "GB/s" of "Bandwidth (GB/s)": one word in brackets at the end; empty where there is none.
std::string_view bracketed(std::string_view title) {
    const std::size_t open = title.find_last_of("([");
    if (open == std::string_view::npos || title.find_last_of(")]") != title.size() - 1) return {};
    const std::string_view word = title.substr(open + 1, title.size() - open - 2);
    return word.find(' ') == std::string_view::npos ? word : std::string_view();
}

class TableReader {
public:
    TableReader(const Text& text, const CurveFormat& format) : text_(text), format_(format) {}

    FileCurve read() {
        FileCurve curve;
        std::vector<std::string> comment;
        bool header_seen = false;
        for (std::size_t i = 0; i < text_.lines.size(); ++i) {
            where_ = text_.where(i);
            if (text_.lines[i].size() > kLongestLine) throw UsageError(fmt::format("{}: longer than {} characters; a row of a table is shorter", where_, kLongestLine));
            const Line content = text_.lines[i].substr(0, text_.lines[i].find('#'));
            const std::vector<std::string> cells = cells_of(with_points(content, where_));
            if (cells.empty()) {
                if (content.size() < text_.lines[i].size()) comment = cells_of(trimmed(text_.lines[i], " \t\r#"));
                continue;
            }
            if (!chosen_ && !header_seen && !number_in(cells[std::min(first_read(), cells.size() - 1)])) {
                titles_ = cells;
                header_seen = true;
                continue;
            }
            if (!chosen_) {
                if (!header_seen) titles_ = comment;
                if (titles_.size() != cells.size()) header_ = fmt::format("{}", fmt::join(std::exchange(titles_, {}), " ")); // titles of several words
                choose(cells.size());
            }
            if (curve.points.size() == kMostRows) throw UsageError(fmt::format("{}: more than {} rows", where_, kMostRows));
            curve.points.push_back(point_of(cells, content));
        }
        curve.unit = latency_unit_.unit;
        return curve;
    }

private:
    /// The column that holds a number in each row, as far as it is known before the header is.
    std::size_t first_read() const {
        const auto asked = number_in(format_.x);
        return asked && asked->value >= 1 && asked->value < 1e6 ? static_cast<std::size_t>(asked->value) - 1 : 0;
    }

    /// By its number, or by its title, with or without the unit behind it.
    std::size_t column(const std::string& asked, const char* option, std::size_t count) const {
        for (std::size_t i = 0; i < titles_.size(); ++i)
            if (titles_[i] == asked || trimmed(std::string_view(titles_[i]).substr(0, titles_[i].find_first_of("(["))) == asked) return i;
        const auto number = number_in(asked);
        if (number && number->rest.empty() && number->value >= 1 && number->value <= static_cast<double>(count) && number->value == std::floor(number->value))
            return static_cast<std::size_t>(number->value) - 1;
        throw UsageError(fmt::format("{}: {} {}: no such column; there are {}{}", where_, option, shown(asked), count, titles_.empty() ? "" : ": " + shown(fmt::format("{}", fmt::join(titles_, ", ")))));
    }

    /// The one column whose title has a unit that `find` knows.
    template <class Find> std::optional<std::size_t> only(Find find) const {
        std::optional<std::size_t> found;
        for (std::size_t i = 0; i < titles_.size(); ++i) {
            if (!unit_in(titles_[i], find)) continue;
            if (found) return std::nullopt;
            found = i;
        }
        return found;
    }

    template <class Find> auto unit_of(std::size_t column, const std::string& asked, Find find, const char* what, const char* option) const {
        const std::string_view title = column < titles_.size() ? titles_[column] : header_;
        auto unit = asked.empty() ? unit_in(title, find) : find(asked);
        if (!unit && !titles_.empty() && !bracketed(title).empty()) throw UsageError(fmt::format("{}: '{}' is no unit of {}; choose another column with --x and --y, or name the unit with {}", text_.name, shown(bracketed(title)), what, option));
        return unit;
    }

    void choose(std::size_t count) {
        count_ = count;
        std::optional<std::size_t> x = only(find_unit), y = only(find_latency_unit);
        if (!format_.x.empty()) x = column(format_.x, "--x", count);
        if (!format_.y.empty()) y = column(format_.y, "--y", count);
        if (count <= 2) {
            if (!x) x = y == 0U ? 1 : 0;
            if (!y) y = 1 - *x;
        }
        if (!x || !y) throw UsageError(fmt::format("{}: {} columns; name the one of sizes and the one of latencies by number or title, as in --x 1 --y {}", where_, count, count));
        if (*x == *y) throw UsageError(fmt::format("{}: one column cannot be both size and latency; name the two with --x and --y", where_));
        x_ = *x, y_ = *y, chosen_ = true;
        size_unit_ = unit_of(x_, format_.size_unit, find_unit, "size", "--size-unit").value_or(1);
        latency_unit_ = unit_of(y_, format_.latency_unit, find_latency_unit, "latency", "--latency-unit").value_or(LatencyUnit{"ns"});
    }

    CurvePoint point_of(const std::vector<std::string>& cells, Line line) const {
        const bool choice = !format_.x.empty() || !format_.y.empty();
        const auto size = x_ < cells.size() ? number_in(cells[x_]) : std::nullopt;
        if (!size) throw UsageError(fmt::format("{}: '{}' is no size", where_, shown(choice && x_ < cells.size() ? cells[x_] : trimmed(line))));
        const std::string_view doubtful = size->rest.substr(size->rest.find_last_of(kBlanks) + 1);
        if (!doubtful.empty() && number_in(doubtful) && x_ + 1 < cells.size())
            throw UsageError(fmt::format("{}: '{}' may be one number or two; separate the columns by semicolons, or write decimals with a point", where_, shown(fmt::format("{},{}", doubtful, cells[x_ + 1]))));
        const auto unit = size->rest.empty() ? std::optional(size_unit_) : find_unit(size->rest);
        if (!unit) throw UsageError(fmt::format("{}: '{}' is no unit of size", where_, shown(size->rest)));
        const double bytes = memory_size(size->value * *unit, where_);
        if (y_ >= cells.size()) throw UsageError(fmt::format("{}: a size without a latency", where_));
        const auto latency = number_in(cells[y_]);
        const auto own = latency && !latency->rest.empty() ? find_latency_unit(latency->rest) : std::optional(latency_unit_);
        if (own && own->unit != latency_unit_.unit) throw UsageError(fmt::format("{}: '{}' is in {}, the column in {}; name the column's unit with --latency-unit {}", where_, shown(cells[y_]), own->unit, latency_unit_.unit, own->unit));
        if (!latency || !own) throw UsageError(fmt::format("{}: '{}' is no latency", where_, shown(cells[y_])));
        if (!choice && cells.size() > count_) throw UsageError(fmt::format("{}: {} columns where the first row has {}; name the two with --x and --y", where_, cells.size(), count_));
        return {bytes, positive(latency->value, "latency", where_) * own->factor};
    }

    const Text& text_;
    const CurveFormat& format_;
    std::string where_; // the line at hand
    std::vector<std::string> titles_; // of the columns; where there are not as many, the line that they stand in:
    std::string header_;
    bool chosen_ = false;
    std::size_t count_ = 0, x_ = 0, y_ = 1;
    double size_unit_ = 1; // bytes
    LatencyUnit latency_unit_;
};

std::string content_of(std::istream& in, const std::string& name) {
    std::string content;
    std::array<char, 65536> piece;
    while (in.read(piece.data(), piece.size()), in.gcount() > 0) {
        content.append(piece.data(), static_cast<std::size_t>(in.gcount()));
        if (content.size() > kMostBytes) throw UsageError(fmt::format("{}: more than {} MiB; a curve is smaller", name, kMostBytes >> 20));
    }
    if (const std::string damage = damage_of(in); !damage.empty()) throw UsageError(fmt::format("{}: {}; copy the file anew", name, damage));
    return content;
}

Text lines_of(std::string_view rest, const std::string& name) {
    Text text{name, {}};
    for (std::size_t end = 0; !rest.empty(); rest.remove_prefix(std::min(end, rest.size() - 1) + 1)) text.lines.push_back(rest.substr(0, end = rest.find('\n')));
    return text;
}

/// A choice of columns asks for a table.
std::vector<FileCurve> curves_of(std::string_view content, const std::string& name, const CurveFormat& format) {
    if (content.starts_with("\xef\xbb\xbf")) content.remove_prefix(3); // a byte order mark, as spreadsheets write it
    if (format.x.empty() && format.y.empty())
        if (std::vector<FileCurve> curves = curves_of_tool(content, name); !curves.empty()) return curves;
    if (trimmed(content, " \t\r\n").starts_with('{')) throw UsageError(fmt::format("{}: JSON that is not MT4G's; a results file of Sonde's own is read by sonde show and sonde diagnose", name));
    const Text text = lines_of(content, name);
    return {TableReader(text, format).read()};
}

} // namespace

double bytes_in(std::string_view unit) {
    if (const auto bytes = find_unit(unit)) return *bytes;
    throw UsageError(fmt::format("'{}' is no unit of size; use B, KB, KiB, MB, MiB, GB or GiB", shown(unit)));
}

std::vector<FileCurve> curves_of_tool(std::string_view content, const std::string& name) {
    if (std::vector<FileCurve> curves = read_mt4g_json(content, name); !curves.empty()) return curves;
    const Text text = lines_of(content, name);
    for (const Tool& tool : kTools)
        if (std::vector<FileCurve> curves = read_tool(tool, text); !curves.empty()) return curves;
    if (std::vector<FileCurve> curves = read_mt4g_timings(text); !curves.empty() && !curves.front().points.empty()) return curves;
    return {};
}

std::vector<FileCurve> read_curves(std::istream& in, const std::string& name, const CurveFormat& format) {
    if (!format.size_unit.empty()) bytes_in(format.size_unit);
    if (!format.latency_unit.empty() && !find_latency_unit(format.latency_unit)) throw UsageError(fmt::format("'{}' is no unit of latency; use ns, us, ms or cycles", shown(format.latency_unit)));
    std::vector<FileCurve> curves = curves_of(content_of(in, name), name, format);
    for (FileCurve& curve : curves) {
        if (!curve.levels.empty()) continue;
        curve.points = merge_points(curve.points);
        if (curve.points.size() < 3) throw UsageError(fmt::format("{}: {} size{}; a curve needs at least 3", name, curve.points.size(), curve.points.size() == 1 ? "" : "s"));
    }
    return curves;
}

std::vector<FileCurve> read_curve_file(const std::string& path, const CurveFormat& format) {
    return read_curves(*open_to_read(path, "a file of curves"), path == "-" ? "stdin" : path, format);
}

} // namespace sonde
