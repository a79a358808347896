// Ranges and lists of sizes, read and written.
#include "core/data/footprints.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/list_text.h"
#include "core/base/text.h"

namespace sonde {

namespace {
struct SizeUnit {
    std::string_view name;
    double bytes;
};
constexpr SizeUnit kSizeUnits[] = {{"", 1}, {"b", 1}, {"kib", 0x1p10}, {"mib", 0x1p20}, {"gib", 0x1p30},
    {"tib", 0x1p40}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12}};
constexpr double kLargest = 0x1p50; // bytes: of no device

std::optional<std::uint64_t> parse_size(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string name(end, static_cast<std::size_t>(text.data() + text.size() - end));
    for (char& each : name) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    const auto* unit = std::ranges::find(kSizeUnits, std::string_view(name), &SizeUnit::name);
    if (error != std::errc() || unit == std::end(kSizeUnits)) return std::nullopt;
    const double bytes = number * unit->bytes;
    return bytes >= 1 && bytes <= kLargest ? std::optional(static_cast<std::uint64_t>(std::llround(bytes)))
                                           : std::nullopt;
}

std::optional<Footprints> parse_range(std::string_view from, std::string_view to) {
    Footprints range;
    if (from.empty() && to.empty()) return std::nullopt;
    for (const auto& [text, bytes] : {std::pair{from, &range.least}, std::pair{to, &range.most}}) {
        if (text.empty()) continue;
        const auto size = parse_size(text);
        if (!size) return std::nullopt;
        *bytes = *size;
    }
    return range.least <= range.most ? std::optional(range) : std::nullopt;
}

std::optional<Footprints> parse_list(const std::string& text) {
    Footprints list;
    for (const std::string& each : split(rewritten(text, [](char c) { return c == ',' ? '+' : c; }), '+')) {
        const auto size = parse_size(each);
        if (!size) return std::nullopt;
        list.sizes.push_back(*size);
    }
    std::ranges::sort(list.sizes);
    list.sizes.erase(std::unique(list.sizes.begin(), list.sizes.end()), list.sizes.end());
    list.least = list.sizes.front();
    list.most = list.sizes.back();
    return list;
}
} // namespace

bool Footprints::holds(std::uint64_t bytes) const {
    return sizes.empty() ? bytes >= least && bytes <= most : std::ranges::count(sizes, bytes) > 0;
}

std::string Footprints::text() const {
    std::vector<std::string> texts;
    texts.reserve(sizes.size());
    for (const std::uint64_t size : sizes) texts.push_back(format_bytes(size));
    if (!sizes.empty()) return list_text(texts);
    if (most == UINT64_MAX) return format_bytes(least) + " and more";
    return least == 1 ? "up to " + format_bytes(most)
                      : fmt::format("{} to {}", format_bytes(least), format_bytes(most));
}

std::optional<Footprints> parse_footprints(const std::string& text) {
    const std::size_t dots = text.find("..");
    if (dots == text.npos) return parse_list(text);
    return parse_range(std::string_view(text).substr(0, dots), std::string_view(text).substr(dots + 2));
}

std::string footprint_word(const std::string& text) {
    if (!parse_footprints(text))
        throw UsageError(
            fmt::format("--footprint '{}': name a range that ascends, as 4KiB..1GiB, 64KiB.. or ..1GiB, or a list, as "
                        "4KiB,1MiB,1GiB; units are B, KiB, MiB, GiB, TiB, KB, MB, GB, TB",
                text));
    return rewritten(text, [](char c) { return c == ',' ? '+' : c; });
}

Options without_footprint(const Options& options) {
    Options rest;
    for (const auto& [name, word] : options)
        if (name != option::footprint.name) rest.set({name}, word);
    return rest;
}

bool is_plain(const Options& options) { return options.empty() || option::footprint.alone(options); }

bool is_alone(const OptionName& name, const Options& options) { return name.alone(without_footprint(options)); }

} // namespace sonde
