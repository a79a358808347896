// Rules of traffic: what makes each speak, and what does not.
#include <algorithm>
#include <tuple>

#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
/// A cache that all cores read at 9 TB/s and fill at so many GB/s.
void add_l2_traffic(MadeUp& card, double fills) {
    card.device("a:0"), card.latency("a:0", "global", kThree, kEnd);
    card.bandwidth("a:0", "global", {{32000, 64 * kKiB}, {9000, 4 * kMiB}, {4000, kEnd}}, kEnd);
    card.curve("stream", "a:0", "global", {{"operation", "fill"}, {"width", "16"}},
        {{2 * kMiB, fills}, {3 * kMiB, fills}, {1 << 30, 4000}});
}

const Cases kTrafficCases{
    {"slow_fills", {{"fills, of the rate of reads", "a:0", 0.5}, {"reads", "a:0", 9e12}, {"fills", "a:0", 4.5e12}},
        [](MadeUp& card) { add_l2_traffic(card, 4500); }, [](MadeUp& card) { add_l2_traffic(card, 8000); }},
    {"dram_rates_apart",
        {{"global (operation=fill width=16) at 1 GiB", "a:0", 4e12},
            {"global (operation=fill width=16) at 1 GiB", "b:0", 3.6e12}},
        [](MadeUp& card) { card.stores("a:0", 4000), card.stores("b:0", 3600); },
        [](MadeUp& card) { card.stores("a:0", 4000), card.stores("b:0", 3850); }},
    {"dram_rates_apart", // of one block each: by recorded runs 4 % of what all cores store are seen
        {{"global (operation=fill width=16) at 1 GiB", "a:0", 4.68e12},
            {"global (operation=fill width=16) at 1 GiB", "b:0", 4.34e12}},
        [](MadeUp& card) {
            card.stores("a:0", 4680), card.stores("b:0", 4340);
            for (Series& series : card.run.series)
                for (Point& point : series.points) point.samples = {{.block = 0}};
        },
        [](MadeUp& card) { // whose samples scatter as far
            card.stores("a:0", 4680), card.stores("b:0", 4340);
            for (Series& series : card.run.series)
                for (Point& point : series.points)
                    point.samples = {{.block = 0}}, point.low = 0.9 * *point.median, point.high = 1.1 * *point.median;
        }},
    {"data_compressed",
        {{"zeros, times random data", "a:0", 1.5}, {"zeros", "a:0", 6e12}, {"random data", "a:0", 4e12}},
        [](MadeUp& card) {
            for (const double times : {1.49, 1.5, 1.51})
                card.zeros("a:0").evidence.random_reads.push_back(
                    {.bytes = 4ull << 30, .gb_per_s = 4000, .times = times});
        },
        [](MadeUp& card) { // within noise
            for (const double times : {0.999, 1.0, 1.002})
                card.zeros("a:0").evidence.random_reads.push_back(
                    {.bytes = 4ull << 30, .gb_per_s = 4000, .times = times});
        }},
    {"launches_apart", {{"launch and wait", "a:0", 10000}, {"launch and wait", "b:0", 40000}},
        [](MadeUp& card) {
            card.curve("launch", "a:0", "global", {{"test", "waited"}}, {{1, 1e4}, {100, 1e4}}),
                card.curve("launch", "b:0", "global", {{"test", "waited"}}, {{1, 4e4}, {100, 4e4}});
        },
        [](MadeUp& card) {
            card.curve("launch", "a:0", "global", {{"test", "waited"}}, {{1, 1e4}, {100, 1e4}}),
                card.curve("launch", "b:0", "global", {{"test", "waited"}}, {{1, 1.5e4}, {100, 4e4}});
        }},
    {"one_workgroup", // runs of one device lie as far apart

        {{"0 B", "a:0", 1.33e11}, {"0 B", "b:0", 1.23e11}, {"0 B", "c:0", 6.2e10}},
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 133.0}, {"b:0", 123.0}, {"c:0", 62.0}})
                card.curve("saturation", id, "global", {{"level", "DRAM"}}, {{1, rate}, {100, 4000}});
        },
        [](MadeUp& card) { // whose samples scatter as far
            for (const auto& [id, rate] : {std::pair{"a:0", 133.0}, {"c:0", 84.0}}) {
                Series& made = card.curve("saturation", id, "global", {{"level", "DRAM"}}, {{1, rate}, {100, 4000}});
                made.points[0].samples = {{.block = 0}}, made.points[0].low = 0.75 * rate,
                made.points[0].high = 1.25 * rate;
            }
        }},
    {"launches_apart", // of a processor, whose cores other work takes
        {{"queued", "a:0", 9288}, {"queued", "b:0", 46590}},
        [](MadeUp& card) {
            card.device("a:0").cpu = true, card.device("b:0").cpu = true;
            card.curve("launch", "a:0", "global", {{"test", "queued"}}, {{1, 9288}, {2, 5853}, {32, 10774}}),
                card.curve("launch", "b:0", "global", {{"test", "queued"}}, {{1, 46589}, {2, 16192}, {32, 22142}});
        },
        [](MadeUp& card) {
            card.device("a:0").cpu = true, card.device("b:0").cpu = true;
            card.curve("launch", "a:0", "global", {{"test", "queued"}}, {{1, 9288}, {2, 5853}, {32, 17000}}),
                card.curve("launch", "b:0", "global", {{"test", "queued"}}, {{1, 46589}, {2, 16192}, {32, 22142}});
        }},
    {"launches_apart",
        {{"launch and wait", "a:0", 10000}, {"launch and wait", "b:0", 40000}, {"queued", "a:0", 5000},
            {"queued", "b:0", 20000}},
        [](MadeUp& card) {
            for (const auto& [id, times] : {std::pair{"a:0", 1}, {"b:0", 4}})
                card.curve("launch", id, "global", {{"test", "queued"}}, {{1, 5e3 * times}}),
                    card.curve("launch", id, "global", {{"test", "waited"}}, {{1, 1e4 * times}});
        },
        [](MadeUp& card) {
            card.curve("launch", "a:0", "global", {{"test", "queued"}}, {{1, 1e4}}),
                card.curve("launch", "b:0", "global", {{"test", "queued"}}, {{1, 1.5e4}});
        }},
    {"launches_apart",
        {{"launch and wait", "a:0", 10000}, {"launch and wait", "b:0", 45000}, {"launch and wait", "c:0", 40000}},
        [](MadeUp& card) {
            for (const auto& [id, ns, high] : {std::tuple{"a:0", 1e4, 1e4}, {"b:0", 4.5e4, 5.2e4}, {"c:0", 4e4, 4.2e4}})
                card.curve("launch", id, "global", {{"test", "waited"}}, {{1, ns}}).points[0].high = high;
        },
        [](MadeUp& card) { // the slower one's quartiles reach to the faster one's
            card.curve("launch", "a:0", "global", {{"test", "waited"}}, {{1, 1e4}}),
                card.curve("launch", "b:0", "global", {{"test", "waited"}}, {{1, 2.1e4}}).points[0].low = 1.1e4;
        }},
    {"loads_not_bytes", {{"4-byte", "a:0", 12}, {"8-byte", "a:0", 10.5}},
        [](MadeUp& card) {
            card.loads("a:0", {{"4", 48}, {"8", 84}, {"16", 125}});
        },
        [](MadeUp& card) {
            card.loads("a:0", {{"4", 120}, {"8", 125}, {"16", 125}});
        }},             // as many bytes
    {"loads_not_bytes", // no clock is known
        {{"1-byte", "a:0", 1.8e12}, {"2-byte", "a:0", 1.75e12}},
        [](MadeUp& card) {
            card.consecutive("a:0", 1800, "1"), card.consecutive("a:0", 3500, "2"), card.consecutive("a:0", 4500, "4");
        },
        [](MadeUp& card) { card.consecutive("a:0", 9000, "4"), card.consecutive("a:0", 9200, "8"); }},
    {"loads_not_bytes", // those of 4 bytes reach the level's rate of bytes
        {{"1-byte", "a:0", 2.57e12}, {"2-byte", "a:0", 2.26e12}},
        [](MadeUp& card) {
            card.consecutive("a:0", 2570, "1"), card.consecutive("a:0", 4520, "2"), card.consecutive("a:0", 9080, "4"),
                card.consecutive("a:0", 9340, "8");
        },
        [](MadeUp& card) {
            card.consecutive("a:0", 2570, "1"), card.consecutive("a:0", 2600, "2"), card.consecutive("a:0", 2600, "4");
        }},
    {"consecutive_apart",
        {{"4-byte loads", "a:0", 9e12}, {"4-byte loads", "b:0", 9e12}, {"4-byte loads", "c:0", 6.4e12}},
        [](MadeUp& card) {
            card.consecutive("a:0", 9000), card.consecutive("b:0", 9000), card.consecutive("c:0", 6400);
        },
        [](MadeUp& card) { card.consecutive("a:0", 9000), card.consecutive("b:0", 8200); }},
    {"consecutive_apart", // and not those that are alike

        {{"4-byte loads", "a:0", 9e12}, {"4-byte loads", "b:0", 6.4e12}, {"16-byte loads", "a:0", 9.2e12},
            {"16-byte loads", "b:0", 9.15e12}},
        [](MadeUp& card) {
            card.consecutive("a:0", 9000), card.consecutive("b:0", 6400), card.consecutive("a:0", 9200, "16"),
                card.consecutive("b:0", 9150, "16");
        },
        [](MadeUp& card) { card.consecutive("a:0", 9200, "16"), card.consecutive("b:0", 9150, "16"); }},
    {"consecutive_apart",
        {{"1-byte stores", "a:0", 3e12}, {"1-byte stores", "b:0", 1.85e12}, {"4-byte stores", "a:0", 4.8e12},
            {"4-byte stores", "b:0", 4.8e12}},
        [](MadeUp& card) {
            for (const auto& [id, narrow] : {std::pair{"a:0", 3000.0}, {"b:0", 1850.0}}) {
                card.consecutive(id, narrow, "1").id.options.set(option::stores, "store"),
                    card.consecutive(id, 4800).id.options.set(option::stores, "store");
            }
        },
        [](MadeUp& card) { card.consecutive("a:0", 3000, "1"); }},
    {"random_apart",
        {{"4-byte loads", "a:0", 6.5e11}, {"4-byte loads", "b:0", 2.58e11}, {"footprint", "a:0", 1.678e7},
            {"footprint", "b:0", 1.678e7}},
        [](MadeUp& card) { card.in_orders("a:0", 650, 30), card.in_orders("b:0", 258, 16); },
        [](MadeUp& card) { card.in_orders("a:0", 650, 30), card.in_orders("b:0", 600, 16); }},
    {"random_apart", // and not the wider ones

        {{"4-byte loads", "a:0", 6.5e11}, {"4-byte loads", "b:0", 2.57e11}, {"8-byte loads", "a:0", 1.3e12},
            {"8-byte loads", "b:0", 5.14e11}},
        [](MadeUp& card) { card.random_of_two_widths("a:0", 650), card.random_of_two_widths("b:0", 257); },
        [](MadeUp& card) { card.random_of_two_widths("a:0", 650), card.random_of_two_widths("b:0", 640); }},
    {"random_apart",
        {{"4-byte stores", "a:0", 3.11e11}, {"4-byte stores", "b:0", 2.57e11}, {"footprint", "a:0", 1.678e7},
            {"footprint", "b:0", 1.678e7}},
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 311.0}, {"b:0", 257.0}})
                card.in_orders(id, rate, 30), card.run.series.back().id.options.set(option::stores, "store");
        },
        [](MadeUp& card) {
            card.in_orders("a:0", 311, 30), card.in_orders("b:0", 257, 30),
                card.run.series.back().id.options.set(option::stores, "store");
        }},
    {"one_workgroup", {{"0 B", "a:0", 1.2e11}, {"0 B", "b:0", 6e10}},
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 120.0}, {"b:0", 60.0}})
                card.curve("saturation", id, "global", {{"level", "DRAM"}}, {{1, rate}, {100, 4000}});
        },
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 120.0}, {"b:0", 100.0}})
                card.curve("saturation", id, "global", {{"level", "DRAM"}}, {{1, rate}, {100, 4000}});
        }},
    {"one_workgroup", {{"0 B", "a:0", 1.2e11}, {"0 B", "b:0", 6e10}, {"0 B, by pointer", "b:0", 1.18e11}},
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 120.0}, {"b:0", 60.0}})
                card.curve("saturation", id, "global", {{"level", "LLC"}}, {{1, rate}, {100, 4000}});
            card.curve("saturation", "b:0", "global.pointer", {{"level", "LLC"}}, {{1, 118}, {100, 4000}});
            for (const auto& [shape, rate] : {std::pair{"2x512x1", 50.0}, {"8x1024x1", 95.0}})
                card.curve(
                    "saturation", "b:0", "global", {{"level", "LLC"}, {"shape", shape}}, {{1, rate}, {2, 2 * rate}});
        },
        [](MadeUp& card) {
            for (const char* id : {"a:0", "b:0"})
                card.curve("saturation", id, "global", {{"level", "LLC"}, {"shape", "2x512x1"}},
                    {{1, *id == 'a' ? 120 : 60}, {2, 200}});
        }},
    {"one_workgroup", {{"0 B", "a:0", 1.33e11}, {"0 B", "b:0", 6.2e10}},
        [](MadeUp& card) {
            for (const auto& [id, rate] : {std::pair{"a:0", 133.0}, {"b:0", 62.0}})
                card.curve("saturation", id, "global", {{"level", "DRAM"}}, {{1, rate}, {100, 4000}}).evidence.shape = {
                    .group_size = 512, .loads_in_flight = 4};
        },
        [](MadeUp& card) {
            for (const char* id : {"a:0", "b:0"})
                card.curve("saturation", id, "global", {{"level", "DRAM"}}, {{1, 133}, {100, 4000}}).evidence.shape = {
                    .group_size = 512, .loads_in_flight = 4};
        }},
    {"one_workgroup", // of shapes that differ
        {{"0 B", "a:0", 1.33e11}, {"0 B", "b:0", 6.2e10}},
        [](MadeUp& card) {
            for (const auto& [id, rate, size] : {std::tuple{"a:0", 133.0, 8u}, {"b:0", 62.0, 1u}})
                card.curve("saturation", id, "global", {{"level", "DRAM"}}, {{1, rate}, {100, 4000}}).evidence.shape = {
                    .group_size = size, .loads_in_flight = 4};
        },
        [](MadeUp& card) {
            for (const char* id : {"a:0", "b:0"})
                card.curve("saturation", id, "global", {{"level", "DRAM"}}, {{1, 133}, {100, 4000}});
        }},
    {"memory_in_segments", {{"3.5 GiB from 0 B", "a:0", 1.96e11}, {"512 MiB from 3.5 GiB", "a:0", 2.8e10}},
        [](MadeUp& card) {
            std::vector<std::pair<double, double>> chunks;
            for (int i = 0; i < 32; ++i) chunks.emplace_back(i * 128 * kMiB, i < 28 ? 196 : 28);
            card.curve("segments", "a:0", "global", {{"test", "read"}}, chunks).evidence.chunk_bytes = 128 << 20;
        },
        [](MadeUp& card) {
            std::vector<std::pair<double, double>> chunks;
            for (int i = 0; i < 32; ++i) chunks.emplace_back(i * 128 * kMiB, i < 28 ? 196 : 180);
            card.curve("segments", "a:0", "global", {{"test", "read"}}, chunks).evidence.chunk_bytes = 128 << 20;
        }},
};
} // namespace

