// Words stand in the order of their addresses, also those on lines of their own: an instruction's second word, or the
// control word of a group.
#include "backends/nvidia_encodings.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sonde::nvidia {

namespace {
constexpr std::size_t kWordBytes = 8;
constexpr std::uint64_t kMostAddress = 1 << 24; // of a kernel's code

/// The word at the end of a line, which is cut off there: "/* 0x000fc80000000004 */".
std::optional<std::uint64_t> take_word(std::string_view& line) {
    constexpr std::string_view kBegin = "/* 0x", kEnd = " */";
    const std::size_t begin = line.rfind(kBegin), digits = begin + kBegin.size();
    if (begin == line.npos) return std::nullopt;
    std::uint64_t word = 0;
    const auto [end, error] = std::from_chars(line.data() + digits, line.data() + line.size(), word, 16);
    if (error != std::errc() || end != line.data() + digits + 2 * kWordBytes ||
        !std::string_view(end, line.data() + line.size()).starts_with(kEnd))
        return std::nullopt;
    line = line.substr(0, begin);
    line = line.substr(0, line.find_last_not_of(" \t") + 1);
    return word;
}

/// "/*0090*/" in front of an instruction.
std::optional<std::uint64_t> address_of(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos || !line.substr(begin).starts_with("/*")) return std::nullopt;
    std::uint64_t address = 0;
    const auto [end, error] = std::from_chars(line.data() + begin + 2, line.data() + line.size(), address, 16);
    return error == std::errc() && std::string_view(end, line.data() + line.size()).starts_with("*/")
               ? std::optional(address)
               : std::nullopt;
}
} // namespace

Listing without_encodings(std::string_view disassembly) {
    Listing listing{"sass", ""};
    std::vector<std::uint64_t> words;
    std::optional<std::uint64_t> first; // address of the first word
    bool of_one_function = true;
    while (!disassembly.empty()) {
        const std::size_t end = std::min(disassembly.find('\n'), disassembly.size() - 1) + 1;
        std::string_view line = disassembly.substr(0, end);
        disassembly.remove_prefix(end);
        const auto word = take_word(line);
        if (!word) {
            listing.text += line;
            continue;
        }
        if (const auto address = address_of(line)) {
            const std::uint64_t from = *address - kWordBytes * words.size();
            of_one_function &= *address < kMostAddress && from == first.value_or(from);
            first = first.value_or(from);
        }
        words.push_back(*word);
        if (!line.empty()) listing.text += fmt::format("{}\n", line);
    }
    if (!of_one_function || !first || *first > kMostAddress) return listing;
    listing.words.assign(*first / kWordBytes, 0);
    listing.words.insert(listing.words.end(), words.begin(), words.end());
    return listing;
}

} // namespace sonde::nvidia
