// Rules of levels: what makes each speak, and what does not.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kLevelsCases{
    {"l1_not_reached", {{"nearest level", "b:0", 200}}, [](MadeUp& card) { two_apis(card, kThree, kTwo); },
        [](MadeUp& card) { two_apis(card, kThree, later(kThree, 30)); }},
    {"l1_not_reached", {{"nearest level", "b:0", 200}}, [](MadeUp& card) { two_apis(card, kThree, kTwo); },
        [](MadeUp& card) { // a processor's loads begin at L1
            two_apis(card, kThree, kTwo);
            for (DeviceRecord& device : card.run.devices) device.cpu = true;
        }},
    {"l1_not_reached", {{"nearest level", "a:0", 200}},
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
                card.latency("a:0", "global.cg", kTwo, kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global.cg", kTwo, kEnd);
        }}, // nothing tells of an L1
    {"smaller_l1", {{"global", "a:0", 65540}, {"global", "b:0", 16380}},
        [](MadeUp& card) {
            two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
        },
        [](MadeUp& card) {
            two_apis(card, kThree, {{40, 55 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
        }}, // a step of the sweep
    {"l1_not_reached", {{"nearest level", "b:0", 200}}, [](MadeUp& card) { two_apis(card, kThree, kTwo); },
        [](MadeUp& card) { // slow, and measured to L1's end only: that tells nothing
            card.device("a:0"), card.device("b:0");
            card.latency("a:0", "global", kThree, kEnd), card.latency("b:0", "global", kTwo, 60 * kKiB);
        }},
    {"smaller_l1", {{"global", "a:0", 65540}, {"global", "b:0", 16380}},
        [](MadeUp& card) {
            two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
        },
        [](MadeUp& card) { // a processor's caches are the same through all drivers
            two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
            for (DeviceRecord& device : card.run.devices) device.cpu = true;
        }},
    {"smaller_l1", {{"global", "a:0", 65540}, {"global", "b:0", 16380}},
        [](MadeUp& card) {
            two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
        },
        [](MadeUp& card) { // one point that an interrupt raised, where the curve ends
            two_apis(card, kThree, kThree);
            auto& points = card.run.series.back().points;
            points.resize(20);
            points.back().median = 60;
        }},
    {"smaller_l1", {{"global", "a:0", 65540}, {"global", "b:0", 16380}},
        [](MadeUp& card) {
            two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
        },
        [](MadeUp& card) { // another kernel is another question
            two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
            card.run.series.back().evidence.kernel = {.defines = {{"WIDTH", "2"}}};
        }},
    {"option_moves_l1", {{"carveout=0", "a:0", 65540}, {"carveout=100", "a:0", 16380}},
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd, {{"carveout", "0"}});
            card.latency("a:0", "global", {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}}, kEnd, {{"carveout", "100"}});
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd, {{"carveout", "0"}}),
                card.latency("a:0", "global", kThree, kEnd, {{"carveout", "100"}});
        }},
    {"cache_in_parts",
        {{"L2 near ends at", "a:0", 4.194e6}, {"L2 far ends at", "a:0", 8.389e6},
            {"the driver reports", "a:0", 9.437e6}},
        [](MadeUp& card) {
            card.device("a:0", 9 * kMiB),
                card.latency("a:0", "global", {{40, 64 * kKiB}, {200, 4 * kMiB}, {400, 8 * kMiB}, {700, kEnd}}, kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0", 9 * kMiB),
                card.latency("a:0", "global", {{40, 64 * kKiB}, {200, 1 * kMiB}, {400, 8 * kMiB}, {700, kEnd}}, kEnd);
        }}, // a third level
    {"constant_is_global", {{"nearest level", "a:0", 40}},
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
                card.latency("a:0", "constant", kThree, 60 * kKiB);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
                card.latency("a:0", "constant", {{30, 2 * kKiB}, {100, kEnd}}, 60 * kKiB);
        }},
    {"one_cache_two_paths", {{"L1 ends at", "a:0", 65540}},
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
                card.latency("a:0", "texel", later(kThree, 50), kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
                card.latency("a:0", "texel", {{90, 12 * kKiB}, {250, 4 * kMiB}, {650, kEnd}}, kEnd);
        }},
    {"uniform_apart", {{"global.uniform", "a:0", 25}, {"global", "a:0", 40}},
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
                card.latency("a:0", "global.uniform", {{25, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}}, kEnd);
        },
        [](MadeUp& card) {
            card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
                card.latency("a:0", "global.uniform", later(kThree, 0.5), kEnd);
        }},
    {"lanes_apart",
        {{"all lanes", "a:0", 91}, {"all lanes", "b:0", 91}, {"one lane", "a:0", 29}, {"one lane", "b:0", 29}},
        [](MadeUp& card) {
            for (const char* id : {"a:0", "b:0"})
                card.lanes_apart(id, 2, "128", 31), card.lanes_apart(id, 32, "128", 91),
                    card.lanes_apart(id, 32, "0", 29), card.lanes_apart(id, 32, "4", 29.2);
        },
        [](MadeUp& card) { card.lanes_apart("a:0", 32, "128", 29.1); }},
    {"lanes_differ", {{"all lanes", "a:0", 34}, {"one lane", "a:0", 32}, {"footprint", "a:0", 16380}},
        [](MadeUp& card) { card.lanes("a:0", 34, 32); }, [](MadeUp& card) { card.lanes("a:0", 34, 33.9); }},
};
} // namespace

