// segments on modelled cards: sizes and rates of segments, and that nothing is kept when something fails.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/data/results.h"
#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/probes/segment_cards.h"

using namespace sonde;

namespace {
Series segments_of(Device& device, const std::string& test) {
    return measured(device, "segments", "global", "quick", 5, {{"test", test}});
}
} // namespace

TEST_CASE(
    "segments of a modelled GTX 970: 3.5 GiB of 196 GB/s, half a one of 28, and reads of both wait for each other") {
    const auto device = model_device(card_970(), 3);
    for (const char* test : {"read", "write"}) {
        CAPTURE(std::string(test));
        const Series series = segments_of(*device, test);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        const auto found = findings_of(series);
        REQUIRE(found.size() == 2);
        CHECK(found[0].name == "fast");
        CHECK(*found[0].value == doctest::Approx(196).epsilon(0.01));
        CHECK(found[0].capacity_bytes->first == 3.5 * kGiB);
        CHECK(found[0].capacity_bytes->second == 3.5 * kGiB);
        CHECK(found[1].name == "slow");
        CHECK(*found[1].value == doctest::Approx(28).epsilon(0.01));
        CHECK(found[1].capacity_bytes->first >= 0.375 * kGiB); // the rest was left free
        CHECK(found[1].capacity_bytes->second == 0.5 * kGiB);
        CHECK(found[1].text.find("from 3.5 GiB on") != std::string::npos);
        CHECK(found[1].text.find("times slower") != std::string::npos);
        CHECK(model_counts(*device).allocated == 0);
    }
    for (const auto& [test, name, times] :
        {std::tuple{"two-reads", "exclusive", 2.0}, {"two-writes", "together", 1.0}, {"read-write", "together", 1.0}}) {
        CAPTURE(std::string(test));
        const Series series = segments_of(*device, test);
        CAPTURE(series.reason);
        CAPTURE(Json(series.evidence).dump());
        REQUIRE(series.status == Status::ok);
        const auto found = findings_of(series);
        REQUIRE(found.size() == 1);
        CHECK(found[0].name == name);
        CHECK(*found[0].value == doctest::Approx(times).epsilon(0.03));
        const std::vector<std::string> rates{"195", "196", "197"}; // the model has noise
        CHECK(std::any_of(rates.begin(), rates.end(),
            [&](const std::string& rate) { return found[0].text.find(rate) != std::string::npos; }));
        CHECK(series.evidence.overlap_second.size() ==
              series.points.size()); // each beside another chunk of the other segment as well
        for (const double second : series.evidence.overlap_second)
            CHECK(second == doctest::Approx(times).epsilon(0.05));
        CHECK(numbers_of(found[0]).at(1) == doctest::Approx(times).epsilon(0.05)); // with another partner
        CHECK(model_counts(*device).allocated == 0);
    }
}

TEST_CASE("a segment far slower than the rest is said to be like memory behind the host link; what is written in part "
          "beside it can still be read") {
    CardModel card = card_970();
    card.segments[1].bandwidth = 8e9;
    const auto device = model_device(card, 3);
    for (const char* test : {"read", "read-write", "two-writes"}) {
        CAPTURE(std::string(test));
        Series series = segments_of(*device, test);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        if (std::string(test) == "read") {
            CHECK(says(findings_of(series).at(1).text, "the host link"));
            series.evidence.host_link_gb_per_s.reset(); // nobody told
            CHECK(findings_of(series).at(1).text.find("link") == std::string::npos);
        }
        CHECK(model_counts(*device).longest_ns < 50e6); // every device is taken for one with a watchdog
    }
}

TEST_CASE("segments where a kernel's loops end early: more workgroups, fewer rounds") {
    CardModel card = card_970();
    card.cores = 1;
    card.loop_trips = 1000;
    const auto device = model_device(card, 3);
    for (const char* test : {"read", "two-reads", "two-writes", "read-write"}) {
        CAPTURE(std::string(test));
        const Series series = segments_of(*device, test);
        CAPTURE(series.reason);
        CHECK(series.status == Status::ok);
    }
}

TEST_CASE("segments of an even modelled card: alike, and no find that chunks of one memory take turns at it") {
    const auto device = model_device(even_card(), 3);
    for (const char* test : {"read", "write", "two-reads", "two-writes", "read-write"}) {
        CAPTURE(std::string(test));
        const Series series = segments_of(*device, test);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        const auto found = findings_of(series);
        CHECK(model_counts(*device).allocated == 0);
        if (std::string(test) == "read-write") { // they take turns, and neither costs more than alone
            CHECK(found.at(0).name == "mixed");
            CHECK(*found[0].value == doctest::Approx(100).epsilon(0.03));
            CHECK(number_at(found[0], "reads alone") == doctest::Approx(224).epsilon(0.02));
            CHECK(numbers_of(found[0])[0] == doctest::Approx(224).epsilon(0.03)); // together
            CHECK(numbers_of(found[0])[1] == doctest::Approx(50).epsilon(0.02));  // % of it read
            continue;
        }
        if (std::string(test).find('-') != std::string::npos) {
            CHECK(found.at(0).name == "alike");
            continue;
        }
        REQUIRE(found.size() == 1);
        CHECK(found[0].name == "uniform");
        CHECK(*found[0].value == doctest::Approx(224).epsilon(0.01));
    }
}

TEST_CASE("a chunk that is written beside another that is read counts with its own rate, which is that of writes") {
    CardModel card = even_card();
    card.writes_longer = 2;
    const auto device = model_device(card, 3);
    const Series series = segments_of(*device, "read-write");
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    REQUIRE(series.evidence.overlap.size() == series.points.size());
    for (const double times : series.evidence.overlap) CHECK(times == doctest::Approx(2).epsilon(0.05));
    CHECK(*findings_of(series).at(0).value == doctest::Approx(75).epsilon(0.03)); // half as many bytes are written
}

