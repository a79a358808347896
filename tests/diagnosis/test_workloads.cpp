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
    {"workload_bound", "LBM, 4194304 cells, near the limit by DRAM reads and writes: 22 GLUP/s through a:0 (89 % of ",
        [](MadeUp& card) { card.lattice("a:0", 22); },
        [](MadeUp& card) { card.lattice("a:0", 22).evidence.demand.clear(); }},
    {"workload_bound", "below the limit by DRAM reads and writes: 15 GLUP/s through a:0 (60 % of ",
        [](MadeUp& card) { card.lattice("a:0", 15); },
        [](MadeUp& card) { card.lattice("a:0", 15).status = Status::failed; }},
    {"workload_bound",
        "above the limit by DRAM reads and writes: 40 GLUP/s through a:0 (1.6 times 24.8 GLUP/s), cause unknown.",
        [](MadeUp& card) { // launches weigh nothing where the time is that of the kernels
            Series& made = card.lattice("a:0", 40);
            made.evidence.demand[0].launches = 1, made.evidence.timers = {.value_from = Timer::device};
        },
        [](MadeUp& card) { card.lattice("a:0", 40).evidence.demand.clear(); }},
    {"workload_bound",
        "LBM, 4194304 cells, near the limit by DRAM reads and writes: 22 GLUP/s through a:0 (89 % of ", // a step takes
                                                                                                        // ten times the
                                                                                                        // shortest
                                                                                                        // launch
        [](MadeUp& card) { card.launched_lattice("a:0", 22, 0.0045); },
        [](MadeUp& card) { card.launched_lattice("a:0", 22, 0.0065); }}, // seven times
    {"workload_bound", "LBM, 4194304 cells, near the limit by DRAM reads and writes: 22 GLUP/s through a:0 (89 % of ",
        [](MadeUp& card) { card.launched_lattice("a:0", 22, 0.0045); },
        [](MadeUp& card) {
            card.launched_lattice("a:0", 22, 0.0045), card.launched_lattice("b:0", 22, 0.0065);
        }}, // where launches may be what another API measured, none is told
    {"workload_bound",
        "below the limit by DRAM reads and writes: 22 GLUP/s through a:0 (86 % of ", // reads and stores alone
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
        "20 GLUP/s through a:0 (80 % of 24.8 GLUP/s) and 10 GLUP/s through b:0 (40 % of 24.8 GLUP/s), cause unknown.",
        [](MadeUp& card) { card.lattice("a:0", 20), card.lattice("b:0", 10); },
        [](MadeUp& card) { // what no rate was measured of may bind a slow one
            card.lattice("a:0", 20), card.lattice("b:0", 10);
            std::erase_if(card.run.series, [](const Series& each) { return each.id.probe == "rate"; });
            card.histogram("a:0", "skewed", "few-addresses", 4.3);
        }},
    {"workload_bound", "below the limit by FMA rate: 1 GLUP/s through a:0 (43 % of ",
        [](MadeUp& card) { card.lattice("a:0", 1).evidence.demand[0].operations = 26087; },
        [](MadeUp& card) { card.lattice("a:0", 1).id.device = "b:0"; }}, // whose limits were not measured
    {"workload_bound", "GEMM, 8192 rows, below the limit by FMA rate: 50 TFLOP/s through a:0 (83 % of ",
        [](MadeUp& card) { card.product("a:0", 50000, 4 / 128.0); },
        [](MadeUp& card) { card.product("a:0", 50000, 4 / 128.0).evidence.demand.clear(); }},
    {"workload_bound",
        "GEMM mma.f16.f32.m16n8k16, 8192 rows, below the limit by mma.f16.f32.m16n8k16 rate: 400 TFLOP/s through a:0 "
        "(62 % of ",
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 650), card.product_by("a:0", "mma.f16.f32.m16n8k16", 400000);
        },
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 650),
                card.product_by("a:0", "mma.f16.f32.m16n8k16", 400000).evidence.demand.clear();
        }},
    {"workload_bound",
        "below the limit by L2 reads of tiles: 60 TFLOP/s through a:0 (24 % of 250 TFLOP/s), cause unknown. Beside the "
        "mma.f16.f32.m16n8k16 rate: 9 % of 650 TFLOP/s through a:0.",
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 650);
            card.product_by("a:0", "mma.f16.f32.m16n8k16", 60000).evidence.demand[0].tile_bytes = 0.036;
        },
        [](MadeUp& card) { card.product_by("a:0", "mma.f16.f32.m16n8k16", 60000).evidence.demand.clear(); }},
    {"workload_bound",
        "Histogram global one-bin, 16 words, near the limit by atomics on one address: 1.3 Gop/s through a:0 (93 % of ",
        [](MadeUp& card) { card.histogram("a:0", "one-bin", "same-address", 1.3); },
        [](MadeUp& card) { card.histogram("a:0", "one-bin", "same-address", 1.3).evidence.demand.clear(); }},
    {"workload_bound", "GEMM, 8192 rows, near the limit by L2 reads of tiles: 8 TFLOP/s through a:0 (89 % of ",
        [](MadeUp& card) { card.product("a:0", 8000, 1); },
        [](MadeUp& card) { card.product("a:0", 8000, 1).status = Status::failed; }},
    {"workload_bound",
        "Stream global triad f64, 512 MiB, near the limit by DRAM reads and writes: 3.6 TB/s through a:0 (93 % of ",
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
    for (const double product : {50000, 75000}) {
        MadeUp card;
        card.lattice("a:0", 1).evidence.demand[0].operations = 26087, card.product("a:0", product, 4 / 128.0);
        std::string said;
        for (const Statement& each : statements_of(card.run)) said += each.text + "\n";
        CHECK((said.find("below the limit by FMA rate: 1 GLUP/s") != said.npos) == (product < 60000));
        CHECK((said.find("above the limit by FMA rate: 75 TFLOP/s") != said.npos) == (product > 60000));
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
