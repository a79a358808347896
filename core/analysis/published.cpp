// Published figures: reading, choosing, joining.
#include "core/analysis/published.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/device/kernel_source.h"
#include "core/probes/probe.h"

namespace sonde {

namespace {
constexpr std::uintmax_t kLargestFile = 64u << 20;

constexpr const char* kUnknown = "unknown";

PublishedAnswers answers_of(const SeriesKey& question) {
    const Probe* probe = find_probe(question.probe);
    return probe ? probe->published : PublishedAnswers();
}

/// What each core gets in a clock, so that cards of other sizes compare: of rates in caches and of atomics. One
/// workgroup's rate is its core's, DRAM's is its own.
void put_per_clock_and_core(PublishedFigure& figure) {
    const RateOf whose = answers_of(figure.question).rates;
    const bool operations = figure.unit == "Gop/s", rate = whose == RateOf::all_cores &&
                                                           figure.level != LevelName::dram() &&
                                                           (operations || figure.unit == "GB/s");
    if (!rate && (whose == RateOf::one_core || !figure.unit.ends_with("/clk"))) return;
    const double factor = (rate ? 1000 / figure.clock_mhz : 1) / figure.cores;
    if (!(factor > 0) || !std::isfinite(factor)) {
        figure.apart = figure.cores > 0 ? "clock not known" : "cores not known";
        return;
    }
    figure.low *= factor;
    figure.high *= factor;
    figure.unit = !rate ? figure.unit + "/core" : operations ? "op/clk/core" : "B/clk/core";
}

/// A size is the same however its loads were timed.
bool same_method(const PublishedFigure& figure) {
    const std::string_view own = method_of(figure.question, figure.where);
    return own.empty() || figure.method == own || (figure.unit == "bytes" && figure.method == "timer per load");
}

double number_or_0(const Json& row, const char* field) {
    return row.contains(field) && row[field].is_number() ? row[field].get<double>() : 0;
}

PublishedFigure figure_from(const Json& row, const Json& sources) {
    const Json& source = sources.at(row.at("source").get<std::size_t>());
    const double low = row.at("value").at(0), high = row.at("value").at(1), rounding = row.at("rounding");
    const std::string bound = row.value("bound", "");
    PublishedFigure figure{.question = {row.at("probe"), row.at("path"), row.at("options").get<Options>()},
        .place = row.at("level"),
        .where = figure_place_of(row.at("level").get<std::string>()),
        .level = level_name_of(row.at("level").get<std::string>()),
        .unit = row.at("unit"),
        .low = bound == "upper" ? 0 : low - rounding,
        .high = bound == "lower" ? std::numeric_limits<double>::infinity() : high + rounding,
        .printed_low = low,
        .printed_high = high,
        .printed_unit = row.at("unit"),
        .method = row.value("method", kUnknown),
        .cores = number_or_0(row, "cores"),
        .clock_mhz = number_or_0(row, "clock_mhz"),
        .device = row.at("device"),
        .architecture = row.at("architecture"),
        .title = source.at("title"),
        .url = source.at("url")};
    put_per_clock_and_core(figure);
    if (figure.method == kUnknown) figure.apart = "method unknown";
    else if (!same_method(figure)) figure.apart = figure.method;
    return figure;
}

/// "over", "up to" or nothing, and the value or both of its ends.
std::string range_text(double low, double high, std::string_view unit, const char* bound) {
    const bool bytes = unit == "bytes";
    const auto one = [&](double value) {
        return bytes ? format_bytes(value) : value < 1000 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
    };
    return fmt::format(
        "{}{}{}{}", bound, one(low), low == high ? "" : "-" + one(high), bytes ? "" : fmt::format(" {}", unit));
}

/// Letters and digits in lower case; everything else separates.
std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)))
            words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!words.back().empty()) words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
}
} // namespace

FigurePlace figure_place_of(std::string_view text) {
    using Where = FigurePlace::Kind;
    constexpr std::pair<std::string_view, Where> kWords[] = {
        {"latency", Where::latency}, {"best", Where::best}, {"largest", Where::largest}, {"middle", Where::middle}};
    constexpr std::pair<std::string_view, Where> kNumbered[] = {{"TLB", Where::tlb}, {"at ", Where::at}};
    for (const auto& [word, kind] : kWords)
        if (text == word) return {kind};
    for (const auto& [start, kind] : kNumbered)
        if (const auto number = text.starts_with(start) ? number_of<double>(text.substr(start.size())) : std::nullopt)
            return {kind, *number};
    return {};
}

std::string_view method_of(const SeriesKey& question, const FigurePlace& where) {
    const bool of_operation = where.kind == FigurePlace::Kind::latency; // whatever else the probe finds
    return of_operation ? PublishedAnswers::kChain : answers_of(question).method;
}

