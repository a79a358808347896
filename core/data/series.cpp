// Series and their JSON form.
#include "core/data/series.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/statistics.h"

namespace sonde {

namespace {
constexpr std::array kStatusNames{"ok", "unsupported", "unstable", "failed"};

std::optional<double> number_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return std::nullopt;
    if (!found->is_number()) throw Error(fmt::format("'{}' is not a number", key));
    return found->get<double>();
}

template <class T> T required(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) throw Error(fmt::format("'{}' is missing", key));
    try {
        return found->get<T>();
    } catch (const Json::exception&) {
        throw Error(fmt::format("'{}' is of the wrong kind", key));
    }
}

Point point_from(const Json& object) {
    Point point{.x = required<double>(object, "x"),
                .median = number_at(object, "median"),
                .low = number_at(object, "low"),
                .high = number_at(object, "high"),
                .cycles = number_at(object, "cycles"),
                .clock_mhz = number_at(object, "clock_mhz"),
                .samples = {}};
    for (const Json& sample : required<Json>(object, "samples")) point.samples.push_back(sample_from(sample));
    return point;
}
} // namespace

const char* to_text(Status status) { return kStatusNames[static_cast<std::size_t>(status)]; }

std::optional<Status> status_of(std::string_view text) {
    for (std::size_t i = 0; i < kStatusNames.size(); ++i)
        if (text == kStatusNames[i]) return static_cast<Status>(i);
    return std::nullopt;
}

std::string options_text(const std::map<std::string, std::string>& options) {
    std::string text;
    for (const auto& [name, value] : options) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
    return text;
}

std::string SeriesId::text() const {
    return fmt::format("{} {} {}{}{}", probe, device, path, options.empty() ? "" : " ", options_text(options));
}

Json to_json(const Sample& sample) {
    return {{"block", sample.block},
            {"steps", sample.steps},
            {"host_ns", sample.host_ns},
            {"device_ns", number_or_null(sample.device_ns)},
            {"cycles", number_or_null(sample.cycles)}};
}

Sample sample_from(const Json& object) {
    return {required<int>(object, "block"), required<double>(object, "steps"), required<double>(object, "host_ns"),
            number_at(object, "device_ns"), number_at(object, "cycles")};
}

Json to_json(const Point& point) {
    Json samples = Json::array();
    for (const Sample& sample : point.samples) samples.push_back(to_json(sample));
    return {{"x", point.x},
            {"median", number_or_null(point.median)},
            {"low", number_or_null(point.low)},
            {"high", number_or_null(point.high)},
            {"cycles", number_or_null(point.cycles)},
            {"clock_mhz", number_or_null(point.clock_mhz)},
            {"samples", std::move(samples)}};
}

Json to_json(const Series& series) {
    Json points = Json::array();
    for (const Point& point : series.points) points.push_back(to_json(point));
    return {{"type", "series"},
            {"probe", series.id.probe},
            {"device", series.id.device},
            {"api", series.api},
            {"card", series.card},
            {"path", series.id.path},
            {"options", series.id.options},
            {"status", to_text(series.status)},
            {"reason", series.reason},
            {"x", {{"name", series.x_name}, {"unit", series.x_unit}}},
            {"unit", series.unit},
            {"points", std::move(points)},
            {"evidence", series.evidence}};
}

Series series_from(const Json& object) {
    Series series;
    series.id = {required<std::string>(object, "probe"), required<std::string>(object, "device"), required<std::string>(object, "path"),
                 required<std::map<std::string, std::string>>(object, "options")};
    series.api = required<std::string>(object, "api");
    series.card = required<std::string>(object, "card");
    const auto status = status_of(required<std::string>(object, "status"));
    if (!status) throw Error("'status' is none of ok, unsupported, unstable, failed");
    series.status = *status;
    series.reason = required<std::string>(object, "reason");
    const auto x = required<Json>(object, "x");
    series.x_name = required<std::string>(x, "name");
    series.x_unit = required<std::string>(x, "unit");
    series.unit = required<std::string>(object, "unit");
    for (const Json& point : required<Json>(object, "points")) series.points.push_back(point_from(point));
    series.evidence = required<Json>(object, "evidence");
    return series;
}

namespace {
template <class Read> std::vector<double> slopes(const std::vector<Sample>& samples, const Read& read) {
    std::vector<double> result;
    for (std::size_t i = 0; i + 1 < samples.size(); i += 2) {
        const std::optional<double> before = read(samples[i]), after = read(samples[i + 1]);
        const double steps = samples[i + 1].steps - samples[i].steps;
        if (!before || !after || !(steps > 0)) continue;
        const double slope = (*after - *before) / steps;
        if (slope > 0) result.push_back(slope);
    }
    return result;
}
} // namespace

std::vector<double> slopes_ns(const std::vector<Sample>& samples, Timer timer) {
    return slopes(samples, [&](const Sample& sample) { return timer == Timer::host ? std::optional(sample.host_ns) : sample.device_ns; });
}

std::vector<double> slopes_cycles(const std::vector<Sample>& samples) {
    return slopes(samples, [](const Sample& sample) { return sample.cycles; });
}

void summarize(Point& point, Measure measure, Timer timer, bool core_cycles) {
    std::vector<double> ns = slopes_ns(point.samples, timer);
    point.median = point.low = point.high = point.cycles = point.clock_mhz = std::nullopt;
    if (ns.empty()) return;
    const double typical_ns = median(ns);
    if (core_cycles) {
        const std::vector<double> cycles = slopes_cycles(point.samples);
        if (!cycles.empty()) {
            point.cycles = median(cycles);
            point.clock_mhz = *point.cycles / typical_ns * 1000.0;
        }
    }
    if (measure == Measure::steps_per_time)
        for (double& value : ns) value = 1.0 / value; // bytes per ns is GB/s
    point.median = median(ns);
    point.low = quantile(ns, 0.25);
    point.high = quantile(ns, 0.75);
}

void take_samples(Series& series, double x, const std::vector<Sample>& samples) {
    auto point = std::find_if(series.points.begin(), series.points.end(), [&](const Point& candidate) { return candidate.x >= x; });
    if (point == series.points.end() || point->x > x) point = series.points.insert(point, Point{.x = x});
    point->samples.insert(point->samples.end(), samples.begin(), samples.end());
}

} // namespace sonde
