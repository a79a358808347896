// The rows of what differs.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/diagnosis/difference_grid.h"

using namespace sonde;

namespace {
Statement statement_of(
    std::string_view kind, std::string subject, std::vector<std::string> devices, std::vector<Cell> told) {
    Statement statement{.kind = kind, .subject = std::move(subject)};
    statement.fact = {
        .grid = {.columns = std::move(devices), .sections = {{"", {{"first", std::move(told)}, {"second", {}}}}}}};
    return statement;
}
constexpr Quantity kReach{4096, Unit::bytes}, kOther{8192, Unit::bytes};
} // namespace

TEST_CASE("a row has the number that a statement tells first, below the device that it is of, under its place in the "
          "list") {
    const Statements statements{statement_of("suspect", "doubt", {"a:0"}, {kReach}),
        statement_of("path", "reach", {"c:0", "a:0"}, {kReach, kOther}),
        statement_of("path", "mnemonic", {"a:0"}, {Instructions{"LDG"}}),
        statement_of("path", "of a device not asked for", {"z:0"}, {kReach})};
    const GridSection section = differences(statements, {"a:0", "b:0", "c:0"});
    REQUIRE(section.rows.size() == 1);
    CHECK(section.rows[0].place == "[2] reach");
    REQUIRE(section.rows[0].cells.size() == 3);
    CHECK(*section.rows[0].cells[0].quantity() == kOther);
    CHECK_FALSE(section.rows[0].cells[1].quantity());
    CHECK(*section.rows[0].cells[2].quantity() == kReach);
}
