// The table of what a card's instruments told around all of its series.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "core/diagnosis/instruments_grid.h"
#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
/// Two series, between which the memory had errors, and of which the first was throttled.
MadeUp told_card() {
    MadeUp card;
    card.device("a:0");
    for (int i = 0; i < 2; ++i) {
        Series& series = card.series("latency", "a:0", i == 0 ? "global" : "constant", "ns");
        series.line = static_cast<std::size_t>(2 + i);
        TelemetryEvidence& told = series.evidence.telemetry;
        told.source = "NVML";
        told.during.samples = 10;
        told.during.core_mhz = i == 0 ? NumberRange{1500, 1700, 1800} : NumberRange{1750, 1750, 1750};
        told.state.ecc_corrected = 3 + 2 * i;
        told.state.application_mhz = 1200, told.state.default_mhz = 1980;
        told.state.pcie_generation = 3 + i;
        told.state.pcie_best_generation = 5;
        told.state.power_limit_watts = told.state.power_default_watts = 300;
        if (i == 0) told.during.throttled_samples = {{"power cap", 3}, {"idle", 10}};
        if (i == 1) told.others = std::vector{CardUser{7, 40}};
        if (i == 1) told.state_after = told.state, told.state_after.ecc_corrected = 9; // one by this series
    }
    return card;
}

const Cell* cell_of(const Grid& grid, const std::string& place) {
    for (const GridSection& section : grid.sections)
        for (const GridRow& row : section.rows)
            if (row.place == place) return &row.cells.at(0);
    return nullptr;
}
double value_of(const Grid& grid, const std::string& place) {
    const Cell* cell = cell_of(grid, place);
    return cell && cell->quantity() ? cell->quantity()->value : -1;
}
} // namespace

TEST_CASE("instruments are facts: shares of throttling, errors since the beginning, limits beside their best, others") {
    const MadeUp made = told_card();
    const auto cards = cards_of({&made.run, 1});
    REQUIRE(cards.size() == 1);
    const Grid grid = instruments_grid(cards[0]);
    CHECK(value_of(grid, "power cap") == doctest::Approx(0.15));
    CHECK(!cell_of(grid, "idle"));
    CHECK(value_of(grid, "corrected errors") == 9); // behind the last series
    REQUIRE(cell_of(grid, "corrected errors")->beside);
    CHECK(cell_of(grid, "corrected errors")->beside->value == 3);
    CHECK(value_of(grid, "core clock setting") == 1200);
    REQUIRE(cell_of(grid, "core clock setting")->beside);
    CHECK(cell_of(grid, "core clock setting")->beside->value == 1980);
    CHECK(!cell_of(grid, "uncorrected errors")); // nobody counts them
    CHECK(value_of(grid, "process 7") == doctest::Approx(0.4));
    const Cell *clock = cell_of(grid, "core clock"), *link = cell_of(grid, "PCIe generation"),
               *limit = cell_of(grid, "power limit");
    REQUIRE((clock && link && limit));
    CHECK(clock->quantity()->range == std::pair(1500.0, 1800.0));
    CHECK(link->quantity()->value == 4); // the fastest state, as an idle link is slow
    REQUIRE(link->beside);
    CHECK(link->beside->value == 5);
    CHECK(!limit->beside);
}

TEST_CASE("a card without instruments has no such table") {
    MadeUp card;
    card.latency("a:0", "global", kThree, kEnd);
    for (const Card& each : cards_of({&card.run, 1})) CHECK(instruments_grid(each).empty());
}