TEST_CASE("rules of traffic: each speaks where it must and is silent where it must") { kTrafficCases.check(); }

TEST_CASE("random loads stand with the TLB's reach where the slow one surely ends before them and the fast one surely "
          "does not") {
    struct Row {
        double slow, fast; // reaches; of 16 MiB nobody knows better than 11.3 to 22.6
        bool explains;
    };
    for (const Row& row : {Row{4 * kMiB, kEnd, true}, {16 * kMiB, kEnd, false}, {4 * kMiB, 16 * kMiB, false}}) {
        CAPTURE(row.slow);
        CAPTURE(row.fast);
        MadeUp card;
        card.translation("a:0", row.fast), card.translation("b:0", row.slow);
        card.in_orders("a:0", 650, 16), card.in_orders("b:0", 258, 16);
        const Statements all = statements_of(card.run);
        const auto apart = std::ranges::find(all, "random_apart", &Statement::rule),
                   reach = std::ranges::find(all, "tlb_reach", &Statement::rule);
        CHECK((apart == all.end()) == row.explains);
        REQUIRE(reach != all.end());
        const std::vector<GridSection>& sections = reach->fact.grid.sections;
        REQUIRE(sections.size() == (row.explains ? 4 : 3));
        if (!row.explains) continue;
        CHECK(*sections[3].rows.at(0).cells.at(0).quantity() == Quantity{650e9, Unit::bytes_per_s});
        CHECK(*sections[3].rows.at(0).cells.at(1).quantity() == Quantity{258e9, Unit::bytes_per_s});
    }
}

