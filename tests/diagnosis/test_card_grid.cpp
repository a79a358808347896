// A card's tables, of made-up cards.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "core/diagnosis/card_grid.h"
#include "core/diagnosis/terms.h"
#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const GridRow* row_of(const Grid& grid, std::string_view section, std::string_view place) {
    for (const GridSection& each : grid.sections)
        for (const GridRow& row : each.rows)
            if (each.title == section && row.place == place) return &row;
    return nullptr;
}
bool has_section(const Grid& grid, std::string_view title) {
    return std::ranges::find(grid.sections, title, &GridSection::title) != grid.sections.end();
}
double value_of(const Cell& cell) { return cell.quantity() ? cell.quantity()->value : -1; }
Grid levels_of(const MadeUp& made) { return levels_grid(cards_of({&made.run, 1})[0]); }
} // namespace

TEST_CASE("loads are by pointer where every device has such a walk, and what indexing adds is a row of its own") {
    MadeUp made;
    for (const char* id : {"a:0", "b:0"}) {
        made.device(id);
        made.latency(id, "global.pointer", kThree, kEnd);
        made.latency(id, "global", later(kThree, *id == 'b' ? 25 : 5), kEnd);
    }
    const Grid grid = levels_of(made);
    CHECK(grid.columns == std::vector<std::string>{"a:0", "b:0"});
    const GridRow *first = row_of(grid, kLatencyOfALoad, "L1"),
                  *index = row_of(grid, kLatencyOfALoad, "L1, indexing adds");
    REQUIRE(first);
    REQUIRE(index);
    for (const Cell& cell : first->cells) CHECK(value_of(cell) == doctest::Approx(40));
    CHECK(value_of(index->cells[0]) == doctest::Approx(5));
    CHECK(value_of(index->cells[1]) == doctest::Approx(25));
    CHECK_FALSE(has_section(grid, kLatencyWithIndex));
    const GridRow* ends = row_of(grid, kLevelEndsAt, "L1");
    REQUIRE(ends);
    REQUIRE(ends->cells[0].quantity());
    CHECK(ends->cells[0].quantity()->unit == Unit::bytes);
    CHECK(ends->cells[0].quantity()->range->first <= 64 * kKiB);
    CHECK(ends->cells[0].quantity()->range->second > 64 * kKiB);
}

TEST_CASE("a level behind a gradual rise says where it begins, one behind a step does not") {
    using Points = std::vector<std::pair<double, double>>;
    const auto begins_of = [](const Points& points) {
        MadeUp made;
        made.device("a:0");
        made.curve("latency", "a:0", "global", {}, points).unit = "ns";
        const Grid grid = levels_of(made);
        const GridRow* begins = row_of(grid, kLevelEndsAt, "DRAM begins, after a rise");
        return begins ? begins->cells[0].quantity()->range : std::nullopt;
    };
    const auto curve_over = [](double (*latency_at)(double mebibytes)) {
        Points points;
        for (double mebibytes = 1; mebibytes <= 1024; mebibytes *= std::sqrt(std::sqrt(2)))
            points.emplace_back(mebibytes * kMiB, latency_at(mebibytes));
        return points;
    };
    const auto rise = begins_of(curve_over([](double at) { // over an octave and a half
        return at < 17 ? 140.0 : at > 45 ? 330.0 : 140 + 190 * std::log2(at / 16) / 1.5;
    }));
    REQUIRE(rise);
    CHECK(rise->second <= 50 * kMiB);
    CHECK(rise->second >= 38 * kMiB);
    CHECK(rise->first < rise->second);
    CHECK_FALSE(begins_of(curve_over([](double at) { return at < 17 ? 140.0 : 330.0; })));
}

TEST_CASE("DRAM's latency at the largest footprint has a row where it rises above the plateau") {
    const auto row_with = [](double at_the_end) {
        MadeUp made;
        for (const char* id : {"a:0", "b:0"}) made.device(id), made.latency(id, "global", kThree, kEnd);
        Series& rising = made.run.series.back();
        for (Point& point : rising.points) point.cycles = *point.median * 2;
        rising.points.back().median = at_the_end, rising.points.back().cycles = 2 * at_the_end;
        const Grid grid = levels_of(made);
        const GridRow* row = row_of(grid, kLatencyOfALoad, "DRAM, 1 GiB");
        if (!row) row = row_of(grid, kLatencyWithIndex, "DRAM, 1 GiB");
        return row ? std::pair(value_of(row->cells[0]), value_of(row->cells[1])) : std::pair(0.0, 0.0);
    };
    CHECK(row_with(600) == std::pair(0.0, 0.0));
    const auto [level, risen] = row_with(660);
    CHECK(level == doctest::Approx(600));
    CHECK(risen >= 660);
}

