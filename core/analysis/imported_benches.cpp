// Readers of gpu-benches' tables.
#include "core/analysis/imported_benches.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/analysis/imported_file.h"
#include "core/base/text.h"
#include "core/data/shared_options.h"

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
    return row;
}
} // namespace

std::string read_gpu_caches(const Json&, std::string_view text, const std::string& name) {
    std::vector<Point> points;
    std::optional<double> own_kib; // of the first row
    bool inside = false;
    std::size_t repeated = 0;
    for (const std::string& line : split(text, '\n')) {
        if (line.find("data set") != std::string::npos && line.find("Eff. bw") != std::string::npos) inside = true;
        const auto row = inside ? cache_row(line) : std::nullopt;
        if (!row) continue;
        if (points.empty()) own_kib = row->own_kib;
        if (row->own_kib != own_kib) return "";
        if (points.empty() || row->point.x > points.back().x) points.push_back(row->point);
        else ++repeated;
    }
    if (points.size() < 3) return "";
    ImportedFile file(own_kib ? "gpu-benches gpu-l2-cache" : "gpu-benches gpu-cache", name);
    // A probe of ours divides a footprint among the cores.
    const ImportedQuestion question = {.probe = &kBandwidth,
        .options = OptionName{option::data}.as(
            own_kib ? fmt::format("{:.0f}-KiB-for-each-workgroup", *own_kib) : "same-for-all-cores")};
    file.add_curve(file.add_device("unknown", "GPU (not told)", ""), question, "Eff. bw", std::move(points),
        own_kib ? fmt::format("each workgroup reads {:.0f} KiB of the data set, in turn", *own_kib)
                : "each core reads all of the data set");
    if (repeated) file.leave_out("data sets that come twice", "Eff. bw", repeated);
    file.leave_out("not imported: no probe reads such counters", "DRAM and L2 traffic by counters");
    return file.text();
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
    {"3pt", nullptr, "", "stencils, of which Sonde has no probe"},
    {"5pt", nullptr, "", "stencils, of which Sonde has no probe"}};

/// "1024 270336 2 100.0% | GB/s: 3942 2775 ...", or with the percent sign apart: the occupancy, and a rate for each
/// column.
struct StreamRow {
    double occupancy = 0;
    std::vector<double> rates;
};
std::optional<StreamRow> stream_row(std::string_view line) {
    const std::vector<std::string> words = words_of_row(line);
    const auto bar = std::find(words.begin(), words.end(), "|");
    if (bar == words.begin() || words.end() - bar != static_cast<std::ptrdiff_t>(std::size(kStreamColumns)) + 2 ||
        *(bar + 1) != "GB/s:")
        return std::nullopt;
    const bool apart = *(bar - 1) == "%";
    const auto occupancy =
        apart && bar - words.begin() > 1 ? measured_number(*(bar - 2)) : measured_number(*(bar - 1), "%");
    if (!occupancy) return std::nullopt;
    StreamRow row{*occupancy, {}};
    for (auto word = bar + 2; word != words.end(); ++word) {
        const auto rate = measured_number(*word);
        if (!rate) return std::nullopt;
        row.rates.push_back(*rate);
    }
    return row;
}

bool is_stream_header(const std::string& line) {
    const std::size_t bar = line.find('|');
    if (bar == std::string::npos || line.find("occ") > bar) return false;
    const std::vector<std::string> names = words_of_row(std::string_view(line).substr(bar + 1));
    return std::equal(names.begin(), names.end(), std::begin(kStreamColumns), std::end(kStreamColumns),
        [](const std::string& name, const StreamColumn& column) { return name == column.name; });
}
} // namespace

std::string read_gpu_stream(const Json&, std::string_view text, const std::string& name) {
    StreamRow fullest;
    bool inside = false;
    std::size_t rows = 0;
    for (const std::string& line : split(text, '\n')) {
        inside = inside || is_stream_header(line);
        const auto row = inside ? stream_row(line) : std::nullopt;
        if (!row) continue;
        ++rows;
        if (row->occupancy >= fullest.occupancy) fullest = *row;
    }
    if (rows == 0) return "";
    ImportedFile file("gpu-benches gpu-stream", name);
    const std::size_t device = file.add_device("unknown", "GPU (not told)", "");
    for (std::size_t i = 0; i < std::size(kStreamColumns); ++i) {
        const StreamColumn& column = kStreamColumns[i];
        Options options = *column.type ? option::type.as(column.type) : option::width.as(8);
        if (*column.operation) options.set(option::operation, column.operation);
        if (*column.objection) file.leave_out(column.objection, std::string(column.name));
        else
            file.add_figure(device, {.probe = column.probe, .options = options},
                fmt::format("{} at {:g} % of the work-items", column.name, fullest.occupancy), "DRAM", fullest.rates[i],
                "GB/s");
    }
    if (rows > 1)
        file.leave_out("of fewer work-items", "rows of other occupancies", (rows - 1) * std::size(kStreamColumns));
    return file.text();
}

} // namespace sonde
