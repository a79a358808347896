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

using namespace sonde;

namespace {

std::vector<CurvePoint> read(const std::string& text, const CurveFormat& format = {}) {
    std::istringstream in(text);
    return read_curve(in, "curve.csv", format);
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
          "  1024   5  9 9\n+2048 +6.5 9\n4096.0 70.0 x\n", "4096 70\n1024 5\n2048 6\n2048 7\n2048 6.5\n"}) {
        CAPTURE(text);
        CHECK(same(read(text), kThree));
    }
    CHECK(same(read("1 5\n2 6.5\n4 70\n", {.size_unit = "KiB"}), kThree));
    CHECK(same(read("1 5\n2 6.5\n4096B 70\n", {.size_unit = "K"}), kThree)); // a suffix beats the option
    CHECK(same(read("1MB 5\n2.5 MiB 6\n1GB 7\n"), {{1e6, 5}, {2621440, 6}, {1e9, 7}}));
    CHECK(same(read("1 5\n2 6\n3 7\n", {.size_unit = "MB", .latency_unit = "cycles"}), {{1e6, 5}, {2e6, 6}, {3e6, 7}}));
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
    CHECK(complaint("1024 5\n0.5 6\n4096 7\n") == "curve.csv, line 2: no memory has 0.5 bytes");
    CHECK(complaint("1024 5\n1e300 6\n4096 7\n") == "curve.csv, line 2: no memory has 1e+300 bytes");
    CHECK(complaint("") == "curve.csv: 0 sizes; a curve needs at least 3");
    CHECK(complaint("1024 5\n1024 6\n2048 7\n") == "curve.csv: 2 sizes; a curve needs at least 3");
    CHECK(complaint("1 2", {.size_unit = "furlong"}) == "'furlong' is no unit of size; use B, KB, KiB, MB, MiB, GB or GiB");
    CHECK(complaint("1 2", {.latency_unit = "days"}) == "'days' is no unit of latency; use ns or cycles");
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
    CHECK_THROWS_WITH_AS(read_curve_file("no/such/file.csv", {}), "no/such/file.csv: cannot be opened", UsageError);
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