TEST_CASE("where a device has no walk by pointer, loads of all are by index, and the table says so") {
    MadeUp made;
    made.device("a:0"), made.device("b:0");
    made.latency("a:0", "global.pointer", kThree, kEnd);
    made.latency("a:0", "global", later(kThree, 5), kEnd);
    made.latency("b:0", "global", later(kThree, 25), kEnd);
    const Grid grid = levels_of(made);
    CHECK_FALSE(has_section(grid, kLatencyOfALoad));
    const GridRow* first = row_of(grid, kLatencyWithIndex, "L1");
    REQUIRE(first);
    CHECK(value_of(first->cells[0]) == doctest::Approx(45));
    CHECK(value_of(first->cells[1]) == doctest::Approx(65));
    CHECK_FALSE(row_of(grid, kLatencyWithIndex, "L1, indexing adds"));
}

TEST_CASE("why a number is not there: unsupported, failed, in doubt, not measured, or no such level") {
    MadeUp made;
    for (const char* id : {"a:0", "b:0", "c:0", "d:0", "e:0"}) {
        made.device(id);
        made.latency(id, "global", *id == 'e' ? kTwo : kThree, kEnd);
    }
    made.latency("a:0", "scratchpad", {{29, kEnd}}, 48 * kKiB);
    const auto status = [&](const char* id, Status is) { made.series("latency", id, "scratchpad", "ns").status = is; };
    status("b:0", Status::unsupported), status("c:0", Status::failed), status("d:0", Status::unstable);
    const Grid grid = levels_of(made);
    const GridRow *scratchpad = row_of(grid, kLatencyWithIndex, "scratchpad"),
                  *l1 = row_of(grid, kLatencyWithIndex, "L1");
    REQUIRE(scratchpad);
    CHECK(value_of(scratchpad->cells[0]) == doctest::Approx(29));
    const Lack lacks[] = {Lack::unsupported, Lack::failed, Lack::scatters, Lack::not_measured};
    for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(i);
        REQUIRE_FALSE(scratchpad->cells[i + 1].quantity());
        CHECK(std::get<Lack>(scratchpad->cells[i + 1].is) == lacks[i]);
    }
    REQUIRE(l1);
    REQUIRE_FALSE(l1->cells[4].quantity()); // its nearest level is L2
    CHECK(std::get<Lack>(l1->cells[4].is) == Lack::not_reached);
}

TEST_CASE("matrix units: of each number format the fastest instruction, whichever API it is of") {
    MadeUp made;
    made.device("a:0"), made.device("b:0");
    made.matrix("a:0", "mma.f16.f32.m16n8k16", 600);
    made.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900);
    made.matrix("b:0", "mma.f16.f32.m16n8k16", 620);
    const Grid grid = arithmetic_grid(cards_of({&made.run, 1})[0]);
    REQUIRE(grid.sections.size() == 1);
    REQUIRE(grid.sections[0].rows.size() == 1);
    CHECK(grid.sections[0].rows[0].place == "f16 wgmma");
    CHECK(value_of(grid.sections[0].rows[0].cells[0]) == doctest::Approx(900e12));
    for (std::size_t i = 0; i < grid.columns.size(); ++i) // one without a number is left out
        CHECK(value_of(grid.sections[0].rows[0].cells.at(i)) > 0);
}

TEST_CASE("what a load does for seconds has a row with its power beside its burst") {
    const auto places = [](double burst) {
        MadeUp made;
        made.device("a:0");
        made.matrix("a:0", "wgmma.f16.f32.m64n256k16", burst);
        made.sustained("a:0", "wgmma.f16.f32.m64n256k16", 443, true, 700);
        const Grid grid = arithmetic_grid(cards_of({&made.run, 1})[0]);
        REQUIRE(grid.sections.size() == 1);
        return grid.sections[0].rows;
    };
    const std::vector<GridRow> rows = places(965);
    REQUIRE(rows.size() == 2);
    CHECK(rows[1].place == "f16 wgmma, 2 s");
    const auto has = [&](Unit unit, double value) {
        return std::ranges::any_of(rows[1].cells, [&](const Cell& cell) {
            return cell.quantity() && cell.quantity()->unit == unit && cell.quantity()->value == doctest::Approx(value);
        });
    };
    CHECK(has(Unit::flop_per_s, 900e12));
    CHECK(has(Unit::watts, 443));
    CHECK(places(905).size() == 2); // its energy is told of no burst
}

