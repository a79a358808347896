// The thread that samples, and what becomes of its samples.
#include "core/measure/telemetry_sampler.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "core/base/process.h"
#include "core/base/statistics.h"
#include "core/base/system.h"

namespace sonde {

namespace {
/// Ten times in a second: a query takes a driver some dozens of microseconds, so that is a thousandth of one core's time.
constexpr auto kBetweenSamples = std::chrono::milliseconds(100);

/// Adds those that are not of this run, each once with its highest share.
void add_others(std::vector<CardUser>& others, const std::vector<CardUser>& users) {
    for (const CardUser& user : users) {
        if (!is_of_another_run(user.pid)) continue;
        const auto known = std::find_if(others.begin(), others.end(), [&](const CardUser& each) { return each.pid == user.pid; });
        if (known == others.end()) others.push_back(user);
        else known->busy_percent = std::max(known->busy_percent, user.busy_percent);
    }
}
constexpr std::size_t kSamplesOfPoint = 5;
constexpr const char *kEnergy = "energy_joules", *kTaken = "taken_seconds"; // fields of a sample: of the instruments, and when it was taken

/// Of samples that lie between a point's first and last; nullopt: no counter of energy.
std::optional<double> energy_watts(std::span<const Json> samples) {
    const auto number = [](const Json& sample, const char* field) { return sample.value(field, 0.0); };
    const double joules = number(samples.back(), kEnergy) - number(samples.front(), kEnergy), seconds = number(samples.back(), kTaken) - number(samples.front(), kTaken);
    return joules > 0 && seconds > 0 ? std::optional(joules / seconds) : std::nullopt;
}

std::map<std::string, std::vector<double>> values_by_field(std::span<const Json> samples) {
    std::map<std::string, std::vector<double>> values;
    for (const Json& sample : samples)
        for (const auto& [name, value] : sample.items())
            if (value.is_number() && name != kTaken) values[name].push_back(value);
    return values;
}

Json medians_by_x(std::span<const Json> samples, const std::vector<std::pair<double, std::size_t>>& points) {
    Json medians = Json::array();
    std::size_t begin = 0;
    for (const auto& [x, end] : points) {
        const std::size_t taken = end - std::exchange(begin, end);
        if (taken < kSamplesOfPoint) continue;
        Json point = {{"x", x}};
        const auto own = samples.subspan(end - taken, taken);
        for (const auto& [name, all] : values_by_field(own)) point[name] = median(all);
        if (const auto watts = energy_watts(own)) point["energy_watts"] = *watts;
        medians.push_back(std::move(point));
    }
    return medians;
}
} // namespace

TelemetrySampler::TelemetrySampler(std::span<const OpenTelemetry> sources, const DeviceInfo& info) {
    for (const OpenTelemetry open : sources) {
        OpenedTelemetry opened = open(info);
        telemetry_ = std::move(opened.telemetry);
        if (telemetry_) break;
        why_absent_ += fmt::format("{}{}", why_absent_.empty() ? "" : "; ", opened.absent);
    }
    if (!telemetry_) {
        if (why_absent_.empty()) why_absent_ = "no source of telemetry is asked";
        return;
    }
    before_ = telemetry_->now(&absent_);
    state_ = telemetry_->state(absent_);
    add_others(others_, telemetry_->users());
    thread_ = std::jthread([this](const std::stop_token& stop) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any sleep;
        // By the wall clock: waiting by a steady one needs glibc 2.30. Where it is set back meanwhile, samples are missing and nothing else.
        while (!sleep.wait_until(lock, stop, std::chrono::system_clock::now() + kBetweenSamples, [&] { return stop.stop_requested(); })) {
            Json now = telemetry_->now();
            now[kTaken] = steady_seconds();
            const std::scoped_lock guard(mutex_);
            samples_.push_back(std::move(now));
        }
    });
}

void TelemetrySampler::point_measured(double x) {
    const std::scoped_lock guard(mutex_);
    points_.emplace_back(x, samples_.size());
}

Json TelemetrySampler::finish() {
    if (!telemetry_) return {{"absent", why_absent_}};
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    std::set<std::string> reasons;
    for (const Json& sample : samples_)
        for (const auto& [name, value] : sample.items())
            if (value.is_array())
                for (const Json& reason : value) reasons.insert(reason.get<std::string>());
    Json during = {{"samples", samples_.size()}};
    for (const auto& [name, all] : values_by_field(samples_))
        during[name] = {{"low", *std::min_element(all.begin(), all.end())}, {"median", median(all)}, {"high", *std::max_element(all.begin(), all.end())}};
    if (!reasons.empty()) during["throttled_by"] = reasons;
    add_others(others_, telemetry_->users());
    Json told = {{"source", telemetry_->source()}, {"before", before_}, {"during", std::move(during)}, {"after", telemetry_->now()}, {"state", state_}, {"others", others_}, {"absent", absent_}};
    if (Json points = medians_by_x(samples_, points_); !points.empty()) told["by_x"] = std::move(points);
    return told;
}

} // namespace sonde
