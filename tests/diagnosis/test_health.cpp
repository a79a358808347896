// What makes a card ok, slow, faulty, unjudged or void: each number and each sign just within its limit and just
// beyond.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/diagnosis/health.h"
#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
constexpr double kPeak = 4800; // GB/s of DRAM

/// Latency and reads of three levels, whose DRAM is read at that rate (GB/s), and a series with instruments.
MadeUp card_with(double dram) {
    MadeUp card;
    card.device("a:0", 4 * kMiB, kPeak * 1e9);
    card.latency("a:0", "global", kThree, kEnd);
    card.bandwidth("a:0", "global", {{30000, 64 * kKiB}, {9000, 4 * kMiB}, {dram, kEnd}}, kEnd);
    for (int i = 0; i < 2; ++i) {
        Series& series = card.run.series[static_cast<std::size_t>(i)];
        series.line = static_cast<std::size_t>(2 + i);
        series.evidence.telemetry.source = "NVML";
        series.evidence.telemetry.during.samples = 10;
    }
    return card;
}
TelemetryEvidence& first_told(MadeUp& card) { return card.run.series[0].evidence.telemetry; }
/// A load of seconds that ran at a clock, on a card that is set to 1980 MHz.
void add_load(MadeUp& card, double mhz) {
    TelemetryEvidence& told = card.series("sustained", "a:0", "global", "Gop/s").evidence.telemetry;
    told.source = "NVML";
    told.during.samples = 100;
    told.during.core_mhz = NumberRange{mhz, mhz, mhz};
    told.state.application_mhz = 1980;
}
TelemetryEvidence& last_told(MadeUp& card) { return card.run.series[1].evidence.telemetry; }

HealthNumbers numbers_in(const MadeUp& made) {
    const auto cards = cards_of({&made.run, 1});
    REQUIRE(cards.size() == 1);
    return health_numbers(cards[0]);
}

/// `look` sees the card's health, which points into it.
void judged(const MadeUp& made, const GoodNumbers& good, const std::function<void(const CardHealth&)>& look) {
    const auto cards = cards_of({&made.run, 1});
    REQUIRE(cards.size() == 1);
    look(health_of(cards[0], health_numbers(cards[0]), good));
}
HealthState state_of(const MadeUp& made, const GoodNumbers& good = {}) {
    HealthState state{};
    judged(made, good, [&](const CardHealth& health) { state = health.state; });
    return state;
}
std::vector<std::string> short_in(const MadeUp& made, const GoodNumbers& good) {
    std::vector<std::string> names;
    judged(made, good, [&](const CardHealth& health) {
        for (const JudgedNumber& number : health.numbers)
            if (number.falls_short()) names.push_back(number.text());
    });
    return names;
}
GoodNumbers recorded_of(const std::vector<double>& rates, double tolerance = -1) {
    GoodNumbers good{.tolerance = tolerance};
    for (const double rate : rates) add(good.recorded, numbers_in(card_with(rate)));
    return good;
}
} // namespace

TEST_CASE(
    "a number falls short where it lies below the reference by more than its tolerance, and never by being better") {
    const GoodNumbers good = recorded_of({4600});
    CHECK(state_of(card_with(4600), good) == HealthState::ok);
    CHECK(state_of(card_with(4600 * 0.975), good) == HealthState::ok);
    CHECK(state_of(card_with(4600 * 0.965), good) == HealthState::slow);
    CHECK(short_in(card_with(4600 * 0.965), good) == std::vector<std::string>{"DRAM read"});
    CHECK(state_of(card_with(4600 * 1.2), good) == HealthState::ok);
    MadeUp late = card_with(4600);
    late.run.series.erase(late.run.series.begin());
    late.latency("a:0", "global", {{40, 64 * kKiB}, {200, 4 * kMiB}, {660, kEnd}}, kEnd);
    CHECK(short_in(late, good) == std::vector<std::string>{"DRAM latency"});
}

