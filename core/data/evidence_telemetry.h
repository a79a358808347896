// What a card's instruments reported around a series: clocks, power, temperature, throttling, other processes.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/fields.h"
#include "core/device/telemetry.h"

namespace sonde {

/// The least, the middle and the highest of many samples.
struct NumberRange {
    double low = 0, median = 0, high = 0;
    bool operator==(const NumberRange&) const = default;
    static constexpr auto fields = std::tuple{Field{"low", &NumberRange::low, "the least"},
        Field{"median", &NumberRange::median, "of all"}, Field{"high", &NumberRange::high, "the highest"}};
};

/// What a card's instruments told while a series was measured.
struct CardDuring : CardNumbers<NumberRange> {
    std::size_t samples = 0;
    std::vector<std::string> throttled_by{};
    static constexpr auto fields = std::tuple_cat(
        std::tuple{Field{"samples", &CardDuring::samples, "how many", "", Presence::lenient}}, CardNumbers::fields,
        std::tuple{where_known("throttled_by", &CardDuring::throttled_by, "what held the clocks back in any of them")});
};

/// Medians of the samples that were taken while one point was measured.
struct CardAtPoint : CardNumbers<double> {
    double x = 0;
    std::optional<double> energy_watts{};
    static constexpr auto fields =
        std::tuple_cat(std::tuple{Field{"x", &CardAtPoint::x, "the point"}}, CardNumbers::fields,
            std::tuple{where_known("energy_watts", &CardAtPoint::energy_watts, "W by the counter of energy")});
};

/// What could not be read: in a file an object by fields, or one text where there are no instruments.
struct AbsentTelemetry {
    std::string all{};
    AbsentFields by_field{};
};
inline void to_json(Json& json, const AbsentTelemetry& absent) {
    json = absent.all.empty() ? Json(absent.by_field) : Json(absent.all);
}
inline void from_json(const Json& json, AbsentTelemetry& absent) {
    if (json.is_string()) json.get_to(absent.all);
    else json.get_to(absent.by_field);
}

/// What a card's instruments told around a series.
struct TelemetryEvidence {
    std::string source{};
    CardSample before{}, after{};
    CardDuring during{};
    CardState state{};
    std::optional<std::vector<CardUser>> others{}; // none: not asked, in files from before it was
    std::vector<CardAtPoint> by_x{};
    AbsentTelemetry absent{};
    bool empty() const { return source.empty() && absent.all.empty(); }
    static constexpr auto fields = std::tuple{
        where_known("source", &TelemetryEvidence::source, "\"NVML\" or \"sysfs\"; none: there are no instruments"),
        where_known("before", &TelemetryEvidence::before, "the series"),
        Field{"during", &TelemetryEvidence::during, "the series", "", Presence::lenient},
        where_known("after", &TelemetryEvidence::after, "the series"),
        where_known("state", &TelemetryEvidence::state, "what seldom changes"),
        where_known(
            "others", &TelemetryEvidence::others, "processes of other programs that used the card before or after"),
        Field{"absent", &TelemetryEvidence::absent,
            "why fields could not be read, by field; a text: why there are no instruments",
            R"({"type": ["object", "string"]})", Presence::lenient},
        where_known("by_x", &TelemetryEvidence::by_x, "of points that lasted half a second or more")};
};

} // namespace sonde
