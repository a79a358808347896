// segment-share: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("segment-share: no slow segment is excluded where chunks one by one differ") {
    Series series = made("segment-share", "global", {}, {{0, 3780}, {75, 3700}, {100, 3770}});
    series.evidence.chunks = 270, series.evidence.alone_gb_per_s = {3780, 3700};
    CHECK(said(series).find(": no slow segment seen in 2 of 270 chunks: all reads from one chunk reach 3.78 TB/s") != std::string::npos);
    series.evidence.alone_gb_per_s = {4490, 3290};
    CHECK(said(series).find(": inconclusive: 2 of 270 chunks, tried one by one, read 3.29 TB/s to 4.49 TB/s, but all reads from one chunk reach 3.78 TB/s") != std::string::npos);
    series.evidence.alone_gb_per_s = {4490, 3290, 4000, 3650}; // one slope
    CHECK(said(series).find(": no group of slow chunks seen in 4 of 270 chunks: tried one by one they read 3.29 TB/s to 4.49 TB/s (median 3.8") != std::string::npos);
    CHECK(said(series).find(" 90 % of them 3.34 TB/s to 4.42 TB/s), cause unknown, without a gap of 15 % that parts slow ones from fast ones; all reads from one chunk reach 3.78 TB/s") != std::string::npos);
}

TEST_CASE("segment-share: both chunks together are faster only where runs differ by less") {
    const auto shares = [](double mixed) {
        Series series = made("segment-share", "global", {}, {{0, 3780}, {75, mixed}, {100, 3780}});
        series.unit = "GB/s";
        return said(series);
    };
    CHECK(shares(3800).ends_with("from another 3.78 TB/s. No share of both reads faster"));
    CHECK(shares(4200).ends_with("from another 3.78 TB/s. From both 4.2 TB/s at 75 % from the other"));
}
