// How the settings of several probes are read.
#include "core/data/shared_options.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/device/operation.h"

namespace sonde {

std::string_view axis_of(AccessPattern pattern) {
    constexpr std::string_view kAxes[] = {"stride in elements", "shift in elements",
        "order of the lanes' addresses (random elements: of the largest power of two of bytes within the footprint)",
        "rows of a rectangle of lanes", "lanes for each active one",
        "where words begin (from byte 0 on the compiler knows no alignment and may split the access)"};
    return kAxes[static_cast<std::size_t>(pattern)];
}

std::string LaunchShape::text() const {
    return fmt::format(
        "{}x{}x{}", loads, group_size, groups_per_core == kOnce ? "once" : std::to_string(groups_per_core));
}

std::optional<LaunchShape> option::parse_shape(const std::string& text) {
    std::uint32_t numbers[3] = {};
    const char *at = text.data(), *end = text.data() + text.size();
    for (int i = 0; i < 3; ++i) {
        if (i == 2 && std::string_view(at, end) == "once") break; // kOnce
        const auto [next, error] = std::from_chars(at, end, numbers[i]);
        if (error != std::errc() || numbers[i] == 0 || (i < 2 && (next == end || *next != 'x')) ||
            (i == 2 && next != end))
            return std::nullopt;
        at = next + 1;
    }
    const LaunchShape shape{numbers[0], numbers[1], numbers[2]};
    const bool fits = (shape.loads == 2 || shape.loads == 4 || shape.loads == 8) && shape.group_size <= 1024 &&
                      shape.groups_per_core <= 256;
    return fits ? std::optional(shape) : std::nullopt;
}

std::optional<std::string> option::parse_peer(const std::string& text) {
    if (text == kEachPeer) return text;
    const std::vector<std::string> numbers = split(text, '.');
    const bool valid = numbers.size() <= 2 && std::ranges::all_of(numbers, [](const std::string& number) {
        return !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
    });
    return valid ? std::optional(text) : std::nullopt;
}

std::optional<std::uint32_t> option::parse_banks(const std::string& text) {
    return text == "4" ? std::optional(4u) : text == "8" ? std::optional(8u) : std::nullopt;
}

std::optional<Carveout> option::parse_carveout(const std::string& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (error != std::errc() || value < 0) return std::nullopt;
    if (unit.empty() && value <= 100) return Carveout{Carveout::Unit::percent, value};
    if (unit == "KiB" && (value == 16 || value == 32 || value == 48)) return Carveout{Carveout::Unit::kibibytes, value};
    return std::nullopt;
}

std::optional<std::uint32_t> option::parse_apart(const std::string& text) {
    constexpr std::uint32_t kMost = 4096;
    const auto bytes = number_of<std::uint32_t>(text);
    return bytes && *bytes <= kMost ? bytes : std::nullopt;
}

std::optional<bool> option::parse_access(const std::string& text) {
    return text == "store" ? std::optional(true) : text == "load" ? std::optional(false) : std::nullopt;
}

const Operation* operation_of(const Options& options) {
    return option::operation.asked(options) ? find_operation(option::operation.word(options)) : nullptr;
}

} // namespace sonde
