// Curves that other tools wrote, known by their text.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/analysis/read_text.h"
#include "tests/analysis/tool_files.h"

using namespace sonde;

TEST_CASE("what other tools write is known by its text") {
    const auto gpu = read_all(kGpuBenches);
    REQUIRE(gpu.size() == 1);
    CHECK(gpu[0].tool == "gpu-benches gpu-latency");
    CHECK(gpu[0].unit == "cycles");
    CHECK(gpu[0].points.size() == 33);
    CHECK(gpu[0].points[0].x == 1024);
    CHECK(gpu[0].points[0].y == 34.2);
    CHECK(gpu[0].points.back().y == 658.4);
    CHECK(read_first(kGpuBenches, {.size_unit = "KiB", .x = "3", .y = "4"}).empty() == false);

    const auto lmbench = read_all(kLmbench);
    REQUIRE(lmbench.size() == 1);
    CHECK(lmbench[0].tool == "lmbench lat_mem_rd");
    CHECK(lmbench[0].name == "stride 128");
    CHECK(lmbench[0].unit == "ns");
    CHECK(lmbench[0].points.size() == 37);
    CHECK(lmbench[0].points[0].x == 512); // written as 0.00049
    CHECK(lmbench[0].points.back().x == 268435456);
    CHECK(
        read_all(std::string(kLmbench) + "\"stride=512\n0.00049 1\n0.00098 1\n0.00195 1\n").at(1).name == "stride 512");

    const auto tiny = read_all(kTinymembench);
    REQUIRE(tiny.size() == 2);
    CHECK(tiny[0].tool == "tinymembench");
    CHECK(tiny[0].name == "MADV_NOHUGEPAGE");
    CHECK(tiny[1].name == "MADV_HUGEPAGE");
    CHECK(same_points(
        tiny[1].points, {{65536, 2.5}, {131072, 3.8}, {262144, 4.4}, {524288, 4.7}, {1048576, 4.9}, {2097152, 5.3},
                            {4194304, 11.3}, {8388608, 30.7}, {16777216, 87.4}, {33554432, 121.6}, {67108864, 137.7}}));
    CHECK(tiny[0].first_level == 2); // within L1 it tells 0
    CHECK(tiny[0].note.find("beyond an L1 hit") != std::string::npos);

    const auto chips = read_all(kChipsAndCheese);
    REQUIRE(chips.size() == 1);
    CHECK(chips[0].tool == "Chips and Cheese");
    CHECK(chips[0].points.size() == 37);
    CHECK(chips[0].points[0].x == 2048);
    CHECK(chips[0].unit == "ns");
    CHECK(read_all("Data Size (KB),Latency (ns)\n2,1\n4,1\n8,2\n").at(0).points[0].x == 2048);
    const auto opencl =
        read_all("\nSattolo, global memory latency (up to 4194304 K) unroll:\n2,100.5\n4,101\n8,102\n9000000 K would "
                 "exceed device's max buffer size of 4194304 K, stopping here.\n");
    CHECK(opencl.at(0).name == "global memory latency");
    CHECK(same_points(opencl.at(0).points, {{2048, 100.5}, {4096, 101}, {8192, 102}}));

    const auto timings = read_all(kMt4gTimings);
    REQUIRE(timings.size() == 1);
    CHECK(timings[0].tool == "MT4G");
    CHECK(timings[0].unit == "cycles");
    CHECK(timings[0].points.size() == 14);
    CHECK(timings[0].points[2].y == 140);
    CHECK(timings[0].points[7].y ==
          doctest::Approx((3 * 292 + 4 * 272 + 4 * 264 + 296) / 12.0)); // the mean: a chain would take as long
}

TEST_CASE("MT4G's result tells levels and no curve") {
    const auto curves = read_all(kMt4gJson);
    REQUIRE(curves.size() == 2);
    CHECK(curves[0].points.empty());
    CHECK(curves[0].level_names == std::vector<std::string>{"L1", "L2", "DRAM"});
    CHECK(curves[0].levels[0].latency == 38);
    CHECK(curves[0].levels[0].capacity_on == 238848);
    CHECK(curves[0].levels[0].confidence == doctest::Approx(0.97155));
    CHECK(curves[0].levels[1].capacity_on == 52428800); // as the driver says
    CHECK(std::isnan(curves[0].levels[1].confidence));
    CHECK_FALSE(curves[0].levels[2].capacity_off);
    CHECK(curves[1].name == "constant");
    CHECK(curves[1].level_names == std::vector<std::string>{"L1", "L1.5"});
    CHECK(says(complaint_of("{\"type\": \"run\"}\n"), "not MT4G's"));
}

TEST_CASE("of a level's two sizes the one that MT4G measured goes before the one that the driver told") {
    const auto curves = read_all(R"({"memory": {"l2": {"latency": {"mean": 219, "unit": "cycles"},
        "size": {"size": 26214400, "value": 52428800, "confidence": 0.97, "unit": "bytes"}}}})");
    REQUIRE(curves.size() == 1);
    REQUIRE(curves[0].levels.size() == 1);
    CHECK(curves[0].levels[0].capacity_off == 26214400);
}

TEST_CASE("a tool's row that is cut short is named") {
    CHECK(refuses("Region,Latency (ns)\n2,1\n4\n8,2\n", 3, "Chips and Cheese"));
    CHECK(refuses("\"stride=64\n0.00049 1\n0.00098 nan\n0.00195 1\n", 3, "finite"));
    CHECK(refuses("Region,Latency (ns)\n2,1\n4,1\n", 0, "2 sizes"));
}
