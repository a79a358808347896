// Results written before endings and doubts were facts say them in one sentence, which is taken apart here and nowhere
// else.
#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/data/doubt.h"
#include "core/data/profile.h"
#include "core/data/series.h"

namespace sonde {

namespace {
/// "26.5 MiB" in bytes.
std::optional<double> bytes_in(std::string_view text) {
    static constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    const std::size_t blank = text.find(' ');
    if (blank == text.npos) return std::nullopt;
    const auto number = number_of<double>(text.substr(0, blank));
    double size = 1;
    for (const std::string_view unit : kUnits) {
        if (number && text.substr(blank + 1) == unit) return *number * size;
        size *= 1024;
    }
    return std::nullopt;
}

/// "4 KiB" on an axis of bytes, else "stride 32".
std::optional<double> place_in(std::string_view text, const AxisText& axis) {
    return axis.unit == "bytes" ? bytes_in(text) : number_of<double>(text.substr(text.rfind(' ') + 1));
}

/// What follows `begin`; nullopt: the text begins otherwise.
std::optional<std::string_view> behind(std::string_view text, std::string_view begin) {
    return text.starts_with(begin) ? std::optional(text.substr(begin.size())) : std::nullopt;
}

/// Of a limit's name: what kind it is. Nothing depends on it but what a reader is told.
EndedBy limit_of(std::string_view why, EndedBy otherwise) {
    if (why == kTimeOver) return EndedBy::time;
    if (why == "half of the device's memory" || why == "three quarters of the memory") return EndedBy::memory;
    for (const std::string_view chosen : {"no core's", "in a short run", "the driver took", "a kernel may not"})
        if (why.starts_with(chosen)) return EndedBy::choice;
    return otherwise;
}

std::optional<Ending> ending_in(const std::string& text, const AxisText& axis) {
    if (text == kTimeOver) return Ending{.by = EndedBy::time};
    const std::size_t colon = text.find(": ");
    if (colon == text.npos) return std::nullopt;
    const std::string_view where = std::string_view(text).substr(0, colon),
                           why = std::string_view(text).substr(colon + 2);
    const auto ended = [&](EndedBy otherwise) {
        const EndedBy by = limit_of(why, otherwise);
        return Ending{.by = by, .why = by == EndedBy::time ? "" : std::string(why)};
    };
    std::uint32_t done = 0, of = 0;
    if (std::sscanf(text.c_str(), "ends after %u of %u turns:", &done, &of) == 2) {
        Ending ending = ended(EndedBy::choice);
        ending.done = done, ending.of = of;
        return ending;
    }
    static constexpr std::string_view kNext = " blocks, the next ends before ";
    if (const std::size_t next = where.find(kNext);
        next != where.npos && std::sscanf(text.c_str(), "%u of %u blocks", &done, &of) == 2) {
        Ending ending = ended(EndedBy::choice);
        ending.done = done, ending.of = of, ending.before = place_in(where.substr(next + kNext.size()), axis);
        return ending;
    }
    if (const auto place = behind(where, "ends before ")) {
        Ending ending = ended(EndedBy::device);
        ending.before = place_in(*place, axis);
        if (ending.before) return ending;
    }
    if (const auto place = behind(where, "ends at ")) {
        Ending ending = ended(EndedBy::reach);
        if (const auto bytes = bytes_in(*place)) {
            ending.bytes = static_cast<std::uint64_t>(*bytes);
            return ending;
        }
    }
    return std::nullopt;
}

std::optional<Doubt> doubt_in(const std::string& text, const Series& series) {
    double measured = 0, usual = 0;
    if (std::sscanf(text.c_str(), "the core ran at %lf MHz, below 90 %% of the %lf MHz", &measured, &usual) == 2)
        return Doubt{.kind = DoubtKind::low_clock, .measured = measured, .usual = usual};
    if (text.starts_with("the buffer landed in ")) return Doubt{.kind = DoubtKind::placement};
    if (std::sscanf(text.c_str(), "timers disagree: by the device's clock a launch takes %lf times", &measured) == 1)
        return Doubt{.kind = DoubtKind::device_timer, .measured = measured};
    if (std::sscanf(text.c_str(), "timers disagree: by the host's clock a step takes %lf times", &measured) == 1)
        return Doubt{.kind = DoubtKind::host_timer, .measured = measured};
    if (text.starts_with("another process uses this card") || text.starts_with("other processes use this card"))
        return Doubt{.kind = DoubtKind::other_processes};
    if (const std::size_t over = text.find(" ns a load over "), usually = text.find(", usually ");
        std::sscanf(text.c_str(), "the control measurement beside it took %lf ns a load", &measured) == 1 &&
        over != text.npos && usually != text.npos &&
        std::sscanf(text.c_str() + usually, ", usually %lf ns", &usual) == 1) {
        const std::size_t begin = over + std::string_view(" ns a load over ").size();
        return Doubt{.kind = DoubtKind::control,
            .measured = measured,
            .usual = usual,
            .bytes = bytes_in(std::string_view(text).substr(begin, usually - begin))};
    }
    if (text.find("of the samples are more than 30 %") != text.npos) return scatter_doubt(series);
    if (text.starts_with("steps that a longer dispatch adds take"))
        return Doubt{.kind = DoubtKind::interrupted, .measured = later_steps(series)};
    return std::nullopt;
}

bool is_of_scatter(std::string_view part) {
    return part.starts_with("cause unknown") || part.starts_with("those of each block agree");
}
} // namespace

void translate_reason(Series& series) {
    if (series.status == Status::unsupported || series.status == Status::failed) return;
    if (series.reason == series.evidence.none_seen) series.reason.clear();
    std::string left; // what none of these is
    const auto keep = [&](const std::string& part) { left += (left.empty() ? "" : "; ") + part; };
    for (std::string rest = std::move(series.reason); !rest.empty();) {
        if (auto ending = ending_in(rest, series.x)) { // always the last, and its reason may have any characters
            series.ending = std::move(ending);
            break;
        }
        const std::size_t end = rest.find("; ");
        const std::string part = rest.substr(0, end);
        rest = end == rest.npos ? "" : rest.substr(end + 2);
        if (auto doubt = doubt_in(part, series)) series.doubts.push_back(std::move(*doubt));
        else if (series.doubts.empty() || series.doubts.back().kind != DoubtKind::scatter || !is_of_scatter(part))
            keep(part);
    }
    series.reason = std::move(left);
}

} // namespace sonde