TEST_CASE("rules of levels: each speaks where it must and is silent where it must") { kLevelsCases.check(); }

namespace {
CardFact fact_by(const MadeUp& card, std::string_view rule) {
    const Statements all = statements_of(card.run);
    const auto told = std::ranges::find(all, rule, &Statement::rule);
    REQUIRE(told != all.end());
    return told->fact;
}

/// The number of a column; 0: there is none.
double number_at(const CardFact& fact, std::string_view section, std::string_view place, std::size_t column = 0) {
    for (const GridSection& each : fact.grid.sections)
        for (const GridRow& row : each.rows)
            if (each.title == section && row.place == place && row.cells.at(column).quantity())
                return row.cells[column].quantity()->value;
    return 0;
}

const std::vector<Step> kEarly{{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}};
} // namespace

TEST_CASE("a path that does not reach L1: levels through both APIs, and of the path that reaches it") {
    MadeUp apis;
    two_apis(apis, kThree, kTwo);
    const CardFact fact = fact_by(apis, "l1_not_reached");
    CHECK(fact.effect == doctest::Approx(5));
    CHECK(fact.grid.columns == std::vector<std::string>{"a:0", "b:0"});
    const GridRow& first_level = fact.grid.sections[1].rows[0];
    CHECK(first_level.place == "L1");
    CHECK(first_level.cells[0].quantity()->value == doctest::Approx(40));
    CHECK(std::get<Lack>(first_level.cells[1].is) == Lack::not_reached);
    CHECK(number_at(fact, "global", "L2", 1) == doctest::Approx(200));
    MadeUp paths;
    paths.device("a:0"), paths.latency("a:0", "global", kThree, kEnd), paths.latency("a:0", "global.cg", kTwo, kEnd);
    const CardFact by_path = fact_by(paths, "l1_not_reached");
    CHECK(by_path.effect == 1);
    CHECK(number_at(by_path, "global.cg", "L2") == doctest::Approx(200));
    CHECK(number_at(by_path, "global", "L1") == doctest::Approx(40));
}

TEST_CASE("a smaller L1: a row for each path, and its cause where kernels hold more scratchpad") {
    for (const auto& [small, large, cause] :
        {std::tuple{48 * kKiB, 0.0, Cause::held_scratchpad}, {0.0, 0.0, Cause::none}, {0.0, 48 * kKiB, Cause::none}}) {
        CAPTURE(small);
        MadeUp card;
        two_apis(card, kThree, kEarly);
        card.latency("a:0", "image2d", {{60, 55 * kKiB}, {220, 4 * kMiB}, {620, kEnd}}, kEnd),
            card.latency("b:0", "image2d", {{60, 4 * kKiB}, {220, 4 * kMiB}, {620, kEnd}}, kEnd);
        card.run.series[0].evidence.kernel = KernelEvidence{.held_scratchpad_bytes = large};
        card.run.series[1].evidence.kernel = KernelEvidence{.held_scratchpad_bytes = small};
        const CardFact fact = fact_by(card, "smaller_l1");
        CHECK(fact.cause == cause);
        CHECK(number_at(fact, "L1 ends at", "global", 0) == doctest::Approx(64 * kKiB));
        CHECK(number_at(fact, "L1 ends at", "global", 1) == doctest::Approx(16 * kKiB));
        CHECK(number_at(fact, "L1 ends at", "image2d", 1) == doctest::Approx(4 * kKiB));
        CHECK(number_at(fact, "", "scratchpad that the kernel holds", 1) == small);
    }
}

