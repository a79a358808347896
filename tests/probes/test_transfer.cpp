// transfer: its series on modelled cards, and what it says of them.
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
        CHECK(said(series).find("GB/s") != std::string::npos);
    }
    const auto asked = [](Options options, const char* name, const char* value) {
        return options.set({name}, value), options;
    };
    const auto rate = [](const Series& series) { return *series.points.back().median; };
    const Series waited = measured(
        *device, "transfer", "host", "quick", 5, asked(transfers("copy", "pinned", "to-host"), "test", "waited"));
    constexpr double kWaitedFor = 5000; // ns, of any batch of the model
    CHECK(4 / at(waited, 4) == doctest::Approx(card.copy_ns + kWaitedFor).epsilon(0.02));
    CHECK(said(waited).find("to the host, each waited for: ") != std::string::npos);
    CHECK(said(waited).find("One of 4 B takes 7 us") != std::string::npos);
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
    CHECK(said(within).find("copies from one buffer of the device to another") != std::string::npos);
    for (const auto& [way, text] :
        {std::pair{
             "to-device", "copies by the processor through mapped device memory, of pageable memory to the device: "},
            {"to-host", " of pageable memory to the host: "}}) { // it really copies
        const Series moved = measured(*device, "transfer", "host", "quick", 5, transfers("processor", "pageable", way));
        CAPTURE(moved.reason);
        REQUIRE(moved.status == Status::ok);
        CHECK(moved.points.back().x == 4 << 20);
        CHECK(rate(moved) > 0);
        CHECK(said(moved).find(text) != std::string::npos);
        CHECK(moved.evidence.output_checked.find("all bytes that arrived") != std::string::npos);
    }
    CHECK(said(measured(*device, "transfer", "host", "quick", 5,
                   asked(transfers("processor", "pageable", "to-device"), "test", "waited")))
              .find("to the device, each waited for: ") != std::string::npos);
    CardModel slow = card;
    slow.maps_memory = false;
    CHECK(
        measured(*model_device(slow, 3), "transfer", "host", "quick", 5, transfers("processor", "pageable", "to-host"))
            .reason == "the modelled card maps no memory");
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
                CHECK(said(series).find(fmt::format(", host addresses aligned to {} byte", alignment)) !=
                      std::string::npos);
            }
    card.bus_both_ways = false;
    CHECK(*measured(*model_device(card, 3), "transfer", "host", "quick", 5, transfers("copy", "pinned", "both"))
               .points.back()
               .median == doctest::Approx(12).epsilon(0.02));
    card.host_in_device = true;
    const Series moved =
        measured(*model_device(card, 3), "transfer", "host", "quick", 5, transfers("kernel", "pinned", "to-device"));
    CHECK(moved.status == Status::unsupported);
    CHECK(moved.reason.find("lies in the device") != std::string::npos);
}

TEST_CASE("transfer: the best rate and the last one, each with its size; a store that is not waited for is issued") {
    const auto copied = [](const Options& options, double last) {
        return said(made("transfer", "host", options, {{4, 1}, {1 << 20, 16.9}, {64 << 20, last}}));
    };
    const Options pageable{{"direction", "to-device"}, {"engine", "copy"}, {"memory", "pageable"}};
    CHECK(copied(pageable, 6.8)
              .ends_with("copies of pageable memory to the device: 16.9 GB/s at 1 MiB, 6.8 GB/s at 64 MiB, half of the "
                         "latter from 1 MiB per transfer on. One of 4 B takes 4 ns"));
    CHECK(copied(pageable, 16)
              .ends_with("16.9 GB/s at 1 MiB, less by at most 6 % at all sizes from 1 MiB to 64 MiB per transfer. One "
                         "of 4 B takes 4 ns"));
    Options stores = option::engine.as(Engine::processor) * pageable;
    CHECK(copied(stores, 16).ends_with("Issuing a store of 4 B takes 4 ns"));
    stores.set(option::waited_for, "waited");
    CHECK(copied(stores, 16).ends_with("One of 4 B takes 4 ns"));
}

TEST_CASE("transfer: a rate that is the same at all sizes has no size from which on it is reached") {
    Series series =
        made("transfer", "host", {{"direction", "to-host"}, {"engine", "processor"}, {"memory", "pageable"}},
            {{4, 0.002}, {4096, 0.064}, {4 << 20, 0.062}});
    series.unit = "GB/s";
    CHECK(said(series).find(
              ": 64 MB/s at 4 KiB, less by at most 4 % at all sizes from 4 KiB to 4 MiB per transfer. One of 4 B") !=
          std::string::npos);
}
