// Rules of workloads: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/analysis/card_view.h"
#include "core/diagnosis/workloads.h"
#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kWorkloadsCases{
    {"workload_apart", {{"rate", "a:0", 2e10}, {"rate", "b:0", 1e10}},
        [](MadeUp& card) { card.lattice("a:0", 20), card.lattice("b:0", 10); },
        [](MadeUp& card) { card.lattice("a:0", 20), card.lattice("b:0", 19); }},
    {"workload_apart", // the same numbers by the form that each API has
        {{"rate", "a:0", 3e14}, {"rate", "b:0", 1.6e14}, {"matrix form", "b:0", "coopmat.f16.f32.m16n16k16"}},
        [](MadeUp& card) {
            card.product_by("a:0", "mma.f16.f32.m16n8k16", 3e5),
                card.product_by("b:0", "coopmat.f16.f32.m16n16k16", 1.6e5);
        },
        [](MadeUp& card) {
            card.product_by("a:0", "mma.f16.f32.m16n8k16", 3e5),
                card.product_by("b:0", "coopmat.s8.s32.m16n16k32", 1.6e5);
        }},
    {"workload_bound",
        {{"DRAM reads and writes", "a:0", 0.887}, {"it runs at", "a:0", 2.2e10}, {"its limit allows", "a:0", 2.48e10}},
        [](MadeUp& card) { card.lattice("a:0", 22); },
        [](MadeUp& card) { card.lattice("a:0", 22).evidence.demand.clear(); }},
    {"workload_bound", {{"DRAM reads and writes", "a:0", 0.866}, {"it runs at", "a:0", 2.15e10}},
        [](MadeUp& card) { card.lattice("a:0", 21.5); },
        [](MadeUp& card) { card.lattice("a:0", 20); }}, // what it does not come near limits nothing
    {"workload_bound",
        {{"DRAM reads and writes", "a:0", 0.887}, {"it runs at", "a:0", 2.2e10}, {"its limit allows", "a:0", 2.48e10}},
        [](MadeUp& card) { // launches weigh nothing where the time is that of the kernels
            Series& made = card.lattice("a:0", 22);
            made.evidence.demand[0].launches = 1, made.evidence.timers = {.value_from = Timer::device};
        },
        [](MadeUp& card) { card.lattice("a:0", 22).status = Status::failed; }},
    {"workload_bound",
        // a step takes ten times the shortest launch
        {{"DRAM reads and writes", "a:0", 0.887}, {"it runs at", "a:0", 2.2e10}},
        [](MadeUp& card) { card.launched_lattice("a:0", 22, 0.0045); },
        [](MadeUp& card) { card.launched_lattice("a:0", 22, 0.0065); }}, // seven times
    {"workload_bound", {{"DRAM reads and writes", "a:0", 0.887}, {"it runs at", "a:0", 2.2e10}},
        [](MadeUp& card) { card.launched_lattice("a:0", 22, 0.0045); },
        [](MadeUp& card) {
            card.launched_lattice("a:0", 22, 0.0045), card.launched_lattice("b:0", 22, 0.0065);
        }}, // where launches may be what another API measured, none is told
    {"workload_bound",
        {{"DRAM reads and writes", "a:0", 0.859}, {"it runs at", "a:0", 2.2e10}}, // reads and stores alone
        [](MadeUp& card) {
            card.lattice("a:0", 22);
            for (Series& each : card.run.series)
                if (each.id.probe == "stream") each.id.options.set(option::operation, "fill");
        },
        [](MadeUp& card) {
            card.lattice("a:0", 22);
            std::erase_if(card.run.series, [](const Series& each) { return each.id.probe == "bandwidth"; });
        }},
    {"workload_bound",
        {{"DRAM reads and writes", "a:0", 0.887}, {"DRAM reads and writes", "b:0", 0.403}, {"it runs at", "b:0", 1e10}},
        [](MadeUp& card) { card.lattice("a:0", 22), card.lattice("b:0", 10); },
        [](MadeUp& card) { // what no rate was measured of may bind a slow one
            card.lattice("a:0", 20), card.lattice("b:0", 10);
            std::erase_if(card.run.series, [](const Series& each) { return each.id.probe == "rate"; });
            card.histogram("a:0", "skewed", "few-addresses", 4.3);
        }},
    {"workload_bound", {{"FMA rate", "a:0", 0.87}, {"it runs at", "a:0", 1e9}},
        [](MadeUp& card) { card.lattice("a:0", 1).evidence.demand[0].operations = 52174; },
        [](MadeUp& card) { // whose limits were not measured
            Series& made = card.lattice("a:0", 1);
            made.evidence.demand[0].operations = 52174, made.id.device = "b:0";
        }},
    {"workload_bound", {{"FMA rate", "a:0", 0.9}, {"it runs at", "a:0", 5.4e13}},
        [](MadeUp& card) { card.product("a:0", 54000, 4 / 128.0); },
        [](MadeUp& card) { card.product("a:0", 54000, 4 / 128.0).evidence.demand.clear(); }},
    {"workload_bound", {{"mma.f16.f32.m16n8k16 rate", "a:0", 0.862}, {"it runs at", "a:0", 5.6e14}},
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 650), card.product_by("a:0", "mma.f16.f32.m16n8k16", 560000);
        },
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 650), card.product_by("a:0", "mma.f16.f32.m16n8k16", 400000);
        }},
    {"workload_bound",
        {{"L2 reads of tiles", "a:0", 0.92}, {"mma.f16.f32.m16n8k16 rate", "a:0", 0.354},
            {"its limit allows", "a:0", 2.5e14}},
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 650);
            card.product_by("a:0", "mma.f16.f32.m16n8k16", 230000).evidence.demand[0].tile_bytes = 0.036;
        },
        [](MadeUp& card) { // tiles that come faster than L2 gives them come from elsewhere
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 650);
            card.product_by("a:0", "mma.f16.f32.m16n8k16", 300000).evidence.demand[0].tile_bytes = 0.036;
        }},
    {"workload_bound", {{"atomics on one address", "a:0", 0.929}, {"it runs at", "a:0", 1.3e9}},
        [](MadeUp& card) { card.histogram("a:0", "one-bin", "same-address", 1.3); },
        [](MadeUp& card) { card.histogram("a:0", "one-bin", "same-address", 1.3).evidence.demand.clear(); }},
    {"workload_bound", {{"L2 reads of tiles", "a:0", 0.889}, {"it runs at", "a:0", 8e12}},
        [](MadeUp& card) { card.product("a:0", 8000, 1); },
        [](MadeUp& card) { card.product("a:0", 8000, 1).status = Status::failed; }},
    {"workload_bound", {{"DRAM reads and writes", "a:0", 0.934}, {"it runs at", "a:0", 3.6e12}},
        [](MadeUp& card) {
            card.lattice("a:0", 22);
            Series& triad =
                card.curve("stream", "a:0", "global", {{"operation", "triad"}, {"type", "f64"}}, {{1 << 29, 3600}});
            triad.unit = "GB/s", triad.evidence.demand = {{.read_bytes = 2 / 3.0, .written_bytes = 1 / 3.0}};
        },
        [](MadeUp& card) {
            Series& triad =
                card.curve("stream", "a:0", "global", {{"operation", "triad"}, {"type", "f64"}}, {{1 << 29, 3600}});
            triad.unit = "GB/s", triad.evidence.demand = {{.read_bytes = 2 / 3.0, .written_bytes = 1 / 3.0}};
        }},
};
} // namespace

