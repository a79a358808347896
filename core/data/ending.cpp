#include "core/data/ending.h"

#include <array>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/data/profile.h"
#include "core/data/series.h"

namespace sonde {

std::span<const char* const> enum_names(EndedBy) {
    static constexpr std::array kNames{"time", "memory", "reach", "device", "choice", "dispatch"};
    return kNames;
}

std::string ending_text(const Ending& ending, const AxisText& axis) {
    const std::string why = ending.by == EndedBy::time ? std::string(kTimeOver) : ending.why;
    const std::string before = !ending.before         ? ""
                               : axis.unit == "bytes" ? format_bytes(*ending.before)
                                                      : fmt::format("{} {:g}", axis.name, *ending.before);
    if (ending.done && ending.before)
        return fmt::format(
            "{} of {} blocks, the next ends before {}: {}", *ending.done, ending.of.value_or(0), before, why);
    if (ending.done) return fmt::format("ends after {} of {} turns: {}", *ending.done, ending.of.value_or(0), why);
    if (ending.before) return fmt::format("ends before {}: {}", before, why);
    return ending.bytes ? fmt::format("ends at {}: {}", format_bytes(*ending.bytes), why) : why;
}

} // namespace sonde
