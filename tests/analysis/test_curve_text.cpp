// The bytes of files from anywhere: encodings, prefixes, units.
#include <string>

#include <doctest/doctest.h>

#include "core/analysis/curve_text.h"
#include "tests/analysis/read_text.h"

using namespace sonde;

namespace {
std::string utf16(const std::string& ascii, bool high_first) {
    std::string bytes;
    for (const char c : ascii) bytes += high_first ? std::string{'\0', c} : std::string{c, '\0'};
    return bytes;
}
} // namespace

TEST_CASE("UTF-16 of either order, with a mark or without one, and UTF-8 with one are the same text") {
    const std::string text = "size,ns\r\n1024,1\r\n2048,2\r\n4096,3\r\n";
    for (const std::string& bytes : {text, "\xef\xbb\xbf" + text, "\xff\xfe" + utf16(text, false),
             "\xfe\xff" + utf16(text, true), utf16(text, false), utf16(text, true)})
        CHECK(plain_text(bytes) == text);
    CHECK(same_points(read_first("\xff\xfe" + utf16(text, false)), {{1024, 1}, {2048, 2}, {4096, 3}}));
    CHECK(plain_text(std::string("\xff\xfe\xb5\0", 4)) == "\xc2\xb5");
    CHECK(plain_text(std::string("\xff\xfe\x3d\xd8\x00\xde", 6)) == "\xf0\x9f\x98\x80"); // a pair
    CHECK(plain_text(std::string("\xff\xfe\x3d\xd8", 4)) == "\xef\xbf\xbd");             // half of one
    CHECK(plain_text("") == "");
    CHECK(plain_text("ab") == "ab");
}

TEST_CASE("what a launcher writes before each line is no part of it") {
    CHECK(plain_text("[node3] a\n[node3] 1 2\n") == "a\n1 2\n");
    CHECK(plain_text("[node3] a\n\n[node3] b") == "a\n\nb");
    CHECK(plain_text("[node3] a\n[node4] b\n") == "[node3] a\n[node4] b\n"); // two machines' lines
    CHECK(plain_text("[a] b\nc\n") == "[a] b\nc\n");
    CHECK(same_points(
        read_first("[0] \"stride=64\n[0] 1 1\n[0] 2 1\n[0] 4 3\n"), {{1048576, 1}, {2097152, 1}, {4194304, 3}}));
}

TEST_CASE("a table in Markdown is a table") {
    CHECK(same_points(
        read_first("| Size | Latency (ns) |\n|:---|---:|\n| 16 KiB | 1.1 |\n| 32 KiB | 1.2 |\n| 1 MiB | 4 |\n"),
        {{16384, 1.1}, {32768, 1.2}, {1048576, 4}}));
    CHECK(same_points(read_first("Size | ns\n---|---\n1K | 1\n2K | 2\n4K | 3\n"), {{1024, 1}, {2048, 2}, {4096, 3}}));
}

TEST_CASE("KB is 1000 bytes or 1024 as asked, and no unit's case matters") {
    const std::string text = "size ns\n1KB 1\n2kb 2\n1Mb 3\n";
    CHECK(same_points(read_first(text), {{1000, 1}, {2000, 2}, {1e6, 3}}));
    for (const char* binary : {"KiB", "kib", "K", "MiB"})
        CHECK(same_points(read_first(text, {.size_unit = binary}), {{1024, 1}, {2048, 2}, {1048576, 3}}));
    for (const char* decimal : {"KB", "B", "b"})
        CHECK(same_points(read_first(text, {.size_unit = decimal}), {{1000, 1}, {2000, 2}, {1e6, 3}}));
    CHECK(same_points(read_first("size (KIB),NS\n1,1\n2,2\n4,3\n"), {{1024, 1}, {2048, 2}, {4096, 3}}));
    CHECK(same_points(read_first("1,1\n2,2\n4,3\n", {.size_unit = "kB", .latency_unit = "US"}),
        {{1000, 1000}, {2000, 2000}, {4000, 3000}}));
    CHECK(says(read_all(text).at(0).note, "--size-unit"));
    CHECK(read_all(text, {.size_unit = "KiB"}).at(0).note.empty());
    CHECK(read_all("1K 1\n2K 2\n4K 3\n").at(0).note.empty());
}