TEST_CASE("two parts of one cache: what a load takes and all cores read in either, and one line loaded by many cores") {
    for (const double slowest : {250.0, 390.0}) {
        CAPTURE(slowest);
        MadeUp card;
        in_two_parts(card);
        card.curve(
            "bandwidth", "a:0", "global", {{"width", "16"}}, {{3 << 20, 9300}, {6 << 20, 9100}, {7 << 20, 9000}});
        Series& cores = card.curve("core-distance", "a:0", "global.cg", {{"lines", "one"}}, {{0, 100}, {1, 120}});
        cores.points[0].cycles = 200, cores.points[1].cycles = slowest;
        const CardFact fact = fact_by(card, "cache_in_parts");
        CHECK(fact.cause == (slowest < 300 ? Cause::copy_in_each_part : Cause::none));
        CHECK(number_at(fact, "a load takes", "L2 near") == doctest::Approx(200).epsilon(0.01));
        CHECK(number_at(fact, "a load takes", "L2 far") == doctest::Approx(400).epsilon(0.01));
        CHECK(number_at(fact, "all cores read", "L2 near, 3 MiB") == 9.3e12);
        CHECK(number_at(fact, "all cores read", "L2 far, 7 MiB") == 9e12);
        CHECK(number_at(fact, "a load of one line takes", "2 cores in turn") == slowest);
    }
}

TEST_CASE("a smaller L1 stands with a core's scratchpad where both are smaller through one device") {
    for (const bool smaller : {true, false}) {
        CAPTURE(smaller);
        MadeUp card;
        two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
        card.occupancy("a:0", 227 * kKiB), card.occupancy("b:0", 48 * kKiB);
        if (!smaller)
            for (Series& each : card.run.series)
                if (each.id.probe == "occupancy") each.id.device = each.id.device == "a:0" ? "b:0" : "a:0";
        CHECK(said(card.run, "smaller_l1").size() == (smaller ? 0 : 1));
        const CardFact fact = fact_by(card, "core_scratchpad");
        CHECK(fact.cause == (smaller ? Cause::one_carve_out : Cause::none));
        if (smaller) CHECK(number_at(fact, "", "L1 ends at", 1) == doctest::Approx(16 * kKiB));
    }
}

TEST_CASE("constant memory in global memory: what other APIs have, how large it may be, and the load as its cause") {
    for (const bool shown : {true, false}) {
        CAPTURE(shown);
        MadeUp card;
        two_apis(card, kThree, kThree);
        Series& constant = card.latency("b:0", "constant", kThree, 60 * kKiB);
        constant.evidence.kernel =
            KernelEvidence{.listing = {.kind = shown ? "sass" : "ptx"}, .load = {.kind = shown ? "LDG.E" : "ld.const"}};
        card.latency("a:0", "constant", {{30, 2 * kKiB}, {100, kEnd}}, 60 * kKiB);
        card.room("b:0", "constant", 64 * kKiB, 256 * kKiB, std::nullopt);
        const CardFact fact = fact_by(card, "constant_is_global");
        CHECK(fact.cause == (shown ? Cause::path_of_global : Cause::none));
        CHECK(fact.ranked == std::vector<std::vector<std::size_t>>{{1}, {0}});
        CHECK(fact.effect == doctest::Approx(100 / 30.0));
        CHECK(number_at(fact, "", "nearest level", 0) == doctest::Approx(30));
        CHECK(number_at(fact, "", "nearest level", 1) == doctest::Approx(40));
        CHECK(number_at(fact, "size", "runs, and no larger one was tried", 1) == 256 * kKiB);
        CHECK(number_at(fact, "size", "the driver reports", 1) == 64 * kKiB);
    }
}

TEST_CASE("one cache behind two paths: latencies of both") {
    MadeUp card;
    card.device("a:0"), card.latency("a:0", "global", kThree, kEnd),
        card.latency("a:0", "texel", later(kThree, 50), kEnd);
    const CardFact fact = fact_by(card, "one_cache_two_paths");
    CHECK(number_at(fact, "texel", "L1") == doctest::Approx(90));
    CHECK(number_at(fact, "global", "L1") == doctest::Approx(40));
}

TEST_CASE("lanes: those that cost most first, those that cost nothing behind them") {
    MadeUp card;
    for (const auto& [apart, all] : {std::pair{"0", 29.0}, {"64", 61.0}, {"128", 91.0}})
        card.lanes_apart("a:0", 32, apart, all);
    const CardFact fact = fact_by(card, "lanes_apart");
    REQUIRE(fact.grid.sections.size() == 3);
    CHECK(fact.grid.sections[0].title == "32 lanes 128 bytes apart");
    CHECK(fact.effect == doctest::Approx(91 / 29.0));
    CHECK(number_at(fact, "32 lanes 64 bytes apart", "each further lane") == doctest::Approx(32 / 31.0));
    CHECK(number_at(fact, "32 lanes 0 bytes apart", "all lanes") == doctest::Approx(29));
    CHECK(number_at(fact, "32 lanes 0 bytes apart", "each further lane") == 0);
}
