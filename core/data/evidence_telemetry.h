// What a card's instruments reported around a series: clocks, power, temperature, throttling, other processes.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json_fwd.h"
#include "core/device/telemetry.h"

namespace sonde {

/// The least, the middle and the highest of many samples.
struct NumberRange {
    double low = 0, median = 0, high = 0;
    bool operator==(const NumberRange&) const = default;
};

/// What a card's instruments told while a series was measured.
struct CardDuring : CardNumbers<NumberRange> {
    std::size_t samples = 0;
    std::vector<std::string> throttled_by{};
    std::map<std::string, double> throttled_samples{}; // how many, by reason; none in files from before these were kept
};

/// Medians of the samples that were taken while one point was measured.
struct CardAtPoint : CardNumbers<double> {
    double x = 0;
    std::optional<double> energy_watts{};
};

/// What could not be read: in a file an object by fields, or one text where there are no instruments.
struct AbsentTelemetry {
    std::string all{};
    AbsentFields by_field{};
};

/// What a card's instruments told around a series.
struct TelemetryEvidence {
    std::string source{};
    CardSample before{}, after{};
    CardDuring during{};
    CardState state{}, state_after{}; // the second empty: the same, or in files from before it was asked
    const CardState& last_state() const { return state_after.empty() ? state : state_after; }
    std::optional<std::vector<CardUser>> others{}; // none: not asked, in files from before it was
    std::vector<CardAtPoint> by_x{};
    AbsentTelemetry absent{};
    bool empty() const { return source.empty() && absent.all.empty(); }
};
void to_json(Json&, const TelemetryEvidence&);
void from_json(const Json&, TelemetryEvidence&);

} // namespace sonde
