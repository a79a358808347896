// Series that a probe would have measured, made up or on a modelled card, and what the probe says of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/data/finding.h"
#include "core/data/shared_options.h"
#include "core/probes/probe.h"
#include "tests/model/model_device.h"
#include "tests/says.h"

namespace sonde {

inline constexpr std::uint64_t kMiB = 1 << 20, kGiB = 1ull << 30;

inline Series made(
    const char* probe, const char* path, const Options& options, const std::vector<std::pair<double, double>>& points) {
    Series series{.id = {probe, "a:0", path, options}, .unit = "ns"};
    for (const auto& [x, value] : points) series.points.push_back({.x = x, .median = value, .samples = {}});
    return series;
}

/// A card without noise, whose operation takes 6 cycles, 48 of them a cycle and core.
inline CardModel computing_card() {
    CardModel card = model_cards().front();
    card.noise = 0;
    card.operation.cycles = 6;
    card.operation.per_cycle = 48;
    return card;
}

/// The text of its only finding.
inline std::string said(const Series& series, const DeviceInfo& device = {}) {
    const auto findings = probe_named(series.id.probe).findings(series, device);
    return findings.size() == 1 ? findings[0].text : fmt::format("{} findings", findings.size());
}

/// Its only finding.
inline Finding only_finding(const Series& series, const DeviceInfo& device = {}) {
    const auto findings = probe_named(series.id.probe).findings(series, device);
    REQUIRE(findings.size() == 1);
    return findings[0];
}

inline bool has_row(const Finding& finding, std::string_view place) {
    return std::ranges::count(finding.rows, place, &FindingRow::place) > 0;
}

/// Of all of its numbers.
inline std::vector<double> numbers_of(const Finding& finding) {
    std::vector<double> numbers;
    for (const FindingRow& row : finding.rows) numbers.push_back(row.value.value());
    return numbers;
}

/// The only one of its numbers at that place.
inline FindingRow row_at(const Finding& finding, std::string_view place) {
    CAPTURE(place);
    REQUIRE(std::ranges::count(finding.rows, place, &FindingRow::place) == 1);
    return *std::ranges::find(finding.rows, place, &FindingRow::place);
}
inline double number_at(const Finding& finding, std::string_view place) { return row_at(finding, place).value.value(); }
inline std::string text_at(const Finding& finding, std::string_view place) { return row_at(finding, place).text; }

inline std::string said_of(const std::string& probe, const Options& options,
    const std::vector<std::pair<double, double>>& points, double* value = nullptr) {
    Series series = made(probe.c_str(), "global", options, points);
    series.unit = probe_named(probe).unit;
    const auto found = findings_of(probe_named(probe), series, {});
    REQUIRE(found.size() == 1);
    if (value) *value = *found[0].value;
    return found[0].text;
}

inline CardModel card_with(const std::string& name) {
    CardModel card = model_card(name);
    card.memory_bytes = 256 << 20;
    card.noise = 0.002;
    return card;
}

/// A card small and quick to simulate.
inline CardModel small_card(const std::string& name, std::uint64_t memory_bytes = 64 << 20) {
    CardModel card = model_card(name);
    card.memory_bytes = memory_bytes;
    card.noise = 0.003;
    card.drift = 0.001;
    return card;
}

inline std::vector<Finding> findings_of(const Series& series) {
    return probe_named(series.id.probe).findings(series, {});
}

inline const Point& last_point(const Series& series) { return series.points.back(); }

inline double at(const Series& series, double x) {
    for (const Point& point : series.points)
        if (point.x == x) return point.median.value_or(0);
    return 0;
}

/// Of blocks, two pairs each.
inline Point of_blocks(double x, const std::vector<std::vector<double>>& rates) {
    Point point{.x = x, .samples = {}};
    for (std::size_t block = 0; block < rates.size(); ++block)
        for (const double rate : rates[block])
            point.samples.push_back({.block = static_cast<int>(block), .steps = 0, .host_ns = 0}),
                point.samples.push_back({.block = static_cast<int>(block), .steps = rate * 1e6, .host_ns = 1e6});
    summarize(point, Measure::steps_per_time, Timer::host, false);
    return point;
}

} // namespace sonde
