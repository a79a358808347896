// The thread that samples, and what becomes of its samples.
#include "core/measure/telemetry_sampler.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "core/base/process.h"
#include "core/base/statistics.h"
#include "core/base/system.h"

namespace sonde {

namespace {
/// Ten times in a second: a query takes a driver some dozens of microseconds, so that is a thousandth of one core's
/// time.
constexpr auto kBetweenSamples = std::chrono::milliseconds(100);

/// Adds those that are not of this run, each once with its highest share.
void add_others(std::optional<std::vector<CardUser>>& asked, const std::vector<CardUser>& users) {
    std::vector<CardUser>& others = asked ? *asked : asked.emplace();
    for (const CardUser& user : users) {
        if (!is_of_another_run(user.pid)) continue;
        const auto known =
            std::find_if(others.begin(), others.end(), [&](const CardUser& each) { return each.pid == user.pid; });
        if (known == others.end()) others.push_back(user);
        else known->busy_percent = std::max(known->busy_percent, user.busy_percent);
    }
}
constexpr std::size_t kSamplesOfPoint = 5;
using Taken = TelemetrySampler::Taken;

/// Of samples that lie between a point's first and last; nullopt: no counter of energy.
std::optional<double> energy_watts(const Taken& first, const Taken& last) {
    const double joules = last.sample.energy_joules.value_or(0) - first.sample.energy_joules.value_or(0),
                 seconds = last.seconds - first.seconds;
    return joules > 0 && seconds > 0 ? std::optional(joules / seconds) : std::nullopt;
}

/// Each number that samples have, by what `of` makes of all its values.
template <class Number, class Of> void summarise(std::span<const Taken> samples, CardNumbers<Number>& into, Of of) {
    for (std::size_t field = 0; field < CardSample::members.size(); ++field) {
        std::vector<double> values;
        for (const Taken& each : samples)
            if (const auto& value = each.sample.*CardSample::members[field]) values.push_back(*value);
        if (!values.empty()) into.*CardNumbers<Number>::members[field] = of(values);
    }
}

std::vector<CardAtPoint> medians_by_x(
    std::span<const Taken> samples, const std::vector<std::pair<double, std::size_t>>& points) {
    std::vector<CardAtPoint> medians;
    std::size_t begin = 0;
    for (const auto& [x, end] : points) {
        const auto own = samples.subspan(begin, end - begin);
        begin = end;
        if (own.size() < kSamplesOfPoint) continue;
        CardAtPoint& point = medians.emplace_back();
        point.x = x, point.energy_watts = energy_watts(own.front(), own.back());
        summarise(own, point, [](const std::vector<double>& values) { return median(values); });
    }
    return medians;
}
} // namespace

TelemetrySampler::TelemetrySampler(std::span<const OpenTelemetry> sources, const DeviceInfo& info) {
    for (const OpenTelemetry open : sources) {
        OpenedTelemetry opened = open(info);
        telemetry_ = std::move(opened.telemetry);
        if (telemetry_) break;
        told_.absent.all += fmt::format("{}{}", told_.absent.all.empty() ? "" : "; ", opened.absent);
    }
    if (!telemetry_) {
        if (told_.absent.all.empty()) told_.absent.all = "no source of telemetry is asked";
        return;
    }
    told_ = {.source = telemetry_->source()};
    told_.before = telemetry_->now(&told_.absent.by_field);
    told_.state = telemetry_->state(told_.absent.by_field);
    add_others(told_.others, telemetry_->users());
    thread_ = std::jthread([this](const std::stop_token& stop) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any sleep;
        // By the wall clock: waiting by a steady one needs glibc 2.30. Where it is set back meanwhile, samples are
        // missing and nothing else.
        while (!sleep.wait_until(
            lock, stop, std::chrono::system_clock::now() + kBetweenSamples, [&] { return stop.stop_requested(); })) {
            Taken taken{telemetry_->now(), steady_seconds()};
            const std::scoped_lock guard(mutex_);
            samples_.push_back(std::move(taken));
        }
    });
}

void TelemetrySampler::point_measured(double x) {
    const std::scoped_lock guard(mutex_);
    points_.emplace_back(x, samples_.size());
}

TelemetryEvidence TelemetrySampler::finish() {
    if (!telemetry_) return told_;
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    std::set<std::string> reasons;
    for (const Taken& each : samples_)
        if (const auto& named = each.sample.throttled_by) {
            reasons.insert(named->begin(), named->end());
            for (const std::string& reason : *named) ++told_.during.throttled_samples[reason];
        }
    told_.during.samples = samples_.size();
    told_.during.throttled_by.assign(reasons.begin(), reasons.end());
    summarise(samples_, told_.during, [](const std::vector<double>& values) {
        return NumberRange{std::ranges::min(values), median(values), std::ranges::max(values)};
    });
    told_.by_x = medians_by_x(samples_, points_);
    add_others(told_.others, telemetry_->users());
    told_.after = telemetry_->now();
    AbsentFields told_before;
    told_.state_after = telemetry_->state(told_before);
    if (told_.state_after == told_.state) told_.state_after = {};
    return told_;
}

} // namespace sonde
