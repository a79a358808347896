// Series whose points are their result, as tables.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "core/base/json.h"
#include "core/diagnosis/point_grid.h"
#include "tests/command.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;

namespace {
Series atomics_on(
    const std::string& device, const std::string& layout, const std::vector<std::pair<double, double>>& rates) {
    Series series{.id = {.probe = "atomics", .device = device, .path = "global", .options = {{"layout", layout}}},
        .x = {"workgroups", ""},
        .unit = "Gop/s",
        .points = {}};
    for (const auto& [x, rate] : rates) series.points.push_back({.x = x, .median = rate, .samples = {}});
    return series;
}

std::vector<Grid> grids_of(const std::vector<Series>& all) {
    std::vector<Curve> curves(all.size());
    Curves chosen;
    for (std::size_t i = 0; i < all.size(); ++i) curves[i].series = &all[i], chosen.push_back(&curves[i]);
    return point_grids(chosen);
}

const GridRow& only_row(const std::vector<Grid>& grids) { return grids.at(0).sections.at(0).rows.at(0); }
} // namespace

TEST_CASE("a row for each series, devices of one question together, a column for each place; what was not measured is "
          "a dash") {
    const std::vector<Grid> grids = grids_of({atomics_on("cuda:0", "consecutive", {{1, 2}, {132, 261}}),
        atomics_on("cuda:0", "same-address", {{1, 1}, {132, 1.4}}), atomics_on("vulkan:0", "consecutive", {{1, 5.5}})});
    REQUIRE(grids.size() == 1);
    CHECK(std::get<Lack>(grids[0].sections[0].rows.at(1).cells.at(1).is) == Lack::not_measured);
    CHECK(*grids[0].sections[0].rows.at(2).cells.at(1).quantity() == Quantity{1.4e9, Unit::op_per_s});
    CHECK(grid_text(grids[0], 120) == "atomics global: each lane's operation counts, by workgroups, Gop/s\n"
                                      "                             1     132\n"
                                      "layout=consecutive cuda:0    2.00  261\n"
                                      "layout=consecutive vulkan:0  5.50  -\n"
                                      "layout=same-address cuda:0   1.00  1.40\n");
}

TEST_CASE("what all rows have in common stands above them") {
    const std::vector<Grid> grids = grids_of({atomics_on("cuda:0", "consecutive", {{1, 20}, {132, 12345}})});
    CHECK(grids.at(0).caption.starts_with("atomics global layout=consecutive: "));
    CHECK(only_row(grids).place == "cuda:0");
}

TEST_CASE("quartiles that lie apart stand behind their median, and in its place where they lie far apart") {
    Series series = atomics_on("cuda:0", "consecutive", {{1, 623}, {2, 50}});
    series.points[0].low = 331, series.points[0].high = 1975, series.points[1].low = 45, series.points[1].high = 55;
    const std::vector<Cell> far = only_row(grids_of({series})).cells;
    CHECK(std::get<Lack>(far.at(0).is) == Lack::scatters);
    CHECK(*far.at(1).quantity() == Quantity{50e9, Unit::op_per_s});
    series.points[0].low = 480, series.points[0].high = 800;
    CHECK(*only_row(grids_of({series})).cells.at(0).quantity() ==
          Quantity{.value = 623e9, .unit = Unit::op_per_s, .quartiles = std::pair(480e9, 800e9)});
    CHECK(says(grid_text(grids_of({series})[0], 80), "cuda:0  623 (480-800)  50.0\n"));
}

TEST_CASE("of a long sweep seven places, its ends among them; footprints that APIs round differently are one place") {
    std::vector<Series> all;
    for (const std::string device : {"cuda:0", "vulkan:0"}) {
        Series series{.id = {.probe = "stream", .device = device, .path = "global", .options = {{"operation", "fill"}}},
            .x = {"footprint", "bytes"},
            .unit = "GB/s",
            .points = {}};
        for (int i = 0; i < 19; ++i)
            series.points.push_back(
                {.x = std::exp2(12 + i) + (device == "vulkan:0" ? 16 : 0), .median = 100.0 + i, .samples = {}});
        all.push_back(series);
    }
    const Grid grid = grids_of(all).at(0);
    CHECK(
        grid.columns == std::vector<std::string>{"4 KiB", "32 KiB", "256 KiB", "2 MiB", "16 MiB", "128 MiB", "1 GiB"});
    for (const GridRow& row : grid.sections[0].rows)
        for (const Cell& cell : row.cells) CHECK(cell.quantity());
    all[1].points.resize(14); // a row that ends early shows where
    CHECK(grids_of(all).at(0).columns ==
          std::vector<std::string>{"4 KiB", "32 KiB", "256 KiB", "2 MiB", "16 MiB", "32 MiB", "128 MiB", "1 GiB"});
}

TEST_CASE("shifts, of which neighbours differ, are told by their first, least and greatest rate") {
    Series series{.id = {.probe = "coalescing",
                      .device = "cuda:0",
                      .path = "global",
                      .options = {{"pattern", "offset"}, {"width", "4"}}},
        .x = {"place", ""},
        .unit = "GB/s",
        .points = {}};
    for (int i = 0; i < 32; ++i)
        series.points.push_back({.x = static_cast<double>(i), .median = i == 8 ? 90 : i == 5 ? 60 : 80, .samples = {}});
    const std::vector<Cell> cells = only_row(grids_of({series})).cells;
    REQUIRE(cells.size() == 3);
    const std::pair<double, double> kExpected[] = {{80, 0}, {60, 5}, {90, 8}};
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(*cells[i].quantity() == Quantity{kExpected[i].first * 1e9, Unit::bytes_per_s});
        CHECK(*cells[i].beside == Quantity{kExpected[i].second, Unit::count});
    }
}

TEST_CASE("a recording: places by name, the instruction beside the rate") {
    const std::string full = sonde_run("diagnose --full " + recorded::quick(1)).out;
    CHECK(says(full, "one address for all lanes"));
    CHECK(says(full, "REDG.E.ADD.STRONG.GPU"));
    const Json answer = Json::parse(sonde_run("diagnose --json " + recorded::quick(1)).out);
    CHECK(std::ranges::any_of(answer, [](const Json& each) {
        return each.value("name", "") == "points" && each["caption"].get<std::string>().starts_with("atomics");
    }));
}
