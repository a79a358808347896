// The readers of other tools' files: a row for each tool, and rows for what each of its figures answers.
#include "core/analysis/imported.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "core/analysis/curve.h"
#include "core/analysis/curve_tools.h"
#include "core/analysis/imported_benches.h"
#include "core/analysis/imported_file.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/shared_options.h"

namespace sonde {

namespace {
constexpr double kGiB = 1.073741824; // GB in a GiB
constexpr const char* kNoCounterpart = "not imported: no series of a probe is known to say the same";

std::optional<double> number_at(const Json& object, const char* name) {
    if (!object.is_object() || !object.contains(name)) return std::nullopt;
    const Json& field = object[name];
    if (field.is_number()) return field.get<double>();
    if (!field.is_string()) return std::nullopt;
    return number_of<double>(field.get<std::string>());
}

const Json& list_at(const Json& object, const char* name) {
    static const Json none = Json::array();
    return object.is_object() && object.contains(name) && object[name].is_array() ? object[name] : none;
}

/// "2026-10-01T15:23:16Z", where it is in that form.
std::string time_at(const Json& object, const char* name) {
    const std::string text = text_field(object, name);
    constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
    const bool good = text.size() == kForm.size() &&
                      std::equal(text.begin(), text.end(), kForm.begin(),
                          [](char c, char form) { return form == '0' ? c >= '0' && c <= '9' : c == form; });
    return good ? text : "";
}

std::string lower(const std::string& text) {
    std::string letters;
    for (const char c : text)
        if (std::isalpha(static_cast<unsigned char>(c)))
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return letters.empty() ? "unknown" : letters.substr(0, 20);
}

ImportedQuestion transfer(Direction direction, Engine engine, const Options& memory = {}) {
    return {.probe = &kTransfer,
        .path = "host",
        .options = option::direction.as(direction) * option::engine.as(engine) * memory};
}
ImportedQuestion bandwidth(const Options& options = {}) { return {.probe = &kBandwidth, .options = options}; }
ImportedQuestion arithmetic_rate(const char* operation) {
    return {.probe = &kRate, .options = option::operation.as(operation)};
}
ImportedQuestion latency(const char* path) { return {.probe = &kLatency, .path = path}; }

// --- clpeak.

/// What a metric of a test answers, of a rate also those of vectors ("float" and "float4"), of which the best counts;
/// `factor` makes the unit of the series of SI's.
struct ClpeakRow {
    std::string_view test, metric;
    ImportedQuestion question;
    const char* level;
    double factor;
};
const std::vector<ClpeakRow>& clpeak_rows() {
    constexpr double kGiga = 1e-9, kNano = 1e9;
    static const ImportedQuestion waited{.probe = &kLaunch, .options = option::waited_for.as(true)};
    static const Options kPinned = option::pageable.as(false);
    static const std::vector<ClpeakRow> kRows{
        {"global_memory_bandwidth", "float", bandwidth(option::width.as(4)), "DRAM", kGiga},
        {"global_memory_bandwidth", "float2", bandwidth(option::width.as(8)), "DRAM", kGiga},
        {"global_memory_bandwidth", "float4", bandwidth(option::width.as(16)), "DRAM", kGiga},
        {"transfer_bandwidth", "h2d_pinned", transfer(Direction::to_device, Engine::copy, kPinned), "largest", kGiga},
        {"transfer_bandwidth", "d2h_pinned", transfer(Direction::to_host, Engine::copy, kPinned), "largest", kGiga},
        {"transfer_bandwidth", "h2d", transfer(Direction::to_device, Engine::copy), "largest", kGiga},
        {"transfer_bandwidth", "d2h", transfer(Direction::to_host, Engine::copy), "largest", kGiga},
        {"kernel_launch_latency", "roundtrip", waited, "at 1", kNano},
        {"memory_latency", "L1", latency("global"), "L1", kNano},
        {"memory_latency", "L2", latency("global"), "L2", kNano},
        {"memory_latency", "L3", latency("global"), "L3", kNano},
        {"memory_latency", "DRAM", latency("global"), "DRAM", kNano},
        {"single_precision_compute", "float", arithmetic_rate("fma.f32"), "best", kGiga},
        {"double_precision_compute", "double", arithmetic_rate("fma.f64"), "best", kGiga},
        {"half_precision_compute", "half", arithmetic_rate("fma.f16x2"), "best", kGiga},
        {"integer_compute", "int", arithmetic_rate("mad.u32"), "best", kGiga},
        {"image_memory_bandwidth", "float4", {.probe = &kBandwidth, .path = "image2d", .options = option::width.as(16)},
            "DRAM", kGiga}};
    return kRows;
}

/// Why a figure whose name a row has, or nearly so, is another one.
std::string clpeak_objection(const std::string& test, const std::string& metric, const std::string& api) {
    if (test == "local_memory_bandwidth") return "stores and loads counted together, where bandwidth counts loads";
    if (test == "kernel_launch_latency" && api == "opencl") return "a kernel that is not empty";
    if (test == "kernel_launch_latency" && metric == "dispatch")
        return "the way to the device alone, without the wait for its end";
    if (test == "global_memory_bandwidth") return "of a width or operation that bandwidth does not have";
    return "";
}

/// `value`: in SI.
void add_clpeak(ImportedFile& file, std::size_t device, const std::string& api, const std::string& test,
    const std::string& metric, double value) {
    const std::string quantity = test + " " + metric;
    const auto& rows = clpeak_rows();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const ClpeakRow& each) {
        return each.test == test &&
               (each.question.probe == &kRate ? metric.substr(0, metric.find_last_not_of("0123456789") + 1) : metric) ==
                   each.metric;
    });
    if (row != rows.end() && !(test == "kernel_launch_latency" && api == "opencl"))
        return file.add_figure(device, row->question, quantity, row->level, value * row->factor,
            std::string(row->question.probe->unit_of(row->question.options)));
    const std::string objection = clpeak_objection(test, metric, api);
    file.leave_out(objection.empty() ? kNoCounterpart : objection, test);
}

