// What the probe concludes from rates by stride and by offset.
#include <doctest/doctest.h>

#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/model/model_device.h"

using namespace sonde;

namespace {
std::vector<Finding> findings(const char* pattern, const std::vector<std::pair<double, double>>& rates, const Options& more = {}) {
    Series series{.id = {"coalescing", "a:0", "global", {{"pattern", pattern}, {"width", "4"}}}};
    series.id.options.insert(more.begin(), more.end());
    for (const auto& [x, rate] : rates) series.points.push_back({.x = x, .median = rate, .samples = {}});
    series.evidence.footprint_bytes = 30 << 20;
    return find_probe("coalescing")->findings(series, {});
}

std::string found(const char* pattern, const std::vector<std::pair<double, double>>& rates, const Options& more = {}) {
    const auto all = findings(pattern, rates, more);
    return all.empty() ? "" : all[0].text;
}
} // namespace

TEST_CASE("strides: bytes that a lane's load costs, and the sector from the stride at which they stop growing") {
    CHECK(found("stride", {{1, 9000}, {2, 4600}, {4, 2300}, {8, 1150}, {16, 1150}, {32, 610}, {64, 666}}) ==
          "a:0 global: from a footprint of 30 MiB, contiguous 4-byte loads read 9 TB/s; at stride 2, 4, 8, 16, 32, 64 a lane's load costs 8, 16, 32, 32, 60, 55 bytes: sectors of 32 bytes (the rate halves to stride 8 and holds at 16)");
    CHECK(found("stride", {{1, 9000}, {2, 8800}, {4, 8700}}) == "a:0 global: from a footprint of 30 MiB, contiguous 4-byte loads read 9 TB/s; at stride 2, 4 8.8 TB/s, 8.7 TB/s; no sector size seen");
    CHECK(found("stride", {{1, 9000}, {2, 0}}).empty()); // a file may hold anything
}

TEST_CASE("offsets: the alignment that loses nothing, or the range of rates") {
    CHECK(found("offset", {{0, 9000}, {1, 7800}, {4, 7760}, {8, 9000}, {16, 8950}, {31, 7770}}).ends_with("read 9 TB/s; as much at offsets of 32 bytes and multiples, 14 % less at others"));
    CHECK(found("offset", {{0, 6400}, {1, 6320}, {8, 6080}, {31, 6390}}).ends_with("read 6.4 TB/s; 6.08 TB/s to 6.39 TB/s at offsets of 1 to 31 elements"));
}

TEST_CASE("the transaction is what a lane's access costs once each lane has one of its own, or none is seen") {
    const auto size = [](const std::vector<std::pair<double, double>>& rates) { return findings("stride", rates).at(1); };
    CHECK(size({{1, 9000}, {2, 4600}, {4, 2300}, {8, 1150}, {16, 1150}, {32, 610}, {64, 666}}).value == 32);
    const Finding none = size({{1, 9000}, {2, 8800}, {4, 8700}});
    CHECK(!none.value);
    CHECK(none.text == "a:0 global: no transaction size seen: the rate never halves to a stride and holds at the next, up to 16 bytes between lanes");
}

TEST_CASE("stores, idle lanes and words at any byte are said as such") {
    CHECK(found("stride", {{1, 4000}, {2, 2000}, {4, 1000}, {8, 500}, {16, 500}}, {{"access", "store"}}).find("contiguous 4-byte stores write 4 TB/s; at stride 2, 4, 8, 16 a lane's store costs 8, 16, 32, 32 bytes") != std::string::npos);
    CHECK(found("part", {{1, 9000}, {2, 4500}, {4, 2250}}).ends_with("1/2 of the lanes 4.5 TB/s, 1/4 of the lanes 2.25 TB/s"));
    CHECK(found("misaligned", {{0, 9000}, {1, 3000}, {2, 2900}}).ends_with("at byte 0 without known alignment 3 TB/s, at byte 1 without known alignment 2.9 TB/s"));
    CHECK(found("order", {{0, 9000}, {5, 8900}, {7, 9100}}).ends_with("rotated by one lane 8.9 TB/s, one address for each half 9.1 TB/s"));
}

TEST_CASE("a modelled card's transactions are found by loads and by stores of any width") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 4 << 20;
    card.cores = 1;
    card.bandwidth = 0.5e9;
    card.noise = 0.002;
    card.transaction_bytes = 64;
    const auto device = model_device(card, 3);
    for (const Options& options : {Options{{"width", "4"}}, {{"width", "16"}, {"access", "store"}}, {{"width", "1"}}, {{"width", "4"}, {"access", "store"}}}) {
        Options all = options;
        all.emplace("pattern", "stride");
        const Series series = measured(*device, "coalescing", "global", "quick", 5, all);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.evidence.output_checked.find(options.contains("access") ? "stored elements" : "sums of 32 work-items") != std::string::npos);
        CHECK(findings_of(*find_probe("coalescing"), series, device->info()).at(1).value == 64);
    }
}

TEST_CASE("a modelled card on which some lanes rest, words lie at any byte, or all lies in memory") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 4 << 20;
    card.cores = 1;
    card.bandwidth = 0.5e9;
    const auto device = model_device(card, 3);
    for (const Options& options : {Options{{"pattern", "part"}, {"width", "4"}}, {{"pattern", "misaligned"}, {"width", "8"}}, {{"pattern", "offset"}, {"width", "4"}, {"from", "DRAM"}}, {{"pattern", "order"}, {"width", "4"}, {"access", "store"}}, {{"pattern", "order"}, {"width", "1"}}, {{"pattern", "order"}, {"width", "16"}}}) {
        const Series series = measured(*device, "coalescing", "global.pointer", "quick", 5, options);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        for (const Point& point : series.points) CHECK(*point.median == doctest::Approx(0.5).epsilon(0.02));
    }
    for (const Options& refused : {Options{{"pattern", "part"}, {"width", "4"}}, {{"pattern", "stride"}, {"width", "4"}, {"access", "store"}}})
        CHECK(measured(*device, "coalescing", "texel", "quick", 5, refused).status == Status::unsupported);
}

TEST_CASE("a card that loads or stores wrong words in a pattern is found out") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 4 << 20;
    card.cores = 1;
    card.wrong_after = 1;
    for (const auto& [options, said] : {std::pair{Options{}, "add up to"}, std::pair{Options{{"access", "store"}}, "was to be stored"}}) {
        Options all = options;
        all.insert({{"pattern", "offset"}, {"width", "4"}});
        const Series series = measured(*model_device(card, 3), "coalescing", "global", "quick", 5, all);
        CHECK(series.status == Status::failed);
        CHECK(series.reason.find(said) != std::string::npos);
    }
}
