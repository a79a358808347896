// segment-share: its series on modelled cards, and what it says of series.
#include <algorithm>
#include <utility>

#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"
#include "tests/probes/segment_cards.h"

using namespace sonde;

TEST_CASE("segment-share: no slow segment is excluded where chunks one by one differ") {
    const auto told = [](const std::vector<double>& alone, double first = 3780, double second = 3770) {
        Series series = made("segment-share", "global", {}, {{0, first}, {75, 3700}, {100, second}});
        series.evidence.chunks = 270, series.evidence.alone_gb_per_s = alone;
        const Finding found = only_finding(series);
        CHECK(found.name == "alike");
        CHECK(number_at(found, "chunks tried") == static_cast<double>(alone.size()));
        CHECK(row_at(found, "chunks one by one").range == std::pair(std::ranges::min(alone), std::ranges::max(alone)));
        CHECK(numbers_of(found).back() == 270);
        return found.text;
    };
    CHECK(told({3780, 3700}).starts_with("no slow segment"));
    CHECK(told({4490, 3290}).starts_with("inconclusive"));
    CHECK(told({4490, 3290, 4000, 3650}).starts_with("no group of"));          // one slope
    const std::string step = told({3310, 3420, 3350, 3370, 3770, 3800, 3820}); // the first chunk again: 3780
    CHECK(step.starts_with("no slow segment"));
    CHECK(says(step, "first 4 read 3.31 TB/s to 3.42 TB/s"));
    const std::string later = told({3300, 3370, 3330, 3310}, 3400, 3700);
    CHECK(later.starts_with("no slow segment"));
    CHECK(later.ends_with("not compared"));
}

TEST_CASE("segment-share: both chunks together are faster only where runs differ by less") {
    const auto shares = [](double mixed) {
        Series series = made("segment-share", "global", {}, {{0, 3780}, {75, mixed}, {100, 3780}});
        series.unit = "GB/s";
        return only_finding(series);
    };
    CHECK_FALSE(has_row(shares(3800), "most from both"));
    CHECK(number_at(shares(4200), "most from both") == 4200);
    CHECK(numbers_of(shares(4200)) == std::vector<double>{3780, 3780, 4200, 75});
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
    const Finding slow = only_finding(series);
    CAPTURE(slow.text);
    CHECK(slow.name == "slow");
    const std::vector<double> numbers = numbers_of(slow); // of the fastest, of the slowest, most from both and where
    CHECK(numbers.at(3) == 10);
    CHECK(numbers.at(4) == 30); // from where on it is half of the fastest's rate
    const Series brief = measured(
        *model_device(card, 3), "segment-share", "global", "quick", 5); // fills and reads some of the chunks alone
    CHECK(brief.evidence.alone_gb_per_s.size() <= 16);
    CHECK(brief.evidence.chunks.value() >= 2 * brief.evidence.alone_gb_per_s.size() - 1);
    CHECK(rate_at(brief, 100) == doctest::Approx(28).epsilon(0.02));
    card.exclusive_reads = true;
    CHECK(rate_at(measured(*model_device(card, 3), "segment-share", "global", "standard", 5), 10) ==
          doctest::Approx(1 / (0.9 / 196 + 0.1 / 28)).epsilon(0.02));
    const Series even = measured(*model_device(even_card(), 3), "segment-share", "global", "quick", 5);
    const Finding alike = only_finding(even);
    CHECK(alike.name == "alike");
    CHECK(alike.text.starts_with("no slow segment"));
    CHECK(number_at(alike, "chunks tried") == static_cast<double>(even.evidence.alone_gb_per_s.size()));
    CHECK(numbers_of(alike).back() == even.evidence.chunks.value());
    CHECK(number_at(alike, "chunks one by one") == doctest::Approx(224).epsilon(0.02));
}
