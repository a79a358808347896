// Readers of gpu-benches' tables.
#include "core/analysis/imported_readers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

namespace {
constexpr std::size_t kLongestRow = 400;

std::vector<std::string> words_of_row(std::string_view line) {
    std::vector<std::string> words;
    for (const std::string& word : split(line.substr(0, kLongestRow), ' '))
        if (!word.empty()) words.push_back(word);
    return words;
}

/// A word that is a number above 0, but for `unit` behind it.
std::optional<double> measured_number(std::string_view word, std::string_view unit = "") {
    if (!word.ends_with(unit)) return std::nullopt;
    word.remove_suffix(unit.size());
    const auto value = number_of<double>(word);
    return value && *value > 0 ? value : std::nullopt;
}

/// A row of gpu-cache, "2 kB 5ms 0.4% 13646.3 GB/s ...", or of gpu-l2-cache, "512 kB 1536 kB 4ms 1.0% 13526.6 GB/s
/// ...", whose first size is what each workgroup reads.
struct CacheRow {
    std::optional<double> own_kib;
    Point point;
    bool has_counters = false; // behind it
};
std::optional<CacheRow> cache_row(std::string_view line) {
    std::vector<std::string> words = words_of_row(line);
    CacheRow row;
    if (words.size() > 4 && words[1] == "kB" && words[3] == "kB") {
        if (!(row.own_kib = measured_number(words[0]))) return std::nullopt;
        words.erase(words.begin(), words.begin() + 2);
    }
    if (words.size() < 6 || words[1] != "kB" || words[5] != "GB/s" || !words[2].ends_with("ms") ||
        !words[3].ends_with("%"))
        return std::nullopt;
    const auto size = measured_number(words[0]), rate = measured_number(words[4]);
    if (!size || !rate) return std::nullopt;
    row.point = {.x = *size * 1024, .median = *rate, .samples = {}};
    row.has_counters = words.size() > 6;
    return row;
}
} // namespace

std::optional<ImportedFile> read_gpu_caches(const ImportSource& source) {
    struct DataSets {
        std::optional<double> own_kib; // what each workgroup reads
        std::vector<Point> points;
    };
    std::vector<DataSets> curves;
    const CurveText text = lines_of(source.text, source.path);
    UnreadLines unread;
    bool inside = false, begins = false;
    std::size_t repeated = 0, counted = 0;
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        const std::string_view line = trimmed(text.lines[i]);
        if (is_blank(line)) continue;
        if (line.find("data set") != std::string_view::npos && line.find("Eff. bw") != std::string_view::npos) {
            inside = begins = true;
            continue;
        }
        const auto row = inside ? cache_row(line) : std::nullopt;
        if (!row) {
            if (!line.starts_with("clock:")) unread.add(i); // before the tables
            continue;
        }
        counted += row->has_counters;
        const bool goes_back = !curves.empty() && row->point.x < curves.back().points.back().x;
        if (begins || goes_back || curves.empty() || row->own_kib != curves.back().own_kib)
            curves.push_back({row->own_kib, {}});
        begins = false;
        std::vector<Point>& points = curves.back().points;
        if (points.empty() || row->point.x > points.back().x) points.push_back(row->point);
        else ++repeated;
    }
    if (curves.empty()) return std::nullopt;
    ImportedFile file(curves.front().own_kib ? "gpu-benches gpu-l2-cache" : "gpu-benches gpu-cache", source);
    const std::size_t device = file.add_untold_device("unknown", "GPU");
    for (DataSets& curve : curves) {
        // A probe of ours divides a footprint among the cores.
        const ImportedQuestion question = {.probe = &kBandwidth,
            .options = OptionName{option::data}.as(
                curve.own_kib ? fmt::format("{:.0f}-KiB-for-each-workgroup", *curve.own_kib) : "same-for-all-cores")};
        file.add_curve(device, question, "Eff. bw", std::move(curve.points),
            curve.own_kib ? fmt::format("each workgroup reads {:.0f} KiB of the data set, in turn", *curve.own_kib)
                          : "each core reads all of the data set");
    }
    if (repeated) file.leave_out("data sets that come twice", "Eff. bw", repeated);
    if (counted) file.leave_out("not imported: no probe reads such counters", "DRAM and L2 traffic by counters");
    file.leave_lines(text, unread);
    return file;
}

