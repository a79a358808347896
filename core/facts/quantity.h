// Numbers with what they count, and why there is none. No text is made before it is shown: here and in grid.h.
#pragma once
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace sonde {

/// A floating-point operation is `flop`, any other `op`: the two are never mixed up.
enum class Unit {
    cycles,
    ns,
    bytes,
    bytes_per_s,
    flop_per_s,
    op_per_s,
    lattice_updates_per_s,
    bytes_per_clock,
    op_per_clock,
    mhz,
    share,
    share_of_peak,
    share_of_documented,
    times,
    spread, // a share of a number, with a tenth of a percent
    count,
    watts,
    pj_per_flop,
    pj_per_op,
    pj_per_byte
};
/// "B/s", "FLOP/s"; a prefix is put before it. A count has none.
std::string_view unit_name(Unit);

struct Quantity {
    double value = 0;
    Unit unit = Unit::cycles;
    std::optional<std::pair<double, double>>
        range{}; // the least and the most that the samples allow; the most may be infinite
    std::optional<std::pair<double, double>> quartiles{}; // of samples whose median the value is
    bool derived = false;                                 // computed from another number and not measured

    /// The value or, of a range, its most where that is finite.
    double most() const;
    bool operator==(const Quantity&) const = default;
};
/// A number in a unit of series and findings: (2, "GB/s") is 2e9 B/s, (5, "") a count; nullopt for any other unit.
std::optional<Quantity> quantity_in(double value, std::string_view unit);
/// From one number to another, or without an end.
Quantity open_range(double from, std::optional<double> to, Unit);
/// Quartiles farther apart (times) tell more than their median.
inline constexpr double kWideQuartiles = 1.5;

/// Why there is no number. not_reached: the path has no such level. as_global: it is the path of global memory. unsure:
/// the number is of a level that may not be one.
enum class Lack { not_measured, not_reached, as_global, unsure, unsupported, failed, scatters };
/// One word of a table: "-", "no", "failed".
std::string_view lack_word(Lack);

/// What a listing shows, in the place of a number.
struct Instructions {
    std::string text;
    bool operator==(const Instructions&) const = default;
};

/// A number, and one that belongs to it in brackets: cycles and their ns, a rate and what a core gets a clock.
struct Cell {
    std::variant<Lack, Quantity, Instructions> is = Lack::not_measured;
    std::optional<Quantity> beside{};

    Cell() = default;
    Cell(Lack lack) : is(lack) {}
    Cell(Instructions instructions) : is(std::move(instructions)) {}
    Cell(Quantity quantity, std::optional<Quantity> with = {}) : is(quantity), beside(with) {}
    const Quantity* quantity() const { return std::get_if<Quantity>(&is); }
};

/// What numbers of one row or column are divided by, with its unit: {1e12, "TFLOP/s"}.
struct Scale {
    double by = 1;
    std::string unit{};
    std::optional<Unit> of{}; // none: there are no numbers
    auto operator<=>(const Scale&) const = default;
};
/// Whether it is one of numbers a second.
bool is_per_second(Unit);
/// Whether it has prefixes, which numbers of a table may share.
bool has_prefix(Unit);
/// By thousands, bytes by 1024; cycles, ns, MHz and shares as they are (a share in %).
Scale scale_of(double value, Unit unit);

/// Three digits or more, of cycles no more than a tenth: "29.0", "283", "208-223", "4.70", "beyond 512"; "59.3*" is
/// derived. Quartiles: "17.24±0.1%" (half the interquartile range), where they are wide "623 (480-800)".
std::string quantity_text(const Quantity&, const Scale&, int digits = 3);

} // namespace sonde