TEST_CASE("a device that is lost, or answers wrongly, in the middle of segments: the points so far are kept, and all "
          "memory is free again") {
    struct Row {
        const char* test;
        std::uint64_t lost_after, wrong_after; // launches, of which the first 31 fill the chunks
        const char* reason;
        bool points;
    };
    for (const Row& row : {Row{"read", 5, 0, "lost", false}, {"read", 200, 0, "lost", true},
             {"read", 0, 200, "adds up to", true}, {"two-reads", 100, 0, "lost", false},
             {"read-write", 1000, 0, "lost", true}, {"read-write", 0, 1000, "adds up to", true}}) {
        CAPTURE(std::string(row.test));
        CAPTURE(row.lost_after);
        CardModel card = card_970();
        card.lost_after = row.lost_after;
        card.wrong_after = row.wrong_after;
        const auto device = model_device(card, 3);
        const Series series = segments_of(*device, row.test);
        CAPTURE(series.reason);
        CHECK(series.status == Status::failed);
        CHECK(series.reason.find(row.reason) != std::string::npos);
        CHECK(!series.points.empty() == row.points);
        CHECK(series.points.size() < 31);
        CHECK(model_counts(*device).allocated == 0);
    }
}

TEST_CASE("an allocation that goes wrong in the middle of segments leaves nothing allocated") {
    for (const auto& [probe, options] : {std::pair<const char*, Options>{"segments", {{"test", "read"}}},
             {"segments", {{"test", "two-reads"}}}, {"segment-latency", {}}}) {
        CAPTURE(std::string(probe));
        CardModel card = card_970();
        card.failing_allocation = 20;
        const auto device = model_device(card, 3);
        const Series series = measured(*device, probe, "global", "quick", 5, options);
        CHECK(series.status == Status::failed);
        CHECK(series.reason.find("cannot allocate") != std::string::npos);
        CHECK(model_counts(*device).allocated == 0);
    }
}

TEST_CASE("the clock after a map of the memory is read before its chunks are freed, which leaves the card idle; the "
          "next series wakes it") {
    CardModel card = even_card();
    card.sinks_when_freed = true;
    const auto device = model_device(card, 3);
    for (const char* test : {"two-reads", "read"}) {
        CAPTURE(std::string(test));
        const Series series = segments_of(*device, test);
        REQUIRE(series.status == Status::ok);
        CHECK(*series.evidence.clock->before_mhz == doctest::Approx(card.clock_mhz).epsilon(0.02));
        CHECK(*series.evidence.clock->after_mhz == doctest::Approx(card.clock_mhz).epsilon(0.02));
    }
}

TEST_CASE("a short run looks at some of many chunks, and finds the segments with their sizes all the same") {
    CardModel card = card_970();
    card.memory_bytes = kGiB;
    card.largest_buffer = 8 * kMiB; // so many chunks
    card.segments = {{896 * kMiB, 196e9}, {128 * kMiB, 28e9}};
    const auto device = model_device(card, 3);
    const Series series = segments_of(*device, "read");
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    CHECK(series.points.size() == 31); // of 124 chunks
    const auto found = findings_of(series);
    REQUIRE(found.size() == 2);
    CHECK(found[0].capacity_bytes->first == 896.0 * kMiB);
    CHECK(found[1].capacity_bytes->first >= 96.0 * kMiB);
    CHECK(found[1].capacity_bytes->second == 128.0 * kMiB);
    CHECK(model_counts(*device).allocated == 0);
}

TEST_CASE("a sweep and a map of segments take what is free of the memory, where the API tells") {
    CardModel card = card_970();
    card.memory_free = 2 * kGiB, card.tells_free = true;
    const auto some = model_device(card, 3);
    const Series map = segments_of(*some, "read");
    CHECK(map.status == Status::ok);
    REQUIRE(map.ending);
    CHECK(map.ending->by == EndedBy::memory);
    CHECK(says(map.ending->why, "were free"));
    CHECK(static_cast<double>(map.points.size()) * static_cast<double>(*map.evidence.chunk_bytes) < 2.0 * kGiB);
    card.memory_free = 64 * kMiB;
    const auto little = model_device(card, 3);
    const Series sweep = measured(*little, "bandwidth", "global", "quick", 1, {{"width", "16"}});
    REQUIRE(sweep.ending);
    CHECK(sweep.ending->by == EndedBy::memory);
    CHECK(sweep.points.back().x <= 32.0 * kMiB);
    CHECK(sweep.points.back().x > 16.0 * kMiB);
}

TEST_CASE("segments take what memory there is and say so") {
    CardModel card = card_970();
    card.memory_free = 2 * kGiB;
    const auto some = model_device(card, 3);
    const Series series = segments_of(*some, "read");
    CHECK(series.status == Status::ok);
    REQUIRE(series.ending);
    CHECK(series.ending->by == EndedBy::memory);
    CHECK(series.ending->why.find("more than is") != std::string::npos);
    CHECK(series.points.size() >= 12);
    CHECK(series.points.size() <= 14); // two chunks are left to others
    CHECK(model_counts(*some).allocated == 0);
    card.memory_free = 500 * kMiB;
    const auto little = model_device(card, 3);
    const Series none = segments_of(*little, "read");
    CHECK(none.status == Status::unsupported);
    CHECK(none.reason.find("too few") != std::string::npos);
    CHECK(model_counts(*little).allocated == 0);
}
