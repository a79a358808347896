// loaded-latency: its series on modelled cards, and what it says of them.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "core/data/profile.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("loaded: the latency of one subgroup, and what a core's way to memory lets through with 32, at strides of "
          "one and four words") {
    CardModel card = card_with("GTX 680");
    card.paths.push_back({"global.ca", {0, 1}}); // 106 cycles, 12 KiB
    card.subgroup_load_cycles = 8;
    const auto device = model_device(card, 3);
    const double ns = 1e3 / card.clock_mhz;
    for (const char* stride : {"1", "4"}) {
        const double words = std::stod(stride);
        CAPTURE(words);
        const Series local = measured(*device, "loaded-latency", "scratchpad", "quick", 5, {{"stride", stride}}),
                     first = measured(*device, "loaded-latency", "global.ca", "quick", 5, {{"stride", stride}});
        CAPTURE(first.reason);
        REQUIRE(local.status == Status::ok);
        REQUIRE(first.status == Status::ok);
        CHECK(local.points.size() == 6);
        CHECK(at(local, 1) == doctest::Approx((34 + words - 1) * ns).epsilon(0.02));
        CHECK(at(local, 32) == doctest::Approx(32 * words * 8 * ns).epsilon(0.02));
        CHECK(at(first, 1) == doctest::Approx((106 + words - 1) * ns).epsilon(0.02));
        CHECK(at(first, 32) == doctest::Approx(std::max(32 * words * 8, 106 + words - 1) * ns).epsilon(0.02));
        CHECK(first.evidence.footprint_bytes.value() <= 12 * 1024);
        const auto findings = find_probe("loaded-latency")->findings(local, {});
        REQUIRE(findings.size() == 1);
        CHECK(*findings[0].value == doctest::Approx(at(local, 32) / at(local, 1)));
        CHECK(number_at(findings[0], "rate of a core") == doctest::Approx(32 * 32 * 4 / at(local, 32)));
        CHECK(number_at(findings[0], "of 32 subgroups") == at(local, 32));
        const auto& clocks = local.evidence.subgroup_clocks;
        REQUIRE(clocks.size() == 6);
        CHECK(clocks.back().subgroups == 32);
        CHECK(clocks.back().most == doctest::Approx(32 * words * 8).epsilon(0.02));
        CHECK(clocks.back().least ==
              doctest::Approx(words * 8).epsilon(0.02)); // the model's first is done after a share of the time
        CHECK(number_at(findings[0], "of the median subgroup") == clocks.back().median);
        CHECK(row_at(findings[0], "of all subgroups").range == std::pair(clocks.back().least, clocks.back().most));
    }
    CHECK(measured(*device, "loaded-latency", "scratchpad", "standard", 5, {{"stride", "1"}}).points.size() ==
          32); // one by one
}

TEST_CASE("loaded: what a core reaches is not told of a series that the time limit ended") {
    Series series = made("loaded-latency", "scratchpad", {{"stride", "1"}}, {{1, 30}, {32, 1000}});
    series.evidence.lanes = 32;
    CHECK(number_at(only_finding(series), "rate of a core") == doctest::Approx(4.096));
    series.ending = Ending{.by = EndedBy::time};
    CHECK_FALSE(has_row(only_finding(series), "rate of a core"));
    series.points.pop_back();
    CHECK(only_finding(series).no_value == NoValue::inconclusive);
    CHECK(numbers_of(only_finding(series)) == std::vector<double>{30});
}