namespace {
/// A kernel of gpu-stream, each on arrays of 2 GiB of 8-byte numbers: what it answers, or why nothing of ours does.
struct StreamColumn {
    std::string_view name;
    const Probe* probe;
    const char *operation, *objection;
    const char* type = ""; // of numbers, in place of a width
};
constexpr StreamColumn kStreamColumns[] = {{"init", &kStream, "fill", ""}, {"read", &kBandwidth, "", ""},
    {"scale", &kStream, "scale", "", "f64"}, {"triad", nullptr, "", "four arrays, of which Sonde has no probe"},
    {"pt", nullptr, "", "stencils, of which Sonde has no probe"}};
constexpr StreamColumn kUnknownColumn{"", nullptr, "", "a column that Sonde does not know"};

const StreamColumn& column_of(std::string_view name) { // "3pt" and "5pt" are stencils
    const auto known = std::ranges::find_if(kStreamColumns,
        [&](const StreamColumn& each) { return name == each.name || (each.name == "pt" && name.ends_with("pt")); });
    return known == std::end(kStreamColumns) ? kUnknownColumn : *known;
}

/// "1024 270336 2 100.0% | GB/s: 3942 2775 ...", or with the percent sign apart: the occupancy, and a rate for each
/// of the header's columns; 0 where there is no number.
struct StreamRow {
    double occupancy = 0;
    std::vector<double> rates;
};
std::optional<StreamRow> stream_row(std::string_view line, std::size_t columns) {
    const std::vector<std::string> words = words_of_row(line);
    const auto bar = std::find(words.begin(), words.end(), "|");
    if (bar == words.begin() || words.end() - bar != static_cast<std::ptrdiff_t>(columns) + 2 || *(bar + 1) != "GB/s:")
        return std::nullopt;
    const bool apart = *(bar - 1) == "%";
    const auto occupancy =
        apart && bar - words.begin() > 1 ? measured_number(*(bar - 2)) : measured_number(*(bar - 1), "%");
    if (!occupancy) return std::nullopt;
    StreamRow row{*occupancy, {}};
    for (auto word = bar + 2; word != words.end(); ++word) {
        if (!number_of<double>(*word)) return std::nullopt;
        row.rates.push_back(measured_number(*word).value_or(0));
    }
    return row;
}

/// The names behind the bar; none where the line is no header.
std::vector<std::string> stream_header(std::string_view line) {
    const std::size_t bar = line.find('|');
    if (bar == std::string_view::npos || line.find("occ") > bar) return {};
    std::vector<std::string> names = words_of_row(line.substr(bar + 1));
    const bool known = std::ranges::any_of(names, [](const std::string& name) { return column_of(name).probe; });
    return known ? names : std::vector<std::string>();
}
} // namespace

std::optional<ImportedFile> read_gpu_stream(const ImportSource& source) {
    StreamRow fullest;
    std::vector<std::string> columns, names; // names: of the fullest's
    std::size_t rates = 0;
    const CurveText text = lines_of(source.text, source.path);
    UnreadLines unread;
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        const std::string_view line = trimmed(text.lines[i]);
        if (is_blank(line)) continue;
        if (std::vector<std::string> header = stream_header(line); !header.empty()) {
            columns = std::move(header);
            continue;
        }
        const auto row = columns.empty() ? std::nullopt : stream_row(line, columns.size());
        if (!row) {
            unread.add(i);
            continue;
        }
        rates += columns.size();
        if (row->occupancy >= fullest.occupancy) fullest = *row, names = columns;
    }
    if (names.empty()) return std::nullopt;
    ImportedFile file("gpu-benches gpu-stream", source);
    const std::size_t device = file.add_untold_device("unknown", "GPU");
    for (std::size_t i = 0; i < names.size(); ++i) {
        const StreamColumn& column = column_of(names[i]);
        Options options = *column.type ? option::type.as(column.type) : option::width.as(8);
        if (*column.operation) options.set(option::operation, column.operation);
        if (*column.objection) file.leave_out(column.objection, names[i]);
        else
            file.add_figure(device, {.probe = column.probe, .options = options},
                fmt::format("{} at {:g} % of the work-items", names[i], fullest.occupancy), "DRAM", fullest.rates[i],
                "GB/s");
    }
    if (rates > names.size()) file.leave_out("of fewer work-items", "rows of other occupancies", rates - names.size());
    file.leave_lines(text, unread);
    return file;
}

