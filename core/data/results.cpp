// Writing and reading results files.
#include "core/data/results.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/system.h"
#include "core/base/text.h"
#include "core/data/finding.h"
#include "core/data/unfinished.h"

namespace sonde {

namespace {
constexpr std::size_t kLongestLine = 64u << 20;
constexpr std::size_t kLongestOther = 1u << 20;    // of a line that holds no samples
constexpr std::size_t kLongestString = 256u << 10; // a build log is shorter
constexpr std::size_t kMostValues = 1u << 20;      // of a line: a parsed one takes some fifty bytes each
constexpr std::size_t kLargestRest = 32u << 20;    // of all lines that hold no samples
constexpr std::size_t kLongestName = 1000;         // of what names a series
constexpr std::size_t kMostWarnings = 20;          // of one file; then their number
constexpr std::size_t kMostLeftOut = 100000;
constexpr const char* kStandardInput = "standard input"; // as messages name it
constexpr double kMostMeasured = 1e18;                   // in any unit

/// getline that gives up on a line of absurd length instead of filling memory. False at the end of the file.
bool bounded_line(std::istream& in, const std::string& name, std::string& line, bool& complete) {
    line.clear();
    complete = false;
    std::array<char, 4096> part{};
    while (in.good()) {
        in.getline(part.data(), part.size()); // looks for the end of the line in whole pieces
        complete = in.good();
        const auto read = static_cast<std::size_t>(in.gcount()) - (complete ? 1 : 0); // the end of the line counts
        line.append(part.data(), read);
        if (complete) return true;
        if (in.fail() && read + 1 == part.size())
            in.clear(in.rdstate() & ~std::ios::failbit); // a piece of a longer one
        if (line.size() > kLongestLine)
            throw UsageError(
                fmt::format("{}: a line is longer than {} MiB: not a results file", name, kLongestLine >> 20));
    }
    return !line.empty();
}

/// What no line of ours holds, found before parsing takes many times the line's memory; "" where there is nothing of
/// the kind.
std::string too_much(const std::string& line) {
    std::size_t values = 0, string_from = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (in_string && c == '\\') ++i;
        else if (c == '"') {
            if (in_string && i - string_from > kLongestString)
                return fmt::format("a string of {:.1f} MiB", static_cast<double>(i - string_from) / (1 << 20));
            in_string = !in_string;
            string_from = i;
        } else if (!in_string && (c == ',' || c == '[' || c == '{') && ++values > kMostValues) {
            return fmt::format("more than {} values", kMostValues);
        }
    }
    return "";
}

/// Takes what nothing measured can be out of a series, quartiles on the wrong side of their median among it: how many
/// points that were.
std::size_t without_nonsense(Series& series) {
    return std::erase_if(series.points, [](const Point& point) {
        const auto nonsense = [](const std::optional<double>& value) {
            return value && !(*value > 0 && *value < kMostMeasured);
        };
        const bool exchanged = point.low.value_or(0) > point.median.value_or(kMostMeasured) ||
                               point.median.value_or(0) > point.high.value_or(kMostMeasured);
        return !(std::abs(point.x) < kMostMeasured) || nonsense(point.median) || nonsense(point.low) ||
               nonsense(point.high) || exchanged;
    });
}

/// A value in a unit that is not known would be read as one in another. `units`: kValueUnits or kAxisUnits.
void check_unit(const std::string& of, const std::string& unit, const char* units) {
    const Json known = read_json(units).at("enum");
    if (std::find(known.begin(), known.end(), unit) == known.end())
        throw UsageError(fmt::format("the unit of {} is '{}', none of {}", printable(of.substr(0, 100)),
            printable(unit.substr(0, 40)), json_text(known)));
}

/// A series and the findings that were drawn from it.
void remove_series(Run& run, std::vector<Series>::iterator gone) {
    Json name = CitedSeries{gone->id};
    name.erase("x");
    name["card"] = gone->card;
    std::erase_if(run.findings, [&](const Json& finding) {
        return std::ranges::all_of(
            name.items(), [&](const auto& each) { return finding.value(each.key(), Json()) == each.value(); });
    });
    run.series.erase(gone);
}

/// A series that failed, or that the time cut short, gives way to a later one of the same name, and its findings with
/// it.
void take_series(Run& run, Series series) {
    if (const std::size_t length = series.id.text().size() + series.card.size(); length > kLongestName)
        throw Error(fmt::format("a series with a name of {:.1f} KiB", static_cast<double>(length) / 1024));
    const auto same = std::find_if(run.series.begin(), run.series.end(),
        [&](const Series& other) { return other.id == series.id && other.card == series.card; });
    if (same != run.series.end() && !gives_way(*same))
        throw Error(fmt::format("{} is there already", series.id.text()));
    if (same != run.series.end()) remove_series(run, same);
    check_unit(series.id.text(), series.unit, kValueUnits);
    check_unit(fmt::format("{} of {}", series.x.name, series.id.text()), series.x.unit, kAxisUnits);
    const std::size_t nonsense = without_nonsense(series);
    run.series.push_back(std::move(series));
    if (nonsense)
        throw Error(fmt::format(
            "{} of the points of {}, which nothing measured can be", nonsense, run.series.back().id.text()));
}

void take_line(Run& run, const Json& line, std::size_t bytes) {
    const std::string type = text_field(line, "type");
    if (type != "series" && bytes > kLongestOther)
        throw Error(fmt::format("a {} line of {} MiB", type.substr(0, 40), bytes >> 20));
    if (type == "finding" && text_field(line, "kind") == "level" && line.contains("unit"))
        check_unit("a level", text_field(line, "unit"), kValueUnits);
    if (type == "run") run.header = line;
    else if (type == "device") run.devices.push_back(line.get<DeviceRecord>());
    else if (type == "series") take_series(run, line.get<Series>());
    else if (type == "finding") run.findings.push_back(line);
    else if (type == "end") run.end = line;
    else if (type == "resume") run.resumes.push_back(line), run.end = nullptr;
    else throw Error(fmt::format("unknown type '{}'", type.substr(0, 40)));
}
} // namespace

