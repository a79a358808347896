// Numbers are judged one by one, signs by a table.
#include "core/diagnosis/health.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/diagnosis/rules.h"

namespace sonde {

std::span<const char* const> enum_names(JudgedBy) {
    static constexpr std::array kNames{"recorded", "equal cards", "documented"};
    return kNames;
}
std::span<const char* const> enum_names(SignKind) {
    static constexpr std::array kNames{"throttled", "ecc_corrected", "ecc_uncorrected", "link_generation", "link_lanes",
        "power_limit", "clock_setting", "clock_below", "failed", "unstable"};
    return kNames;
}
std::span<const char* const> enum_names(HealthState) {
    static constexpr std::array kNames{"ok", "slow", "faulty", "unjudged", "void"};
    return kNames;
}

namespace {
/// A sentence for each sign; {what}, {value} and {best} are the sign's.
struct SignWords {
    SignKind kind;
    const char* text;
};
constexpr SignWords kSignWords[] = {{SignKind::throttled, "throttled by {what} in {value:.0f} % of samples"},
    {SignKind::ecc_corrected, "{value:g} more corrected ECC errors"},
    {SignKind::ecc_uncorrected, "{value:g} more uncorrected ECC errors"},
    {SignKind::link_generation, "PCIe generation {value:g}, at best {best:g}"},
    {SignKind::link_lanes, "PCIe x{value:g}, at best x{best:g}"},
    {SignKind::power_limit, "power limit {value:g} W, by default {best:g} W"},
    {SignKind::clock_setting, "core clock set to {value:g} MHz, by default {best:g} MHz"},
    {SignKind::clock_below, "core clock {value:g} MHz under load, set to {best:g} MHz"},
    {SignKind::failed, "failed: {what}"}, {SignKind::unstable, "in doubt: {what}"}};

/// What holds clocks back, as drivers name it, and whether a healthy card's load may do so.
struct ThrottleWord {
    std::string_view word;
    bool bad;
};
constexpr ThrottleWord kThrottleWords[] = {{"power cap", false}, {"application clocks", false}, {"temperature", true},
    {"hardware slowdown", true}, {"hardware temperature", true}, {"power brake", true}};

/// Of the same number through the same API.
std::vector<double> values_of(const HealthNumber& number, const HealthValues& all) {
    const auto found = all.find(key_of(number));
    return found == all.end() ? std::vector<double>() : found->second;
}

/// What share of the reference a value is, so that less than 1 is worse.
double share_of(const HealthNumber& number, double value, double reference) {
    return number.row->more ? value / reference : reference / value;
}

std::optional<Judgement> judged(const HealthNumber& number, const GoodNumbers& good) {
    const double tolerance = number.tolerance(good.tolerance);
    if (const auto values = values_of(number, good.recorded); !values.empty()) {
        const double middle = median(values);
        double spread = 0;
        for (const double value : values) spread = std::max(spread, 1 - share_of(number, value, middle));
        return Judgement{JudgedBy::recorded, values.size(), middle, share_of(number, number.value.value, middle),
            1 - std::max(tolerance, spread)};
    }
    if (const auto values = values_of(number, good.equal); !values.empty()) {
        const double middle = median(values);
        return Judgement{
            JudgedBy::equal_cards, values.size(), middle, share_of(number, number.value.value, middle), 1 - tolerance};
    }
    if (number.peak > 0 && number.row->of_peak > 0)
        return Judgement{JudgedBy::documented, 1, number.peak, share_of(number, number.value.value, number.peak),
            number.row->of_peak};
    return std::nullopt;
}

void add_throttling(const Card& card, std::vector<HealthSign>& signs) {
    std::map<std::string, double> named;
    double samples = 0;
    for (const Curve& curve : card.curves) {
        const CardDuring& during = curve.series->evidence.telemetry.during;
        samples += static_cast<double>(during.samples);
        for (const auto& [word, count] : during.throttled_samples) named[word] += count;
    }
    for (const ThrottleWord& each : kThrottleWords)
        if (const auto found = named.find(std::string(each.word)); found != named.end() && samples > 0)
            signs.push_back({SignKind::throttled, found->first, 100 * found->second / samples, 0, each.bad});
}

/// A number of the card's state before and behind each of its series, in their order.
std::vector<double> states(const Card& card, std::optional<double> CardState::*number) {
    std::vector<std::pair<std::size_t, double>> by_line;
    for (const Curve& curve : card.curves) {
        const TelemetryEvidence& told = curve.series->evidence.telemetry;
        for (const CardState* state : {&told.state, &told.last_state()})
            if (const auto value = state->*number) by_line.emplace_back(curve.series->line, *value);
    }
    std::ranges::stable_sort(by_line, {}, &std::pair<std::size_t, double>::first);
    std::vector<double> values;
    std::ranges::transform(by_line, std::back_inserter(values), &std::pair<std::size_t, double>::second);
    return values;
}

void add_states(const Card& card, std::vector<HealthSign>& signs) {
    for (const auto& [kind, number, bad] : {std::tuple{SignKind::ecc_corrected, &CardState::ecc_corrected, false},
             {SignKind::ecc_uncorrected, &CardState::ecc_uncorrected, true}})
        if (const auto counts = states(card, number); !counts.empty() && counts.back() > counts.front())
            signs.push_back({kind, "", counts.back() - counts.front(), 0, bad});
    // An idle link is slow to save power: the fastest state counts.
    for (const auto& [kind, number, best, bad] :
        {std::tuple{SignKind::link_generation, &CardState::pcie_generation, &CardState::pcie_best_generation, true},
            {SignKind::link_lanes, &CardState::pcie_width, &CardState::pcie_best_width, true},
            {SignKind::power_limit, &CardState::power_limit_watts, &CardState::power_default_watts, false},
            {SignKind::clock_setting, &CardState::application_mhz, &CardState::default_mhz, false}})
        if (const auto now = states(card, number), most = states(card, best); !now.empty() && !most.empty())
            if (std::ranges::max(now) < std::ranges::max(most))
                signs.push_back({kind, "", std::ranges::max(now), std::ranges::max(most), bad});
}

/// A clock that the longest load did not reach: a note, as the reason is another sign's.
void add_clock_below(const TelemetryEvidence* load, std::vector<HealthSign>& signs) {
    constexpr double kReached = 0.98; // of the setting: clocks move in steps of 15 MHz
    if (!load || !load->during.core_mhz || !load->state.application_mhz) return;
    const double counted = load->during.core_mhz->median, set = *load->state.application_mhz;
    if (counted < kReached * set) signs.push_back({SignKind::clock_below, "", counted, set, false});
}

/// A driver's message may take pages: the results file has all of it.
std::string beginning(const std::string& reason) {
    constexpr std::size_t kFew = 120;
    const std::string line = reason.substr(0, reason.find('\n'));
    return line.size() <= kFew ? line : line.substr(0, line.rfind(' ', kFew)) + " ...";
}

/// Series of the probes that numbers are of, which have no number to show.
void add_series(const Card& card, std::vector<HealthSign>& signs) {
    const std::set<std::string_view> judged{
        kLatency.name, kBandwidth.name, kRate.name, kMatrix.name, kSustained.name, kTransfer.name};
    for (const Curve& curve : card.curves) {
        const Series& series = *curve.series;
        if (!judged.contains(series.id.probe) || curve.disturbed) continue;
        const bool failed = series.status == Status::failed;
        if (failed || series.status == Status::unstable)
            signs.push_back({failed ? SignKind::failed : SignKind::unstable,
                fmt::format("{}: {}", series.id.text(), beginning(reason_text(series))), 0, 0, true});
    }
}

/// Whom others are, where the rule finds them: the busiest first.
std::vector<CardUser> users_of(const Card& card) {
    std::map<std::uint32_t, CardUser> users;
    for (const Curve& curve : card.curves)
        for (const CardUser& user : curve.series->evidence.telemetry.others.value_or(std::vector<CardUser>{}))
            if (CardUser& known = users[user.pid]; curve.disturbed)
                known = {user.pid, std::max(known.busy_percent, user.busy_percent)};
    std::vector<CardUser> all;
    for (const auto& [pid, user] : users)
        if (user.busy_percent.value_or(0) > 0) all.push_back(user);
    std::ranges::stable_sort(all, std::greater(), &CardUser::busy_percent);
    return all;
}

void take_telemetry(const Card& card, CardHealth& health) {
    std::size_t longest = 0, line = 0;
    for (const Curve& curve : card.curves) {
        const Series& series = *curve.series;
        const TelemetryEvidence& told = series.evidence.telemetry;
        if (told.source.empty()) continue;
        if (kSustained.measured(series.id) && told.during.samples > longest)
            longest = told.during.samples, health.load = &told;
        if (!health.last || series.line >= line) line = series.line, health.last = &told;
    }
}
} // namespace

std::string sign_text(const HealthSign& sign) {
    const auto words = std::ranges::find(kSignWords, sign.kind, &SignWords::kind);
    return fmt::format(fmt::runtime(words->text), fmt::arg("what", sign.what), fmt::arg("value", sign.value),
        fmt::arg("best", sign.best));
}

HealthKey key_of(const HealthNumber& number) { return {number.row, number.place, number.api}; }

void add(HealthValues& values, const HealthNumbers& numbers) {
    for (const HealthNumber& number : numbers) values[key_of(number)].push_back(number.value.value);
}

CardHealth health_of(const Card& card, const HealthNumbers& numbers, const GoodNumbers& good) {
    CardHealth health{.card = &card};
    take_telemetry(card, health);
    for (const HealthNumber& number : numbers) health.numbers.push_back({number, judged(number, good)});
    add_throttling(card, health.signs);
    add_states(card, health.signs);
    add_clock_below(health.load, health.signs);
    add_series(card, health.signs);
    std::stable_partition(health.signs.begin(), health.signs.end(), [](const HealthSign& sign) { return sign.bad; });
    Statements used;
    card_in_use.apply(card, used);
    if (!used.empty()) health.users = users_of(card);
    health.state =
        !used.empty()                                                     ? HealthState::in_use
        : std::ranges::any_of(health.numbers, &JudgedNumber::falls_short) ? HealthState::slow
        : std::ranges::any_of(health.signs, &HealthSign::bad)             ? HealthState::faulty
        : std::ranges::none_of(health.numbers, [](const JudgedNumber& number) { return number.judged.has_value(); })
            ? HealthState::unjudged
            : HealthState::ok;
    return health;
}

} // namespace sonde