TEST_CASE("arithmetic: a clock is that during the run; by the clock beside it a rate per clock is derived") {
    for (const bool counted : {true, false}) {
        CAPTURE(counted);
        MadeUp made;
        DeviceRecord& device = made.device("a:0");
        device.cores = 100, device.core_cycles = true;
        Series& rate = made.curve("rate", "a:0", "global", {{"chains", "8"}, {"operation", "fma.f32"}}, {{32, 50e3}});
        rate.unit = "Gop/s", rate.evidence.clock = {.before_mhz = 2000, .after_mhz = 2000};
        if (counted) rate.points[0].clock_mhz = 2000;
        const Grid grid = arithmetic_grid(cards_of({&made.run, 1})[0]);
        REQUIRE(grid.sections[0].rows.size() == 1);
        bool clock = false, derived = false;
        for (const Cell& cell : grid.sections[0].rows[0].cells) {
            REQUIRE(cell.quantity());
            clock |= cell.quantity()->unit == Unit::mhz;
            derived |= cell.quantity()->unit == Unit::op_per_clock && cell.quantity()->derived;
        }
        CHECK(clock == counted);
        CHECK(derived != counted);
        CHECK(grid.caption.empty() == counted);
    }
}

TEST_CASE("a form whose faster instruction has no rate says why") {
    for (const auto& [status, word] :
        {std::pair{std::optional<Status>(), &term::wgmma_not_run}, {Status::unsupported, &term::wgmma_unsupported}}) {
        MadeUp made;
        DeviceRecord& device = made.device("a:0");
        device.cores = 132, device.facts = {{"compute capability", "9.0", "asked"}};
        made.matrix_at("a:0", "integers", 600, 1700);
        if (status)
            made.series("matrix", "a:0", "global", "Gop/s", {{"operation", "wgmma.f16.f32.m64n256k16"}}).status =
                *status;
        const Grid grid = arithmetic_grid(cards_of({&made.run, 1})[0]);
        REQUIRE(grid.sections[0].rows.size() == 1);
        CHECK(grid.sections[0].rows[0].place.ends_with(word->text));
    }
}

TEST_CASE("a card of which nothing was measured has empty tables") {
    MadeUp made;
    made.device("a:0");
    made.series("latency", "a:0", "global", "ns").status = Status::failed;
    const Card card = cards_of({&made.run, 1})[0];
    CHECK(levels_grid(card).empty());
    CHECK(arithmetic_grid(card).empty());
}

TEST_CASE("constants that come through the memory's caches are said to, not shown as a constant cache") {
    MadeUp made;
    made.device("a:0"), made.device("b:0");
    for (const char* id : {"a:0", "b:0"}) made.latency(id, "global", kThree, kEnd);
    made.latency("a:0", "constant", {{34, 2 * kKiB}, {104, kEnd}}, 64 * kKiB);
    made.latency("b:0", "constant", {{40, kEnd}}, 64 * kKiB);
    const Grid grid = levels_of(made);
    const GridRow* constant = row_of(grid, kLatencyWithIndex, "constant L1");
    REQUIRE(constant);
    CHECK(value_of(constant->cells[0]) == doctest::Approx(34));
    REQUIRE_FALSE(constant->cells[1].quantity());
    CHECK(std::get<Lack>(constant->cells[1].is) == Lack::as_global);
}

TEST_CASE("without global the loads are those of another path of memory, which the title names; others stand alone") {
    MadeUp cg, alone;
    cg.device("a:0"), cg.latency("a:0", "global.cg", kThree, kEnd);
    alone.device("a:0"), alone.latency("a:0", "scratchpad", {{29, kEnd}}, 48 * kKiB);
    const Grid grid = levels_of(cg), beside = levels_of(alone);
    REQUIRE_FALSE(grid.sections.empty());
    CHECK(grid.sections[0].title.ends_with("global.cg"));
    CHECK(value_of(grid.sections[0].rows.at(0).cells[0]) == doctest::Approx(40));
    const GridRow* scratchpad = row_of(beside, kLatencyWithIndex, "scratchpad");
    REQUIRE(scratchpad);
    CHECK(value_of(scratchpad->cells[0]) == doctest::Approx(29));
}

