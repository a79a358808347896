#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/cli/plot.h"

using namespace sonde;

TEST_CASE("sizes are told in the largest binary unit, with at most four digits") {
    CHECK(format_bytes(0) == "0 B");
    CHECK(format_bytes(512) == "512 B");
    CHECK(format_bytes(1023) == "1023 B");
    CHECK(format_bytes(1024) == "1 KiB");
    CHECK(format_bytes(124 * 1024) == "124 KiB");
    CHECK(format_bytes(1000 * 1024) == "1000 KiB");
    CHECK(format_bytes(1.5 * 1024 * 1024) == "1.5 MiB");
    CHECK(format_bytes(1024 * 1024 - 1) == "1 MiB"); // never "1024 KiB"
    CHECK(format_bytes(4.0 * 1024 * 1024 * 1024) == "4 GiB");
    CHECK(format_bytes(std::nan("")) == "-");
    CHECK(format_byte_range(124 * 1024, 130 * 1024) == "124-130 KiB");
    CHECK(format_byte_range(1000 * 1024, 1.1 * 1024 * 1024) == "1000 KiB-1.1 MiB");
    CHECK(format_byte_range(2048, 2048) == "2 KiB");
}

TEST_CASE("SI numbers have three digits and a prefix") {
    CHECK(format_si(1.5e9, "B/s") == "1.5 GB/s");
    CHECK(format_si(0.0021, "s") == "2.1 ms");
    CHECK(format_si(999.6, "Hz") == "1 kHz");
    CHECK(format_si(0, "W") == "0 W");
    CHECK(format_si(-0.0, "W") == "0 W");
    CHECK(format_bytes(-0.2) == "0 B");
    CHECK(format_fixed(-0.04, 1) == "0.0");
    CHECK(format_fixed(-0.06, 1) == "-0.1");
    CHECK(format_si(-12345, "V") == "-12.3 kV");
    CHECK(format_si(3.5e-7, "s") == "350 ns");
    CHECK(format_si(std::numeric_limits<double>::infinity(), "s") == "-");
}

TEST_CASE("the first lines of many, and how many more there are") {
    CHECK(first_lines("a\nb\n", 2) == "a\nb\n");
    CHECK(first_lines("a\n\nb\nc\nd", 2) == "a\nb\n... (2 more lines: sonde show)");
}

TEST_CASE("width counts characters, not bytes") {
    CHECK(display_width("abc") == 3);
    CHECK(display_width("µs") == 2);
    CHECK(display_width("±3 °C") == 5);
    CHECK(display_width("e\u0301") == 1);      // e and a combining acute
    CHECK(display_width("\u30c6\u30b9") == 4); // two katakana
    CHECK(display_width("\xff\xfe") == 2);     // not UTF-8
    CHECK(display_width("\xe2\x82") == 2);     // cut off
}

TEST_CASE("a table aligns its columns") {
    Table table({"level", "latency", "note"}, {Align::left, Align::right});
    table.add_row({"L1", "28.0 ns", "µ"});
    table.add_row({"memory", "512.5 ns"});
    CHECK(table.str() == "level    latency  note\n"
                         "L1       28.0 ns  µ\n"
                         "memory  512.5 ns\n");
    CHECK_THROWS_AS(table.add_row({"a", "b", "c", "d"}), Error);
}

TEST_CASE("a table that is too wide breaks words of its texts, then goes on below with its first column") {
    Table texts({"path", "reason"});
    texts.add_row({"global", "one two three four"});
    CHECK(texts.str(18) == "path    reason\n"
                           "global  one two\n"
                           "        three four\n");
    Table numbers({"x", "first", "second"}, std::vector(3, Align::right));
    numbers.add_row({"1", "111.1", "222.22"});
    CHECK(numbers.str(14) == "x  first\n1  111.1\n\nx  second\n1  222.22\n");
    CHECK(numbers.str(16) == "x  first  second\n1  111.1  222.22\n");
    CHECK(wrapped("one two three", 8, 2, 4) == "one\n  two\n  three\n");
}

TEST_CASE("no two sizes in a column have one label") {
    const auto bytes = [](double x, int digits) { return format_bytes_with(x, digits); };
    const double gib = 1024.0 * 1024 * 1024;
    const auto labels =
        distinct_labels(std::vector{512.0, 2.826 * 1024 * 1024, 2.834 * 1024 * 1024, 4 * gib - 512, 4 * gib}, bytes);
    CHECK(labels == std::vector<std::string>{"512 B", "2.826 MiB", "2.834 MiB", "3.9999995 GiB", "4 GiB"});
}

TEST_CASE("ticks stand at round numbers") {
    CHECK(round_numbers(20, 700, 5, false) == std::vector<double>{20, 50, 100, 200, 500});
    CHECK(round_numbers(4480, 4630, 3, false) == std::vector<double>{4500, 4550, 4600});
    CHECK(round_numbers(512, 4096, 6, true) == std::vector<double>{512, 1024, 2048, 4096});
    for (const double tick : round_numbers(512, 4.3e9, 6, true)) CHECK(std::exp2(std::round(std::log2(tick))) == tick);
    CHECK(round_numbers(512, 4.3e9, 6, true).size() >= 3);
    for (const double high : {1.0001, 1.1, 1.9, 3.0, 5.1, 12.0, 1e3, 1e9})
        CHECK_FALSE(round_numbers(1, high, 5, false).empty());
}

TEST_CASE("a table without titles has no header line, and a cell cannot send control codes") {
    Table table({"", ""});
    table.add_row({"a\x1b[31m", "two\nlines"});
    CHECK(table.str() == "a?[31m  two?lines\n");
}

TEST_CASE("a name cannot turn the direction of text, nor break a line with a separator of Unicode") {
    for (const char* sent : {"\u2028", "\u2029", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067",
             "\u2068", "\u2069", "\u200e", "\u200f", "\u061c", "\u009b", "\x1b"}) {
        CHECK(printable("a" + std::string(sent) + "b") == "a?b");
        CHECK(display_width(sent) == 1);
    }
    for (const char* kept : {"\u2027", "\u202f", "\u2065", "\u206a", "\u05d0", "\u200d"})
        CHECK(printable(kept) == kept);
}

TEST_CASE("values in tables have four digits and no exponent") {
    CHECK(format_digits(33254.7) == "33255");
    CHECK(format_digits(1831.3) == "1831");
    CHECK(format_digits(0.50567) == "0.5057");
    CHECK(format_digits(528.4, 3) == "528");
    CHECK(format_digits(2112.4, 3) == "2112");
    CHECK(format_digits(1e300) == "1e+300");
}

TEST_CASE("a plot names its x axis in bytes where it is one, and there is none of a single place") {
    const std::vector<PlotCurve> subgroups{{'c', "cuda:0", {{1, 20}, {32, 40}}}}, alone{{'c', "cuda:0", {{1, 20}}}};
    const std::string plain = plot_log_log(subgroups, "", "ns"), bytes = plot_log_log(subgroups, "bytes", "ns");
    CHECK(plain.find(" B ") == std::string::npos);
    CHECK(plain.find(" 20") != std::string::npos); // round, not the end
    CHECK(bytes.find("32 B") != std::string::npos);
    CHECK(plot_log_log(alone, "", "ns").empty());
}

TEST_CASE("a bar in a cell does not end it in Markdown") {
    Table table({"path", "value"});
    table.add_row({"a|b", "1"});
    CHECK(table.markdown() == "| path | value |\n| --- | --- |\n| a\\|b | 1 |\n");
}