namespace {
UsageError too_large(const std::string& name) {
    return UsageError(fmt::format("{}: larger than {} MiB, which no run is", name, kLargestRun >> 20));
}

UsageError never_overwritten(const std::filesystem::path& path) {
    return UsageError(
        fmt::format("{}: exists and is never overwritten; name another file with --out, or remove it", path.string()));
}

File create(const std::filesystem::path& path) {
    if (path == "-") return File::standard_output();
    check_is_new(path);
    if (auto file = File::create(path)) return std::move(*file);
    throw never_overwritten(path);
}

/// A crash tears the last member, a series with its findings, which is measured again. Cutting off anything else would
/// lose lines.
void check_may_be_cut(const std::string& name, const File::Lines& lines) {
    if (lines.text.empty() && lines.torn.empty())
        throw UsageError(fmt::format(
            "{}: its first line, which says what was asked for, is torn; start the run anew with --out", name));
    std::size_t series = 0;
    for (std::size_t at = 0; (at = lines.torn.find("{\"type\":\"series\"", at)) != std::string::npos; ++at) ++series;
    std::string why = lines.damage;
    if (why.empty() && (series > 1 || (lines.end == 0 && !lines.torn.empty())))
        why = "its packed data ends early within many lines";
    if (why.empty() && !lines.text.empty() && lines.text.back() != '\n')
        why = "its last line is torn within a packed part";
    if (!why.empty())
        throw UsageError(fmt::format(
            "{0}: {1}; 'gzip -dc {0} > new.jsonl' keeps what is whole, and --resume new.jsonl goes on with it", name,
            why));
}
} // namespace

void check_is_new(const std::filesystem::path& path) {
    std::error_code unknown;
    const auto there = std::filesystem::status(path, unknown);
    if (path == "-") return;
    if (std::filesystem::is_directory(there))
        throw UsageError(fmt::format("{} is a folder; give a results file (*.jsonl)", path.string()));
    if (const std::string nowhere = leads_nowhere(path); !nowhere.empty())
        throw UsageError(
            fmt::format("{}: {}; name another file with --out, or remove the link", path.string(), nowhere));
    if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
        throw UsageError(fmt::format("{}: a device or pipe; name a file, or '-' for standard output", path.string()));
    if (std::filesystem::exists(there)) throw never_overwritten(path);
}

void check_is_file(const std::filesystem::path& path) {
    std::error_code unknown;
    const auto there = std::filesystem::status(path, unknown);
    if (std::filesystem::is_directory(there))
        throw UsageError(fmt::format("{} is a folder; give a results file (*.jsonl)", path.string()));
    if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
        throw UsageError(fmt::format(
            "{}: a device or pipe; give a results file (*.jsonl), or '-' for standard input", path.string()));
}

Journal::Journal(File file) : file_(std::move(file)) {
    if (path() != "-" && !file_.lock())
        throw UsageError(fmt::format("{}: another sonde is writing to it", path().string())); // one process at a time
}

Journal::Journal(const std::filesystem::path& path) : Journal(create(path)) {}

