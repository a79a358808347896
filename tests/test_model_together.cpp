// Probes of what runs at the same time, on modelled cards: what was put into a card must come out of its series, bytes and steps counted right.
#include <doctest/doctest.h>

#include <cmath>

#include <fmt/format.h>

#include "core/finding.h"
#include "tests/model/measured.h"
#include "tests/model/model_device.h"

using namespace sonde;

namespace {
CardModel card_with(const std::string& name) {
    CardModel card = model_card(name);
    card.memory_bytes = 256 << 20;
    card.noise = 0.002;
    return card;
}

double at(const Series& series, double x) {
    for (const Point& point : series.points)
        if (point.x == x) return point.median.value_or(0);
    return 0;
}

std::string said(const Series& series) {
    const auto findings = find_probe(series.id.probe)->findings(series, {});
    return findings.size() == 1 ? findings[0].text : fmt::format("{} findings", findings.size());
}

Options bus(const char* engine, const char* memory, const char* way) { return {{"engine", engine}, {"memory", memory}, {"way", way}}; }
} // namespace

TEST_CASE("bus: bytes are counted once each way, from both kinds of memory, by copies and by kernels") {
    CardModel card = card_with("GTX 980 Ti");
    card.paths.push_back({"host", {1}});
    card.bus_bytes_per_ns = 12;
    const auto device = model_device(card, 3);
    struct Row {
        Options options;
        double rate, bytes;
    };
    for (const Row& row : {Row{bus("copy", "pinned", "to-device"), 12, 1}, {bus("copy", "pinned", "to-host"), 12, 1}, {bus("copy", "pinned", "both"), 24, 2}, {bus("copy", "pageable", "to-device"), 4, 1},
                           {bus("copy", "pageable", "both"), 8, 2}, {bus("kernel", "pinned", "to-device"), 12, 1}, {bus("kernel", "pinned", "both"), 24, 2}}) {
        CAPTURE(options_text(row.options));
        const Series series = measured(*device, "bus", "host", "quick", 5, row.options);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.back().x == 16 << 20); // an eighth of the memory is less than 64 MiB
        CHECK(*series.points.back().median == doctest::Approx(row.rate).epsilon(0.02));
        const double least_ns = row.options.at("engine") == "copy" ? card.copy_ns : card.launch_ns;
        CHECK(at(series, 4096) == doctest::Approx(row.bytes * 4096 / (least_ns + row.bytes * 4096 / row.rate)).epsilon(0.03));
        CHECK(said(series).find("GB/s") != std::string::npos);
    }
    card.bus_both_ways = false;
    CHECK(*measured(*model_device(card, 3), "bus", "host", "quick", 5, bus("copy", "pinned", "both")).points.back().median == doctest::Approx(12).epsilon(0.02));
    card.host_in_device = true;
    const Series moved = measured(*model_device(card, 3), "bus", "host", "quick", 5, bus("kernel", "pinned", "to-device"));
    CHECK(moved.status == Status::unsupported);
    CHECK(moved.reason.find("lies in the device") != std::string::npos);
}

TEST_CASE("launch: what a launch costs in a queue and by itself") {
    const CardModel card = card_with("GTX 980 Ti");
    const auto device = model_device(card, 3);
    for (const auto& [test, ns] : {std::pair{"queued", card.launch_ns}, {"waited", card.round_trip_ns}}) {
        const Series series = measured(*device, "launch", "global", "quick", 5, {{"test", test}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.size() == 3);
        for (const Point& point : series.points) CHECK(*point.median == doctest::Approx(ns).epsilon(0.02));
        CHECK(said(series).find(test == std::string("waited") ? "waited for" : "queue") != std::string::npos);
    }
}
