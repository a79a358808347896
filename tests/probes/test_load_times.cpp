// load-times: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("load-times: neighbouring footprints whose loads take as long are told together") {
    Series series = made("load-times", "global", {}, {{24 << 10, 42}, {96 << 10, 42}, {8 << 20, 290}, {256 << 20, 677}});
    const auto times = [](std::uint64_t bytes, double from) { return LoadTimes{.footprint_bytes = bytes, .nothing = 23, .bin = 1, .from = {from}, .loads = {1000}}; };
    series.evidence.load_times = {times(24 << 10, 64), times(96 << 10, 65), times(8 << 20, 312), times(256 << 20, 700)};
    CHECK(said(series).find(" at 24-96 KiB (") != std::string::npos);
    CHECK(said(series).find(" at 8 MiB (") != std::string::npos);
    series.evidence.load_times[1] = times(96 << 10, 80);
    CHECK(said(series).find(" at 24 KiB (") != std::string::npos);
}
