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

TEST_CASE("of a tool's curve what is no row is counted with its line, and what stands behind it is read") {
    const std::vector<std::pair<double, double>> three{{2048, 1}, {8192, 2}, {16384, 3}};
    struct Case {
        const char *text, *told;
    };
    for (const auto& [text, told] : {Case{"Region,Latency (ns)\n2,1\n4\n8,2\n16,3\n", "1 line of 5 not used: 3 ('4')"},
             {"Region,Latency (ns)\n2,1\nmmap-ing 4096 bytes\n8,2\n16,3\n", "3 ('mmap-ing 4096 bytes')"},
             {"Region,Latency (ns)\n2,1\n1.ollocate,2\n8,2\n16,3\n", "3 ('1.ollocate,2')"},
             {"Region,Latency (ns)\n2,1\n4,nan\n8,2\n16,3\n", "measured: 1 line of 5 not used: 3"},
             {"Region,Latency (ns)\n2,1\n4,inf\n8,2\n16,3\n", "measured: 1 line of 5 not used: 3"},
             {"Region,Latency (ns)\n2,1\n4,-1\n6,0\n8,2\n16,3\n", "measured: 2 lines of 6 not used: 3-4"},
             {"warning\nRegion,Latency (ns)\n\n2,1\n\n8,2\n\n16,3\n\n====\ndone\n", "2 lines of 11 not used: 1, 11"}}) {
        CAPTURE(std::string(text));
        const auto curves = read_all(text);
        REQUIRE(curves.size() == 1);
        CHECK(same_points(curves[0].points, three));
        REQUIRE(curves[0].left_out.size() == 1);
        CHECK(says(curves[0].left_out[0], told));
    }
    CHECK(read_all("Region,Latency (ns)\n2,1\n8,2\n16,3\n").at(0).left_out.empty());
    CHECK(refuses("Region,Latency (ns)\n2,1\n4,1\n", 0, "2 sizes"));
    CHECK(refuses("Region,Latency (ns)\n2,1\n4,x\n8,1\n", 0, "not used: 3 ('4,x')"));
    // Rows of other tools behind a curve, of as many numbers, are none of it.
    CHECK(read_all(std::string("\"stride=64\n0.5 1\n1 1\n2 1\n\"libc bcopy\n0.0005 4000\n4 5000\n"))
              .at(0)
              .points.size() == 3);
    CHECK(read_all(std::string("\"stride=64\n0.5 1\n1 1\n2 1\nMemory write bandwidth\n0.0005 4000\n4 5000\n"))
              .at(0)
              .points.size() == 3);
}

TEST_CASE("a tool is known by what its numbers can be: more columns, before or behind them, are no other tool") {
    const std::string title = "clock: 1500 1500\n";
    const auto rows = [](const std::string& before, const std::string& behind) {
        std::string text;
        for (const int kib : {16, 32, 64, 128})
            text += fmt::format("{}1000000 1500 {} 20.0 30.0{}\n", before, kib, behind);
        return text;
    };
    for (const auto& [before, behind] :
        {std::pair{"", ""}, {"", " 30.0 29.9 30.1"}, {"", " 7"}, {"3 ", ""}, {"0 4 ", " 30.1"}}) {
        CAPTURE(std::string(before) + "|" + behind);
        const auto curves = read_all(title + rows(before, behind));
        REQUIRE(curves.size() == 1);
        CHECK(same_points(curves[0].points, {{16384, 30}, {32768, 30}, {65536, 30}, {131072, 30}}));
        CHECK(curves[0].clock_mhz == 1500);
    }
    CHECK(same_points(read_first("\"stride=64\n0.5 1 7\n1 1 7\n2 4 7\n"), {{524288, 1}, {1048576, 1}, {2097152, 4}}));
    // The same first line, and other rows: gpu-strides, gpu-l2-stream.
    CHECK_FALSE(complaint_of(title + "float stride 1 1 1.02 125 1.00 1.00 0.04\n").empty());
}

TEST_CASE("several curves in a file stay several, and a zero within one is below the timer") {
    const auto rows = [](double second) {
        return fmt::format(
            "1024 : 0.0 ns / 0.0 ns\n65536 : {0} ns / 4 ns\n131072 : 4 ns / 5 ns\n262144 : 5 ns / 6 ns\n", second);
    };
    const std::string title = "block size : single random read / dual random read\n";
    const auto two = read_all(title + rows(2.5) + "\nExecuting on cpu4\n" + title + rows(3.5));
    REQUIRE(two.size() == 2);
    CHECK(two[0].points[0].y == 2.5);
    CHECK(two[1].points[0].y == 3.5);
    const auto again =
        read_all("Region,Latency (ns)\n2,1\n8,2\n16,3\n2,5\n8,6\n16,7\n"); // by a second run's rows alone
    REQUIRE(again.size() == 2);
    CHECK(same_points(again[1].points, {{2048, 5}, {8192, 6}, {16384, 7}}));
    const auto clocked = read_all("clock: 1000\n1000000 1000 2 9 9\n1000000 1000 4 9 9\n1000000 1000 8 9 9\n"
                                  "1000000 1000 2 7 7\n1000000 1000 4 7 7\n1000000 1000 8 7 7\n");
    REQUIRE(clocked.size() == 2);
    CHECK(same_points(clocked[1].points, {{2048, 7}, {4096, 7}, {8192, 7}}));

    const auto zeros = read_all(title + "1024 : 0.0 ns / 0.0 ns\n2048 : 0.1 ns / 0.1 ns\n4096 : 0.0 ns / 0.0 ns\n"
                                        "65536 : 2.5 ns / 3 ns\n131072 : 4 ns / 5 ns\n");
    REQUIRE(zeros.size() == 1);
    CHECK(same_points(zeros[0].points, {{2048, 0.1}, {65536, 2.5}, {131072, 4}}));
    CHECK(zeros[0].first_level == 2);
    REQUIRE(zeros[0].left_out.size() == 1);
    CHECK(says(zeros[0].left_out[0], "1 value below the timer's step"));
}
