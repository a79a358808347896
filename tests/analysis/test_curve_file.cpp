// Files that are no curve by their size, or are not there.
#include <string>

#include <doctest/doctest.h>

#include "tests/analysis/read_text.h"

using namespace sonde;

TEST_CASE("a file that is no curve by its size is refused") {
    std::string rows;
    for (int i = 0; i <= 1'000'000; ++i) rows += "1 2\n";
    CHECK(refuses(rows, 1000001, "1000000 rows"));
    CHECK(refuses(std::string((std::size_t{64} << 20) + 1, '#'), 0, "than 64 MiB"));
    CHECK_THROWS_WITH_AS(
        read_curve_file("no/such/file.csv", {}), doctest::Contains("no/such/file.csv: cannot open:"), UsageError);
}