Journal Journal::reopened(const std::filesystem::path& path) {
    Journal journal(File::open(path));
    const File::Lines lines = journal.file_.lines();
    check_may_be_cut(path.string(), lines);
    journal.written_ = lines.end;
    return journal;
}

void Journal::cut() { file_.truncate(written_); }

void Journal::append_together(const std::vector<Json>& lines) {
    if (path() != "-" && file_.is_removed())
        throw Error(fmt::format(
            "{}: was removed while the run wrote to it, and its lines with it; start the run anew", path().string()));
    std::string text;
    for (const Json& line : lines) text += json_text(line) + "\n";
    try {
        written_ += file_.write(text);
        file_.sync();
    } catch (const Error& error) {
        try {
            if (path() != "-") cut();
        } catch (const Error&) { // the reader leaves a torn last line out
        }
        throw Error(fmt::format("{}; the lines before are kept", error.what()));
    }
}

std::optional<std::string> published_words(const std::string& operand) {
    const auto colon = operand.find(':');
    return operand.substr(0, colon) != "published"
               ? std::nullopt
               : std::optional(colon == std::string::npos ? "" : operand.substr(colon + 1));
}

std::filesystem::path default_results_name() { return utc_text("sonde-%Y%m%d-%H%M%S.jsonl"); }

Json checked_line(const std::string& line) {
    if (const std::string refusal = too_much(line); !refusal.empty()) throw Error(refusal);
    Json object = read_json(line);
    if (!object.is_object()) throw Error("not a JSON object");
    Run alone;
    take_line(alone, object, line.size());
    return object;
}

namespace {
/// What came before a line, of all runs of a file.
struct Reading {
    std::string name;
    std::vector<Run> runs{};
    std::size_t at = 0; // the run that lines belong to
    bool again = false; // in a copy of it
    std::size_t bytes = 0, rest = 0, left_out = 0, copies = 0;

    void begin_run(const Json& header, std::size_t number) {
        if (header.value("format", Json()) != kResultsFormat)
            throw UsageError(fmt::format("{}: results format {} is not format {}, which this sonde reads", name,
                json_text(header.value("format", Json())), kResultsFormat));
        at = static_cast<std::size_t>(std::find_if(runs.begin(), runs.end(), [&](const Run& run) {
            return run.header == header;
        }) - runs.begin());
        again = at < runs.size();
        if (again && ++copies <= kMostWarnings)
            runs[at].warnings.push_back(fmt::format("{}: from line {} on the run started {} again, which is read once",
                name, number, printable(text_field(header, "started"))));
        if (!again) runs.emplace_back().first_line = number;
        if (again || !header.contains("imported")) return;
        for (const std::string& words : header["imported"].get<ImportedFrom>().left_out)
            runs[at].warnings.push_back(fmt::format("{}: {}", name, words));
    }

    void take(const std::string& line, const Json& object, bool complete, std::size_t number) {
        if (const std::string refusal = object.is_null() ? too_much(line) : ""; !refusal.empty()) throw Error(refusal);
        if (!object.is_object()) throw Error(complete ? "not a JSON object" : "truncated");
        const std::string type = text_field(object, "type");
        if (type != "series" && (rest += line.size()) > kLargestRest)
            throw Error(fmt::format("more than {} MiB that are no series", kLargestRest >> 20));
        Run& run = runs[at];
        const bool known =
            type == "run" || type == "resume" ||
            (type == "device" && std::ranges::count(run.devices, text_field(object, "id"), &DeviceRecord::id) > 0);
        if (again && (known || std::find(run.findings.begin(), run.findings.end(), object) != run.findings.end()))
            return;
        take_line(run, object, line.size());
        if (type == "series") run.series.back().line = number - run.first_line + 1;
    }

    void leave_out(std::size_t number, const std::string& why) {
        if (++left_out > kMostLeftOut)
            throw UsageError(
                fmt::format("{}: not a results file of sonde ({} lines are of another kind)", name, left_out));
        if (left_out <= kMostWarnings)
            runs[at].warnings.push_back(fmt::format("{}: line {} left out: {}", name, number, why));
    }

    /// Lines that damage of the whole file explains, in one sentence.
    void join_left_out() {
        if (left_out < 2) return;
        const std::string begin = fmt::format("{}: line ", name);
        for (Run& run : runs)
            std::erase_if(run.warnings, [&](const std::string& warning) {
                return warning.starts_with(begin) && warning.find(" left out: ") != std::string::npos;
            });
        runs.back().warnings.push_back(
            fmt::format("{}: {} lines are left out, which the damage broke", name, left_out));
        left_out = 0;
    }