TEST_CASE("a tolerance that is asked for holds for all numbers, but never below the noise of recorded runs") {
    const MadeUp lower = card_with(4600 * 0.95);
    CHECK(state_of(lower, recorded_of({4600})) == HealthState::slow);
    CHECK(state_of(lower, recorded_of({4600}, 0.06)) == HealthState::ok);
    CHECK(state_of(card_with(4600 * 0.995), recorded_of({4600}, 0)) == HealthState::ok);
    for (const HealthNumber& number : numbers_in(lower)) {
        CHECK(number.tolerance(0) > 0);
        CHECK(number.tolerance(0.5) == 0.5);
    }
}

TEST_CASE("of several recordings the median counts, and what lies between them passes") {
    CHECK(state_of(card_with(4100), recorded_of({4600, 4600, 4000})) == HealthState::ok);
    CHECK(state_of(card_with(3900), recorded_of({4600, 4600, 4000})) == HealthState::slow);
}

TEST_CASE("recordings count before equal cards, these before documents, and without any of them nothing is judged") {
    const auto by = [](const MadeUp& made, const GoodNumbers& good) {
        std::optional<JudgedBy> told;
        judged(made, good, [&](const CardHealth& health) {
            for (const JudgedNumber& number : health.numbers)
                if (number.text() == "DRAM read" && number.judged) told = number.judged->by;
        });
        return told;
    };
    GoodNumbers both = recorded_of({4600});
    both.equal = both.recorded;
    CHECK(by(card_with(4600), both) == JudgedBy::recorded);
    CHECK(by(card_with(4600), {.equal = both.equal}) == JudgedBy::equal_cards);
    CHECK(by(card_with(4600), {}) == JudgedBy::documented);
    CHECK(state_of(card_with(4600)) == HealthState::ok);
    CHECK(state_of(card_with(0.79 * kPeak)) == HealthState::slow);
    MadeUp unknown = card_with(4600);
    unknown.run.devices[0].bus_bytes_per_second = 0;
    CHECK(state_of(unknown) == HealthState::unjudged);
}

TEST_CASE("numbers through another API, or of what is in doubt, are held against nothing") {
    HealthNumbers through_b = numbers_in(card_with(9000));
    for (HealthNumber& number : through_b) number.api = "b";
    GoodNumbers other;
    add(other.recorded, through_b);
    CHECK(state_of(card_with(4600), other) == HealthState::ok);
    MadeUp doubtful = card_with(3000);
    doubtful.run.series[1].status = Status::unstable;
    doubtful.run.series[1].doubts = {{.kind = DoubtKind::low_clock, .measured = 800, .usual = 1000}};
    CHECK(short_in(doubtful, recorded_of({4600})).empty());
    CHECK(state_of(doubtful, recorded_of({4600})) == HealthState::faulty);
}

