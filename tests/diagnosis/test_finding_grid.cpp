// Numbers that probes found, as a table of devices.
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/base/json.h"
#include "core/diagnosis/finding_grid.h"

using namespace sonde;

namespace {
Finding found(const char* device, std::vector<FindingRow> rows) {
    Finding finding{.kind = "mix", .name = "texel", .series = {"mix", device, "global", {{"other_path", "texel"}}}};
    finding.rows = std::move(rows);
    return finding;
}
} // namespace

TEST_CASE("a series' numbers are rows of its section, by device, in units without prefix") {
    const Grid grid = finding_grid({found("a:0", {{"alone", 20000, "GB/s", {}}, {"overlap", 1.5, "times", {}}}),
        found("b:0", {{"overlap", 25, "%", std::pair(20.0, 30.0)}, {"resident", 4, "workgroups", {}}})});
    CHECK(grid.columns == std::vector<std::string>{"a:0", "b:0"});
    REQUIRE(grid.sections.size() == 1);
    const std::vector<GridRow>& rows = grid.sections[0].rows;
    REQUIRE(rows.size() == 3);
    CHECK(*rows[0].cells.at(0).quantity() == Quantity{20e12, Unit::bytes_per_s});
    CHECK(*rows[1].cells.at(0).quantity() == Quantity{1.5, Unit::times});
    CHECK_FALSE(rows[0].cells.at(1).quantity());
    CHECK(rows[1].cells.at(1).quantity()->value == doctest::Approx(0.25));
    CHECK(rows[1].cells.at(1).quantity()->range->second == doctest::Approx(0.3));
    CHECK(*rows[2].cells.at(1).quantity() == Quantity{4, Unit::count});
    CHECK_FALSE(rows[2].cells.at(0).quantity());
}

TEST_CASE("findings without rows make no table") { CHECK(finding_grid({found("a:0", {})}).empty()); }

TEST_CASE("rows of a finding are read as they were written") {
    const Finding written = found("a:0", {{"alone", 2, "ns", std::pair(1.0, 3.0)}, {"overlap", 1.5, "times", {}}});
    Finding whole = written;
    whole.api = "a", whole.card = "card", whole.text = "two rows";
    const auto read = finding_from(Json(whole));
    REQUIRE(read);
    REQUIRE(read->rows.size() == 2);
    CHECK(read->rows[0].place == "alone");
    CHECK(read->rows[0].range == std::pair(1.0, 3.0));
    CHECK_FALSE(read->rows[1].range);
}
