// The core's clock around and during a series: busy work raises it, the kernel's counter measures it, and
// evidence.clock keeps it.
#include "core/measure/bench.h"

#include <algorithm>
#include <utility>

namespace sonde {

namespace {
constexpr double kWakeSeconds = 0.2;
constexpr double kAwakeSeconds = 0.2;   // after the last series
constexpr double kRouseSeconds = 0.005; // of a card that is awake
constexpr double kMostWaking = 1;       // seconds, unless the clock still rises
constexpr double kRises = 1.01;         // times, from one look to the next
constexpr double kDropped = 0.97;       // of the clock that is known: below it power saving is measured
} // namespace

Sample Bench::spin(std::uint32_t rounds, bool alone) {
    const std::uint32_t args[] = {rounds, request.seed};
    const Launch launch{.kernel = *spinner_, .out = *spun_, .args = args, .groups = alone ? 1 : spinning_.groups};
    const Timing timing = device.run({&launch, 1})[0];
    return {.steps = static_cast<double>(rounds),
        .host_ns = timing.host_ns,
        .device_ns = timing.device_ns,
        .cycles = alone ? clock_difference(info, read_words(*spun_, 4)) : std::nullopt};
}

void Bench::wake_clocks() {
    spinner_ = helper_kernel("spin");
    spinning_ = helper_shape(std::uint64_t{info.cores} * 4096 + 4096);
    spun_ = allocate_result(4 + std::size_t{spinning_.group_size} * spinning_.groups);
    step("wake the clocks");
    spin_for(still_awake() ? kRouseSeconds : kWakeSeconds);
    note_clock(&ClockEvidence::before_mhz);
    if (clock_dropped()) {
        wake_again();
        note_clock(&ClockEvidence::before_mhz);
    }
}

bool Bench::still_awake() const {
    // By this API, or by another whose series ended when this one was asked for.
    return history_.last_busy &&
           std::min(device.now() - *history_.last_busy, request.card_idle_seconds) < kAwakeSeconds;
}

void Bench::wake_again() {
    if (!spinner_) return;
    const double begin = device.now();
    double before = 0, now = 0;
    do {
        before = now;
        spin_for(kWakeSeconds / 2);
        if (!clock_dropped()) break;
        now = clock_mhz().value_or(0);
    } while (now > kRises * before || device.now() - begin < kMostWaking);
    history_.awake_mhz = clock_mhz().value_or(0); // lower than before where the card holds it down
}

bool Bench::clock_dropped() {
    const auto dropped = [&](std::optional<double> mhz) { return mhz && *mhz < kDropped * history_.awake_mhz; };
    return dropped(clock_mhz(1, 1024)) && dropped(clock_mhz()); // a glance, which may be wrong, and a longer look
}

void Bench::spin_for(double seconds) {
    std::uint32_t rounds = 64;
    const double begin = device.now();
    while (device.now() - begin < seconds)
        if (primary_ns(spin(rounds)) < 4e6 && rounds < 32768) rounds *= 2;
}

std::optional<double> Bench::clock_mhz(int pairs, std::uint32_t rounds) {
    if (!info.core_cycles || !spinner_) return std::nullopt;
    Point point;
    for (int pair = 0; pair < pairs; ++pair)
        for (const std::uint32_t each : {rounds / 16, rounds}) point.samples.push_back(spin(each, true));
    const bool device_time = point.samples[0].device_ns.has_value();
    summarize(point, Measure::time_per_step, device_time ? Timer::device : Timer::host, true);
    return point.clock_mhz;
}

void Bench::note_clock(std::optional<double> ClockEvidence::*when) {
    try {
        const auto mhz = clock_mhz();
        if (!mhz) return;
        evidence.clock.value().*when = mhz;
        history_.awake_mhz = std::max(history_.awake_mhz, *mhz);
    } catch (const TimeOver&) { // of the run, whose last series then has no clock after it
    }
}

void Bench::note_end() {
    if (std::exchange(end_noted_, true)) return;
    note_clock(&ClockEvidence::after_mhz);
    history_.last_busy = device.now();
}

std::optional<double> clock_difference(const DeviceInfo& info, std::span<const std::uint32_t> words) {
    if (info.clock.empty()) return std::nullopt;
    const std::uint64_t begin = words[0] | std::uint64_t{words[1]} << 32,
                        end = words[2] | std::uint64_t{words[3]} << 32;
    return static_cast<double>(end - begin);
}

std::optional<double> longest_clock_difference(
    const DeviceInfo& info, std::span<const std::uint32_t> words, std::size_t group_words) {
    std::optional<double> longest;
    for (std::size_t at = 0; at < words.size(); at += group_words)
        longest = std::max(longest, clock_difference(info, words.subspan(at)));
    return longest;
}

} // namespace sonde