std::string clpeak_api(const std::string& backend) { return backend == "CPU" ? "host" : lower(backend); }

std::optional<double> property(const Json& device, std::string_view key) {
    for (const Json& each : list_at(device, "properties"))
        if (text_field(each, "key") == key) return number_at(each, "value");
    return std::nullopt;
}

/// Format 3: devices, tests, metrics; values in SI.
ImportedFile clpeak_tree(const Json& document, const std::string& tool, const std::string& name) {
    ImportedFile file(tool, name, time_at(document, "generated_at"));
    for (const Json& each : list_at(document, "devices")) {
        const std::string api = clpeak_api(text_field(each, "backend"));
        const std::size_t device = file.add_device(api, text_field(each, "name"), text_field(each, "driver"));
        for (const char* key : {"SMs", "Compute units"})
            if (const auto cores = property(each, key); cores && *cores > 0 && *cores < 1e6)
                file.device(device).cores = static_cast<std::uint32_t>(*cores);
        for (const Json& test : list_at(each, "tests"))
            for (const Json& metric : list_at(test, "metrics"))
                if (const auto value = number_at(metric, "value"))
                    add_clpeak(file, device, api, text_field(test, "id"), text_field(metric, "id"), *value);
    }
    return file;
}

/// Format 2: a row for each value, in the unit that it names.
ImportedFile clpeak_table(const Json& document, const std::string& tool, const std::string& name) {
    static const std::map<std::string, double> kUnits{
        {"gbps", 1e9}, {"gflops", 1e9}, {"gops", 1e9}, {"tflops", 1e12}, {"tops", 1e12}, {"us", 1e-6}, {"ns", 1e-9}};
    ImportedFile file(tool, name);
    std::map<std::array<std::string, 3>, std::size_t> devices;
    for (const Json& entry : list_at(document, "entries")) {
        const auto value = number_at(entry, "value");
        if (!value) continue;
        const std::string backend = text_field(entry, "backend"), api = clpeak_api(backend),
                          test = text_field(entry, "test");
        const auto [place, fresh] =
            devices.try_emplace({backend, text_field(entry, "platform"), text_field(entry, "device")});
        if (fresh) place->second = file.add_device(api, text_field(entry, "device"), text_field(entry, "driver"));
        const auto unit = kUnits.find(text_field(entry, "unit"));
        if (unit == kUnits.end()) file.leave_out(kNoCounterpart, test);
        else add_clpeak(file, place->second, api, test, text_field(entry, "metric"), *value * unit->second);
    }
    return file;
}

std::string read_clpeak(const Json& document, std::string_view, const std::string& name) {
    const std::string version = text_field(document, "clpeak_version"),
                      tool = "clpeak " + printable(version.substr(0, 40));
    if (version.empty()) return "";
    return (document.contains("entries") ? clpeak_table(document, tool, name) : clpeak_tree(document, tool, name))
        .text();
}

// --- nvbandwidth.

/// "0: NVIDIA H100 (00000008:06:00): (host)": the name, and where it is.
std::pair<std::string, std::string> nvbandwidth_device(const std::string& line, std::size_t number) {
    const std::size_t begin = line.find(": "), open = line.find(" (");
    if (begin == std::string::npos) return {fmt::format("GPU {}", number), ""};
    const std::size_t close = line.find(')', open);
    return {line.substr(begin + 2, open == std::string::npos ? open : open - begin - 2),
        open == std::string::npos ? "" : line.substr(open + 2, close == std::string::npos ? close : close - open - 2)};
}

