// How a fact is told in a line.
#include <doctest/doctest.h>

#include "core/facts/card_fact.h"
#include "tests/says.h"

using namespace sonde;

namespace {
CardFact apart() {
    return {.subject = {{"path", "global"}},
        .grid = {.columns = {"a:0", "b:0", "c:0"},
            .sections = {{"", {{"L1", {Quantity{3e9, Unit::bytes_per_s}, Quantity{1e12, Unit::bytes_per_s},
                                          Quantity{2e9, Unit::bytes_per_s}}}}}}},
        .ranked = {{1}, {0, 2}},
        .effect = 500};
}
const Wording kWording{"reads", "Reads", {"reads"}, "{subject}: {values}; {times}[; {cause}]", ""};
} // namespace

TEST_CASE("a line tells each number once, with the devices that two runs would not rank, in the order of the columns") {
    CHECK(fact_line(apart(), kWording) == "reads: 1.00 TB/s through b:0, 2.00-3.00 GB/s through a:0 and c:0; 500");
    CardFact close = apart();
    close.ranked = {{1, 0, 2}}, close.effect = 1.3;
    close.grid.sections[0].rows[0].cells[1] =
        Quantity{3.5e9, Unit::bytes_per_s, std::pair(1.5e9, 4e9)}; // a range of its own counts
    CHECK(fact_line(close, kWording) == "reads: 1.50-4.00 GB/s through a:0, b:0 and c:0; 1.3");
}

TEST_CASE("a subject is told with its conditions, where its kind has any") {
    const Wording wording{"reads", "Reads", {"reads on {path}", "of all cores"}, "{subject}.", ""};
    CHECK(fact_line(apart(), wording) == "reads on global, of all cores.");
    CHECK(subject_text(apart(), kWording) == "reads");
}

TEST_CASE("a cause is told with the devices that it is of") {
    CardFact fact = apart();
    fact.cause = Cause::joined_by_compiler;
    CHECK(says(fact_line(fact, kWording), "500; through b:0 "));
    fact.cause = Cause::smaller_tlb_reach;
    CHECK(fact_line(fact, kWording).ends_with("through a:0 and c:0"));
}

TEST_CASE("a line of one device tells its rows, and a line of devices alone no number") {
    const CardFact rows{.subject = {},
        .grid = {.columns = {"a:0", "b:0"},
            .sections = {{"", {{"alone", {Lack::not_measured, Quantity{1980, Unit::mhz}}},
                                  {"under load", {Lack::not_measured, Quantity{1590, Unit::mhz}}},
                                  {"kernels", {Lack::not_measured, Quantity{12, Unit::count}}}}}}},
        .ranked = {{1}}};
    CHECK(fact_line(rows, {"", "", {"clock"}, "{subject} through {first}: {rows}", ""}) ==
          "clock through b:0: alone 1980 MHz, under load 1590 MHz, kernels 12");
    CardFact split = apart();
    split.grid.sections[0].rows[0].cells = {Instructions{"FFMA"}, Instructions{"FFMA.FTZ"}, Instructions{"FFMA"}};
    CHECK(fact_line(split, {"", "", {}, "{first}, not {last}{values}", ""}) == "b:0, not a:0 and c:0");
}
