// transfer: its series on modelled cards, and what it says of them.
#include <memory>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"
#include "tests/thorough.h"

using namespace sonde;

namespace {
Options transfers(const char* engine, const char* memory, const char* way) {
    return {{"engine", engine}, {"memory", memory}, {"direction", way}};
}
} // namespace

TEST_CASE("transfer: bytes are counted once each way, from both kinds of memory, by copies and by kernels") {
    CardModel card = card_with("GTX 980 Ti");
    card.paths.push_back({"host", {1}});
    card.bus_bytes_per_ns = 12;
    const auto device = model_device(card, 3);
    struct Row {
        Options options;
        double rate, bytes;
    };
    CasesOfTheDay day(3);
    for (const Row& row : {Row{transfers("copy", "pinned", "to-device"), 12, 1},
             {transfers("copy", "pinned", "to-host"), 12, 1}, {transfers("copy", "pinned", "both"), 24, 2},
             {transfers("copy", "pageable", "to-device"), 4, 1}, {transfers("copy", "pageable", "both"), 8, 2},
             {transfers("kernel", "pinned", "to-device"), 12, 1}, {transfers("kernel", "pinned", "both"), 24, 2}}) {
        if (!day.take()) continue;
        CAPTURE(options_text(row.options));
        const Series series = measured(*device, "transfer", "host", "quick", 5, row.options);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.back().x == 16 << 20); // an eighth of the memory is less than 64 MiB
        CHECK(*series.points.back().median == doctest::Approx(row.rate).epsilon(0.02));
        const double least_ns = option::engine.in(row.options) == Engine::copy ? card.copy_ns : card.launch_ns;
        CHECK(at(series, 4096) ==
              doctest::Approx(row.bytes * 4096 / (least_ns + row.bytes * 4096 / row.rate)).epsilon(0.03));
        CHECK(row_at(only_finding(series), "the largest").unit == "GB/s");
    }
    const auto asked = [](Options options, const char* name, const char* value) {
        return options.set({name}, value), options;
    };
    const auto rate = [](const Series& series) { return *series.points.back().median; };
    const Series waited = measured(
        *device, "transfer", "host", "quick", 5, asked(transfers("copy", "pinned", "to-host"), "test", "waited"));
    constexpr double kWaitedFor = 5000; // ns, of any batch of the model
    CHECK(4 / at(waited, 4) == doctest::Approx(card.copy_ns + kWaitedFor).epsilon(0.02));
    CHECK(only_finding(waited).name == "to-host");
    CHECK(number_at(only_finding(waited), "the smallest") == doctest::Approx(4 / at(waited, 4)));
    const Series odd = measured(
        *device, "transfer", "host", "quick", 5, asked(transfers("copy", "pageable", "to-device"), "sizes", "odd"));
    REQUIRE(odd.status == Status::ok);
    for (const Point& point : odd.points) CHECK(static_cast<std::uint64_t>(point.x) % 4 == 1);
    const Series within =
        measured(*device, "transfer", "host", "quick", 5, {{"engine", "copy"}, {"direction", "on-device"}});
    REQUIRE(within.status == Status::ok);
    CHECK(rate(within) ==
          doctest::Approx(within.points.back().x / (card.copy_ns + within.points.back().x / card.bandwidth * 1e9))
              .epsilon(0.02));
    CHECK(only_finding(within).name == "on-device");
    for (const char* way : {"to-device", "to-host"}) { // it really copies
        const Series moved = measured(*device, "transfer", "host", "quick", 5, transfers("processor", "pageable", way));
        CAPTURE(moved.reason);
        REQUIRE(moved.status == Status::ok);
        CHECK(moved.points.back().x == 4 << 20);
        CHECK(rate(moved) > 0);
        CHECK(only_finding(moved).name == way);
        CHECK(has_row(only_finding(moved), "issuing the smallest") == (way == std::string("to-device")));
        CHECK(says(moved.evidence.output_checked, "bytes that arrived"));
    }
    CHECK(has_row(only_finding(measured(*device, "transfer", "host", "quick", 5,
                      asked(transfers("processor", "pageable", "to-device"), "test", "waited"))),
        "the smallest"));
    CardModel slow = card;
    slow.maps_memory = false;
    CHECK(
        measured(*model_device(slow, 3), "transfer", "host", "quick", 5, transfers("processor", "pageable", "to-host"))
            .reason.ends_with("maps no memory"));
    slow.unaligned_factor = 2;
    const auto slow_device = model_device(slow, 3);
    for (const auto& [memory, whole] : {std::pair{"pinned", 12.0}, {"pageable", 4.0}})
        for (const char* way : {"to-device", "to-host"})
            for (const auto& [alignment, times] : {std::pair{"1", 2}, {"4", 2}, {"64", 1}, {"4096", 1}}) {
                CAPTURE(std::string(memory));
                CAPTURE(std::string(alignment));
                const Series series = measured(*slow_device, "transfer", "host", "quick", 5,
                    asked(transfers("copy", memory, way), "alignment", alignment));
                CAPTURE(series.reason);
                REQUIRE(series.status == Status::ok);
                CHECK(rate(series) == doctest::Approx(whole / times).epsilon(0.02));
            }
    card.bus_both_ways = false;
    CHECK(*measured(*model_device(card, 3), "transfer", "host", "quick", 5, transfers("copy", "pinned", "both"))
               .points.back()
               .median == doctest::Approx(12).epsilon(0.02));
    card.host_in_device = true;
    const Series moved =
        measured(*model_device(card, 3), "transfer", "host", "quick", 5, transfers("kernel", "pinned", "to-device"));
    CHECK(moved.status == Status::unsupported);
    CHECK(says(moved.reason, "in the device"));
}

