// Series whose points are their result, as tables.
#include <cmath>

#include <doctest/doctest.h>

#include "core/cli/point_table.h"
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

std::string tables_of(const std::vector<Series>& all) {
    std::vector<Curve> curves(all.size());
    Curves chosen;
    for (std::size_t i = 0; i < all.size(); ++i) curves[i].series = &all[i], chosen.push_back(&curves[i]);
    return point_tables(chosen, 120);
}
} // namespace

TEST_CASE("a row for each series, devices of one question together, a column for each place; what was not measured is "
          "a dash") {
    const std::string text = tables_of({atomics_on("cuda:0", "consecutive", {{1, 2}, {132, 261}}),
        atomics_on("cuda:0", "same-address", {{1, 1}, {132, 1.4}}), atomics_on("vulkan:0", "consecutive", {{1, 5.5}})});
    CHECK(text == "\natomics global: Gop/s (each lane's operation counts), by workgroups\n"
                  "                             1    132\n"
                  "layout=consecutive cuda:0    2    261\n"
                  "layout=consecutive vulkan:0  5.5  -\n"
                  "layout=same-address cuda:0   1    1.4\n");
}

TEST_CASE("what all rows have in common stands above them, and large rates are in T") {
    const std::string text = tables_of({atomics_on("cuda:0", "consecutive", {{1, 20}, {132, 12345}})});
    CHECK(says(text, "atomics global layout=consecutive: Top/s"));
    CHECK(says(text, "cuda:0  0.02  12.3\n"));
}

TEST_CASE("quartiles that lie apart stand behind their median, and in its place where they lie far apart") {
    Series series = atomics_on("cuda:0", "consecutive", {{1, 623}, {2, 50}});
    series.points[0].low = 331, series.points[0].high = 1975, series.points[1].low = 45, series.points[1].high = 55;
    CHECK(says(tables_of({series}), "cuda:0  ?  50\n"));
    series.points[0].low = 480, series.points[0].high = 800;
    CHECK(says(tables_of({series}), "cuda:0  623 (480-800)  50\n"));
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
    const std::string text = tables_of(all);
    CHECK(says(text, "4 KiB  32 KiB  256 KiB  2 MiB  16 MiB  128 MiB  1 GiB\n"));
    CHECK_FALSE(says(text, "-"));
    all[1].points.resize(14); // a row that ends early shows where
    CHECK(says(tables_of(all), "4 KiB  32 KiB  256 KiB  2 MiB  16 MiB  32 MiB  128 MiB  1 GiB\n"));
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
    CHECK(says(tables_of({series}), "cuda:0  80 at 0  60 at 5  90 at 8\n"));
}

TEST_CASE("a recording: places by name, blocks that lie apart as a range, the instruction beside the rate") {
    const std::string coalescing = sonde_run("diagnose --full " + recorded::file("coalescing")).out,
                      atomics = sonde_run("diagnose --full " + recorded::file("atomics")).out;
    CHECK(says(coalescing, "one address for all lanes"));
    CHECK(says(atomics, "403-485"));
    CHECK(says(atomics, "ATOMS.CAST.SPIN.64"));
}
