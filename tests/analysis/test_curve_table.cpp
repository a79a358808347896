// Tables of sizes and latencies: spellings, headers, columns, decimal commas, and what is refused.
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/analysis/read_text.h"

using namespace sonde;

namespace {
const std::vector<std::pair<double, double>> kThreeColumns{{1024, 5}, {2048, 6.5}, {4096, 70}};
} // namespace

TEST_CASE("curves of every common spelling read the same") {
    for (const char* text :
        {"1024 5\n2048 6.5\n4096 70\n", "1024,5\n2048,6.5\n4096,70", "1024;5\r\n2048; 6.5\r\n4096 ;70\r\n",
            "1024\t5\n\n2048\t6.5\n4096\t70\n", "# a comment\nbytes,latency_ns\n1024, 5 # warm\n2048,6.5\n4096,7e1\n",
            "size latency\n1KiB 5\n2K 6.5\n4 KiB 70\n",
            "\xef\xbb\xbf\"size\",\"ns\"\n\"1024\",\"5\"\n\"2048\",\"6.5\"\n\"4096\",\"70\"\n",
            "  1024   5\n+2048 +6.5\n4096.0 70.0\n", "1024 B 5 ns\n2048B 6.5ns\n4 KiB 0.07 us\n",
            "4096 70\n1024 5\n2048 6\n2048 7\n2048 6.5\n"}) {
        CAPTURE(text);
        CHECK(same_points(read_first(text), kThreeColumns));
    }
    CHECK(same_points(read_first("1 5\n2 6.5\n4 70\n", {.size_unit = "KiB"}), kThreeColumns));
    CHECK(same_points(
        read_first("1 5\n2 6.5\n4096B 70\n", {.size_unit = "K"}), kThreeColumns)); // a suffix beats the option
    CHECK(same_points(read_first("1MB 5\n2.5 MiB 6\n1GB 7\n"), {{1e6, 5}, {2621440, 6}, {1e9, 7}}));
    CHECK(same_points(
        read_first("1 5\n2 6\n3 7\n", {.size_unit = "MB", .latency_unit = "cycles"}), {{1e6, 5}, {2e6, 6}, {3e6, 7}}));
}

