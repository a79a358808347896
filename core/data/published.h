// What others have published (results/published/, embedded): figures by probe, path, level and unit, each with its source.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/series.h"

namespace sonde {

struct PublishedFigure {
    SeriesKey question;            // options: only those that the source states
    std::string level, unit;      // "L1"; "cycles", "ns", "GB/s", "B/clk/core", "B/clk", "bytes"
    double low = 0, high = 0;     // with what rounding and the words "over" and "under" leave open
    double printed_low = 0, printed_high = 0;
    std::string device, architecture, title, url;
};

/// Reads figures in the form of results/published/schema.json. Throws Error with what is wrong.
std::vector<PublishedFigure> published_figures(const Json& file);
/// Those that the program carries.
std::vector<PublishedFigure> published_figures();
/// Of a file in the same form. Throws UsageError when it is none.
std::vector<PublishedFigure> published_figures(const std::filesystem::path& file);

/// Figures of devices in whose name or architecture every one of the words occurs as a whole word, in any case ("h100 pcie"). No words: all.
/// Throws UsageError when there is none.
std::vector<PublishedFigure> select_published(const std::vector<PublishedFigure>& figures, std::string_view words);

/// All figures that say the same thing, as one: sources differ among each other by more than any of them says, and what lies between
/// them is contradicted by none.
struct PublishedRange {
    SeriesKey question;
    std::string level, unit;
    double low = 0, high = 0;
    std::vector<PublishedFigure> figures; // ascending
};
std::vector<PublishedRange> bands_of(const std::vector<PublishedFigure>& figures);

} // namespace sonde
