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

TEST_CASE("a finding of one number is a row, called as runs are compared by it, else by its name and what is counted") {
    const auto one = [](const char* probe, const char* name, double value, const char* unit) {
        return Finding{
            .kind = probe, .name = name, .series = {probe, "a:0", "global", {}}, .value = value, .unit = unit};
    };
    Finding timed = one("first-run", "first run", 2, "ns");
    timed.cycles = 4;
    const Grid grid = finding_grid({one("l1-per-core", "L1", 2, "caches"), one("mix", "texel", 2, "pipes"), timed});
    REQUIRE(grid.sections.size() == 3);
    CHECK(grid.sections[0].rows.at(0).place == "caches of L1");
    CHECK(grid.sections[1].rows.at(0).place == "texel, pipes");
    CHECK(grid.sections[2].rows.at(0).place == "first run");
    CHECK(*grid.sections[0].rows[0].cells.at(0).quantity() == Quantity{2, Unit::count});
    CHECK(*grid.sections[2].rows[0].cells.at(0).quantity() == Quantity{2, Unit::ns});
    CHECK(grid.sections[2].rows[0].cells[0].beside == Quantity{4, Unit::cycles});
}

TEST_CASE("a finding without a number says whether none is seen or it is inconclusive") {
    Finding none = found("a:0", {}), unsure = found("b:0", {});
    none.no_value = NoValue::not_seen, unsure.no_value = NoValue::inconclusive;
    const Grid grid = finding_grid({none, unsure});
    REQUIRE(grid.sections.size() == 1);
    REQUIRE(grid.sections[0].rows.size() == 1);
    CHECK(grid.sections[0].rows[0].place == "texel");
    CHECK(std::get<Lack>(grid.sections[0].rows[0].cells.at(0).is) == Lack::not_reached);
    CHECK(std::get<Lack>(grid.sections[0].rows[0].cells.at(1).is) == Lack::unsure);
}

TEST_CASE("columns are in the card's order of devices, of those that have findings") {
    DeviceRecord a, b, c;
    a.id = "a:0", b.id = "b:0", c.id = "c:0";
    CHECK(
        finding_grid({found("c:0", {{"alone", 1, "ns"}}), found("a:0", {{"alone", 2, "ns"}})}, {&a, &b, &c}).columns ==
        std::vector<std::string>{"a:0", "c:0"});
}

TEST_CASE("several numbers of one device and place are rows of their own") {
    const Grid grid = finding_grid(
        {found("a:0", {{"alone", 1, "ns"}}), found("a:0", {{"alone", 2, "ns"}}), found("b:0", {{"alone", 3, "ns"}})});
    REQUIRE(grid.sections.at(0).rows.size() == 2);
    CHECK(grid.sections[0].rows[0].cells.at(0).quantity()->value == 1);
    CHECK(grid.sections[0].rows[0].cells.at(1).quantity()->value == 3);
    CHECK(grid.sections[0].rows[1].cells.at(0).quantity()->value == 2);
    CHECK_FALSE(grid.sections[0].rows[1].cells.at(1).quantity());
}

TEST_CASE("rows of a finding are read as they were written") {
    const Finding written = found("a:0", {{"alone", 2, "ns", std::pair(1.0, 3.0), 5}, {"overlap", 1.5, "times", {}}});
    Finding whole = written;
    whole.api = "a", whole.card = "card", whole.text = "two rows", whole.no_value = NoValue::inconclusive;
    const auto read = finding_from(Json(whole));
    REQUIRE(read);
    REQUIRE(read->rows.size() == 2);
    CHECK(read->rows[0].place == "alone");
    CHECK(read->rows[0].range == std::pair(1.0, 3.0));
    CHECK_FALSE(read->rows[1].range);
    CHECK(read->rows[0].cycles == 5);
    CHECK_FALSE(read->rows[1].cycles);
    CHECK(read->no_value == NoValue::inconclusive);
}

TEST_CASE("a name stands in a row in the place of a number, and a number that is not there says why") {
    Finding finding = found("a:0", {{"transaction", std::nullopt, "bytes"}, {.place = "library", .text = "one 1.2"}});
    finding.no_value = NoValue::not_seen, finding.api = "a", finding.card = "card";
    const Json written = finding;
    CHECK_FALSE(written.contains("text")); // its rows say all
    CHECK(written["rows"][0]["value"].is_null());
    const auto read = finding_from(written);
    REQUIRE(read);
    CHECK(read->text.empty());
    const std::vector<GridRow> rows = finding_grid({*read}).sections.at(0).rows;
    REQUIRE(rows.size() == 2);
    CHECK(std::get<Lack>(rows[0].cells.at(0).is) == Lack::not_reached);
    CHECK(std::get<Instructions>(rows[1].cells.at(0).is).text == "one 1.2");
}
