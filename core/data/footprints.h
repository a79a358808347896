// Footprints that a person asks for, in place of those that a sweep takes by itself.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/data/option.h"

namespace sonde {

/// A range, within which a sweep chooses, or a list, of which it takes all.
struct Footprints {
    std::uint64_t least = 1, most = UINT64_MAX; // bytes
    std::vector<std::uint64_t> sizes{};         // of a list, ascending

    bool holds(std::uint64_t bytes) const;
    /// "4 KiB to 1 GiB", "4 KiB, 1 MiB and 1 GiB"
    std::string text() const;
};

/// "4KiB..1GiB", "64KiB..", "..1GiB", "4KiB,1MiB,1GiB", the last also as "4KiB+1MiB+1GiB": sizes in B, KiB, MiB, GiB,
/// TiB (1024), or KB, MB, GB, TB (1000). nullopt: it is none.
std::optional<Footprints> parse_footprints(const std::string& text);
/// The word that an option has for them: a list with + in place of commas, which stand between values of options.
/// Throws UsageError for a text that is none, with what is.
std::string footprint_word(const std::string& text);

namespace option {
inline const Setting<Footprints> footprint{"footprint",
    "a range (4KiB..1GiB, 64KiB.., ..1GiB) or a list (4KiB+1MiB+1GiB) of footprints; of a list each is measured",
    parse_footprints};
} // namespace option

/// The same but for the footprints: what is measured at each footprint is the same.
Options without_footprint(const Options&);
/// Whether nothing was asked for besides them.
bool is_plain(const Options&);
/// Whether that option, and nothing else besides them.
bool is_alone(const OptionName&, const Options&);

} // namespace sonde
