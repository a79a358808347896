// Footprints as a person types them.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/base/error.h"
#include "core/data/footprints.h"
#include "core/data/shared_options.h"

using namespace sonde;

TEST_CASE("a range has two ends, either of which may be open; a list has sizes, ascending and each once") {
    const auto range = parse_footprints("4KiB..1GiB");
    REQUIRE(range);
    CHECK(range->least == 4096);
    CHECK(range->most == 1ull << 30);
    CHECK(range->sizes.empty());
    CHECK(range->holds(4096));
    CHECK_FALSE(range->holds(4095));
    CHECK(parse_footprints("64kib..")->most == UINT64_MAX);
    CHECK(parse_footprints("..1.5MiB")->most == 3ull << 19);
    CHECK(parse_footprints("1KB..2MB")->least == 1000);
    const auto list = parse_footprints("1MiB,4KiB,1024KiB,512");
    REQUIRE(list);
    CHECK(list->sizes == std::vector<std::uint64_t>{512, 4096, 1 << 20});
    CHECK(parse_footprints("4KiB+1MiB")->sizes == std::vector<std::uint64_t>{4096, 1 << 20});
    CHECK_FALSE(list->holds(1024));
}

TEST_CASE("what is no footprint is refused with what is") {
    for (const char* text : {"", "..", "1GiB..4KiB", "4KiB-1GiB", "4 apples", "0", "-4KiB", "4KiB,", "4KiB..1MiB..2MiB",
             "1e99", "nan", "2000TiB"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_footprints(text));
        CHECK_THROWS_AS(footprint_word(text), UsageError);
    }
    CHECK(footprint_word("4KiB,1MiB") == "4KiB+1MiB"); // commas stand between values of an option
    CHECK(footprint_word("4KiB..1GiB") == "4KiB..1GiB");
}

TEST_CASE("footprints make no other question") {
    const Options asked = option::footprint.as("4KiB..1GiB"), wide = option::width.as(16);
    CHECK(is_plain(asked));
    CHECK(is_plain({}));
    CHECK_FALSE(is_plain(wide));
    CHECK(is_alone(option::width, wide * asked));
    CHECK(without_footprint(wide * asked) == wide);
}
