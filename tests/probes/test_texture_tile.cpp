// texture-tile: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("texture-tile: a rectangle of texels, or why there is none") {
    const auto seen = [](double width, double height, bool odd_corner = false) {
        std::vector<std::pair<double, double>> points;
        for (const double texels : {1, 2, 4, 8, 16}) points.emplace_back(texels, texels < width ? 200 : 300);
        for (const double rows : {1, 2, 4, 8})
            for (const double texels : {0, 1, 3, 7})
                points.emplace_back(
                    rows * 64 + texels, texels < width && rows < height && !(odd_corner && texels == 3) ? 200 : 300);
        return only_finding(made("texture-tile", "image2d", {}, points));
    };
    const auto numbers = [](double bytes, double along_row, double along_column) {
        return std::vector<double>{bytes, along_row, along_column};
    };
    CHECK(*seen(8, 4).value == 128);
    CHECK(numbers_of(seen(8, 4)) == numbers(128, 8, 4));
    CHECK(numbers_of(seen(16, 1)) == numbers(64, 16, 1));
    CHECK(seen(16, 1).text.ends_with("are not tiled"));
    CHECK(seen(4, 2, true).no_value == NoValue::inconclusive);
    CHECK(says(seen(4, 2, true).text, "4 x 2 texels"));
    CHECK(seen(4, 2, true).text.ends_with("at 3 and 1"));
    CHECK(seen(64, 4).no_value == NoValue::inconclusive);
    CHECK(seen(64, 4).text.ends_with("along a row"));
    CHECK(seen(64, 64).no_value == NoValue::not_seen);
}
