// Files that are no curve by their size, or are not there.
#include <string>

#include <doctest/doctest.h>

#include "tests/analysis/read_text.h"

using namespace sonde;

TEST_CASE("a file that is no curve by its size is refused") {
    std::string rows;
    for (int i = 0; i <= 1'000'000; ++i) rows += "1 2\n";
    CHECK(complaint_of(rows) == "curve.csv, line 1000001: more than 1000000 rows");
    CHECK(complaint_of(std::string((std::size_t{64} << 20) + 1, '#')) ==
          "curve.csv: more than 64 MiB; a curve is smaller");
    CHECK_THROWS_WITH_AS(read_curve_file("no/such/file.csv", {}),
        "no/such/file.csv: cannot open: No such file or directory", UsageError);
}
