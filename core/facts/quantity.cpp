#include "core/facts/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace sonde {

std::string_view unit_name(Unit unit) {
    static constexpr std::array<std::string_view, 14> kNames{"cycles", "ns", "B", "B/s", "FLOP/s", "op/s", "LUP/s",
        "B/clk/core", "op/clk/core", "MHz", "%", "times", "", "W"};
    return kNames[static_cast<std::size_t>(unit)];
}

std::string_view lack_word(Lack lack) {
    static constexpr std::array<std::string_view, 7> kWords{
        "-", "none", "as global", "unsure", "no", "failed", "scatters"};
    return kWords[static_cast<std::size_t>(lack)];
}

namespace {
constexpr double kLongNs = 1e3; // launches and copies

bool has_prefix(Unit unit) {
    return unit == Unit::bytes || unit == Unit::bytes_per_s || unit == Unit::flop_per_s || unit == Unit::op_per_s ||
           unit == Unit::lattice_updates_per_s;
}

std::string number_text(double value, Unit unit) {
    if (unit == Unit::mhz || unit == Unit::share || unit == Unit::count) return fmt::format("{:.0f}", value);
    const double size = std::abs(value);
    const int decimals = size >= 99.95                           ? 0
                         : size >= 9.995 || unit == Unit::cycles ? 1
                         : size >= 0.9995 || size == 0           ? 2
                                                                 : 3;
    const std::string text = fmt::format("{:.{}f}", value, decimals);
    const std::size_t point = text.find('.');
    const bool whole = unit == Unit::bytes && point != text.npos && text.find_first_not_of('0', point + 1) == text.npos;
    return whole ? text.substr(0, point) : text; // "26 MiB", and "26.5 MiB"
}
} // namespace

Scale scale_of(double value, Unit unit) {
    static constexpr std::array<std::string_view, 5> kDecimal{"", "k", "M", "G", "T"},
        kBinary{"", "Ki", "Mi", "Gi", "Ti"}; // no more: a reader compares with T
    if (unit == Unit::share) return {0.01, "%"};
    if (unit == Unit::times) return {1, ""};
    if (unit == Unit::ns && value >= kLongNs) return {1e3, "us"};
    if (!has_prefix(unit)) return {1, std::string(unit_name(unit))};
    const bool binary = unit == Unit::bytes;
    Scale scale{1, {}};
    std::size_t prefix = 0;
    for (const double step = binary ? 1024 : 1000; value / scale.by >= step && prefix + 1 < kDecimal.size(); ++prefix)
        scale.by *= step;
    scale.unit = fmt::format("{}{}", (binary ? kBinary : kDecimal)[prefix], unit_name(unit));
    return scale;
}

std::string quantity_text(const Quantity& quantity, const Scale& scale) {
    const auto text = [&](double value) { return number_text(value / scale.by, quantity.unit); };
    if (!quantity.range) return text(quantity.value);
    const std::string least = text(quantity.range->first), most = text(quantity.range->second);
    return least == most ? least : least + "-" + most;
}

} // namespace sonde