std::string PublishedFigure::item() const {
    const PublishedAnswers called = answers_of(question);
    return fmt::format(fmt::runtime(unit == "bytes" ? called.size : called.other), place);
}

std::string PublishedFigure::text() const {
    const char* bound = std::isinf(high) ? "over " : low == 0 ? "up to " : "";
    std::string printed = range_text(printed_low, printed_high, printed_unit, bound);
    if (unit == printed_unit) return printed;
    const double factor = is_rate(printed_unit) ? 1000 / clock_mhz / cores : 1 / cores;
    return fmt::format("{} ({})", printed, range_text(printed_low * factor, printed_high * factor, unit, ""));
}

std::vector<PublishedFigure> published_figures(const Json& file) {
    try {
        std::vector<PublishedFigure> figures;
        for (const Json& row : file.at("figures")) figures.push_back(figure_from(row, file.at("sources")));
        return figures;
    } catch (const Json::exception& error) {
        throw Error(fmt::format("published figures: {}", error.what()));
    }
}

std::vector<PublishedFigure> published_figures() {
    return published_figures(read_json(embedded_text("results/published/figures.json")));
}

std::vector<PublishedFigure> published_figures(const std::filesystem::path& path) {
    std::error_code unknown;
    if (const auto size = std::filesystem::file_size(path, unknown); !unknown && size > kLargestFile)
        throw UsageError(
            fmt::format("{}: larger than {} MiB: no file of published figures", path.string(), kLargestFile >> 20));
    std::ifstream in(path);
    if (!in) throw UsageError(fmt::format("{}: cannot open: {}", path.string(), std::strerror(errno)));
    const Json file = read_json(std::string(std::istreambuf_iterator<char>(in), {}));
    if (!file.is_object())
        throw UsageError(fmt::format(
            "{}: neither published figures (results/published/schema.json) nor of a tool that sonde import knows",
            path.string()));
    try {
        return published_figures(file);
    } catch (const Error& error) {
        throw UsageError(fmt::format("{}: {}", path.string(), error.what()));
    }
}

/// What was published of the chosen devices' architectures as a whole ("Kepler").
static void add_of_architectures(const std::vector<PublishedFigure>& figures, std::vector<PublishedFigure>& chosen) {
    std::set<std::string> architectures, devices;
    for (const PublishedFigure& figure : chosen)
        architectures.insert(figure.architecture), devices.insert(figure.device);
    for (const PublishedFigure& figure : figures)
        if (figure.device == figure.architecture && architectures.contains(figure.device) &&
            !devices.contains(figure.device))
            chosen.push_back(figure);
}

std::vector<PublishedFigure> select_published(const std::vector<PublishedFigure>& figures, std::string_view words) {
    const std::vector<std::string> wanted = words_of(words);
    std::vector<PublishedFigure> chosen;
    for (const PublishedFigure& figure : figures) {
        const std::vector<std::string> own = words_of(figure.device + " " + figure.architecture);
        const auto has = [&](const std::string& word) { return std::find(own.begin(), own.end(), word) != own.end(); };
        if (std::all_of(wanted.begin(), wanted.end(), has)) chosen.push_back(figure);
    }
    add_of_architectures(figures, chosen);
    if (chosen.empty() || (wanted.empty() && !words.empty())) {
        std::set<std::string> names;
        for (const PublishedFigure& figure : figures) names.insert(figure.architecture);
        throw UsageError(
            fmt::format("no published figure is of '{}'; 'sonde published' lists the devices, of the architectures: {}",
                words, fmt::join(names, ", ")));
    }
    return chosen;
}

std::vector<PublishedRange> bands_of(const std::vector<PublishedFigure>& figures) {
    std::map<std::tuple<SeriesKey, bool, std::string, std::string, std::string>, PublishedRange>
        bands; // DRAM behind the caches
    for (const PublishedFigure& figure : figures) {
        PublishedRange& band =
            bands[{figure.question, figure.level == LevelName::dram(), figure.place, figure.unit, figure.apart}];
        if (band.figures.empty())
            band = {figure.question, figure.place, figure.where, figure.level, figure.unit, figure.apart, figure.low,
                figure.high, {}};
        band.low = std::min(band.low, figure.low);
        band.high = std::max(band.high, figure.high);
        band.figures.push_back(figure);
    }
    std::vector<PublishedRange> list;
    for (auto& [key, band] : bands) {
        std::stable_sort(band.figures.begin(), band.figures.end(),
            [](const auto& a, const auto& b) { return a.printed_low < b.printed_low; });
        list.push_back(std::move(band));
    }
    return list;
}

} // namespace sonde
