// segment-share: its series on modelled cards, and what it says of series.
#include <algorithm>
#include <utility>

#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"
#include "tests/probes/segment_cards.h"

using namespace sonde;

TEST_CASE("segment-share: no slow segment is excluded where chunks one by one differ") {
    Series series = made("segment-share", "global", {}, {{0, 3780}, {75, 3700}, {100, 3770}});
    series.evidence.chunks = 270, series.evidence.alone_gb_per_s = {3780, 3700};
    CHECK(said(series).find("no slow segment seen in 2 of 270 chunks: one by one they read 3.7 TB/s to 3.78 TB/s; "
                            "this kernel reads 3.78 TB/s from one chunk") != std::string::npos);
    series.evidence.alone_gb_per_s = {4490, 3290};
    CHECK(said(series).find("inconclusive: 2 of 270 chunks, tried one by one, read 3.29 TB/s to 4.49 TB/s, but this "
                            "kernel reads 3.78 TB/s from one chunk") != std::string::npos);
    series.evidence.alone_gb_per_s = {4490, 3290, 4000, 3650}; // one slope
    CHECK(said(series).find(
              "no group of slow chunks seen in 4 of 270 chunks: one by one they read 3.29 TB/s to 4.49 TB/s, so that "
              "a chunk slower by less does not show; this kernel reads 3.78 TB/s from one chunk") != std::string::npos);
    series.evidence.alone_gb_per_s = {3310, 3420, 3350, 3370, 3770, 3800, 3820}; // the first chunk again: 3780
    CHECK(said(series).find("no slow segment seen in 7 of 270 chunks: the first 4 read 3.31 TB/s to 3.42 TB/s, those "
                            "behind them 3.77 TB/s to 3.82 TB/s, the first again 3.78 TB/s") != std::string::npos);
    Series later = made("segment-share", "global", {}, {{0, 3400}, {75, 3700}, {100, 3700}});
    later.evidence.chunks = 270, later.evidence.alone_gb_per_s = {3300, 3370, 3330, 3310};
    CHECK(said(later).ends_with("no slow segment seen in 4 of 270 chunks: one by one they read 3.3 TB/s to 3.37 "
                                "TB/s; the rate changed meanwhile, from 3.4 TB/s to 3.7 TB/s: mixes are not compared"));
}

TEST_CASE("segment-share: both chunks together are faster only where runs differ by less") {
    const auto shares = [](double mixed) {
        Series series = made("segment-share", "global", {}, {{0, 3780}, {75, mixed}, {100, 3780}});
        series.unit = "GB/s";
        return said(series);
    };
    CHECK(shares(3800).ends_with("3.78 TB/s from another. No mix of both reads faster"));
    CHECK(shares(4200).ends_with("3.78 TB/s from another. From both 4.2 TB/s at 75 % from the other"));
}

TEST_CASE("segment-share of a modelled GTX 970: both segments add up at the slow one's share of the whole rate, and "
          "beyond it the slow one rules") {
    CardModel card = card_970();
    card.exclusive_reads = false;
    const auto rate_at = [](const Series& series, double percent) {
        return std::ranges::find(series.points, percent, &Point::x)->median.value_or(0);
    };
    const Series series = measured(*model_device(card, 3), "segment-share", "global", "standard", 5);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    for (const auto& [percent, rate] :
        {std::pair{0, 196.0}, {5, 196 / 0.95}, {10, 196 / 0.9}, {20, 28 / 0.2}, {50, 28 / 0.5}, {100, 28.0}}) {
        CAPTURE(percent);
        CHECK(rate_at(series, percent) == doctest::Approx(rate).epsilon(0.02));
    }
    const std::string text = findings_of(series).at(0).text;
    CAPTURE(text);
    CHECK(text.find("at 10 % from the slowest, half of the fastest's rate from 30 % on") != std::string::npos);
    const Series brief = measured(
        *model_device(card, 3), "segment-share", "global", "quick", 5); // fills and reads some of the chunks alone
    CHECK(brief.evidence.alone_gb_per_s.size() <= 16);
    CHECK(brief.evidence.chunks.value() >= 2 * brief.evidence.alone_gb_per_s.size() - 1);
    CHECK(rate_at(brief, 100) == doctest::Approx(28).epsilon(0.02));
    card.exclusive_reads = true;
    CHECK(rate_at(measured(*model_device(card, 3), "segment-share", "global", "standard", 5), 10) ==
          doctest::Approx(1 / (0.9 / 196 + 0.1 / 28)).epsilon(0.02));
    const Series even = measured(*model_device(even_card(), 3), "segment-share", "global", "quick", 5);
    CHECK(findings_of(even).at(0).text.find(fmt::format("no slow segment seen in {} of {} chunks",
              even.evidence.alone_gb_per_s.size(), even.evidence.chunks.value())) != std::string::npos);
    CHECK(findings_of(even).at(0).text.find(" chunks: one by one they read 22") != std::string::npos);
}
