// Which tool wrote a file: a row for each tool; and the readers of MT4G and of curves of latency.
#include "core/analysis/imported.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/curve.h"
#include "core/analysis/curve_text.h"
#include "core/analysis/curve_tools.h"
#include "core/analysis/imported_lines.h"
#include "core/analysis/imported_readers.h"
#include "core/base/broken_json.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/shared_options.h"

namespace sonde {

namespace {
constexpr double kGiB = 1.073741824; // GB in a GiB

// --- MT4G.

std::string mt4g_api(std::string_view vendor) {
    return vendor == "NVIDIA" ? "cuda" : vendor == "AMD" ? "hip" : "unknown";
}

/// A memory of its result: the path that loads from it, the level's name, its number for the probe line, and its name
/// in files of timings.
struct Mt4gRow {
    const char *at, *path, *level, *number, *file;
};
constexpr std::array kMt4gRows{Mt4gRow{"l1", "global", "L1", "1", "L1"}, Mt4gRow{"l2", "global", "L2", "2", "L2"},
    Mt4gRow{"l3", "global", "L3", "3", "L3"}, Mt4gRow{"main", "global", "DRAM", "", "Main Memory"},
    Mt4gRow{"constant/l1", "constant", "L1", "1", "Constant L1"},
    Mt4gRow{"constant/l1.5", "constant", "L2", "2", "Constant L1.5"},
    Mt4gRow{"scalarL1", "global.uniform", "L1", "1", "Scalar L1"},
    Mt4gRow{"readOnly", "global.readonly", "L1", "1", "Read Only"}, Mt4gRow{"texture", "texel", "L1", "1", "Texture"},
    Mt4gRow{"shared", "scratchpad", "L1", "", "Shared Memory"}};

void add_mt4g(ImportedFile& file, std::size_t device, const Mt4gRow& row, const std::string& what, const Json& value) {
    const std::string quantity = fmt::format("{}/{}", row.at, what);
    const auto measured = number_at(value, "size"), told = number_at(value, "value"), mean = number_at(value, "mean");
    ImportedQuestion question = latency_question(row.path);
    question.method = "timer per load";
    const auto rate = [&](const ImportedQuestion& of) {
        file.add_figure(device, of, quantity, row.level, *told * kGiB, "GB/s");
    };
    if (number_at(value, "confidence").value_or(1) < kSureEnough)
        return file.leave_out("MT4G itself is not sure of them", quantity);
    if (what == "latency" && mean) return file.add_figure(device, question, quantity, row.level, *mean, "cycles");
    if (what == "size" && measured) return file.add_figure(device, question, quantity, row.level, *measured, "bytes");
    if ((what == "lineSize" || what == "fetchGranularity") && measured && *row.number) {
        question.probe = &kLine;
        question.options = option::level.as(row.number) * option::fetch.as(what != "lineSize");
        return file.add_figure(device, question, quantity, row.level, *measured, "bytes");
    }
    const bool per_second = told && text_field(value, "unit") == "GiB/s" && std::string_view(row.path) == "global";
    if (per_second && what == "readBandwidth") return rate(bandwidth_question());
    if (per_second && what == "writeBandwidth")
        return rate({.probe = &kStream, .options = option::operation.as("fill")});
    if (value.is_object() && value.contains("unit"))
        file.leave_out(
            told && what != "missPenalty" ? "told by the driver and not measured" : kNoCounterpart, quantity);
}

std::optional<ImportedFile> read_mt4g(const ImportSource& source) {
    const Json& document = source.document;
    if (!document.contains("general") || !document.contains("memory") || !document["memory"].is_object())
        return std::nullopt;
    const Json &general = document["general"], meta = document.value("meta", Json::object()),
               compute = document.value("compute", Json::object());
    ImportedFile file("MT4G", source, time_at(meta, "timestamp"));
    const std::string vendor = text_field(general, "vendor"),
                      driver = meta.is_object() && meta.contains("driver") ? "driver " + json_text(meta["driver"]) : "";
    const std::size_t device = file.add_device(mt4g_api(vendor), text_field(general, "name"), driver);
    if (const auto cores = number_at(compute, "multiProcessorCount"); cores && *cores > 0 && *cores < 1e6)
        file.device(device).cores = static_cast<std::uint32_t>(*cores);
    for (const Mt4gRow& row : kMt4gRows) {
        const Json::json_pointer at("/memory/" + std::string(row.at));
        if (!document.contains(at) || !document.at(at).is_object()) continue;
        for (const auto& [what, value] : document.at(at).items()) add_mt4g(file, device, row, what, value);
    }
    return file;
}

/// "NVIDIA H100 NVL - L1 Latency.txt": a time of one load in each line, of which MT4G's JSON tells the mean. Files of
/// line sizes and of fetch granularities hold what MT4G draws these from.
std::optional<ImportedFile> read_mt4g_samples(const ImportSource& source) {
    constexpr std::string_view kBetween = " - ";
    struct Kind {
        std::string_view end, what;
    };
    static constexpr Kind kKinds[]{
        {" Latency.txt", "latency"}, {" Line Size.txt", "lineSize"}, {" Fetch Granularity.txt", "fetchGranularity"}};
    const std::string name = source.file();
    const std::size_t at = name.rfind(kBetween);
    const auto kind = std::ranges::find_if(kKinds, [&](const Kind& each) { return name.ends_with(each.end); });
    if (at == std::string::npos || kind == std::end(kKinds)) return std::nullopt;
    if (name.size() < at + kBetween.size() + kind->end.size()) return std::nullopt;
    const std::string_view memory = std::string_view(name).substr(at + kBetween.size());
    const auto row = std::ranges::find_if(kMt4gRows,
        [&](const Mt4gRow& each) { return memory.substr(0, memory.size() - kind->end.size()) == each.file; });
    if (row == kMt4gRows.end()) return std::nullopt;
    const CurveText text = lines_of(source.text, source.path);
    UnreadLines unread;
    double sum = 0;
    std::size_t loads = 0, rows = 0;
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        const std::string line(trimmed(text.lines[i]));
        if (line.empty()) continue;
        const auto first = number_of<double>(line.substr(0, line.find(',')));
        const bool alone = line.find(',') == std::string::npos;
        if (!first || !std::isfinite(*first)) unread.add(i);
        else ++rows;
        if (first && alone && std::isfinite(*first)) sum += *first, ++loads;
    }
    if (rows == 0) return std::nullopt;
    ImportedFile file("MT4G", source);
    const std::string card = name.substr(0, at), quantity = fmt::format("{}/{}", row->at, kind->what);
    const std::size_t device = file.add_device(mt4g_api(card.substr(0, card.find(' '))), card, "");
    ImportedQuestion question = latency_question(row->path);
    question.method = "timer per load";
    if (kind->what == "latency" && loads > 0)
        file.add_figure(device, question, quantity, row->level, sum / static_cast<double>(loads), "cycles");
    else file.leave_out("timings of which MT4G's JSON tells the result: import that", quantity);
    file.leave_lines(text, unread);
    return file;
}

// --- Curves of latency.

struct CurveRow {
    std::string_view tool;
    const char *api, *kind, *path;
    OptionName option; // that says how its loads are not those of our chain; its value: the curve's name, or `value`
    const char* value;
};
constexpr std::array kCurveRows{CurveRow{"lmbench lat_mem_rd", "host", "processor", "global", "stride", ""},
    CurveRow{"tinymembench", "host", "processor", "global", "beyond", "L1"},
    CurveRow{"gpu-benches gpu-latency", "unknown", "GPU", "global.pointer", "", ""},
    CurveRow{"Chips and Cheese", "unknown", "device", "global", "", ""},
    CurveRow{"MT4G", "", "", "", "timer", "per-load"}};

/// "NVIDIA H100 80GB HBM3 - Constant L1 Size.txt", by which alone MT4G tells whose and which memory's timings it holds.
struct Mt4gTimings {
    std::string card, path;
};
std::optional<Mt4gTimings> mt4g_timings(const std::string& name) {
    static const std::map<std::string, const char*> kPaths{{"L1", "global"}, {"L2 Segment", "global"},
        {"Constant L1", "constant"}, {"Constant L1.5", "constant"}, {"Read Only", "global.readonly"},
        {"Texture", "texel"}, {"Scalar L1", "global.uniform"}};
    constexpr std::string_view kBetween = " - ", kEnd = " Size.txt";
    const std::size_t at = name.rfind(kBetween);
    if (at == std::string::npos || !name.ends_with(kEnd)) return std::nullopt;
    const auto path = kPaths.find(name.substr(at + kBetween.size(), name.size() - kEnd.size() - at - kBetween.size()));
    return path == kPaths.end() ? std::nullopt : std::optional(Mt4gTimings{name.substr(0, at), path->second});
}

/// "128" of "stride 128"; "nohugepage" of "MADV_NOHUGEPAGE".
std::string last_word(const std::string& name) {
    const std::size_t at = name.find_last_of(" _");
    return at == std::string::npos ? name : name.substr(at + 1);
}

/// "cpu4-Cortex-A76"
std::string core_word(const std::string& core) {
    constexpr std::size_t kLongest = 40;
    return rewritten(std::string_view(core).substr(0, kLongest),
        [](char c) { return std::isalnum(static_cast<unsigned char>(c)) ? c : '-'; });
}

std::optional<ImportedFile> read_latency_curves(const ImportSource& source) {
    const std::vector<FileCurve> curves = curves_of_tool(source.text, source.path);
    const auto row = curves.empty() ? kCurveRows.end()
                                    : std::find_if(kCurveRows.begin(), kCurveRows.end(),
                                          [&](const CurveRow& each) { return each.tool == curves[0].tool; });
    if (row == kCurveRows.end()) return std::nullopt;
    const auto timings = row->tool == "MT4G" ? mt4g_timings(source.file()) : Mt4gTimings{"", row->path};
    if (!timings) return std::nullopt;
    ImportedFile file(std::string(row->tool), source);
    const std::size_t device =
        timings->card.empty()
            ? file.add_untold_device(row->api, row->kind)
            : file.add_device(mt4g_api(timings->card.substr(0, timings->card.find(' '))), timings->card, "");
    for (const std::string& sentence : curves.front().left_out) file.leave_sentence(sentence);
    for (const FileCurve& curve : curves) {
        ImportedQuestion question = latency_question(timings->path.c_str());
        if (!row->option.name.empty())
            question.options.set(row->option, *row->value ? row->value : last_word(curve.name));
        if (!curve.core.empty()) question.options.set({"core"}, core_word(curve.core));
        if (*row->value && !curve.name.empty()) question.options.set({"pages"}, word_of(last_word(curve.name)));
        std::vector<Point> points;
        for (const CurvePoint& each : merge_points(curve.points)) {
            const bool cycles = curve.unit == "cycles";
            Point point{.x = each.x, .samples = {}};
            if (cycles) point.cycles = each.y, point.clock_mhz = curve.clock_mhz;
            point.median = !cycles           ? std::optional(each.y)
                           : curve.clock_mhz ? std::optional(each.y / *curve.clock_mhz * 1000)
                                             : std::nullopt;
            points.push_back(std::move(point));
        }
        file.add_curve(device, question, curve.name.empty() ? "latency" : curve.name, std::move(points), curve.note,
            curve.first_level);
        file.device(device).core_cycles = curve.unit == "cycles";
    }
    const auto rates = static_cast<std::size_t>(
        row->tool == "tinymembench"
            ? std::ranges::count_if(split(source.text, '\n'),
                  [](const std::string& line) { return line.find(" MB/s") != std::string::npos; })
            : 0);
    if (rates > 0) file.leave_out("of one thread, where Sonde asks all cores", "copies and fills", rates);
    return file;
}

/// How a tool's file is known and read.
struct Format {
    const char* name; // "clpeak", as a person knows it
    const char* forms;
    bool json; // the whole file is a JSON object
    ImportReader read;
};
constexpr std::array kFormats{Format{"clpeak", "JSON, XML, text", true, read_clpeak},
    Format{"nvbandwidth", "JSON, text", true, read_nvbandwidth},
    Format{"MT4G", "JSON, '... - L1 Size.txt', '... - L1 Latency.txt'", true, read_mt4g},
    Format{"", "", false, read_nvbandwidth}, Format{"", "", false, read_nvbandwidth_text},
    Format{"", "", false, read_clpeak_xml}, Format{"", "", false, read_clpeak_text},
    Format{"gpu-benches", "gpu-latency, gpu-cache, gpu-l2-cache, gpu-stream, gpu-strides, gpu-l2-stream, gpu-roofline",
        false, read_gpu_caches},
    Format{"", "", false, read_gpu_stream}, Format{"", "", false, read_gpu_roofline},
    Format{"", "", false, read_gpu_small_kernels}, Format{"", "", false, read_mt4g_samples},
    Format{"lmbench", "lat_mem_rd", false, read_latency_curves}, Format{"tinymembench", "", false, nullptr},
    Format{"Chips and Cheese", "", false, nullptr}};

std::optional<ImportedFile> read_source(const ImportSource& source) {
    for (const Format& format : kFormats) {
        if (!format.read || format.json != source.document.is_object()) continue;
        if (auto file = format.read(source)) return file;
    }
    for (const LineTool& tool : line_tools())
        if (auto file = source.document.is_object() ? std::nullopt : read_lines(tool, source)) return file;
    return std::nullopt;
}
} // namespace

