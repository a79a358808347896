// bandwidth-latency: its series on modelled cards, and what it says of them.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/base/text.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE(
    "bandwidth-latency: a load while other cores stream, by the rate that they reach; every word streamed is checked") {
    CardModel card = card_with("GTX 980 Ti");
    const auto device = model_device(card, 3);
    const auto first_said = [&](const Series& series) {
        return findings_of(*find_probe("bandwidth-latency"), series, device->info()).at(0).text;
    };
    const double ns = 1e3 / card.clock_mhz, alone = (card.caches[1].cycles + 6) * ns,
                 rate = 21 * 32768 / (card.tile_cycles * ns);
    for (const char* load : {"reads", "writes", "atomics"}) {
        CAPTURE(load);
        const Series series =
            measured(*device, "bandwidth-latency", "global", "quick", 5, {{"level", "LLC"}, {"load", load}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.size() > 3);
        CHECK(series.points.back().x == 100);
        CHECK(at(series, 0) == doctest::Approx(alone).epsilon(0.05));
        CHECK(at(series, 100) == doctest::Approx(2 * alone).epsilon(0.05));
        CHECK(series.evidence.unthrottled_gb_per_s.value() == doctest::Approx(rate).epsilon(0.3)); // whole tiles
        CHECK(series.evidence.output_checked.find("every word") != std::string::npos);
        CAPTURE(first_said(series));
        CHECK(first_said(series).find("a load from LLC takes ") != std::string::npos);
        CHECK(series.evidence.shape->groups == card.cores - 1);
        CHECK(series.evidence.shape->loads_in_flight == 8);
        CHECK(series.evidence.chase_shape->groups == 1);
        CHECK(series.evidence.chase_shape->loads_in_flight == 1);
        CHECK(first_said(series).find(" neighbouring words of " + format_bytes(*series.evidence.streamed_bytes) +
                                      "; the chain spans " + format_bytes(*series.evidence.footprint_bytes)) !=
              std::string::npos);
    }
    card.paths.push_back({"host", {1}}); // of which memory is, the model does not tell apart
    const auto with_host = model_device(card, 3);
    for (const char* load : {"reads", "atomics"}) {
        const Series host =
            measured(*with_host, "bandwidth-latency", "host", "quick", 5, {{"level", "host"}, {"load", load}});
        CAPTURE(host.reason);
        REQUIRE(host.status == Status::ok);
        CHECK(at(host, 100) == doctest::Approx(2 * at(host, 0)).epsilon(0.05));
        CHECK(first_said(host).find("a load from memory allocated on the host takes ") != std::string::npos);
    }
    const std::vector<Options> variants = find_probe("bandwidth-latency")->variants;
    CHECK(std::ranges::count(variants, Options{{"level", "host"}, {"load", "atomics"}}) == 1);
    for (const auto& [path, level] : {std::pair{"global", "host"}, {"host", "DRAM"}})
        CHECK(
            measured(*with_host, "bandwidth-latency", path, "quick", 5, {{"level", level}, {"load", "reads"}}).reason ==
            "level=host is measured on path host (--path host), the other levels on path global");
    card.tile_cycles = 1e12; // no workgroup does one before the chase ends
    CHECK(measured(
              *model_device(card, 3), "bandwidth-latency", "global", "quick", 5, {{"level", "LLC"}, {"load", "reads"}})
              .reason.find("run one after another") != std::string::npos);
}

TEST_CASE("bandwidth-latency: two figures where saturation is not resolved, and atomic operations are counted") {
    const auto loaded = [](const char* load, const std::vector<std::pair<double, double>>& points) {
        Series series = made("bandwidth-latency", "global", {{"level", "DRAM"}, {"load", load}}, points);
        series.evidence.unthrottled_gb_per_s = 1200;
        return find_probe("bandwidth-latency")->findings(series, {}).at(0).text;
    };
    CHECK(loaded("reads", {{0, 360}, {50, 420}, {100, 900}})
              .ends_with("420 ns at 600 GB/s, 900 ns at 1.2 TB/s (2.50 times the idle one). All others read "
                         "neighbouring words"));
    CHECK(loaded("atomics", {{0, 360}, {50, 420}, {100, 900}})
              .ends_with("420 ns at 150 Gop/s of 4 bytes, 900 ns at 300 Gop/s of 4 bytes (2.50 times the idle one). "
                         "All others add u32 to neighbouring words"));
    CHECK(loaded("reads", {{0, 360}, {50, 420}, {86, 500}, {100, 1580}, {102, 619}})
              .ends_with("1.58 us at 1.2 TB/s, but 619 ns at 1.22 TB/s. All others read neighbouring words"));
}

TEST_CASE(
    "bandwidth-latency: the rates between which the latency doubles, as far as quartiles resolve it, if it does") {
    const auto doubled = [](const std::vector<std::pair<double, double>>& points,
                             double quartile = 1) { // times the medians, and their part
        Series series = made("bandwidth-latency", "global", {{"level", "DRAM"}, {"load", "reads"}}, points);
        series.evidence.unthrottled_gb_per_s = 1000;
        for (Point& point : series.points) point.low = *point.median / quartile, point.high = *point.median * quartile;
        const auto findings = find_probe("bandwidth-latency")->findings(series, {});
        REQUIRE(findings.size() == 2);
        CHECK(findings[1].name == "DRAM reads doubled");
        return findings[1];
    };
    const std::vector<std::pair<double, double>> steep{{0, 300}, {50, 330}, {80, 450}, {90, 750}, {100, 900}};
    const Finding found = doubled(steep);
    CHECK(*found.value == 90);
    CHECK(found.unit == "%");
    CHECK(found.x == std::vector<double>{0, 80, 90});
    CHECK(found.text.ends_with("under reads, the latency of DRAM doubles between 80 and 90 % of the unthrottled 1 TB/s "
                               "(1.50 and 2.50 times the idle one)"));
    CHECK(doubled(steep, 1.3).text.find("between 80 and 100 %") !=
          std::string::npos); // the quartiles at 90 % lie on both sides
    CHECK(doubled({{0, 300}, {80, 450}, {90, 900}, {95, 700}, {100, 5000}}).text.find("between 80 and 90 %") !=
          std::string::npos);
    CHECK(doubled({{0, 300}, {80, 450}, {90, 900}, {95, 590}, {100, 5000}}).text.find("between 80 and 100 %") !=
          std::string::npos);
    const Finding falls =
        doubled({{0, 300}, {86, 420}, {100, 1300}, {102, 510}}); // some wait between tiles reaches more
    CHECK(!falls.value);
    CHECK(falls.text.ends_with(
        " of the unthrottled 1 TB/s; above that it varies: 4.33 times at 100 %, 1.7 times at 102 %"));
    Series never =
        made("bandwidth-latency", "global", {{"level", "DRAM"}, {"load", "reads"}}, {{0, 300}, {50, 330}, {100, 390}});
    never.evidence.unthrottled_gb_per_s = 1000;
    CHECK(find_probe("bandwidth-latency")->findings(never, {}).size() == 1); // its latencies say it
}