struct NvbandwidthRow {
    std::string_view test;
    Direction direction;
    Engine engine;
};
constexpr std::array kNvbandwidthRows{NvbandwidthRow{"host_to_device_memcpy_ce", Direction::to_device, Engine::copy},
    NvbandwidthRow{"device_to_host_memcpy_ce", Direction::to_host, Engine::copy},
    NvbandwidthRow{"host_to_device_memcpy_sm", Direction::to_device, Engine::kernel},
    NvbandwidthRow{"device_to_host_memcpy_sm", Direction::to_host, Engine::kernel}};

std::string nvbandwidth_objection(const std::string& test) {
    if (test.find("bidirectional") != std::string::npos)
        return "one direction of two at once, where transfer counts both";
    if (test.find("latency") != std::string::npos) return "its footprint is not given";
    if (test == "device_local_copy") return "a copy engine's copy within a device, where stream copies by a kernel";
    return "between several devices, or of one beside others";
}

/// The JSON document in a log; empty where there is none.
std::string_view document_in(std::string_view text) {
    const std::size_t word = text.find("\"nvbandwidth\""),
                      begin = word == std::string_view::npos ? word : text.rfind('{', word), end = text.rfind("\n}");
    return begin == std::string_view::npos
               ? std::string_view()
               : text.substr(begin, end == std::string_view::npos || end < begin ? end : end + 2 - begin);
}

std::string read_nvbandwidth(const Json& whole, std::string_view text, const std::string& name) {
    const Json in_log = whole.is_object() ? Json() : read_json(document_in(text));
    const Json& document = whole.is_object() ? whole : in_log;
    if (!document.is_object() || !document.contains("nvbandwidth") || !document["nvbandwidth"].is_object()) return "";
    const Json& root = document["nvbandwidth"];
    ImportedFile file("nvbandwidth " + printable(text_field(root, "version").substr(0, 40)), name);
    const Json& names = list_at(root, "GPU Device list");
    std::vector<std::size_t> devices;
    const auto device = [&](std::size_t number) {
        while (devices.size() <= number) {
            const std::size_t next = devices.size();
            const auto [card, bus] = nvbandwidth_device(
                next < names.size() && names[next].is_string() ? names[next].get<std::string>() : "", next);
            devices.push_back(file.add_device(
                "cuda", card, text_field(root, "Driver Version"), bus.empty() ? fmt::format("GPU {}", next) : bus));
        }
        return devices[number];
    };
    for (const Json& test : list_at(root, "testcases")) {
        const std::string quantity = printable(text_field(test, "name").substr(0, 80));
        const Json& matrix = list_at(test, "bandwidth_matrix");
        const auto row = std::find_if(kNvbandwidthRows.begin(), kNvbandwidthRows.end(),
            [&](const NvbandwidthRow& each) { return each.test == quantity; });
        std::size_t count = 0;
        for (const Json& line : matrix) count += line.size();
        if (count == 0) continue;
        if (row == kNvbandwidthRows.end() || matrix.size() != 1) {
            file.leave_out(row == kNvbandwidthRows.end() ? nvbandwidth_objection(quantity) : "of several host nodes",
                quantity, count);
            continue;
        }
        for (std::size_t i = 0; i < std::min<std::size_t>(matrix[0].size(), 1024); ++i)
            if (const auto value = number_at(Json{{"value", matrix[0][i]}}, "value"))
                file.add_figure(device(i), transfer(row->direction, row->engine, option::pageable.as(false)), quantity,
                    "largest", *value, "GB/s");
    }
    return file.text();
}

// --- MT4G.

std::string mt4g_api(std::string_view vendor) {
    return vendor == "NVIDIA" ? "cuda" : vendor == "AMD" ? "hip" : "unknown";
}

/// A memory of its result: the path that loads from it, the level's name, and its number for the probe line.
struct Mt4gRow {
    const char *at, *path, *level, *number;
};
constexpr std::array kMt4gRows{Mt4gRow{"l1", "global", "L1", "1"}, Mt4gRow{"l2", "global", "L2", "2"},
    Mt4gRow{"l3", "global", "L3", "3"}, Mt4gRow{"main", "global", "DRAM", ""},
    Mt4gRow{"constant/l1", "constant", "L1", "1"}, Mt4gRow{"constant/l1.5", "constant", "L2", "2"},
    Mt4gRow{"scalarL1", "global.uniform", "L1", "1"}, Mt4gRow{"readOnly", "global.readonly", "L1", "1"},
    Mt4gRow{"texture", "texel", "L1", "1"}, Mt4gRow{"shared", "scratchpad", "L1", ""}};

