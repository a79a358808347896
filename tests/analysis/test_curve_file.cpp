#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/analysis/curve_file.h"
#include "core/base/error.h"
#include "core/cli/commands.h"
#include "tests/analysis/tool_files.h"

using namespace sonde;

namespace {

std::vector<CurvePoint> read(const std::string& text, const CurveFormat& format = {}) {
    std::istringstream in(text);
    return read_curves(in, "curve.csv", format).at(0).points;
}

std::vector<FileCurve> read_all(const std::string& text, const CurveFormat& format = {}) {
    std::istringstream in(text);
    return read_curves(in, "curve.csv", format);
}

/// What read() complains of; empty where it does not.
std::string complaint(const std::string& text, const CurveFormat& format = {}) {
    try {
        read(text, format);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

bool same(const std::vector<CurvePoint>& points, const std::vector<std::pair<double, double>>& expected) {
    if (points.size() != expected.size()) return false;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (std::abs(points[i].x - expected[i].first) > 1e-6 || points[i].y != expected[i].second) return false;
    return true;
}

class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& text)
        : path_(std::filesystem::temp_directory_path() / ("sonde-curve-" + std::to_string(getpid()) + ".csv")) {
        std::ofstream(path_) << text;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

const std::vector<std::pair<double, double>> kThree{{1024, 5}, {2048, 6.5}, {4096, 70}};

} // namespace

TEST_CASE("curves of every common spelling read the same") {
    for (const char* text :
         {"1024 5\n2048 6.5\n4096 70\n", "1024,5\n2048,6.5\n4096,70", "1024;5\r\n2048; 6.5\r\n4096 ;70\r\n",
          "1024\t5\n\n2048\t6.5\n4096\t70\n", "# a comment\nbytes,latency_ns\n1024, 5 # warm\n2048,6.5\n4096,7e1\n",
          "size latency\n1KiB 5\n2K 6.5\n4 KiB 70\n", "\xef\xbb\xbf\"size\",\"ns\"\n\"1024\",\"5\"\n\"2048\",\"6.5\"\n\"4096\",\"70\"\n",
          "  1024   5\n+2048 +6.5\n4096.0 70.0\n", "1024 B 5 ns\n2048B 6.5ns\n4 KiB 0.07 us\n", "4096 70\n1024 5\n2048 6\n2048 7\n2048 6.5\n"}) {
        CAPTURE(text);
        CHECK(same(read(text), kThree));
    }
    CHECK(same(read("1 5\n2 6.5\n4 70\n", {.size_unit = "KiB"}), kThree));
    CHECK(same(read("1 5\n2 6.5\n4096B 70\n", {.size_unit = "K"}), kThree)); // a suffix beats the option
    CHECK(same(read("1MB 5\n2.5 MiB 6\n1GB 7\n"), {{1e6, 5}, {2621440, 6}, {1e9, 7}}));
    CHECK(same(read("1 5\n2 6\n3 7\n", {.size_unit = "MB", .latency_unit = "cycles"}), {{1e6, 5}, {2e6, 6}, {3e6, 7}}));
}

TEST_CASE("a header names units, which an option overrules") {
    struct Row {
        const char *text, *unit;
        double bytes, latency; // of the first point
    };
    for (const Row& row : {Row{"KiB,cycles\n1,5\n2,6\n3,7\n", "cycles", 1024, 5}, {"size_bytes latency_ns\n1024 5\n2048 6\n4096 7\n", "ns", 1024, 5},
                           {"Footprint (KB);Latency [us]\n1;0,005\n2;0,006\n3;0,007\n", "ns", 1000, 5}, {"Size (MiB)\tLatency (cycles)\n1\t5\n2\t6\n3\t7\n", "cycles", 1048576, 5},
                           {"ns,bytes\n5,1024\n6,2048\n7,4096\n", "ns", 1024, 5}, {"# KiB cycles\n1 5\n2 6\n3 7\n", "cycles", 1024, 5},
                           {"Working set KiB, chase cycles\n1 5\n2 6\n3 7\n", "cycles", 1024, 5}, {"size (KiB) latency (cycles)\n1 5\n2 6\n3 7\n", "cycles", 1024, 5},
                           {"# a comment of many words\nsize,latency\n1024,5\n2048,6\n4096,7\n", "ns", 1024, 5}}) {
        CAPTURE(std::string(row.text));
        const FileCurve curve = read_all(row.text).at(0);
        CHECK(curve.unit == row.unit);
        CHECK(curve.points[0].x == doctest::Approx(row.bytes));
        CHECK(curve.points[0].y == doctest::Approx(row.latency));
    }
    const FileCurve asked = read_all("KiB,cycles\n1,5\n2,6\n3,7\n", {.size_unit = "MiB", .latency_unit = "us"}).at(0);
    CHECK(asked.unit == "ns");
    CHECK(asked.points[0].x == 1048576);
    CHECK(asked.points[0].y == 5000);
    CHECK(complaint("Size (KiB),Bandwidth (GB/s)\n1,5\n2,6\n3,7\n") == "curve.csv: 'GB/s' is no unit of latency; choose another column with --x and --y, or name the unit with --latency-unit");
    CHECK(complaint("Size (pages),ns\n1,5\n2,6\n3,7\n") == "curve.csv: 'pages' is no unit of size; choose another column with --x and --y, or name the unit with --size-unit");
    CHECK(complaint("Size (pages),ns\n1,5\n2,6\n3,7\n", {.size_unit = "KiB"}) == "");
    CHECK(complaint("1024,4 cycles\n2048,5 cycles\n4096,6 cycles\n") == "curve.csv, line 1: '4 cycles' is in cycles, the column in ns; name the column's unit with --latency-unit cycles");
}

TEST_CASE("of more than two columns the two that count are named") {
    const std::string five = "1000000 1755 1 19.5 34.2\n1000000 1755 2 19.5 34.3\n1000000 1755 3 19.5 34.4\n";
    CHECK(complaint(five) == "curve.csv, line 1: 5 columns; name the one of sizes and the one of latencies by number or title, as in --x 1 --y 5");
    CHECK(same(read(five, {.size_unit = "KiB", .latency_unit = "cycles", .x = "3", .y = "5"}), {{1024, 34.2}, {2048, 34.3}, {3072, 34.4}}));
    CHECK(complaint(five, {.x = "3"}).find("5 columns; name") != std::string::npos);
    CHECK(complaint(five, {.x = "3", .y = "6"}) == "curve.csv, line 1: --y 6: no such column; there are 5");
    CHECK(complaint(five, {.x = "0", .y = "5"}) == "curve.csv, line 1: --x 0: no such column; there are 5");
    CHECK(complaint(five + "1000000 1755\n", {.x = "3", .y = "5"}) == "curve.csv, line 4: '1000000 1755' is no size");
    CHECK(complaint(five + "1000000 1755 9\n", {.x = "3", .y = "5"}) == "curve.csv, line 4: a size without a latency");

    const std::string titled = "card,Size (KiB),read,write (us)\nA,1,5,6\nA,2,6,7\nA,3,7,8\n";
    CHECK(same(read(titled, {.x = "2", .y = "3"}), {{1024, 5}, {2048, 6}, {3072, 7}}));
    CHECK(same(read(titled, {.x = "Size", .y = "read"}), {{1024, 5}, {2048, 6}, {3072, 7}}));
    CHECK(same(read(titled, {.x = "Size (KiB)", .y = "write"}), {{1024, 6000}, {2048, 7000}, {3072, 8000}}));
    CHECK(same(read(titled), {{1024, 6000}, {2048, 7000}, {3072, 8000}})); // one title has a unit of size, one a unit of time
    CHECK(same(read("A,1,5\nA,2,6\nB,3,7\n", {.x = "2", .y = "3"}), {{1, 5}, {2, 6}, {3, 7}}));
    CHECK(complaint(titled, {.x = "Size", .y = "reads"}) == "curve.csv, line 2: --y reads: no such column; there are 4: card, Size (KiB), read, write (us)");
    CHECK(complaint("1 2\n2 3\n3 4 5\n") == "curve.csv, line 3: 3 columns where the first row has 2; name the two with --x and --y");
}

TEST_CASE("what other tools write is known by its text") {
    const auto gpu = read_all(kGpuBenches);
    REQUIRE(gpu.size() == 1);
    CHECK(gpu[0].tool == "gpu-benches gpu-latency");
    CHECK(gpu[0].unit == "cycles");
    CHECK(gpu[0].points.size() == 33);
    CHECK(gpu[0].points[0].x == 1024);
    CHECK(gpu[0].points[0].y == 34.2);
    CHECK(gpu[0].points.back().y == 658.4);
    CHECK(read(kGpuBenches, {.size_unit = "KiB", .x = "3", .y = "4"}).empty() == false);

    const auto lmbench = read_all(kLmbench);
    REQUIRE(lmbench.size() == 1);
    CHECK(lmbench[0].tool == "lmbench lat_mem_rd");
    CHECK(lmbench[0].name == "stride 128");
    CHECK(lmbench[0].unit == "ns");
    CHECK(lmbench[0].points.size() == 37);
    CHECK(lmbench[0].points[0].x == 512); // written as 0.00049
    CHECK(lmbench[0].points.back().x == 268435456);
    CHECK(read_all(std::string(kLmbench) + "\"stride=512\n0.00049 1\n0.00098 1\n0.00195 1\n").at(1).name == "stride 512");

    const auto tiny = read_all(kTinymembench);
    REQUIRE(tiny.size() == 2);
    CHECK(tiny[0].tool == "tinymembench");
    CHECK(tiny[0].name == "MADV_NOHUGEPAGE");
    CHECK(tiny[1].name == "MADV_HUGEPAGE");
    CHECK(same(tiny[1].points, {{65536, 2.5}, {131072, 3.8}, {262144, 4.4}, {524288, 4.7}, {1048576, 4.9}, {2097152, 5.3}, {4194304, 11.3}, {8388608, 30.7}, {16777216, 87.4}, {33554432, 121.6}, {67108864, 137.7}}));
    CHECK(tiny[0].first_level == 2); // within L1 it tells 0
    CHECK(tiny[0].note.find("beyond an L1 hit") != std::string::npos);

    const auto chips = read_all(kChipsAndCheese);
    REQUIRE(chips.size() == 1);
    CHECK(chips[0].tool == "Chips and Cheese");
    CHECK(chips[0].points.size() == 37);
    CHECK(chips[0].points[0].x == 2048);
    CHECK(chips[0].unit == "ns");
    CHECK(read_all("Data Size (KB),Latency (ns)\n2,1\n4,1\n8,2\n").at(0).points[0].x == 2048);
    const auto opencl = read_all("\nSattolo, global memory latency (up to 4194304 K) unroll:\n2,100.5\n4,101\n8,102\n9000000 K would exceed device's max buffer size of 4194304 K, stopping here.\n");
    CHECK(opencl.at(0).name == "global memory latency");
    CHECK(same(opencl.at(0).points, {{2048, 100.5}, {4096, 101}, {8192, 102}}));

    const auto timings = read_all(kMt4gTimings);
    REQUIRE(timings.size() == 1);
    CHECK(timings[0].tool == "MT4G");
    CHECK(timings[0].unit == "cycles");
    CHECK(timings[0].points.size() == 14);
    CHECK(timings[0].points[2].y == 140);
    CHECK(timings[0].points[7].y == doctest::Approx((3 * 292 + 4 * 272 + 4 * 264 + 296) / 12.0)); // the mean: a chain would take as long
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
    CHECK(complaint("{\"type\": \"run\"}\n").find("JSON that is not MT4G's") != std::string::npos);
}

TEST_CASE("a tool's row that is cut short is named") {
    CHECK(complaint("Region,Latency (ns)\n2,1\n4\n8,2\n") == "curve.csv, line 3: 1 numbers, where Chips and Cheese writes 2");
    CHECK(complaint("\"stride=64\n0.00049 1\n0.00098 nan\n0.00195 1\n") == "curve.csv, line 3: the latency is not a finite number");
    CHECK(complaint("Region,Latency (ns)\n2,1\n4,1\n") == "curve.csv: 2 sizes; a curve needs at least 3");
}

TEST_CASE("a decimal comma is read where it can be nothing else") {
    const std::vector<std::pair<double, double>> points{{1024, 5.25}, {2048, 6.5}, {4096, 70}};
    for (const std::string text : {"size;ns\n1024;5,25\n2048;6,5\n4096;70\n", "1,0 KiB; 5,25\n2,0 KiB; 6,5\n4,0 KiB; 70,0\n", "\"1024\",\"5,25\"\n\"2048\",\"6,5\"\n\"4096\",\"70\"\n",
                                    "\"1024\";\"5,25\"\n\"2048\";\"6,5\"\n\"4096\";\"70,0\"\n"}) {
        CAPTURE(text);
        CHECK(complaint(text) == "");
        CHECK(same(read(text), points));
    }
    struct Row {
        const char *text, *says;
    };
    for (const Row& row : {Row{"1024;5,25\n4,096;70.5\n8192;80\n", "line 2: it is not clear which of '.' and ',' is the decimal mark"},
                           {"1024;5\n1,024,000;70\n8192;80\n", "line 2: it is not clear which of '.' and ','"},
                           {"1024 5,25\n2048 6,5\n4096 70\n", "line 1: '5,25' may be one number or two"}}) {
        CAPTURE(std::string(row.text));
        CHECK(complaint(row.text).find(row.says) != std::string::npos);
    }
}

TEST_CASE("bad curves get one line that names the place") {
    CHECK(complaint("1024 5\n2048 nan\n4096 7\n") == "curve.csv, line 2: the latency is not a finite number");
    CHECK(complaint("1024 5\n2048 inf\n4096 7\n") == "curve.csv, line 2: the latency is not a finite number");
    CHECK(complaint("1024 5\n1e999 6\n4096 7\n") == "curve.csv, line 2: the size is not a finite number");
    CHECK(complaint("1024 5\nnan 6\n4096 7\n") == "curve.csv, line 2: the size is not a finite number");
    CHECK(complaint("1024 5\n\n# x\n-2048 6\n4096 7\n") == "curve.csv, line 4: the size must be above 0, it is -2048");
    CHECK(complaint("1024 5\n2048 0\n4096 7\n") == "curve.csv, line 2: the latency must be above 0, it is 0");
    CHECK(complaint("1024 5\n2048\n4096 7\n") == "curve.csv, line 2: a size without a latency");
    CHECK(complaint("1024 5\n2048,\n4096 7\n") == "curve.csv, line 2: a size without a latency");
    CHECK(complaint("1024 5\n2048,,6\n4096 7\n") == "curve.csv, line 2: '' is no latency");
    CHECK(complaint("1024 5\n2048 6x\n4096 7\n") == "curve.csv, line 2: '6x' is no latency");
    CHECK(complaint("1024 5\n2048XB 6\n4096 7\n") == "curve.csv, line 2: 'XB' is no unit of size");
    CHECK(complaint("1024 5\nlater, text\n4096 7\n") == "curve.csv, line 2: 'later, text' is no size");
    CHECK(complaint("head\nmore head\n1 2\n") == "curve.csv, line 2: 'more head' is no size");
    CHECK(complaint("1024 5\n0.5 6\n4096 7\n") == "curve.csv, line 2: no memory has 0.5 bytes (--size-unit names the unit of sizes)");
    CHECK(complaint("1024 5\n1e300 6\n4096 7\n") == "curve.csv, line 2: no memory has 1e+300 bytes (--size-unit names the unit of sizes)");
    CHECK(complaint("size\n1024\n2048\n") == "curve.csv, line 2: a size without a latency");
    CHECK(complaint("") == "curve.csv: 0 sizes; a curve needs at least 3");
    CHECK(complaint("1024 5\n") == "curve.csv: 1 size; a curve needs at least 3");
    CHECK(complaint("1024 5\n1024 6\n2048 7\n") == "curve.csv: 2 sizes; a curve needs at least 3");
    CHECK(complaint("1 2", {.size_unit = "furlong"}) == "'furlong' is no unit of size; use B, KB, KiB, MB, MiB, GB or GiB");
    CHECK(complaint("1 2", {.latency_unit = "days"}) == "'days' is no unit of latency; use ns, us, ms or cycles");
}

TEST_CASE("hostile bytes neither crash the reader nor reach the terminal") {
    const std::string bad = complaint("x\n\x1b[31m" + std::string(1000, '\xff') + " 5\n");
    CHECK(bad.size() < 120);
    CHECK(bad.find('\x1b') == std::string::npos);
    CHECK(bad.find('\xff') == std::string::npos);
    CHECK_FALSE(complaint(std::string("1\0 5\n2 6\n3 7\n", 13)).empty());
    CHECK_FALSE(complaint(std::string(100000, ',')).empty());
    CHECK_FALSE(complaint(std::string(100000, '1')).empty());
    CHECK_FALSE(complaint("1e-400 5\n2 6\n3 7\n").empty());
}

TEST_CASE("a file that is no curve by its size is refused") {
    std::string rows;
    for (int i = 0; i <= 1'000'000; ++i) rows += "1 2\n";
    CHECK(complaint(rows) == "curve.csv, line 1000001: more than 1000000 rows");
    CHECK(complaint(std::string((std::size_t{64} << 20) + 1, '#')) == "curve.csv: more than 64 MiB; a curve is smaller");
    CHECK_THROWS_WITH_AS(read_curve_file("no/such/file.csv", {}), "no/such/file.csv: cannot open: No such file or directory", UsageError);
}

TEST_CASE("the command prints a table or JSON") {
    std::string text = "KiB,cycles\n";
    for (int i = 0; i < 40; ++i) {
        const double kib = std::exp2(i * 0.5);
        text += std::to_string(kib) + "," + (kib <= 128 ? "28" : kib <= 40000 ? "200.5" : "600") + "\n";
    }
    const TemporaryFile file(text);
    LevelsOptions options{.file = file.path(), .format = {.size_unit = "KiB", .latency_unit = "cycles"}};
    std::ostringstream table;
    CHECK(levels_command(options, table) == 0);
    CHECK(table.str() == "level       latency  capacity        confidence  points\n"
                         "L1      28.0 cycles  128-181 KiB     1.00            15\n"
                         "L2     200.5 cycles  32-45.3 MiB     1.00            16\n"
                         "DRAM   600.0 cycles  beyond 724 MiB  1.00             9\n");
    options.json = true;
    std::ostringstream json;
    CHECK(levels_command(options, json) == 0);
    const auto levels = nlohmann::json::parse(json.str());
    REQUIRE(levels.size() == 3);
    CHECK(levels[0]["latency"] == doctest::Approx(28));
    CHECK(levels[0]["capacity_bytes"][0] == 131072);
    CHECK(levels[2]["capacity_bytes"][1].is_null());
    CHECK(levels[2]["confidence"] == 1);
    CHECK(levels[1]["points"] == 16);
}

TEST_CASE("the command names the tool, DRAM's TLB and doubtful levels") {
    const auto printed = [](const std::string& text, bool json) {
        const TemporaryFile file(text);
        std::ostringstream out;
        CHECK(levels_command({.file = file.path(), .format = {}, .json = json}, out) == 0);
        return out.str();
    };
    CHECK(printed(kGpuBenches, false) == R"(gpu-benches gpu-latency
level       latency  capacity         confidence  points
L1      34.3 cycles  216-291 KiB      1.00             8
L2     265.5 cycles  23.6-28.5 MiB    1.00             9
L3     475.1 cycles  50.5-55.6 MiB    0.88             4
DRAM   652.6 cycles  beyond 1.46 GiB  1.00             7
)");
    CHECK(printed(kChipsAndCheese, false) == R"(Chips and Cheese
level   latency  capacity      confidence  points
L1       0.9 ns  32-48 KiB     1.00             7
L2       4.2 ns  3-4 MiB       0.88             3
L3      14.9 ns  10-12 MiB     0.62             2
DRAM   109.7 ns  beyond 1 GiB  0.94             3
L2: latency rises again beyond 192 KiB: TLB, or another cache
)");
    CHECK(printed(kTinymembench, false) == R"(tinymembench, MADV_NOHUGEPAGE
level  latency  capacity  confidence  points
L2      7.1 ns  2-4 MiB   0.75             3
tinymembench tells the time beyond an L1 hit: add L1's latency

tinymembench, MADV_HUGEPAGE
level   latency  capacity       confidence  points
L2       4.7 ns  2-4 MiB        0.45             3
DRAM   115.5 ns  beyond 64 MiB  0.29             3
tinymembench tells the time beyond an L1 hit: add L1's latency
)");
    CHECK(printed(kMt4gJson, false) == R"(MT4G
level       latency  capacity       confidence  points
L1      38.0 cycles  233 KiB        0.97             -
L2     219.3 cycles  50 MiB         -                -
DRAM   834.5 cycles  beyond 50 MiB  -                -
levels as MT4G found them: its result holds no curve

MT4G, constant
level       latency  capacity  confidence  points
L1      20.7 cycles  2.06 KiB  0.90             -
L1.5   104.9 cycles  64 KiB    0.00             -
levels as MT4G found them: its result holds no curve
)");
    CHECK(printed(kLmbench, false).find("L2       7.5 ns  512-768 KiB") != std::string::npos);
    CHECK(printed(kMt4gTimings, false).find("L1     140.0 cycles  16-16.2 KiB") != std::string::npos);
    std::string text = "KiB,ns\n";
    for (int i = 0; i < 52; ++i) text += std::to_string(std::exp2(i * 0.5)) + "," + (i <= 14 ? "30" : i <= 30 ? "200" : i <= 42 ? "335" : "1200") + "\n";
    CHECK(printed(text, false) == R"(level   latency  capacity         confidence  points
L1      30.0 ns  128-181 KiB      1.00            15
L2     200.0 ns  32-45.3 MiB      1.00            16
DRAM   335.0 ns  beyond 45.3 GiB  1.00            12
DRAM: latency rises again beyond 2 GiB: TLB
)");
    const auto levels = nlohmann::json::parse(printed(text, true));
    REQUIRE(levels.size() == 3);
    CHECK(levels[2]["name"] == "DRAM");
    CHECK(levels[2]["unit"] == "ns");
    CHECK(levels[2]["tlb_beyond_bytes"] == 2147483648.0);
    CHECK(levels[0]["tlb_beyond_bytes"].is_null());
    CHECK(nlohmann::json::parse(printed(kTinymembench, true))[0]["curve"] == "MADV_NOHUGEPAGE");
}

TEST_CASE("a curve without a plateau has no level") {
    std::string text;
    for (int i = 9; i < 30; ++i) text += std::to_string(1 << i) + " " + std::to_string(std::exp2(0.5 * i)) + "\n";
    const TemporaryFile file(text);
    std::ostringstream out;
    CHECK(levels_command({.file = file.path(), .format = {}}, out) == 0);
    CHECK(out.str() == "no level: the curve is flat nowhere\n");
    std::ostringstream json;
    levels_command({.file = file.path(), .format = {}, .json = true}, json);
    CHECK(json.str() == "[]\n");
}