TEST_CASE("transfer: all cards at the same time, of which the slowest link and the shared host show") {
    CardModel card = card_with("GTX 980 Ti");
    card.paths.push_back({"peer", {}});
    card.paths.push_back({"host", {}});
    card.links = {{0, 1, "a link", 40}, {1, 2, "a link", 40}, {0, 2, "a link", 40, 0.25}};
    card.together_bytes_per_ns = 30;
    std::vector<std::unique_ptr<Device>> cards;
    std::vector<Device*> all;
    for (int i = 0; i < 3; ++i)
        all.push_back(cards.emplace_back(model_device(card, 3, fmt::format("model:{}", i))).get());
    const auto together = [&](const char* path, const char* way) {
        Options options{{"engine", "copy"}, {"direction", way}, {"cards", "all"}};
        if (path == std::string("host")) options = options * Options{{"memory", "pinned"}};
        return measured(*all[0], "transfer", path, "quick", 5, options);
    };
    CHECK(together("peer", "to-peer").status == Status::unsupported); // the others are not there yet
    join(all);
    for (const auto& [path, way, rate] : {std::tuple{"peer", "to-peer", 10.0}, {"peer", "both", 20.0},
             {"host", "to-device", 10.0}, {"host", "to-host", 10.0}, {"host", "both", 20.0}}) {
        CAPTURE(std::string(path) + " " + way);
        const Series series = together(path, way);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(*series.points.back().median == doctest::Approx(rate).epsilon(0.02));
        CHECK(series.evidence.cards_together == 3u);
        CHECK(series.evidence.dispatches_checked.value_or(0) > 0);
    }
}

TEST_CASE("transfer: between two cards each way and both, by copies and by kernels, beside what the link can do") {
    CardModel card = card_with("GTX 980 Ti");
    card.paths.push_back({"peer", {}});
    card.paths.push_back({"peer.unmapped", {}});
    card.links = {{0, 1, "a modelled link", 40}};
    const auto device = model_device(card, 3);
    for (const auto& [path, engine, way, rate] :
        {std::tuple{"peer", "copy", "to-peer", 40.0}, {"peer", "copy", "from-peer", 40.0},
            {"peer", "copy", "both", 80.0}, {"peer", "kernel", "to-peer", 40.0}, {"peer", "kernel", "from-peer", 40.0},
            {"peer", "kernel", "both", 80.0}, {"peer.unmapped", "copy", "to-peer", 40.0}}) {
        CAPTURE(std::string(engine) + " " + way);
        const Series series = measured(*device, "transfer", path, "quick", 5, {{"engine", engine}, {"direction", way}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(*series.points.back().median == doctest::Approx(rate).epsilon(0.02));
        CHECK(only_finding(series).name == way);
        CHECK(series.evidence.peer == "model:1");
        CHECK(series.evidence.peer_link_gb_per_s == doctest::Approx(40));
        CHECK(series.evidence.dispatches_checked.value_or(0) > 0);
    }
    const auto asked_for = [&](const char* number) {
        return measured(
            *device, "transfer", "peer", "quick", 5, {{"engine", "copy"}, {"direction", "to-peer"}, {"peer", number}});
    };
    CHECK(asked_for("1").status == Status::ok);
    CHECK(asked_for("2").status == Status::unsupported);
    CardModel alone = card;
    alone.links.clear();
    CHECK(measured(
              *model_device(alone, 3), "transfer", "peer", "quick", 5, {{"engine", "copy"}, {"direction", "to-peer"}})
              .status == Status::unsupported);
}

TEST_CASE("transfer: the best rate and the last one, each with its size; a store that is not waited for is issued") {
    const auto copied = [](const Options& options, double last) {
        const Finding found =
            only_finding(made("transfer", "host", options, {{4, 1}, {1 << 20, 16.9}, {64 << 20, last}}));
        CHECK(*found.value == last);
        CHECK(number_at(found, "at the most") == 16.9);
        CHECK(number_at(found, "with transfers of") == 1 << 20);
        return found;
    };
    const Options pageable{{"direction", "to-device"}, {"engine", "copy"}, {"memory", "pageable"}};
    const Finding falls = copied(pageable, 6.8), flat = copied(pageable, 16);
    CHECK(number_at(falls, "half of the largest's rate from") == 1 << 20);
    CHECK(number_at(falls, "size of the largest") == 64 << 20);
    CHECK(number_at(falls, "the smallest") == 4);
    CHECK(number_at(falls, "size of the smallest") == 4);
    CHECK_FALSE(has_row(falls, "the slowest size"));
    CHECK_FALSE(has_row(flat, "half of the largest's rate from"));
    CHECK(number_at(flat, "the slowest size") == 16);
    CHECK(row_at(flat, "among sizes").range == std::pair<double, double>(1 << 20, 64 << 20));
    Options stores = option::engine.as(Engine::processor) * pageable;
    CHECK(number_at(copied(stores, 16), "issuing the smallest") == 4);
    stores.set(option::waited_for, "waited");
    CHECK(number_at(copied(stores, 16), "the smallest") == 4);
}

TEST_CASE("transfer: a rate that is the same at all sizes has no size from which on it is reached") {
    Series series =
        made("transfer", "host", {{"direction", "to-host"}, {"engine", "processor"}, {"memory", "pageable"}},
            {{4, 0.002}, {4096, 0.064}, {4 << 20, 0.062}});
    series.unit = "GB/s";
    const Finding found = only_finding(series);
    CHECK(number_at(found, "at the most") == 0.064);
    CHECK(number_at(found, "with transfers of") == 4096);
    CHECK(number_at(found, "the slowest size") == 0.062); // without the one that shows the fixed cost
    CHECK_FALSE(has_row(found, "half of it from"));
}