TEST_CASE("a rate of operations that one workload beats limits no other") {
    for (const double product : {55000, 75000}) {
        MadeUp card;
        card.lattice("a:0", 1).evidence.demand[0].operations = 52174, card.product("a:0", product, 4 / 128.0);
        const Statements all = statements_of(card.run);
        const auto told_of = [&](std::string_view workload) {
            return std::ranges::find_if(all, [&](const Statement& each) {
                return each.rule == "workload_bound" && each.subject.starts_with(workload);
            });
        };
        CHECK((told_of("LBM") != all.end()) == (product < 60000)); // without a prediction
        REQUIRE(told_of("GEMM") != all.end());
        const GridRow& limit = told_of("GEMM")->fact.grid.sections.at(0).rows.at(0);
        CHECK(limit.place == "FMA rate");
        CHECK(limit.cells.at(0).quantity()->value == doctest::Approx(product / 60000));
    }
}

TEST_CASE("a workload that two devices run: a line tells those at the limit, rows also what the others come near") {
    MadeUp card;
    card.lattice("a:0", 22), card.lattice("b:0", 1).evidence.demand[0].operations = 26087;
    const Statements all = statements_of(card.run);
    const auto told = std::ranges::find(all, "workload_bound", &Statement::rule);
    REQUIRE(told != all.end());
    const CardFact& fact = told->fact;
    REQUIRE(fact.grid.sections.size() == 1);
    CHECK(fact.grid.columns == std::vector<std::string>{"a:0", "b:0"});
    CHECK(fact.grid.sections[0].rows.at(0).place == "DRAM reads and writes");
    CHECK(fact.ranked == std::vector<std::vector<std::size_t>>{{0}});
    const auto operations = std::ranges::find(fact.grid.sections[0].rows, "FMA rate", &GridRow::place);
    REQUIRE(operations != fact.grid.sections[0].rows.end());
    CHECK(operations->cells.at(1).quantity()->value == doctest::Approx(0.435).epsilon(0.01));
    const auto runs_at = std::ranges::find(fact.grid.sections[0].rows, "it runs at", &GridRow::place);
    REQUIRE(runs_at != fact.grid.sections[0].rows.end());
    CHECK(runs_at->cells.at(0).quantity()->unit == Unit::lattice_updates_per_s);
}