namespace {
/// The places of what a rule says of the card, in their order.
std::vector<std::string> places_of(const MadeUp& card, std::string_view rule) {
    std::vector<std::string> places;
    for (const Statement& each : statements_of(card.run))
        if (each.rule == rule)
            for (const GridSection& section : each.fact.grid.sections)
                for (const GridRow& row : section.rows) places.push_back(row.place);
    return places;
}
using Places = std::vector<std::string>;
} // namespace

TEST_CASE("contiguous loads faster than all cores read that much, from L1, are not compared") {
    for (const double read : {9000.0, 7900.0}) {
        CAPTURE(read);
        MadeUp card;
        for (const auto& [id, rate] : {std::pair{"a:0", 9100.0}, {"b:0", 6700.0}}) {
            card.consecutive(id, rate).evidence.footprint_bytes = 25 << 20;
            card.curve("bandwidth", id, "global", {{"width", "16"}}, {{1 << 20, read}, {1 << 26, read}});
        }
        CHECK(said(card.run, "consecutive_apart").size() == (read > 9000 / 1.05 ? 1 : 0));
    }
}

TEST_CASE("fills of L2: beside them a step of the rate beyond the caches") {
    for (const double before : {3900.0, 4350.0}) {
        CAPTURE(before);
        MadeUp card;
        card.device("a:0", 4 << 20);
        card.latency("a:0", "global", kThree, kEnd);
        card.bandwidth("a:0", "global", {{9000, 4 * kMiB}, {4700, kEnd}}, kEnd);
        card.curve("stream", "a:0", "global", {{"operation", "fill"}, {"width", "16"}},
            {{2 << 20, 4500}, {3 << 20, 4500}, {1 << 28, before}, {1 << 29, 4370}, {1 << 30, 4370}});
        const Statements all = statements_of(card.run);
        const auto told = std::ranges::find(all, "slow_fills", &Statement::rule);
        REQUIRE(told != all.end());
        const std::vector<GridSection>& sections = told->fact.grid.sections;
        const bool steps = before < 4000;
        REQUIRE(sections.size() == 2);
        REQUIRE(sections[1].rows.size() == (steps ? 2 : 0));
        if (!steps) continue;
        CHECK(sections[1].rows[0].cells[0].quantity()->value == doctest::Approx(3.9e12));
        CHECK(sections[1].rows[0].cells[0].beside->value == 1 << 28);
        CHECK(sections[1].rows[1].cells[0].quantity()->value == doctest::Approx(4.37e12));
    }
}