std::string imported_tools() {
    std::string names;
    const auto add = [&](std::string_view name, std::string_view forms) {
        if (name.empty() || names.find(name) != std::string::npos) return;
        names +=
            fmt::format("{}{}{}", names.empty() ? "" : ", ", name, forms.empty() ? "" : fmt::format(" ({})", forms));
    };
    for (const Format& format : kFormats) add(format.name, format.forms);
    for (const LineTool& tool : line_tools())
        if (!std::string_view(tool.name).starts_with("gpu-benches")) add(tool.name, "");
    return names;
}

std::string import_results(std::string_view bytes, const std::string& name, const ImportAs& as) {
    ImportSource source{name, plain_text(bytes), Json(Json::value_t::discarded), as.card};
    if (source.text.find('{') != std::string::npos && source.text.find_first_not_of(" \t\r\n") == source.text.find('{'))
        source.document = read_json(with_words_for_numbers(source.text));
    if (!source.document.is_object() && is_broken_document(source.text))
        throw UsageError(fmt::format("{}: {}", name, broken_json_text(with_words_for_numbers(source.text))));
    const auto file = read_source(source);
    if (!file) return "";
    if (!file->empty()) return file->text();
    const std::vector<std::string> left_out = file->left_out();
    throw UsageError(fmt::format("{}: of {}, and nothing in it can be used{}{}", name, file->tool(),
        left_out.empty() ? "" : ": ", fmt::join(left_out, "; ")));
}

