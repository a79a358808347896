// Conclusions drawn from series by pure functions, each naming the points it rests on; and their JSON form
// (results/schema.json).
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/data/level_name.h"
#include "core/data/series.h"

namespace sonde {

/// A series that something rests on, and the points of it; no points: the whole series.
struct CitedSeries {
    SeriesId series{};
    std::vector<double> x{};
};
void to_json(Json&, const CitedSeries&);
void from_json(const Json&, CitedSeries&);

/// The least confidence that is no guesswork, of findings and of whatever they follow from.
inline constexpr double kSureEnough = 0.5;

/// One of a finding's numbers.
struct FindingRow {
    std::string place{};           // "7 MiB, median"; where the unit is a count, what is counted: "ways of L1"
    std::optional<double> value{}; // nullopt: there is none (Finding::no_value), or `text` stands in its place
    std::string unit{};
    std::optional<std::pair<double, double>> range{}; // the least and the most
    std::optional<double> cycles{};                   // the value in core cycles, where it is a time
    std::string text{};                               // a name: of an instruction, of a library
};

/// Why a finding has no value. not_seen: what was tried shows none.
enum class NoValue { not_seen, inconclusive };
std::span<const char* const> enum_names(NoValue);

struct Finding {
    std::string kind{}, name{}; // "level", "L1"
    LevelName level{};          // of kind "level": what is called so
    SeriesId series{};
    std::string api{}, card{};
    std::optional<double> value{};     // nullopt: nothing was found, `rows` or `text` say what was tried
    std::optional<NoValue> no_value{}; // where there is none
    std::string unit{};
    std::optional<double> cycles{};
    std::optional<std::pair<double, std::optional<double>>>
        capacity_bytes{};                     // from the last footprint that is inside to the first one that is not
    std::optional<double> tlb_beyond_bytes{}; // of DRAM: the last footprint before TLB misses slow it
    std::optional<double>
        rises_to_bytes{}; // behind it no plateau but a gradual rise, to this footprint: no capacity is seen
    std::optional<std::pair<double, double>>
        edge_bytes{};                   // where ranges of one API exclude each other: within which all of them lie
    std::optional<double> confidence{}; // 0..1; absent: nothing tells
    std::vector<std::vector<std::uint32_t>> groups{}; // of cores, by number
    std::vector<FindingRow> rows{};                   // all of its numbers; none: the value is all
    std::string text{};                               // for a person who knows device and path; none: rows say it
    std::vector<double> x{};                          // the points it rests on

    /// Less is guesswork, on which no statement is built.
    /// Where several curves show a level, only its end is in doubt.
    bool is_sure() const { return edge_bytes || confidence.value_or(1) >= kSureEnough; }

    /// "cuda:0 global: L1 ends at 208-223 KiB": the text in its JSON form; "" without a text.
    std::string line() const { return text.empty() ? "" : place() + text; }
    std::string place() const { return series.device + " " + series.path + ": "; }

    void set_level(LevelName called) { name = called.text(), level = std::move(called); }

    std::vector<CitedSeries> from() const { return {{series, x}}; }
    void set_from(std::vector<CitedSeries> cited) { x = cited.empty() ? std::vector<double>() : std::move(cited[0].x); }
};
void to_json(Json&, const FindingRow&);
void from_json(const Json&, FindingRow&);
void to_json(Json&, const Finding&);
void from_json(const Json&, Finding&);

/// A line as it was written; nullopt where something is missing.
std::optional<Finding> finding_from(const Json& line);
/// The same of kind "level", complete and of numbers that a level can have; nullopt for any other.
std::optional<Finding> level_from(const Json& line);

/// To which footprint a level holds: "215-256 KiB", "about 28 MiB" (no more digits than its paths agree on), "4 GiB
/// (end of the sweep)", "1.5 GiB, slower beyond (TLB)".
std::string capacity_text(const Finding& level);
/// Where the level ends: the range of what is known, "24-31 MiB"; where that is at most 10 % wide its middle with two
/// digits behind the word, "~28 MiB"; "128 KiB, then a rise without a sure plateau to 512 KiB".
std::string edge_text(const Finding& level, std::string_view about = "~");

} // namespace sonde
