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
        return said(made("texture-tile", "image2d", {}, points));
    };
    CHECK(seen(8, 4).ends_with("a miss of the texture cache fetches 8 x 4 texels of 4 bytes (128 bytes)"));
    CHECK(seen(16, 1).ends_with(
        "a miss of the texture cache fetches 16 x 1 texels of 4 bytes (64 bytes): rows are not tiled"));
    CHECK(seen(4, 2, true)
              .find("inconclusive: what a miss fetches is no rectangle: 4 x 2 texels along row and column, but not at "
                    "3 and 1") != std::string::npos);
    CHECK(seen(64, 4).find("inconclusive: what a miss fetches does not end within 16 texels along a row") !=
          std::string::npos);
    CHECK(seen(64, 64).find("no tile seen") != std::string::npos);
}

TEST_CASE("texture-tile: bytes of a miss, and its texels along both axes, are numbers of their own") {
    std::vector<std::pair<double, double>> points;
    for (const double texels : {1, 2, 4, 8, 16}) points.emplace_back(texels, texels < 8 ? 200 : 300);
    for (const double rows : {1, 2, 4, 8})
        for (const double texels : {0, 1, 3, 7})
            points.emplace_back(rows * 64 + texels, texels < 8 && rows < 4 ? 200 : 300);
    const auto found = findings_of(probe_named("texture-tile"), made("texture-tile", "image2d", {}, points), {});
    REQUIRE(found.size() == 1);
    CHECK(row_at(found[0], "fetched on a miss").value == 128);
    CHECK(row_at(found[0], "texels of it along a row").value == 8);
    CHECK(row_at(found[0], "texels along a column").value == 4);
}
