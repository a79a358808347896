// Series and findings of another tool's values, line by line.
#include "core/analysis/imported_file.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/level_findings.h"
#include "core/analysis/published.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace sonde {

namespace {
constexpr double kMostMeasured = 1e18; // in any unit, as readers of results files take it
constexpr std::size_t kMostNames = 8;  // of what is left out
constexpr std::size_t kLongestName = 200, kLongestWhat = 60;

/// A name in a file of a stranger, short enough for a series' name.
std::string name_of(const std::string& text) { return printable(text.substr(0, kLongestName)); }

/// Four hexadecimal digits that tell files of one name apart (FNV-1a).
std::string mark_of(std::string_view text) {
    std::uint32_t hash = 2166136261;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
    return fmt::format("{:04x}", (hash >> 16 ^ hash) & 0xffff);
}

std::string driver_text(const std::string& driver, const std::string& tool) {
    return fmt::format("{}values of {}", driver.empty() ? "" : name_of(driver) + "; ", tool);
}
} // namespace

ImportedFile::ImportedFile(std::string tool, const ImportSource& source, std::string started)
    : tool_(std::move(tool)),
      file_(source.file()),
      started_(std::move(started)),
      asked_card_(source.card),
      mark_(mark_of(source.text)) {}

std::size_t ImportedFile::add_untold_device(const std::string& api, const char* kind) {
    if (!asked_card_.empty()) return add_device(api, asked_card_, "");
    const std::string name = fmt::format("{} of {} (not told)", kind, file_);
    return add_device(api, name, "", fmt::format("{} {}", name.substr(0, kLongestName - 5), mark_));
}

void ImportedFile::set_driver(std::size_t device, const std::string& driver) {
    devices_[device].driver = driver_text(driver, tool_);
}

std::size_t ImportedFile::add_device(
    const std::string& api, const std::string& name, const std::string& driver, const std::string& card) {
    std::size_t number = 0;
    const auto id = [&] { return fmt::format("{}:{}", api, number); };
    while (std::any_of(devices_.begin(), devices_.end(), [&](const DeviceRecord& each) { return each.id == id(); }))
        ++number;
    DeviceRecord record;
    record.id = id();
    record.api = api;
    record.name = name_of(name);
    record.driver = driver_text(driver, tool_);
    record.cpu = api == "host";
    record.card = card.empty() ? record.name : name_of(card);
    devices_.push_back(std::move(record));
    return devices_.size() - 1;
}

Series& ImportedFile::series_of(std::size_t device, const ImportedQuestion& question, const std::string& quantity) {
    const SeriesId id{std::string(question.probe->name), devices_[device].id, question.path, question.options};
    const auto found = std::find_if(series_.begin(), series_.end(), [&](const Series& each) { return each.id == id; });
    if (found != series_.end()) return *found;
    Series series{.id = id,
        .api = devices_[device].api,
        .card = devices_[device].card,
        .x = question.probe->axis(),
        .unit = std::string(question.probe->unit_of(question.options))};
    series.evidence.source = SourceEvidence{tool_, file_, quantity, question.method};
    return series_.emplace_back(std::move(series));
}

void ImportedFile::add_curve(std::size_t device, const ImportedQuestion& question, const std::string& quantity,
    std::vector<Point> points, const std::string& reason, std::size_t first_level) {
    ImportedQuestion asked = question;
    for (int run = 2; !series_of(device, asked, quantity).points.empty(); ++run)
        asked.options.set({"run"}, fmt::format("{}", run));
    Series& series = series_of(device, asked, quantity);
    series.points = std::move(points);
    series.reason = reason;
    if (first_level == 1) return; // its levels are those of the points
    for (Finding& level : level_findings(series, devices_[device], static_cast<int>(first_level)))
        findings_.push_back(std::move(level));
}

void ImportedFile::add_figure(std::size_t device, const ImportedQuestion& question, const std::string& quantity,
    const std::string& level, double value, const std::string& unit) {
    if (!(value > 0 && value < kMostMeasured)) return leave_out("no values that can be measured", quantity);
    Series& series = series_of(device, question, quantity);
    const auto twice = std::find_if(findings_.begin(), findings_.end(),
        [&](const Finding& each) { return each.series == series.id && each.name == level && each.unit == unit; });
    if (twice != findings_.end() && figure_place_of(level).kind != FigurePlace::Kind::best)
        return leave_out("of a series that is there already", quantity);
    if (twice != findings_.end() && *twice->value >= value) return;
    if (twice != findings_.end()) findings_.erase(twice), series.evidence.source->quantity = quantity;
    const std::string text = unit == "bytes"
                                 ? format_bytes(value)
                                 : fmt::format(fmt::runtime(value < 1000 ? "{:.4g} {}" : "{:.0f} {}"), value, unit);
    findings_.push_back({.kind = "figure",
        .name = level,
        .series = series.id,
        .api = series.api,
        .card = series.card,
        .value = value,
        .unit = unit,
        .rows = {{fmt::format("{} ({})", level, quantity), value, unit}},
        .text = fmt::format("{}: {} ({})", level, text, quantity)});
}

void ImportedFile::leave_out(const std::string& why, const std::string& what, std::size_t count) {
    auto& [all, names] = left_out_[why];
    all += count;
    const std::string name = what.substr(0, kLongestWhat);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

void ImportedFile::leave_lines(const CurveText& text, const UnreadLines& lines) {
    if (!lines.empty()) lines_left_.push_back(printable(lines.text(text)));
}

bool ImportedFile::empty() const {
    return findings_.empty() && std::ranges::all_of(series_, [](const Series& each) { return each.points.empty(); });
}

std::vector<std::string> ImportedFile::left_out() const {
    std::vector<std::string> sentences;
    for (const auto& [why, what] : left_out_) {
        const auto& [count, names] = what;
        const std::vector<std::string> first(
            names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNames)));
        sentences.push_back(printable(fmt::format("{} figure{} of {} left out: {} ({}{})", count, count == 1 ? "" : "s",
            tool_, why, fmt::join(first, ", "), names.size() > kMostNames ? ", ..." : "")));
    }
    sentences.insert(sentences.end(), lines_left_.begin(), lines_left_.end());
    return sentences;
}

std::string ImportedFile::text() const {
    const ImportedFrom from{tool_, file_, left_out()};
    Json lines = Json::array();
    lines.push_back(RunLine{.sonde = SONDE_VERSION,
        .started = started_,
        .host = Json::object(),
        .command = {"sonde", "import", file_},
        .profile = "imported",
        .imported = from});
    for (const DeviceRecord& device : devices_) lines.push_back(device);
    for (const Series& series : series_) {
        lines.push_back(series);
        for (const Finding& finding : findings_)
            if (finding.series == series.id) lines.push_back(finding);
    }
    lines.push_back(EndLine{
        .finished = started_, .series = {{"ok", series_.size()}, {"unsupported", 0}, {"failed", 0}, {"unstable", 0}}});
    std::string text;
    for (const Json& line : lines) text += json_text(line) + "\n";
    return text;
}

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

std::string time_at(const Json& object, const char* name) {
    const std::string text = text_field(object, name);
    constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
    const bool good = text.size() == kForm.size() &&
                      std::equal(text.begin(), text.end(), kForm.begin(),
                          [](char c, char form) { return form == '0' ? c >= '0' && c <= '9' : c == form; });
    return good ? text : "";
}

std::string word_of(const std::string& text) {
    std::string letters;
    for (const char c : text)
        if (std::isalpha(static_cast<unsigned char>(c)))
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return letters.empty() ? "unknown" : letters.substr(0, 20);
}

} // namespace sonde