std::string import_text(const std::string& text, const std::string& name, const ImportAs& as) {
    return text.size() > kLargestImport || begins_run(std::string_view(text).substr(0, text.find('\n')))
               ? ""
               : import_results(text, name, as);
}

Import importer(const ImportAs& as) {
    return [as](std::string_view text, const std::string& name) {
        std::string lines = import_results(text, name, as);
        if (lines.empty() && !trimmed(text, " \t\r\n").starts_with("{\"type\""))
            throw UsageError(unknown_file_text(name));
        return lines;
    };
}

std::string unknown_file_text(const std::string& name) {
    return fmt::format("{}: not a results file of sonde, nor of a tool that sonde import reads: {}; sonde levels reads "
                       "any table of sizes and latencies",
        name, imported_tools());
}

std::vector<PublishedFigure> imported_figures(const Run& run, const DeviceRecord& device) {
    std::vector<PublishedFigure> figures;
    if (!run.header.contains("imported")) return figures;
    for (const Json& line : run.findings) {
        const auto finding = text_field(line, "kind") == "figure" ? finding_from(line) : std::nullopt;
        if (!finding || !finding->value || finding->series.device != device.id) continue;
        const auto series = std::find_if(
            run.series.begin(), run.series.end(), [&](const Series& each) { return each.id == finding->series; });
        const auto source = series == run.series.end() ? std::nullopt : series->evidence.source;
        const std::string_view usual = method_of({.probe = finding->series.probe, .path = "", .options = {}}, {});
        PublishedFigure figure{.question = {finding->series.probe, finding->series.path, finding->series.options},
            .place = finding->name,
            .where = figure_place_of(finding->name),
            .level = level_name_of(finding->name),
            .unit = finding->unit,
            .low = *finding->value,
            .high = *finding->value,
            .printed_low = *finding->value,
            .printed_high = *finding->value,
            .printed_unit = finding->unit,
            .method = source && !source->method.empty() ? source->method : std::string(usual),
            .cores = static_cast<double>(device.cores),
            .device = fmt::format("{} {}, {}", device.name, device.id, source ? source->tool : "other tool"),
            .architecture = "",
            .title = source ? fmt::format("{}, {}", source->tool, source->file) : "",
            .url = "",
            .measured = true};
        if (figure.method != usual && figure.unit != "bytes") figure.apart = figure.method;
        figures.push_back(std::move(figure));
    }
    return figures;
}

std::string source_text(const Run& run) {
    if (!run.header.contains("imported")) return "";
    const Json& imported = run.header["imported"];
    return fmt::format("{}, {}", text_field(imported, "tool"), text_field(imported, "file"));
}

} // namespace sonde