TEST_CASE(
    "DRAM's rate is the median at 4 GiB and beyond; where a sweep ends before, from four times the last cache on") {
    MadeUp made;
    made.device("a:0"), made.latency("a:0", "global", kThree, kEnd);
    Series& reads = made.bandwidth("a:0", "global",
        {{32000, 64 * kKiB}, {9500, 4 * kMiB}, {7000, 16 * kMiB}, {5000, 2048 * kMiB}, {4500, 64 * kEnd}}, 8.0 * kEnd);
    const auto dram = [&] {
        const Grid grid = levels_of(made);
        const GridRow* row = row_of(grid, kRateOfAllCores, "DRAM, read");
        return row ? value_of(row->cells[0]) : 0;
    };
    CHECK(dram() == doctest::Approx(4.5e12));
    std::erase_if(reads.points, [](const Point& point) { return point.x > kEnd; });
    CHECK(dram() == doctest::Approx(5e12));
    made.run.devices[0].bus_bytes_per_second = 4.8e12; // which caches beat where a sweep was cut short
    CHECK(dram() == 0);
}

TEST_CASE("a processor's caches stand beside its levels as the system reports them, and may serve reads of DRAM though "
          "latency shows less of them") {
    MadeUp made;
    DeviceRecord& device = made.device("a:0");
    device.cpu = true, device.cache_levels = {32 << 10, 1 << 20, 256 << 20};
    made.latency("a:0", "global", {{1.4, 32 * kKiB}, {4, 300 * kKiB}, {14, 6 * kMiB}, {180, kEnd}}, kEnd),
        made.bandwidth("a:0", "global", {{32, kEnd}}, kEnd);
    const Grid grid = levels_of(made);
    const GridRow *reported = row_of(grid, kLevelEndsAt, "L3 as the system reports"),
                  *cached = row_of(grid, kRateOfAllCores, "DRAM, read, at most cached");
    REQUIRE(reported);
    REQUIRE(cached);
    CHECK(value_of(reported->cells[0]) == 256 * kMiB);
    CHECK(value_of(cached->cells[0]) == 1);
}

TEST_CASE("rates without latencies: the highest, and that of the largest footprint, of one path") {
    MadeUp made;
    for (const char* id : {"a:0", "b:0", "c:0"}) made.device(id);
    made.bandwidth("a:0", "global", {{30000, 1 * kMiB}, {1200, kEnd}}, kEnd),
        made.bandwidth("b:0", "texel", {{40000, kEnd}}, kEnd);
    made.bandwidth("c:0", "global", {{29000, kEnd}}, kEnd);
    const Grid grid = levels_of(made);
    const GridRow *highest = row_of(grid, kRateOfAllCores, "global, read, highest"),
                  *largest = row_of(grid, kRateOfAllCores, "global, read, largest footprint");
    REQUIRE(highest);
    REQUIRE(largest);
    CHECK(value_of(highest->cells[0]) == doctest::Approx(30e12));
    CHECK_FALSE(highest->cells[1].quantity());
    CHECK(value_of(highest->cells[2]) == doctest::Approx(29e12));
    CHECK(value_of(largest->cells[0]) == doctest::Approx(1.2e12));
    CHECK(largest->cells[0].beside->unit == Unit::bytes);
    MadeUp other;
    other.device("b:0"), other.bandwidth("b:0", "texel", {{40000, kEnd}}, kEnd);
    CHECK(row_of(levels_of(other), kRateOfAllCores, "texel, read, highest"));
}

TEST_CASE("DRAM's read rate stands beside its share of the peak that a driver reports") {
    MadeUp made;
    made.device("a:0", 0, 5e12);
    made.latency("a:0", "global", kThree, kEnd);
    made.bandwidth("a:0", "global", {{32000, 64 * kKiB}, {9500, 4 * kMiB}, {4500, 64 * kEnd}}, 8.0 * kEnd);
    const Grid grid = levels_of(made);
    const GridRow* rate = row_of(grid, kRateOfAllCores, "DRAM, read");
    REQUIRE(rate);
    REQUIRE(rate->cells[0].beside);
    CHECK(rate->cells[0].beside->unit == Unit::share_of_peak);
    CHECK(rate->cells[0].beside->value == doctest::Approx(0.9).epsilon(0.01));
}

