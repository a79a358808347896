// The tables behind a card's first screen, of made-up cards.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "core/diagnosis/full_grid.h"
#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
/// Cells of one column, by section and place.
std::map<std::pair<std::string, std::string>, Cell> column_of(const Grid& grid, const std::string& device) {
    const auto column = std::ranges::find(grid.columns, device);
    REQUIRE(column != grid.columns.end());
    std::map<std::pair<std::string, std::string>, Cell> cells;
    for (const GridSection& section : grid.sections)
        for (const GridRow& row : section.rows)
            cells[{section.title, row.place}] = row.cells.at(static_cast<std::size_t>(column - grid.columns.begin()));
    return cells;
}
} // namespace

TEST_CASE("paths: what a load takes at each level, where it ends, what is not reached, and to where a sweep goes") {
    MadeUp made;
    made.device("a:0"), made.device("b:0");
    made.latency("a:0", "global", kThree, kEnd), made.latency("b:0", "global", kTwo, kEnd);
    made.latency("a:0", "global.cg", kTwo, kEnd);
    made.series("latency", "b:0", "global.cg", "ns").status = Status::unsupported;
    const Grid grid = paths_grid(matrix_of(cards_of({&made.run, 1})[0]));
    auto a = column_of(grid, "a:0"), b = column_of(grid, "b:0");
    CHECK((a[{"global", "L1"}].quantity()->value == doctest::Approx(40)));
    CHECK((a[{"global", "L1, ends at"}].quantity()->range->first <= 64 * kKiB));
    CHECK((std::get<Lack>(b[{"global", "L1"}].is) == Lack::not_reached));
    CHECK((std::get<Lack>(a[{"global.cg", "L1"}].is) == Lack::not_reached));
    CHECK((std::get<Lack>(b[{"global.cg", "L2"}].is) == Lack::unsupported));
    CHECK((a[{"global", "DRAM, measured to"}].quantity()->value >= kEnd / 2));
    CHECK_FALSE(a.contains({"global", "DRAM, ends at"}));
}

TEST_CASE("operations: latency, rate and the instructions of one, each in a section of its own") {
    MadeUp made;
    made.device("a:0"), made.device("b:0");
    made.operation("a:0", "fma.f32", 4).kernel = {.step_instructions = {{"FFMA", 1}}};
    made.operation("b:0", "fma.f32", 4), made.rate("a:0", "fma.f32", 30000);
    const Card card = cards_of({&made.run, 1})[0];
    const Grid grid = operations_grid("operations", card, arithmetic_of(card));
    CHECK(grid.sections.size() == 3);
    const auto a = column_of(grid, "a:0"), b = column_of(grid, "b:0");
    CHECK(a.at({grid.sections[0].title, "fma.f32"}).quantity()->value == doctest::Approx(4));
    CHECK(a.at({grid.sections[1].title, "fma.f32"}).quantity()->value == doctest::Approx(30e12));
    CHECK_FALSE(b.at({grid.sections[1].title, "fma.f32"}).quantity());
    CHECK(std::get<Instructions>(a.at({grid.sections[2].title, "fma.f32"}).is).text.find("FFMA") != std::string::npos);
    CHECK(operations_grid("matrix forms", card, matrix_forms_of(card)).empty());
}
