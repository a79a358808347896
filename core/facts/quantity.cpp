#include "core/facts/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

std::string_view unit_name(Unit unit) {
    static constexpr std::array<std::string_view, 20> kNames{"cycles", "ns", "B", "B/s", "FLOP/s", "op/s", "LUP/s",
        "B/clk/core", "op/clk/core", "MHz", "%", "% of peak", "% of documented/clk", "times", "%", "", "W", "pJ/FLOP",
        "pJ/op", "pJ/B"};
    return kNames[static_cast<std::size_t>(unit)];
}

std::string_view lack_word(Lack lack) {
    static constexpr std::array<std::string_view, 7> kWords{
        "-", "none", "as global", "unsure", "no", "failed", "scatters"};
    return kWords[static_cast<std::size_t>(lack)];
}

bool is_per_second(Unit unit) {
    return unit == Unit::bytes_per_s || unit == Unit::flop_per_s || unit == Unit::op_per_s ||
           unit == Unit::lattice_updates_per_s;
}

bool has_prefix(Unit unit) { return unit == Unit::bytes || is_per_second(unit); }

namespace {
constexpr double kLongNs = 1e3; // launches and copies

bool is_share(Unit unit) {
    return unit == Unit::share || unit == Unit::share_of_peak || unit == Unit::share_of_documented;
}
bool is_percent(Unit unit) { return is_share(unit) || unit == Unit::spread; }

/// Digits before the point of what is rounded to so many digits; 0 below 1.
int digits_before_point(double size, int digits) {
    if (size == 0) return 1;
    const int before = std::max(0, static_cast<int>(std::floor(std::log10(size))) + 1);
    return size >= std::pow(10, before) - 0.5 * std::pow(10, before - digits) ? before + 1 : before;
}

std::string number_text(double value, Unit unit, int digits) {
    constexpr double kLongest = 1e12; // written out; a file may hold anything
    const double size = std::abs(value);
    if (!(size < kLongest)) return fmt::format("{:.{}g}", value, digits);
    if (unit == Unit::spread) return fmt::format("{:.1f}", value);
    if (unit == Unit::mhz || is_share(unit) || unit == Unit::count) return fmt::format("{:.0f}", value);
    const int most = unit == Unit::cycles ? 1 : digits,
              decimals = std::clamp(digits - digits_before_point(size, digits), 0, most);
    const double last = std::pow(10, decimals);
    const bool whole = unit == Unit::bytes && std::fmod(std::nearbyint(size * last), last) == 0;
    return fmt::format("{:.{}f}", value, whole ? 0 : decimals); // "26 MiB", and "26.5 MiB"
}
} // namespace

Scale scale_of(double value, Unit unit) {
    static constexpr std::array<std::string_view, 5> kDecimal{"", "k", "M", "G", "T"},
        kBinary{"", "Ki", "Mi", "Gi", "Ti"}; // no more: a reader compares with T
    if (is_percent(unit)) return {0.01, std::string(unit_name(unit)), unit};
    if (unit == Unit::times) return {1, "", unit};
    if (unit == Unit::ns && value >= kLongNs) return {1e3, "us", unit};
    if (!has_prefix(unit)) return {1, std::string(unit_name(unit)), unit};
    const bool binary = unit == Unit::bytes;
    Scale scale{1, {}, unit};
    std::size_t prefix = 0;
    for (const double step = binary ? 1024 : 1000; value / scale.by >= step && prefix + 1 < kDecimal.size(); ++prefix)
        scale.by *= step;
    scale.unit = fmt::format("{}{}", (binary ? kBinary : kDecimal)[prefix], unit_name(unit));
    return scale;
}

double Quantity::most() const { return !range ? value : std::isfinite(range->second) ? range->second : range->first; }

std::optional<Quantity> quantity_in(double value, std::string_view unit) {
    struct Named {
        std::string_view name;
        Unit unit;
        double times = 1;
    };
    static constexpr std::array kNamed{Named{"cycles", Unit::cycles}, Named{"ns", Unit::ns},
        Named{"bytes", Unit::bytes}, Named{"GB/s", Unit::bytes_per_s, 1e9}, Named{"Gop/s", Unit::op_per_s, 1e9},
        Named{"GFLOP/s", Unit::flop_per_s, 1e9}, Named{"GLUP/s", Unit::lattice_updates_per_s, 1e9},
        Named{"B/clk/core", Unit::bytes_per_clock}, Named{"MHz", Unit::mhz}, Named{"W", Unit::watts},
        Named{"pJ/FLOP", Unit::pj_per_flop}, Named{"pJ/op", Unit::pj_per_op}, Named{"pJ/B", Unit::pj_per_byte},
        Named{"%", Unit::share, 0.01}, Named{"share", Unit::share}, Named{"times", Unit::times},
        Named{"", Unit::count}};
    const auto known = std::ranges::find(kNamed, unit, &Named::name);
    return known == kNamed.end() ? std::nullopt : std::optional(Quantity{value * known->times, known->unit});
}

Quantity open_range(double from, std::optional<double> to, Unit unit) {
    return {from, unit, std::pair(from, to.value_or(std::numeric_limits<double>::infinity()))};
}

namespace {
/// "±0.1%", or " (480-800)".
std::string quartiles_text(const Quantity& quantity, const std::string& between) {
    const auto [low, high] = *quantity.quartiles;
    if (low > 0 && high > kWideQuartiles * low) return " (" + between + ")";
    const double half = quantity.value == 0 ? 0 : (high - low) / 2 / std::abs(quantity.value);
    return "±" + format_fixed(100 * half, 1) + "%";
}
} // namespace

std::string quantity_text(const Quantity& quantity, const Scale& scale, int digits) {
    const auto text = [&](double value) { return number_text(value / scale.by, quantity.unit, digits); };
    const auto between = [&](const std::pair<double, double>& ends) {
        const std::string least = text(ends.first), most = text(ends.second);
        return !std::isfinite(ends.second) ? "beyond " + least : least == most ? least : least + "-" + most;
    };
    if (quantity.range) return between(*quantity.range);
    const std::string value = text(quantity.value) + (quantity.derived ? "*" : "");
    return quantity.quartiles ? value + quartiles_text(quantity, between(*quantity.quartiles)) : value;
}

} // namespace sonde