void add_mt4g(ImportedFile& file, std::size_t device, const Mt4gRow& row, const std::string& what, const Json& value) {
    const std::string quantity = fmt::format("{}/{}", row.at, what);
    const auto measured = number_at(value, "size"), told = number_at(value, "value"), mean = number_at(value, "mean");
    ImportedQuestion question = latency(row.path);
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
    if (per_second && what == "readBandwidth") return rate(bandwidth());
    if (per_second && what == "writeBandwidth")
        return rate({.probe = &kStream, .options = option::operation.as("fill")});
    if (value.is_object() && value.contains("unit"))
        file.leave_out(
            told && what != "missPenalty" ? "told by the driver and not measured" : kNoCounterpart, quantity);
}

std::string read_mt4g(const Json& document, std::string_view, const std::string& name) {
    if (!document.contains("general") || !document.contains("memory") || !document["memory"].is_object()) return "";
    const Json &general = document["general"], meta = document.value("meta", Json::object()),
               compute = document.value("compute", Json::object());
    ImportedFile file("MT4G", name, time_at(meta, "timestamp"));
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
    return file.text();
}

// --- Curves of latency.

struct CurveRow {
    std::string_view tool;
    const char *api, *device, *path;
    OptionName option; // that says how its loads are not those of our chain; its value: the curve's name, or `value`
    const char* value;
};
constexpr std::array kCurveRows{CurveRow{"lmbench lat_mem_rd", "host", "processor (not told)", "global", "stride", ""},
    CurveRow{"tinymembench", "host", "processor (not told)", "global", "beyond", "L1"},
    CurveRow{"gpu-benches gpu-latency", "unknown", "GPU (not told)", "global.pointer", "", ""},
    CurveRow{"Chips and Cheese", "unknown", "device not told", "global", "", ""},
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

std::string read_latency_curves(const Json&, std::string_view text, const std::string& name) {
    const std::vector<FileCurve> curves = curves_of_tool(text, name);
    const auto row = curves.empty() ? kCurveRows.end()
                                    : std::find_if(kCurveRows.begin(), kCurveRows.end(),
                                          [&](const CurveRow& each) { return each.tool == curves[0].tool; });
    if (row == kCurveRows.end()) return "";
    const auto timings = row->tool == "MT4G" ? mt4g_timings(name) : Mt4gTimings{row->device, row->path};
    if (!timings) return "";
    ImportedFile file(std::string(row->tool), name);
    const std::size_t device = file.add_device(
        *row->api ? row->api : mt4g_api(timings->card.substr(0, timings->card.find(' '))), timings->card, "");
    for (const FileCurve& curve : curves) {
        ImportedQuestion question = latency(timings->path.c_str());
        if (!row->option.name.empty())
            question.options.set(row->option, *row->value ? row->value : last_word(curve.name));
        if (*row->value && !curve.name.empty()) question.options.set({"pages"}, lower(last_word(curve.name)));
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
            ? std::ranges::count_if(
                  split(text, '\n'), [](const std::string& line) { return line.find(" MB/s") != std::string::npos; })
            : 0);
    if (rates > 0) file.leave_out("of one thread, where Sonde asks all cores", "copies and fills", rates);
    return file.text();
}

/// A tool's reader: the text of a results file; "" where the file is not the tool's. `document`: the file as JSON,
/// discarded where it is none.
using Reader = std::string (*)(const Json& document, std::string_view text, const std::string& name);
struct Format {
    bool json; // the whole file is a JSON object
    Reader read;
};
constexpr std::array kFormats{Format{true, read_clpeak}, Format{true, read_nvbandwidth}, Format{true, read_mt4g},
    Format{false, read_nvbandwidth}, Format{false, read_gpu_caches}, Format{false, read_gpu_stream},
    Format{false, read_latency_curves}};
} // namespace

std::string import_results(std::string_view text, const std::string& name) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3); // a byte order mark
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const Json document = first != std::string_view::npos && text[first] == '{' ? read_json(text) : Json();
    const std::string file = name.substr(name.find_last_of('/') + 1);
    for (const Format& format : kFormats) {
        if (format.json != document.is_object()) continue;
        if (std::string lines = format.read(document, text, file); !lines.empty()) return lines;
    }
    return "";
}

std::string import_text(const std::string& text, const std::string& name) {
    return text.size() > kLargestImport || begins_run(std::string_view(text).substr(0, text.find('\n')))
               ? ""
               : import_results(text, name);
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