    void line(const std::string& line, bool complete, std::size_t number) {
        if ((bytes += line.size() + 1) > kLargestRun) throw too_large(name); // of what is no file
        if (line.empty() && number > 1) return;
        const Json object = too_much(line).empty() ? read_json(line) : Json();
        const bool begins = object.is_object() && object.value("type", Json()) == "run";
        if (number == 1 && !begins)
            throw UsageError(fmt::format("{}: not a results file of sonde (its first line is no run header)", name));
        try {
            if (begins) begin_run(object, number);
            take(line, object, complete, number);
        } catch (const UsageError& error) {
            if (begins) throw;
            throw UsageError(fmt::format("{}: line {}: {}", name, number, error.what()));
        } catch (const std::exception& error) {
            if (!again) leave_out(number, error.what()); // a copy adds what the run lacks
        }
    }
};

/// Throws UsageError for what is too large or no file.
std::unique_ptr<std::istream> open_run(const std::filesystem::path& path) {
    std::error_code unknown;
    if (const auto words = published_words(path.string()); words && !std::filesystem::exists(path, unknown))
        throw UsageError(fmt::format("{0}: published figures are no run; 'sonde published {1}' shows them, and compare "
                                     "and report take them beside a results file",
            path.string(), *words));
    if (const auto size = std::filesystem::file_size(path, unknown); !unknown && size > kLargestRun)
        throw too_large(path.string());
    return open_to_read(path);
}

std::string name_of(const std::filesystem::path& path) { return path == "-" ? kStandardInput : path.string(); }

Run only(std::vector<Run> runs, const std::string& name) {
    if (runs.size() == 1) return std::move(runs[0]);
    throw UsageError(fmt::format("{}: holds {} runs, started {} and {}; one is wanted here", name, runs.size(),
        printable(text_field(runs[0].header, "started")), printable(text_field(runs[1].header, "started"))));
}
} // namespace

Run read_run(const std::filesystem::path& path) { return only(read_runs(path), name_of(path)); }
Run read_run(std::istream& in, const std::string& name) { return only(read_runs(in, name), name); }
std::vector<Run> read_runs(const std::filesystem::path& path, const Import& import) {
    return read_runs(*open_run(path), name_of(path), import);
}

namespace {
/// The lines that `import` makes of a file whose first line is no run's; nothing where the file is of no tool that it
/// knows.
std::unique_ptr<std::istream> imported_lines(
    std::string text, std::istream& rest, const std::string& name, const Import& import) {
    if (!read_rest(rest, text, kLargestImport)) return nullptr;
    std::string lines = import(text, name);
    return lines.empty() ? nullptr : std::make_unique<std::istringstream>(std::move(lines));
}
} // namespace

bool begins_run(std::string_view line) {
    const Json object = too_much(std::string(line)).empty() ? read_json(line) : Json();
    return object.is_object() && object.value("type", Json()) == "run";
}

std::string damage_text(const std::string& name, const std::string& damage, std::size_t lines) {
    if (lines == 0) return fmt::format("{}: {} before its first line is whole; copy the file anew", name, damage);
    return fmt::format("{}: {} behind line {}; what is before it is read", name, damage, lines);
}

std::vector<Run> read_runs(std::istream& in, const std::string& name, const Import& import) {
    Reading reading{name};
    std::string line;
    bool complete = false;
    std::size_t number = 0;
    const auto next = [&] {
        return bounded_line(in, name, line, complete) && (complete || damage_of(in).empty());
    }; // a line that damage tears is told with it
    if (import && next()) {
        if (!begins_run(line))
            if (const auto lines = imported_lines(line + (complete ? "\n" : ""), in, name, import))
                return read_runs(*lines, name);
        reading.line(line, complete, ++number);
    }
    while (next()) reading.line(line, complete, ++number);
    const std::string damage = damage_of(in);
    if (number == 0 && !damage.empty()) throw UsageError(damage_text(name, damage, 0));
    if (number == 0 && name == kStandardInput)
        throw UsageError(fmt::format("{}: empty; it is read once, and '-' stands for it", name));
    if (number == 0) throw UsageError(fmt::format("{}: empty: its run was stopped before its first line", name));
    std::vector<std::string>& warnings = reading.runs.back().warnings;
    if (!damage.empty()) {
        reading.join_left_out();
        warnings.push_back(damage_text(name, damage, number));
    }
    if (reading.left_out > kMostWarnings)
        warnings.push_back(fmt::format("{}: and {} lines more are left out", name, reading.left_out - kMostWarnings));
    if (reading.copies > kMostWarnings)
        warnings.push_back(fmt::format("{}: and {} copies more are read once", name, reading.copies - kMostWarnings));
    return std::move(reading.runs);
}

} // namespace sonde
