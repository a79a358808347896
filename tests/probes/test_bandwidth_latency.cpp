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
    const auto first_of = [&](const Series& series) {
        return findings_of(*find_probe("bandwidth-latency"), series, device->info()).at(0);
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
        CAPTURE(first_of(series).text);
        CHECK(first_of(series).name == fmt::format("LLC {}", load));
        CHECK(number_at(first_of(series), "beside idle cores") == at(series, 0));
        CHECK(series.evidence.shape->groups == card.cores - 1);
        CHECK(series.evidence.shape->loads_in_flight == 8);
        CHECK(series.evidence.chase_shape->groups == 1);
        CHECK(series.evidence.chase_shape->loads_in_flight == 1);
        CHECK(says(first_of(series).text, "words of " + format_bytes(*series.evidence.streamed_bytes)));
        CHECK(first_of(series).text.ends_with("spans " + format_bytes(*series.evidence.footprint_bytes)));
    }
    card.paths.push_back({"host", {1}}); // of which memory is, the model does not tell apart
    const auto with_host = model_device(card, 3);
    for (const char* load : {"reads", "atomics"}) {
        const Series host =
            measured(*with_host, "bandwidth-latency", "host", "quick", 5, {{"level", "host"}, {"load", load}});
        CAPTURE(host.reason);
        REQUIRE(host.status == Status::ok);
        CHECK(at(host, 100) == doctest::Approx(2 * at(host, 0)).epsilon(0.05));
        CHECK(first_of(host).name == fmt::format("host {}", load));
        CHECK(says(first_of(host).text, "on the host"));
    }
    const std::vector<Options> variants = find_probe("bandwidth-latency")->variants;
    CHECK(std::ranges::count(variants, Options{{"level", "host"}, {"load", "atomics"}}) == 1);
    for (const auto& [path, level] : {std::pair{"global", "host"}, {"host", "DRAM"}})
        CHECK(says(
            measured(*with_host, "bandwidth-latency", path, "quick", 5, {{"level", level}, {"load", "reads"}}).reason,
            "(--path host)"));
    card.tile_cycles = 1e12; // no workgroup does one before the chase ends
    CHECK(measured(
              *model_device(card, 3), "bandwidth-latency", "global", "quick", 5, {{"level", "LLC"}, {"load", "reads"}})
              .reason.find("one after another") != std::string::npos);
}

TEST_CASE("bandwidth-latency: two figures where saturation is not resolved, and atomic operations are counted") {
    const auto loaded = [](const char* load, const std::vector<std::pair<double, double>>& points) {
        Series series = made("bandwidth-latency", "global", {{"level", "DRAM"}, {"load", load}}, points);
        series.evidence.unthrottled_gb_per_s = 1200;
        return find_probe("bandwidth-latency")->findings(series, {}).at(0);
    };
    const Finding reads = loaded("reads", {{0, 360}, {50, 420}, {100, 900}}),
                  adds = loaded("atomics", {{0, 360}, {50, 420}, {100, 900}}),
                  unresolved = loaded("reads", {{0, 360}, {50, 420}, {86, 500}, {100, 1580}, {102, 619}});
    for (const Finding* resolved : {&reads, &adds}) CHECK(*resolved->value == 2.5);
    CHECK(numbers_of(reads) == std::vector<double>{360, 420, 900, 1200});
    CHECK(numbers_of(adds) == std::vector<double>{360, 420, 900, 300}); // of 4 bytes each
    CHECK(row_at(adds, "unthrottled rate").unit == "Gop/s");
    CHECK(says(adds.text, "add u32 to"));
    CHECK(unresolved.no_value == NoValue::inconclusive);
    CHECK(says(unresolved.text, "1.58 us at 1.2 TB/s, but 619 ns at 1.22 TB/s"));
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
    const auto between = [](const Finding& each) { return each.rows.at(0).range.value(); };
    CHECK(between(found) == std::pair(80.0, 90.0));
    CHECK(between(doubled(steep, 1.3)) == std::pair(80.0, 100.0)); // the quartiles at 90 % lie on both sides
    CHECK(between(doubled({{0, 300}, {80, 450}, {90, 900}, {95, 700}, {100, 5000}})) == std::pair(80.0, 90.0));
    CHECK(between(doubled({{0, 300}, {80, 450}, {90, 900}, {95, 590}, {100, 5000}})) == std::pair(80.0, 100.0));
    const Finding falls =
        doubled({{0, 300}, {86, 420}, {100, 1300}, {102, 510}}); // some wait between tiles reaches more
    CHECK(!falls.value);
    CHECK(falls.no_value == NoValue::not_seen);
    CHECK(says(falls.text, "up to 86 %"));
    CHECK(falls.text.ends_with("4.33 times at 100 %, 1.7 times at 102 %"));
    Series never =
        made("bandwidth-latency", "global", {{"level", "DRAM"}, {"load", "reads"}}, {{0, 300}, {50, 330}, {100, 390}});
    never.evidence.unthrottled_gb_per_s = 1000;
    CHECK(find_probe("bandwidth-latency")->findings(never, {}).size() == 1); // its latencies say it
}