TEST_CASE("a workload at no limit is rows of a table, the nearest limit first") {
    MadeUp made;
    made.lattice("a:0", 15);
    const auto cards = cards_of({&made.run, 1});
    CHECK(said(made.run, "workload_bound").empty());
    const Grid grid = workloads_grid(cards.at(0));
    REQUIRE(grid.sections.size() == 1);
    const std::vector<GridRow>& rows = grid.sections[0].rows;
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].place == "DRAM reads and writes");
    CHECK(rows[0].cells.at(0).quantity()->value == doctest::Approx(0.605).epsilon(0.01));
    CHECK(rows[1].place == "FMA rate");
    CHECK(rows[2].cells.at(0).quantity()->value == doctest::Approx(1.5e10));
    MadeUp at_limit;
    at_limit.lattice("a:0", 22);
    const auto others = cards_of({&at_limit.run, 1});
    CHECK(workloads_grid(others.at(0)).empty());
}

TEST_CASE("a series whose other sizes refute a limit by DRAM names none") {
    struct Row {
        double x, footprint, rate; // a second size
        bool names;
    };
    for (const Row& row : {Row{1 << 16, 2 << 20, 22.2, false}, // in L2, which allows twice as much, no faster
             {1 << 16, 2 << 20, 30, true},                     // faster
             {1 << 23, 1e9, 15, false},                        // larger, and below what DRAM allows
             {1 << 23, 1e9, 21.8, true}}) {
        CAPTURE(row.x);
        CAPTURE(row.rate);
        MadeUp card;
        Series& made = card.lattice("a:0", 22);
        Demand other = made.evidence.demand[0];
        other.from_x = row.x, other.footprint_bytes = row.footprint;
        const bool before = row.x < made.points[0].x;
        made.evidence.demand.insert(before ? made.evidence.demand.begin() : made.evidence.demand.end(), other);
        made.points.insert(
            before ? made.points.begin() : made.points.end(), Point{.x = row.x, .median = row.rate, .samples = {}});
        CHECK(said(card.run, "workload_bound").size() == (row.names ? 1 : 0));
    }
}