namespace {
/// "0 1056 blocks 1 its 0.500 Fl/B 3780 GB/s 1890 GF/s 1980 Mhz ...": a card by its number, which reads two arrays with
/// so much arithmetic on each number. The arithmetic of a byte tells how long these are: floats or doubles.
struct RooflineRow {
    int card = 0;
    double iterations = 0, bytes = 0, bandwidth = 0, rate = 0;
};
std::optional<RooflineRow> roofline_row(std::string_view line) {
    const std::vector<std::string> words = words_of_row(line);
    if (words.size() < 11 || words[2] != "blocks" || words[4] != "its" || words[6] != "Fl/B" || words[8] != "GB/s" ||
        words[10] != "GF/s")
        return std::nullopt;
    const auto card = number_of<int>(words[0]);
    const auto iterations = number_of<double>(words[3]);
    const auto intensity = measured_number(words[5]), bandwidth = measured_number(words[7]),
               rate = measured_number(words[9]);
    if (!card || !iterations || !intensity) return std::nullopt;
    return RooflineRow{*card, *iterations, (1 + *iterations) / *intensity, bandwidth.value_or(0), rate.value_or(0)};
}

/// "4096 64kB 26 26 26 26 27 27": elements, the size of two arrays, a rate by size of the workgroup.
bool is_small_kernels_row(std::string_view line) {
    const std::vector<std::string> words = words_of_row(line);
    constexpr std::size_t kFewestWords = 6;
    if (words.size() < kFewestWords || !words[1].ends_with("kB")) return false;
    const std::string size = words[1].substr(0, words[1].size() - 2);
    return number_of<double>(words[0]) && number_of<double>(size) &&
           std::all_of(words.begin() + 2, words.end(), [](const std::string& word) { return number_of<double>(word); });
}
} // namespace

std::optional<ImportedFile> read_gpu_roofline(const ImportSource& source) {
    const CurveText text = lines_of(source.text, source.path);
    ImportedFile file("gpu-benches gpu-roofline", source);
    std::map<int, std::size_t> devices; // by the tool's number
    UnreadLines unread;
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        const std::string_view line = trimmed(text.lines[i]);
        const bool built = number_of<int>(std::string(line)) || line == "-- Finished Building --"; // its progress
        if (is_blank(line) || built) continue;
        const auto row = roofline_row(line);
        if (!row) {
            unread.add(i);
            continue;
        }
        if (!devices.contains(row->card))
            devices[row->card] = file.add_untold_device("unknown", fmt::format("GPU {}", row->card).c_str());
        const std::size_t device = devices[row->card];
        const double bytes = std::round(row->bytes);
        if (bytes != 4 && bytes != 8) {
            file.leave_out("of numbers that are neither floats nor doubles", "GF/s");
            continue;
        }
        file.add_figure(device, rate_question(bytes == 4 ? "fma.f32" : "fma.f64"), "GF/s", "best", row->rate, "Gop/s");
        const ImportedQuestion reads = bandwidth_question(option::width.as(static_cast<std::uint32_t>(bytes)));
        if (row->iterations == 0) file.add_figure(device, reads, "GB/s at 0 its", "DRAM", row->bandwidth, "GB/s");
    }
    if (devices.empty()) return std::nullopt;
    file.leave_lines(text, unread);
    return file;
}

std::optional<ImportedFile> read_gpu_small_kernels(const ImportSource& source) {
    const CurveText text = lines_of(source.text, source.path);
    const auto rows = std::ranges::count_if(text.lines, is_small_kernels_row);
    constexpr std::ptrdiff_t kFewestRows = 3;
    if (rows < kFewestRows) return std::nullopt;
    ImportedFile file("gpu-benches gpu-small-kernels", source);
    file.leave_out("launches one after the other, whose cost is a part of each rate; no probe of ours has that",
        "GB/s by data set", static_cast<std::size_t>(rows));
    return file;
}

} // namespace sonde
