// What others have published (results/published/, embedded): figures by probe, path, level and unit, each with its
// source.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/level_name.h"
#include "core/data/series.h"

namespace sonde {

/// Where a figure is of what its question asks. named: a level of memory, or what else a probe finds by that name.
/// latency: of one operation. tlb: of the translation, 1 the nearest. On the axis of what is no staircase: best (the
/// fastest), largest (the last), middle (all), at (there).
struct FigurePlace {
    enum class Kind { named, latency, tlb, best, largest, middle, at };
    Kind kind = Kind::named;
    double number = 0; // of tlb and at
    bool operator==(const FigurePlace&) const = default;
};
/// Of a text in a file: "TLB1", "largest", "at 64".
FigurePlace figure_place_of(std::string_view text);

struct PublishedFigure {
    SeriesKey question;       // options: only those that the source states
    std::string place;        // "L1"; where the probe knows no levels "largest", "at 64"
    FigurePlace where;        // that is the place
    LevelName level;          // and as that of a level
    std::string unit;         // "cycles", "ns", "GB/s", "B/clk/core", "B/clk", "bytes"; rates of caches and atomics per
                              // clock and core
    double low = 0, high = 0; // with what rounding and the words "over" and "under" leave open
    double printed_low = 0, printed_high = 0;
    std::string printed_unit;
    std::string method;  // how it was found: "dependent chain"; "unknown" where the source does not tell
    std::string apart{}; // why it is not compared with what the probe finds: another method, or the card's size is not
                         // known; "": it is
    double cores = 0, clock_mhz = 0; // of the card; 0: not known
    std::string device, architecture, title, url;
    bool measured = false; // one value of another tool's file, in place of what a source prints: its noise is declared

    /// "capacity of L1": what of its question.
    std::string item() const;
    /// "over 3.6 TB/s (123 B/clk/core)": as printed, and as compared where that is something else.
    std::string text() const;
};

/// By what method the figures of a question and place are found that compare with what its probe finds; "": by
/// whatever.
std::string_view method_of(const SeriesKey& question, const FigurePlace& where);

/// Reads figures in the form of results/published/schema.json. Throws Error with what is wrong.
std::vector<PublishedFigure> published_figures(const Json& file);
/// Those that the program carries.
std::vector<PublishedFigure> published_figures();
/// Of a file in the same form. Throws UsageError when it is none.
std::vector<PublishedFigure> published_figures(const std::filesystem::path& file);

/// Figures of devices in whose name or architecture every one of the words occurs as a whole word, in any case ("h100
/// pcie"), and those of such a device's architecture as a whole ("Kepler"). No words: all. Throws UsageError when there
/// is none.
std::vector<PublishedFigure> select_published(const std::vector<PublishedFigure>& figures, std::string_view words);

/// All figures that say the same thing, as one: sources differ among each other by more than any of them says, and what
/// lies between them is contradicted by none. Those that are not compared are apart, by the reason.
struct PublishedRange {
    SeriesKey question;
    std::string place;
    FigurePlace where;
    LevelName level;
    std::string unit, apart;
    double low = 0, high = 0;
    std::vector<PublishedFigure> figures; // ascending
};
std::vector<PublishedRange> bands_of(const std::vector<PublishedFigure>& figures);

} // namespace sonde
