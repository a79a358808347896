// Published figures: reading, choosing, joining.
#include "core/data/published.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/device/kernel_source.h"

namespace sonde {

namespace {
constexpr std::uintmax_t kLargestFile = 64u << 20;

PublishedFigure figure_from(const Json& row, const Json& sources) {
    const Json& source = sources.at(row.at("source").get<std::size_t>());
    const double low = row.at("value").at(0), high = row.at("value").at(1), rounding = row.at("rounding");
    const std::string bound = row.value("bound", "");
    return {.question = {row.at("probe"), row.at("path"), row.at("options").get<Options>()},
            .level = row.at("level"), .unit = row.at("unit"),
            .low = bound == "upper" ? 0 : low - rounding, .high = bound == "lower" ? std::numeric_limits<double>::infinity() : high + rounding,
            .printed_low = low, .printed_high = high,
            .device = row.at("device"), .architecture = row.at("architecture"), .title = source.at("title"), .url = source.at("url")};
}

/// Letters and digits in lower case; everything else separates.
std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c))) words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!words.back().empty()) words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
}
} // namespace

std::vector<PublishedFigure> published_figures(const Json& file) {
    try {
        std::vector<PublishedFigure> figures;
        for (const Json& row : file.at("figures")) figures.push_back(figure_from(row, file.at("sources")));
        return figures;
    } catch (const Json::exception& error) {
        throw Error(fmt::format("published figures: {}", error.what()));
    }
}

std::vector<PublishedFigure> published_figures() { return published_figures(Json::parse(embedded_text("results/published/figures.json"))); }

std::vector<PublishedFigure> published_figures(const std::filesystem::path& path) {
    std::error_code unknown;
    if (const auto size = std::filesystem::file_size(path, unknown); !unknown && size > kLargestFile)
        throw UsageError(fmt::format("{}: larger than {} MiB: no file of published figures", path.string(), kLargestFile >> 20));
    std::ifstream in(path);
    if (!in) throw UsageError(fmt::format("{}: cannot open: {}", path.string(), std::strerror(errno)));
    const Json file = Json::parse(in, nullptr, false);
    try {
        return published_figures(file);
    } catch (const Error& error) {
        throw UsageError(fmt::format("{}: {}", path.string(), error.what()));
    }
}

std::vector<PublishedFigure> select_published(const std::vector<PublishedFigure>& figures, std::string_view words) {
    const std::vector<std::string> wanted = words_of(words);
    std::vector<PublishedFigure> chosen;
    for (const PublishedFigure& figure : figures) {
        const std::vector<std::string> own = words_of(figure.device + " " + figure.architecture);
        const auto has = [&](const std::string& word) { return std::find(own.begin(), own.end(), word) != own.end(); };
        if (std::all_of(wanted.begin(), wanted.end(), has)) chosen.push_back(figure);
    }
    if (chosen.empty()) throw UsageError(fmt::format("published:{}: no published figure is of a device or architecture of that name", words));
    return chosen;
}

std::vector<PublishedRange> bands_of(const std::vector<PublishedFigure>& figures) {
    std::map<std::tuple<SeriesKey, bool, std::string, std::string>, PublishedRange> bands; // DRAM behind the caches
    for (const PublishedFigure& figure : figures) {
        PublishedRange& band = bands[{figure.question, figure.level == "DRAM", figure.level, figure.unit}];
        if (band.figures.empty()) band = {figure.question, figure.level, figure.unit, figure.low, figure.high, {}};
        band.low = std::min(band.low, figure.low);
        band.high = std::max(band.high, figure.high);
        band.figures.push_back(figure);
    }
    std::vector<PublishedRange> list;
    for (auto& [key, band] : bands) {
        std::stable_sort(band.figures.begin(), band.figures.end(), [](const auto& a, const auto& b) { return a.printed_low < b.printed_low; });
        list.push_back(std::move(band));
    }
    return list;
}

} // namespace sonde
