// How a finding is read.
#include "core/data/finding.h"

#include <cmath>

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

std::span<const char* const> enum_names(NoValue) {
    static constexpr const char* kNames[] = {"not seen", "inconclusive"};
    return kNames;
}

std::string capacity_text(const Finding& level) {
    const auto& [inside, outside] = *level.capacity_bytes;
    if (level.edge_bytes || level.rises_to_bytes) return edge_text(level, "about ");
    if (outside) return format_byte_range(inside, *outside);
    return level.tlb_beyond_bytes ? format_bytes(*level.tlb_beyond_bytes) + ", slower beyond (TLB)"
                                  : format_bytes(inside) + " (end of the sweep)";
}

std::string edge_text(const Finding& level, std::string_view about) {
    constexpr double kOneNumber = 1.1;
    if (level.rises_to_bytes)
        return fmt::format("{}, then a rise without a sure plateau to {}", format_bytes(level.capacity_bytes->first),
            format_bytes(*level.rises_to_bytes));
    const auto [low, high] = level.edge_bytes.value_or(
        std::pair{level.capacity_bytes->first, level.capacity_bytes->second.value_or(level.capacity_bytes->first)});
    if (high > kOneNumber * low) return format_byte_range(low, high);
    const double bytes = std::sqrt(low * high);
    if (!std::isfinite(bytes) || bytes < 1024) return std::string(about) + format_bytes(bytes);
    double unit = 1024;
    while (bytes / unit >= 1000) unit *= 1024;
    const double number = bytes / unit;
    return std::string(about) + format_bytes((number >= 10 ? std::round(number) : std::round(number * 10) / 10) * unit);
}

} // namespace sonde
