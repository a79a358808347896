// The reader of clpeak: JSON of two formats, XML, and the text that it prints.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "core/analysis/curve_text.h"
#include "core/analysis/imported_readers.h"
#include "core/base/text.h"
#include "core/data/shared_options.h"

namespace sonde {

namespace {
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
        {"global_memory_bandwidth", "float", bandwidth_question(option::width.as(4)), "DRAM", kGiga},
        {"global_memory_bandwidth", "float2", bandwidth_question(option::width.as(8)), "DRAM", kGiga},
        {"global_memory_bandwidth", "float4", bandwidth_question(option::width.as(16)), "DRAM", kGiga},
        {"transfer_bandwidth", "h2d_pinned", copy_question(Direction::to_device, kPinned), "largest", kGiga},
        {"transfer_bandwidth", "d2h_pinned", copy_question(Direction::to_host, kPinned), "largest", kGiga},
        {"transfer_bandwidth", "h2d", copy_question(Direction::to_device), "largest", kGiga},
        {"transfer_bandwidth", "d2h", copy_question(Direction::to_host), "largest", kGiga},
        {"transfer_bandwidth", "enqueuewritebuffer", copy_question(Direction::to_device), "largest", kGiga},
        {"transfer_bandwidth", "enqueuereadbuffer", copy_question(Direction::to_host), "largest", kGiga},
        {"kernel_launch_latency", "roundtrip", waited, "at 1", kNano},
        {"memory_latency", "L1", latency_question("global"), "L1", kNano},
        {"memory_latency", "L2", latency_question("global"), "L2", kNano},
        {"memory_latency", "L3", latency_question("global"), "L3", kNano},
        {"memory_latency", "DRAM", latency_question("global"), "DRAM", kNano},
        {"single_precision_compute", "float", rate_question("fma.f32"), "best", kGiga},
        {"double_precision_compute", "double", rate_question("fma.f64"), "best", kGiga},
        {"half_precision_compute", "half", rate_question("fma.f16x2"), "best", kGiga},
        {"integer_compute", "int", rate_question("mad.u32"), "best", kGiga},
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
    const std::string quantity = fmt::format("{} {}", test, metric);
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

std::string clpeak_api(const std::string& backend) { return backend == "CPU" ? "host" : word_of(backend); }

std::optional<double> property(const Json& device, std::string_view key) {
    for (const Json& each : list_at(device, "properties"))
        if (text_field(each, "key") == key) return number_at(each, "value");
    return std::nullopt;
}

/// What stands where a value should be: "status: error".
void leave_out_failed(ImportedFile& file, const Json& metric, const std::string& quantity) {
    const std::string status = text_field(metric, "status");
    file.leave_out(status.empty() ? "without a value" : fmt::format("without a value, status {}", status), quantity);
}

/// Format 3: devices, tests, metrics; values in SI.
ImportedFile clpeak_tree(const Json& document, const std::string& tool, const ImportSource& source) {
    ImportedFile file(tool, source, time_at(document, "generated_at"));
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
                else leave_out_failed(file, metric, text_field(test, "id") + " " + text_field(metric, "id"));
    }
    return file;
}

std::optional<double> unit_factor(const std::string& unit) {
    static const std::map<std::string, double> kUnits{{"gbps", 1e9}, {"gflops", 1e9}, {"gops", 1e9}, {"giops", 1e9},
        {"tflops", 1e12}, {"tops", 1e12}, {"tiops", 1e12}, {"us", 1e-6}, {"ns", 1e-9}};
    const auto found = kUnits.find(lower_case(unit));
    return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

/// Format 2: a row for each value, in the unit that it names.
ImportedFile clpeak_table(const Json& document, const std::string& tool, const ImportSource& source) {
    ImportedFile file(tool, source);
    std::map<std::array<std::string, 3>, std::size_t> devices;
    for (const Json& entry : list_at(document, "entries")) {
        const std::string backend = text_field(entry, "backend"), api = clpeak_api(backend),
                          test = text_field(entry, "test");
        const auto [place, fresh] =
            devices.try_emplace({backend, text_field(entry, "platform"), text_field(entry, "device")});
        if (fresh) place->second = file.add_device(api, text_field(entry, "device"), text_field(entry, "driver"));
        const auto value = number_at(entry, "value"), unit = unit_factor(text_field(entry, "unit"));
        const std::string metric = text_field(entry, "metric");
        if (!value) leave_out_failed(file, entry, fmt::format("{} {}", test, metric));
        else if (!unit) file.leave_out(kNoCounterpart, test);
        else add_clpeak(file, place->second, api, test, metric, *value * *unit);
    }
    return file;
}

std::string tool_name(const std::string& version) {
    return version.empty() ? "clpeak" : "clpeak " + printable(version.substr(0, 40));
}

/// A row of format 2.
Json entry_of(const std::map<std::string, std::string>& of_device, const std::string& test, const std::string& metric,
    const std::string& unit, const std::string& value) {
    Json entry(of_device);
    entry["test"] = test, entry["metric"] = metric, entry["unit"] = unit;
    if (number_of<double>(value)) entry["value"] = value;
    else entry["status"] = value.substr(0, 40);
    return entry;
}

// --- XML: elements around texts. What a device or test is called is an attribute, of older versions an element's name.

struct Element {
    std::string name;
    std::map<std::string, std::string> attributes;
    std::string attribute(const char* of) const {
        const auto found = attributes.find(of);
        return found == attributes.end() ? "" : found->second;
    }
};

std::string without_entities(std::string text) {
    static constexpr std::pair<std::string_view, char> kEntities[]{
        {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}};
    for (const auto& [entity, character] : kEntities)
        for (std::size_t at = 0; (at = text.find(entity, at)) != std::string::npos; ++at)
            text.replace(at, entity.size(), 1, character);
    return text;
}

Element element_of(std::string_view tag) {
    Element element{std::string(tag.substr(0, tag.find_first_of(" \t\r\n/"))), {}};
    for (std::size_t at = 0; (at = tag.find("=\"", at)) != std::string_view::npos;) {
        const std::size_t begin = tag.find_last_of(" \t\r\n", at), end = tag.find('"', at + 2);
        if (begin == std::string_view::npos || end == std::string_view::npos) break;
        element.attributes[std::string(tag.substr(begin + 1, at - begin - 1))] =
            without_entities(std::string(tag.substr(at + 2, end - at - 2)));
        at = end;
    }
    return element;
}

/// Of a text inside these elements.
Json xml_entry(const std::vector<Element>& around, const std::string& value) {
    std::map<std::string, std::string> device{{"backend", "OpenCL"}};
    std::string test, unit;
    for (const Element& each : around) {
        if (each.name == "platform") device["platform"] = each.attribute("name");
        if (each.name == "device") device["device"] = each.attribute("name");
        for (const char* key : {"backend", "platform", "device", "driver"})
            if (!each.attribute(key).empty()) device[key] = each.attribute(key);
        if (!each.attribute("driver_version").empty()) device["driver"] = each.attribute("driver_version");
        if (each.attribute("unit").empty()) continue;
        unit = each.attribute("unit");
        test = each.name == "test" ? each.attribute("name") : each.name;
    }
    const Element& last = around.back();
    return entry_of(device, test, last.attribute("name").empty() ? last.name : last.attribute("name"), unit, value);
}

/// Nothing where that is no XML of clpeak's. `version`: as it tells it.
Json xml_entries(std::string_view text, std::string& version) {
    constexpr std::size_t kDeepest = 16;
    Json entries = Json::array();
    std::vector<Element> around;
    for (std::size_t at = 0; (at = text.find('<', at)) != std::string_view::npos;) {
        const std::size_t end = text.find('>', at);
        if (end == std::string_view::npos) break;
        const std::string_view tag = text.substr(at + 1, end - at - 1);
        at = end + 1;
        if (tag.starts_with('?') || tag.starts_with('!')) continue;
        if (tag.starts_with('/')) {
            if (!around.empty()) around.pop_back();
            continue;
        }
        if (around.size() == kDeepest) return Json::array();
        around.push_back(element_of(tag));
        if (around.size() == 1 && around[0].name != "clpeak") return Json::array();
        if (around.size() == 1) version = around[0].attribute("clpeak_version");
        const std::size_t next = std::min(text.find('<', at), text.size());
        const std::string_view value = trimmed(text.substr(at, next - at), " \t\r\n");
        if (!value.empty() && around.size() > 1) entries.push_back(xml_entry(around, std::string(value)));
        if (tag.ends_with('/')) around.pop_back();
    }
    return entries;
}

// --- Text: devices, headings with a unit in brackets, and below each "name : value".

/// "single_precision_compute" of "Single-precision compute".
std::string id_of(std::string_view title) {
    return rewritten(lower_case(trimmed(title)), [](char c) { return c == ' ' || c == '-' ? '_' : c; });
}

class ClpeakText {
public:
    explicit ClpeakText(const ImportSource& source) : text_(lines_of(source.text, source.path)) {
        for (std::size_t i = 0; i < text_.lines.size(); ++i) {
            const std::string_view line = trimmed(text_.lines[i], " \t\r>");
            if (!is_blank(line) && !take(line)) unread_.add(i);
        }
    }
    bool any() const { return devices_ && entries_.size() > 0; }
    std::optional<ImportedFile> file(const ImportSource& source) const {
        ImportedFile file = clpeak_table({{"entries", entries_}}, tool_name(version_), source);
        file.leave_lines(text_, unread_);
        return file;
    }

private:
    bool take(std::string_view line) {
        const std::size_t colon = line.find(':');
        const std::string key = lower_case(trimmed(line.substr(0, colon)));
        const std::string value(colon == std::string_view::npos ? std::string_view() : trimmed(line.substr(colon + 1)));
        if (colon == std::string_view::npos) return take_title(line);
        if (key == "clpeak version") return version_ = value, true;
        if (key == "platform" || key.starts_with("platform "))
            return device_["platform"] = value, heading_.clear(), true;
        if (line.starts_with("Backend:")) return device_["backend"] = value, true; // with blanks: of a device
        if (key == "device" || key.starts_with("device ") || key.ends_with(" device")) {
            devices_ = true;
            if (key.ends_with(" device")) device_["backend"] = key.substr(0, key.find(' '));
            device_["device"] = value, device_.erase("driver"), heading_.clear();
            return true;
        }
        if (key == "driver version") return device_["driver"] = value, true;
        if (key == "kernel launch latency") {
            const std::size_t blank = value.find(' ');
            return add("kernel_launch_latency", "", blank == std::string::npos ? "" : value.substr(blank + 1),
                value.substr(0, blank));
        }
        if (heading_.empty()) return devices_; // what a device has
        return add(heading_, id_of(trimmed(line.substr(0, colon))), unit_, value);
    }

    /// "Global memory bandwidth (GBPS)", "=== Vulkan backend ===", "No half precision support! Skipped".
    bool take_title(std::string_view line) {
        const std::size_t open = line.rfind('(');
        if (line.starts_with("===")) {
            device_["backend"] = trimmed(line, "= ").substr(0, trimmed(line, "= ").find(' '));
            return true;
        }
        if (open != std::string_view::npos && line.ends_with(')') &&
            unit_factor(std::string(line.substr(open + 1, line.size() - open - 2)))) {
            heading_ = id_of(line.substr(0, open)), unit_ = line.substr(open + 1, line.size() - open - 2);
            return devices_;
        }
        return line.ends_with("Skipped") && devices_ && add(id_of(line.substr(0, line.find('!'))), "", "", "skipped");
    }

    bool add(const std::string& test, const std::string& metric, const std::string& unit, const std::string& value) {
        entries_.push_back(entry_of(device_, test, metric, unit, value));
        return true;
    }

    CurveText text_;
    UnreadLines unread_;
    Json entries_ = Json::array();
    std::map<std::string, std::string> device_{{"backend", "OpenCL"}};
    std::string heading_, unit_, version_;
    bool devices_ = false;
};
} // namespace

std::optional<ImportedFile> read_clpeak(const ImportSource& source) {
    const std::string version = text_field(source.document, "clpeak_version");
    if (version.empty()) return std::nullopt;
    return source.document.contains("entries") ? clpeak_table(source.document, tool_name(version), source)
                                               : clpeak_tree(source.document, tool_name(version), source);
}

std::optional<ImportedFile> read_clpeak_xml(const ImportSource& source) {
    std::string version;
    const Json entries = xml_entries(source.text, version);
    if (entries.empty()) return std::nullopt;
    return clpeak_table({{"entries", entries}}, tool_name(version), source);
}

std::optional<ImportedFile> read_clpeak_text(const ImportSource& source) {
    static constexpr std::string_view kOwn[]{
        "memory bandwidth (GBPS)", "precision compute (GFLOPS)", "Integer compute (GIOPS)", "Kernel launch latency"};
    if (std::ranges::none_of(kOwn, [&](std::string_view own) { return source.text.find(own) != std::string::npos; }))
        return std::nullopt;
    const ClpeakText reader(source);
    return reader.any() ? reader.file(source) : std::nullopt;
}

} // namespace sonde