TEST_CASE("a rate without a plateau is the range over the level's footprints") {
    const auto rate_with = [](double least) {
        MadeUp made;
        made.device("a:0");
        made.latency("a:0", "global", kThree, kEnd);
        made.bandwidth("a:0", "global", {{32000, 64 * kKiB}, {least, 1.5 * kMiB}, {9500, 4 * kMiB}, {4500, 64 * kEnd}},
            8.0 * kEnd);
        const Grid grid = levels_of(made);
        const GridRow* row = row_of(grid, kRateOfAllCores, "L2, read");
        REQUIRE(row);
        REQUIRE(row->cells[0].quantity());
        return *row->cells[0].quantity();
    };
    CHECK_FALSE(rate_with(9500).range);
    const Quantity slope = rate_with(8000);
    REQUIRE(slope.range);
    CHECK(slope.range->first == doctest::Approx(8e12));
    CHECK(slope.range->second == doctest::Approx(9.5e12));
}

TEST_CASE("where a device's curve rises across a level, its rate is taken over the footprints of another one's") {
    MadeUp made;
    for (const char* id : {"a:0", "b:0", "c:0"}) made.device(id);
    made.latency("a:0", "global", kThree, kEnd);
    std::vector<Step> rising{kThree[0]};
    for (double ends = 76 * kKiB, latency = 60; ends < 8 * kMiB; ends *= 1.19, latency *= 1.085)
        rising.push_back({latency, ends});
    rising.push_back(kThree[2]);
    made.latency("b:0", "global", rising, kEnd);
    made.latency("c:0", "global", {kThree[1], kThree[2]}, kEnd);
    for (const char* id : {"a:0", "b:0", "c:0"})
        made.bandwidth(id, "global", {{32000, 64 * kKiB}, {9500, 4 * kMiB}, {4500, 64 * kEnd}}, 8.0 * kEnd);
    const Grid grid = levels_of(made);
    const GridRow *l1 = row_of(grid, kRateOfAllCores, "L1, read"), *l2 = row_of(grid, kRateOfAllCores, "L2, read");
    REQUIRE(l1);
    REQUIRE(l2);
    CHECK_FALSE(l1->cells[2].quantity()); // it does not reach L1
    for (const Cell& cell : l2->cells) CHECK(value_of(cell) == doctest::Approx(9.5e12));
}

TEST_CASE("levels of the TLB: how far each reaches and what a miss adds, by device") {
    MadeUp made;
    made.translation("a:0", 256 * kMiB), made.translation("b:0", 8 * kMiB);
    const Grid grid = levels_of(made);
    const auto section = [&](std::string_view title) {
        const auto found = std::ranges::find(grid.sections, title, &GridSection::title);
        REQUIRE(found != grid.sections.end());
        REQUIRE(found->rows.size() == 1);
        return found->rows[0].cells;
    };
    CHECK(section(kTlbReach).at(1).quantity()->range->second == doctest::Approx(11.3 * kMiB).epsilon(0.01));
    CHECK(*section(kTlbMiss).at(0).quantity() == Quantity{30, Unit::ns});
}

TEST_CASE("levels of the TLB stand in one row by what a miss costs, whatever their number through a device") {
    MadeUp made;
    made.translation("a:0", 256 * kMiB), made.translation("b:0", 8 * kMiB);
    for (Point& point : made.run.series.back().points) // nearer than the level that both have
        point.median = *point.median + 4 * std::max(0.0, 1 - 2.5 * kMiB / point.x);
    for (Series& each : made.run.series) // another of both
        for (Point& point : each.points) point.median = *point.median + 300 * std::max(0.0, 1 - 512 * kMiB / point.x);
    const Grid grid = levels_of(made);
    const auto costs = std::ranges::find(grid.sections, kTlbMiss, &GridSection::title);
    REQUIRE(costs != grid.sections.end());
    for (const GridRow& row : costs->rows) {
        CAPTURE(row.place);
        CHECK((value_of(row.cells.at(0)) > 150) == (value_of(row.cells.at(1)) > 150));
    }
}