TEST_CASE("what differs by most is told, and what is alike stands behind it") {
    MadeUp consecutive;
    for (const auto& [id, narrow, plain] : {std::tuple{"a:0", 3000.0, 9000.0}, {"b:0", 1850.0, 8800.0}})
        consecutive.consecutive(id, plain), consecutive.consecutive(id, narrow, "1");
    CHECK(places_of(consecutive, "consecutive_apart") == Places{"1-byte loads", "4-byte loads"});

    MadeUp scattered; // what lies farther apart, but no farther than two runs do
    for (const auto& [id, narrow, plain] : {std::tuple{"a:0", 3000.0, 9000.0}, {"b:0", 1500.0, 5900.0}}) {
        scattered.consecutive(id, plain);
        Point& point = scattered.consecutive(id, narrow, "1").points[0];
        point.low = 0.5 * narrow, point.high = 2 * narrow;
    }
    CHECK(places_of(scattered, "consecutive_apart") == Places{"4-byte loads", "1-byte loads"});

    MadeUp random;
    random.random_of_two_widths("a:0", 650), random.random_of_two_widths("b:0", 257);
    random.translation("a:0", kEnd), random.translation("b:0", kEnd); // which explains nothing
    CHECK(places_of(random, "random_apart") == Places{"4-byte loads", "8-byte loads", "footprint", "TLB reach"});

    MadeUp launches;
    for (const auto& [id, times] : {std::pair{"a:0", 1}, {"b:0", 4}})
        launches.curve("launch", id, "global", {{"test", "queued"}}, {{1, 5e3 * times * times}}),
            launches.curve("launch", id, "global", {{"test", "waited"}}, {{1, 1e4 * times}});
    CHECK(places_of(launches, "launches_apart") == Places{"queued", "launch and wait"});

    MadeUp alone;
    for (const auto& [id, cached, memory] : {std::tuple{"a:0", 120.0, 133.0}, {"b:0", 60.0, 40.0}})
        for (const auto& [level, rate] : {std::pair{"LLC", cached}, {"DRAM", memory}})
            alone.curve("saturation", id, "global", {{"level", level}}, {{1, rate}}).evidence.footprint_bytes =
                level == std::string("LLC") ? 1 << 20 : 4 << 20;
    alone.curve("saturation", "b:0", "global.pointer", {{"level", "LLC"}}, {{1, 118}});
    CHECK(places_of(alone, "one_workgroup") == Places{"4 MiB", "1 MiB", "1 MiB, by pointer"});
}