TEST_CASE("a header names units, which an option overrules") {
    struct Row {
        const char *text, *unit;
        double bytes, latency; // of the first point
    };
    for (const Row& row :
        {Row{"KiB,cycles\n1,5\n2,6\n3,7\n", "cycles", 1024, 5},
            {"size_bytes latency_ns\n1024 5\n2048 6\n4096 7\n", "ns", 1024, 5},
            {"Footprint (KB);Latency [us]\n1;0,005\n2;0,006\n3;0,007\n", "ns", 1000, 5},
            {"Size (MiB)\tLatency (cycles)\n1\t5\n2\t6\n3\t7\n", "cycles", 1048576, 5},
            {"ns,bytes\n5,1024\n6,2048\n7,4096\n", "ns", 1024, 5}, {"# KiB cycles\n1 5\n2 6\n3 7\n", "cycles", 1024, 5},
            {"Working set KiB, chase cycles\n1 5\n2 6\n3 7\n", "cycles", 1024, 5},
            {"size (KiB) latency (cycles)\n1 5\n2 6\n3 7\n", "cycles", 1024, 5},
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
    CHECK(refuses("Size (KiB),Bandwidth (GB/s)\n1,5\n2,6\n3,7\n", 0, "'GB/s' is no unit"));
    CHECK(complaint_of("Size (KiB),Bandwidth (GB/s)\n1,5\n2,6\n3,7\n").ends_with("--latency-unit"));
    CHECK(refuses("Size (pages),ns\n1,5\n2,6\n3,7\n", 0, "'pages' is no unit"));
    CHECK(complaint_of("Size (pages),ns\n1,5\n2,6\n3,7\n").ends_with("--size-unit"));
    CHECK(complaint_of("Size (pages),ns\n1,5\n2,6\n3,7\n", {.size_unit = "KiB"}) == "");
    CHECK(refuses("1024,4 cycles\n2048,5 cycles\n4096,6 cycles\n", 1, "'4 cycles' is in"));
    CHECK(complaint_of("1024,4 cycles\n2048,5 cycles\n4096,6 cycles\n").ends_with("--latency-unit cycles"));
}

TEST_CASE("of more than two columns the two that count are named") {
    const std::string five = "1000000 1755 1 19.5 34.2\n1000000 1755 2 19.5 34.3\n1000000 1755 3 19.5 34.4\n";
    CHECK(refuses(five, 1, "5 columns; name"));
    CHECK(complaint_of(five).ends_with("--x 1 --y 5"));
    CHECK(same_points(read_first(five, {.size_unit = "KiB", .latency_unit = "cycles", .x = "3", .y = "5"}),
        {{1024, 34.2}, {2048, 34.3}, {3072, 34.4}}));
    CHECK(refuses(five, 1, "5 columns; name", {.x = "3"}));
    CHECK(refuses(five, 1, "--y 6: no", {.x = "3", .y = "6"}));
    CHECK(refuses(five, 1, "--x 0: no", {.x = "0", .y = "5"}));
    CHECK(refuses(five + "1000000 1755\n", 4, "'1000000 1755' is", {.x = "3", .y = "5"}));
    CHECK(refuses(five + "1000000 1755 9\n", 4, "without a latency", {.x = "3", .y = "5"}));

    const std::string titled = "card,Size (KiB),read,write (us)\nA,1,5,6\nA,2,6,7\nA,3,7,8\n";
    CHECK(same_points(read_first(titled, {.x = "2", .y = "3"}), {{1024, 5}, {2048, 6}, {3072, 7}}));
    CHECK(same_points(read_first(titled, {.x = "Size", .y = "read"}), {{1024, 5}, {2048, 6}, {3072, 7}}));
    CHECK(
        same_points(read_first(titled, {.x = "Size (KiB)", .y = "write"}), {{1024, 6000}, {2048, 7000}, {3072, 8000}}));
    CHECK(same_points(read_first(titled),
        {{1024, 6000}, {2048, 7000}, {3072, 8000}})); // one title has a unit of size, one a unit of time
    CHECK(same_points(read_first("A,1,5\nA,2,6\nB,3,7\n", {.x = "2", .y = "3"}), {{1, 5}, {2, 6}, {3, 7}}));
    CHECK(refuses(titled, 2, "--y reads: no", {.x = "Size", .y = "reads"}));
    CHECK(complaint_of(titled, {.x = "Size", .y = "reads"}).ends_with("(KiB), read, write (us)"));
    CHECK(refuses("1 2\n2 3\n3 4 5\n", 3, "3 columns where"));
}

TEST_CASE("a decimal comma is read where it can be nothing else") {
    const std::vector<std::pair<double, double>> points{{1024, 5.25}, {2048, 6.5}, {4096, 70}};
    for (const std::string text : {"size;ns\n1024;5,25\n2048;6,5\n4096;70\n",
             "1,0 KiB; 5,25\n2,0 KiB; 6,5\n4,0 KiB; 70,0\n", "\"1024\",\"5,25\"\n\"2048\",\"6,5\"\n\"4096\",\"70\"\n",
             "\"1024\";\"5,25\"\n\"2048\";\"6,5\"\n\"4096\";\"70,0\"\n"}) {
        CAPTURE(text);
        CHECK(complaint_of(text) == "");
        CHECK(same_points(read_first(text), points));
    }
    struct Row {
        const char* text;
        int line;
        const char* says;
    };
    for (const Row& row : {Row{"1024;5,25\n4,096;70.5\n8192;80\n", 2, "decimal mark"},
             {"1024;5\n1,024,000;70\n8192;80\n", 2, "decimal mark"},
             {"1024 5,25\n2048 6,5\n4096 70\n", 1, "'5,25' may be"}}) {
        CAPTURE(std::string(row.text));
        CHECK(refuses(row.text, row.line, row.says));
    }
}

TEST_CASE("bad curves get one line that names the place") {
    CHECK(refuses("1024 5\n2048 nan\n4096 7\n", 2, "latency is not"));
    CHECK(refuses("1024 5\n2048 inf\n4096 7\n", 2, "latency is not"));
    CHECK(refuses("1024 5\n1e999 6\n4096 7\n", 2, "size is not"));
    CHECK(refuses("1024 5\nnan 6\n4096 7\n", 2, "size is not"));
    CHECK(refuses("1024 5\n\n# x\n-2048 6\n4096 7\n", 4, "size must be"));
    CHECK(refuses("1024 5\n2048 0\n4096 7\n", 2, "latency must be"));
    CHECK(refuses("1024 5\n2048\n4096 7\n", 2, "without a latency"));
    CHECK(refuses("1024 5\n2048,\n4096 7\n", 2, "without a latency"));
    CHECK(refuses("1024 5\n2048,,6\n4096 7\n", 2, "'' is no latency"));
    CHECK(refuses("1024 5\n2048 6x\n4096 7\n", 2, "'6x' is no latency"));
    CHECK(refuses("1024 5\n2048XB 6\n4096 7\n", 2, "'XB' is no unit"));
    CHECK(refuses("1024 5\nlater, text\n4096 7\n", 2, "'later, text' is"));
    CHECK(refuses("head\nmore head\n1 2\n", 2, "'more head' is"));
    CHECK(refuses("1024 5\n0.5 6\n4096 7\n", 2, "has 0.5 bytes"));
    CHECK(refuses("1024 5\n1e300 6\n4096 7\n", 2, "has 1e+300 bytes"));
    CHECK(refuses("size\n1024\n2048\n", 2, "without a latency"));
    CHECK(refuses("", 0, "0 sizes"));
    CHECK(refuses("1024 5\n", 0, "1 size; a"));
    CHECK(refuses("1024 5\n1024 6\n2048 7\n", 0, "2 sizes"));
    CHECK(says(complaint_of("1 2", {.size_unit = "furlong"}), "'furlong' is no unit"));
    CHECK(complaint_of("1 2", {.size_unit = "furlong"}).ends_with("GB or GiB"));
    CHECK(says(complaint_of("1 2", {.latency_unit = "days"}), "'days' is no unit"));
    CHECK(complaint_of("1 2", {.latency_unit = "days"}).ends_with("ms or cycles"));
}

TEST_CASE("hostile bytes neither crash the reader nor reach the terminal") {
    const std::string bad = complaint_of("x\n\x1b[31m" + std::string(1000, '\xff') + " 5\n");
    CHECK(bad.size() < 120);
    CHECK(bad.find('\x1b') == std::string::npos);
    CHECK(bad.find('\xff') == std::string::npos);
    CHECK_FALSE(complaint_of(std::string("1\0 5\n2 6\n3 7\n", 13)).empty());
    CHECK_FALSE(complaint_of(std::string(100000, ',')).empty());
    CHECK_FALSE(complaint_of(std::string(100000, '1')).empty());
    CHECK_FALSE(complaint_of("1e-400 5\n2 6\n3 7\n").empty());
}