TEST_CASE("what instruments say: each sign where it is, and none where all is well") {
    struct Row {
        SignKind kind;
        bool bad;
        void (*ill)(MadeUp&);
        void (*well)(MadeUp&);
    };
    const Row rows[] = {{SignKind::throttled, true,
                            [](MadeUp& card) {
                                first_told(card).during.throttled_samples = {{"temperature", 5}};
                            },
                            [](MadeUp& card) {
                                first_told(card).during.throttled_samples = {{"idle", 5}};
                            }},
        {SignKind::throttled, false,
            [](MadeUp& card) {
                first_told(card).during.throttled_samples = {{"power cap", 5}};
            },
            [](MadeUp&) {}},
        {SignKind::ecc_uncorrected, true,
            [](MadeUp& card) { first_told(card).state.ecc_uncorrected = 3, last_told(card).state.ecc_uncorrected = 4; },
            [](MadeUp& card) { first_told(card).state.ecc_uncorrected = last_told(card).state.ecc_uncorrected = 3; }},
        {SignKind::ecc_corrected, false,
            [](MadeUp& card) { first_told(card).state.ecc_corrected = 0, last_told(card).state.ecc_corrected = 9; },
            [](MadeUp& card) { last_told(card).state.ecc_corrected = 9; }},
        {SignKind::ecc_uncorrected, true, // by the last series
            [](MadeUp& card) {
                last_told(card).state.ecc_uncorrected = 3, last_told(card).state_after.ecc_uncorrected = 4;
            },
            [](MadeUp& card) { last_told(card).state.ecc_uncorrected = 3; }},
        {SignKind::clock_setting, false,
            [](MadeUp& card) {
                first_told(card).state.application_mhz = 1200, first_told(card).state.default_mhz = 1980;
            },
            [](MadeUp& card) { first_told(card).state.application_mhz = first_told(card).state.default_mhz = 1980; }},
        {SignKind::clock_below, false, [](MadeUp& card) { add_load(card, 1500); },
            [](MadeUp& card) { add_load(card, 1965); }},
        {SignKind::link_lanes, true,
            [](MadeUp& card) { first_told(card).state.pcie_width = 8, first_told(card).state.pcie_best_width = 16; },
            [](MadeUp& card) { first_told(card).state.pcie_width = first_told(card).state.pcie_best_width = 16; }},
        {SignKind::link_generation, true,
            [](MadeUp& card) {
                first_told(card).state.pcie_generation = 1, first_told(card).state.pcie_best_generation = 5;
            },
            [](MadeUp& card) { // it wakes with the work
                first_told(card).state.pcie_generation = 1, last_told(card).state.pcie_generation = 5;
                first_told(card).state.pcie_best_generation = 5;
            }},
        {SignKind::power_limit, false,
            [](MadeUp& card) {
                first_told(card).state.power_limit_watts = 500, first_told(card).state.power_default_watts = 700;
            },
            [](MadeUp& card) {
                first_told(card).state.power_limit_watts = first_told(card).state.power_default_watts = 700;
            }},
        {SignKind::failed, true,
            [](MadeUp& card) {
                Series& series = card.series("rate", "a:0", "global", "Gop/s");
                series.status = Status::failed, series.reason = "lost";
            },
            [](MadeUp& card) { // which no number is of
                Series& series = card.series("banks", "a:0", "scratchpad", "ns");
                series.status = Status::failed, series.reason = "lost";
            }}};
    const GoodNumbers good = recorded_of({4600});
    for (const Row& row : rows) {
        const auto kind = static_cast<int>(row.kind);
        CAPTURE(kind);
        MadeUp ill = card_with(4600), well = card_with(4600);
        row.ill(ill), row.well(well);
        judged(ill, good, [&](const CardHealth& health) {
            REQUIRE(health.signs.size() == 1);
            CHECK(health.signs[0].kind == row.kind);
            CHECK(health.signs[0].bad == row.bad);
            CHECK(health.state == (row.bad ? HealthState::faulty : HealthState::ok));
            CHECK_FALSE(sign_text(health.signs[0]).empty());
        });
        judged(well, good, [&](const CardHealth& health) {
            CHECK(health.signs.empty());
            CHECK(health.state == HealthState::ok);
        });
    }
}

TEST_CASE("a card that others used is void, whatever its numbers, and says who they were") {
    MadeUp card = card_with(3000);
    for (Series& series : card.run.series) {
        series.status = Status::unstable;
        series.doubts = {{.kind = DoubtKind::other_processes}};
        series.evidence.telemetry.others = {{.pid = 7, .busy_percent = 40}, {.pid = 8}, {.pid = 9, .busy_percent = 97}};
    }
    judged(card, recorded_of({4600}), [](const CardHealth& health) {
        CHECK(health.state == HealthState::in_use);
        REQUIRE(health.users.size() == 2);
        CHECK(health.users[0].pid == 9);
        CHECK(health.users[1].pid == 7);
    });
}