TEST_CASE("rules of workloads: each speaks where it must and is silent where it must") { kWorkloadsCases.check(); }

TEST_CASE("a roofline: rates of reads by level, of multiply-adds, and workloads by operations for each byte") {
    MadeUp made;
    made.lattice("a:0", 22), made.device("b:0");
    const auto cards = cards_of({&made.run, 1});
    const auto rooflines = rooflines_of(cards.at(0));
    REQUIRE(rooflines.size() == 1); // nothing of b:0
    CHECK(rooflines[0].device == "a:0");
    REQUIRE(rooflines[0].roofs.size() == 1);
    CHECK(rooflines[0].roofs[0].name == "FMA");
    CHECK(rooflines[0].roofs[0].rate == 60000);
    REQUIRE(rooflines[0].ceilings.size() == 3);
    CHECK(rooflines[0].ceilings[0].name == "L1");
    CHECK(rooflines[0].ceilings[1].rate == 9000);
    CHECK(rooflines[0].ceilings[2].name == "DRAM");
    CHECK(rooflines[0].ceilings[2].rate == 4000);
    REQUIRE(rooflines[0].points.size() == 1);
    CHECK(rooflines[0].points[0].name == "workload.lbm");
    CHECK(rooflines[0].points[0].x == doctest::Approx(184 / 153.0));
    CHECK(rooflines[0].points[0].y == doctest::Approx(184 * 22));
}

TEST_CASE("a roofline: operations by matrix units and of other numbers have roofs of their own; what has none is left "
          "out; the scratchpad is a ceiling") {
    MadeUp made;
    made.product_by("a:0", "mma.f16.f32.m16n8k16", 400000), made.matrix("a:0", "mma.f16.f32.m16n8k16", 650);
    made.curve("bandwidth", "a:0", "scratchpad", {{"width", "16"}}, {{16384, 30000}});
    for (const char* type : {"f64", "f32"}) {
        Series& triad =
            made.curve("stream", "a:0", "global", {{"operation", "triad"}, {"type", type}}, {{1 << 29, 3600}});
        triad.unit = "GB/s", triad.evidence.demand = {{.read_bytes = 2 / 3.0,
                                 .written_bytes = 1 / 3.0,
                                 .operations = 1 / 12.0,
                                 .operation = type == std::string("f64") ? "fma.f64" : ""}};
    }
    const auto cards = cards_of({&made.run, 1});
    auto rooflines = rooflines_of(cards.at(0));
    REQUIRE(rooflines.size() == 1);
    CHECK(rooflines[0].ceilings.back().name == "scratchpad");
    CHECK(rooflines[0].ceilings.back().rate == 30000);
    REQUIRE(rooflines[0].points.size() == 2); // no rate of fma.f64 was measured
    CHECK(rooflines[0].points[0].name == "workload.gemm mma.f16.f32.m16n8k16");
    CHECK(rooflines[0].points[1].name == "stream triad f32");
    CHECK(rooflines[0].points[1].x == doctest::Approx(1 / 12.0));
    CHECK(rooflines[0].points[1].y == doctest::Approx(300));
    made.curve("rate", "a:0", "global", {{"operation", "fma.f64"}, {"chains", "8"}}, {{16, 30000}});
    const auto again = cards_of({&made.run, 1});
    rooflines = rooflines_of(again.at(0));
    REQUIRE(rooflines.at(0).roofs.size() == 3);
    CHECK(rooflines[0].roofs[0].name == "mma.f16.f32.m16n8k16");
    CHECK(rooflines[0].roofs[0].rate == 650000);
    CHECK(rooflines[0].roofs[1].name == "FMA f64");
    CHECK(rooflines[0].roofs[1].rate == 30000);
}
