// Probes of many work-items on modelled cards: segments of memory, bytes moved, banks, workgroups; and that nothing is kept when something fails.
#include <doctest/doctest.h>

#include <algorithm>

#include <fmt/format.h>

#include "core/data/finding.h"
#include "core/data/results.h"
#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/model/model_device.h"
#include "tests/recorded.h"

using namespace sonde;

namespace {

constexpr std::uint64_t kMiB = 1 << 20, kGiB = 1ull << 30;

/// 3.5 GiB behind seven controllers, half a one behind the eighth: reads of one wait for those of the other.
CardModel card_970() {
    CardModel card = model_card("GTX 970");
    card.memory_bytes = 4 * kGiB;
    card.segments = {{3584 * kMiB, 196e9}, {512 * kMiB, 28e9}};
    card.exclusive_reads = true;
    card.noise = 0.003;
    return card;
}

CardModel even_card() {
    CardModel card = card_970();
    card.segments = {{4 * kGiB, 224e9}};
    return card;
}

Series segments_of(Device& device, const std::string& test) { return measured(device, "segments", "global", "quick", 5, {{"test", test}}); }

std::vector<Finding> findings_of(const Series& series) { return find_probe(series.id.probe)->findings(series, {}); }

} // namespace

TEST_CASE("segments of a modelled GTX 970: 3.5 GiB of 196 GB/s, half a one of 28, and reads of both wait for each other") {
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
    for (const auto& [test, name, times] : {std::tuple{"two-reads", "exclusive", 2.0}, {"two-writes", "together", 1.0}, {"read-write", "together", 1.0}}) {
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
        CHECK(std::any_of(rates.begin(), rates.end(), [&](const std::string& rate) { return found[0].text.find(rate) != std::string::npos; }));
        CHECK(series.evidence.overlap_second.size() == series.points.size()); // each beside another chunk of the other segment as well
        for (const double second : series.evidence.overlap_second) CHECK(second == doctest::Approx(times).epsilon(0.05));
        CHECK(found[0].text.find(" times with one, ") != std::string::npos);
        CHECK(model_counts(*device).allocated == 0);
    }
}

TEST_CASE("a segment far slower than the rest is said to be like memory behind the host link; what is written in part beside it can still be read") {
    CardModel card = card_970();
    card.segments[1].bandwidth = 8e9;
    const auto device = model_device(card, 3);
    for (const char* test : {"read", "read-write", "two-writes"}) {
        CAPTURE(std::string(test));
        Series series = segments_of(*device, test);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        if (std::string(test) == "read") {
            CHECK(findings_of(series).at(1).text.find("like memory behind the host link") != std::string::npos);
            series.evidence.host_link_gb_per_s.reset(); // nobody told
            CHECK(findings_of(series).at(1).text.find("link") == std::string::npos);
        }
        CHECK(model_counts(*device).longest_ns < 50e6); // every device is taken for one with a watchdog
    }
}

TEST_CASE("segment-share of a modelled GTX 970: both segments add up at the slow one's share of the whole rate, and beyond it the slow one rules") {
    CardModel card = card_970();
    card.exclusive_reads = false;
    const auto rate_at = [](const Series& series, double percent) { return std::ranges::find(series.points, percent, &Point::x)->median.value_or(0); };
    const Series series = measured(*model_device(card, 3), "segment-share", "global", "standard", 5);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    for (const auto& [percent, rate] : {std::pair{0, 196.0}, {5, 196 / 0.95}, {10, 196 / 0.9}, {20, 28 / 0.2}, {50, 28 / 0.5}, {100, 28.0}}) {
        CAPTURE(percent);
        CHECK(rate_at(series, percent) == doctest::Approx(rate).epsilon(0.02));
    }
    const std::string text = findings_of(series).at(0).text;
    CAPTURE(text);
    CHECK(text.find("at 10 % from the slowest, half of the fastest's rate from 30 % on") != std::string::npos);
    const Series brief = measured(*model_device(card, 3), "segment-share", "global", "quick", 5); // fills and reads some of the chunks alone
    CHECK(brief.evidence.alone_gb_per_s.size() <= 16);
    CHECK(brief.evidence.chunks.value() >= 2 * brief.evidence.alone_gb_per_s.size() - 1);
    CHECK(rate_at(brief, 100) == doctest::Approx(28).epsilon(0.02));
    card.exclusive_reads = true;
    CHECK(rate_at(measured(*model_device(card, 3), "segment-share", "global", "standard", 5), 10) == doctest::Approx(1 / (0.9 / 196 + 0.1 / 28)).epsilon(0.02));
    const Series even = measured(*model_device(even_card(), 3), "segment-share", "global", "quick", 5);
    CHECK(findings_of(even).at(0).text.find(fmt::format(": no slow segment seen in {} of {} chunks", even.evidence.alone_gb_per_s.size(), even.evidence.chunks.value())) != std::string::npos);
    CHECK(findings_of(even).at(0).text.find(" chunks: all reads from one chunk reach 22") != std::string::npos);
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
            CHECK(found[0].text.find(" move 22") != std::string::npos);
            CHECK(found[0].text.find(" together, 50 % of it read; reads alone 22") != std::string::npos);
            continue;
        }
        if (std::string(test).find('-') != std::string::npos) {
            CHECK(found.at(0).name == "alike");
            continue;
        }
        REQUIRE(found.size() == 1);
        CHECK(found[0].text.find("no slow segment seen in ") != std::string::npos);
        CHECK(found[0].name == "uniform");
        CHECK(*found[0].value == doctest::Approx(224).epsilon(0.01));
    }
}

TEST_CASE("a device that is lost, or answers wrongly, in the middle of segments: the points so far are kept, and all memory is free again") {
    struct Row {
        const char* test;
        std::uint64_t lost_after, wrong_after; // launches, of which the first 31 fill the chunks
        const char* reason;
        bool points;
    };
    for (const Row& row : {Row{"read", 5, 0, "lost", false}, {"read", 200, 0, "lost", true}, {"read", 0, 200, "adds up to", true}, {"two-reads", 100, 0, "lost", false},
                           {"read-write", 700, 0, "lost", true}, {"read-write", 0, 700, "adds up to", true}}) {
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
    for (const auto& [probe, options] : {std::pair<const char*, Options>{"segments", {{"test", "read"}}}, {"segments", {{"test", "two-reads"}}}, {"segment-latency", {}}}) {
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

TEST_CASE("the clock after a map of the memory is read before its chunks are freed, which leaves the card idle; the next series wakes it") {
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

TEST_CASE("segments take what memory there is and say so") {
    CardModel card = card_970();
    card.memory_free = 2 * kGiB;
    const auto some = model_device(card, 3);
    const Series series = segments_of(*some, "read");
    CHECK(series.status == Status::ok);
    CHECK(series.reason.find("ends at") == 0);
    CHECK(series.reason.find("more than is left") != std::string::npos);
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

namespace {
/// Of a byte moved by `stream` on numbers, and that a reader is told.
void check_demand(const Series& series) {
    const std::string& operation = series.evidence.operation;
    const bool scale = operation.starts_with("scale"), dot = operation.starts_with("dot"), wide = operation.ends_with("f64");
    const double moved = (scale ? 1 : 2) + (dot ? 0 : 1), operations = scale || operation.starts_with("add") ? 1 : 2;
    const Demand& demand = series.evidence.demand.at(0);
    CHECK(demand.read_bytes == doctest::Approx((scale ? 1 : 2) / moved));
    CHECK(demand.written_bytes == doctest::Approx((dot ? 0 : 1) / moved));
    CHECK(demand.operations == doctest::Approx(operations / (moved * (wide ? 8 : 4))));
    CHECK(demand.operation == (wide ? "fma.f64" : ""));
    CHECK(findings_of(series).at(0).text.find(" operations") != std::string::npos);
}
} // namespace

TEST_CASE("bandwidth and write count the bytes that were moved, no more and no less") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 4 * kMiB;
    card.bandwidth = 5e9;
    card.noise = 0.002;
    for (const Options& options : {Options{{"width", "16"}}, {{"width", "4"}}, {{"width", "16"}, {"operation", "fill"}}, {{"width", "8"}, {"operation", "copy"}}, {{"width", "4"}, {"operation", "modify"}},
                                   {{"operation", "scale"}, {"type", "f64"}}, {{"operation", "add"}, {"type", "f32"}}, {{"operation", "triad"}, {"type", "f64"}}, {{"operation", "dot"}, {"type", "f32"}}, {{"operation", "dot"}, {"type", "f64"}}}) {
        CAPTURE(options_text(options));
        const Options shaped = options * option::shape.as("4x128x1");
        const auto device = model_device(card, 3);
        const Series series = measured(*device, option::operation.asked(options) ? "stream" : "bandwidth", "global", "quick", 5, shaped);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        REQUIRE(series.points.size() >= 4);
        for (const Point& point : series.points) {
            CAPTURE(point.x);
            CHECK(*point.median == doctest::Approx(5).epsilon(0.02));
            for (const Sample& sample : point.samples) CHECK(model_counts(*device).moved.count(sample.steps) == 1);
        }
        CHECK(series.evidence.demand.empty() == !option::type.asked(options)); // fills and copies are limits of workloads
        if (series.evidence.demand.empty()) CHECK(findings_of(series).empty());
        else check_demand(series);
        CHECK(model_counts(*device).allocated == 0);
    }
    const Options streaming{{"operation", "triad"}, {"type", "f64"}, {"shape", "4x128x1"}};
    CHECK(measured(*model_device(card, 3), "stream", "global.cs", "quick", 5, streaming).reason == "the modelled card has no such path");
    card.paths.insert(card.paths.end(), {{"global.cs", {0}}, {"constant", {0}}});
    const auto device = model_device(card, 3);
    const Options by_argument{{"operation", "scale"}, {"type", "f64"}, {"factor", "argument"}, {"shape", "4x128x1"}}, by_constant{{"operation", "scale"}, {"type", "f32"}, {"factor", "constant"}, {"shape", "4x128x1"}};
    for (const auto& [path, options, operation] : {std::tuple{"global.cs", streaming, "triad f64"}, {"global", by_argument, "scale f64 by an argument"}, {"global", by_constant, "scale f32 by a constant loaded for each tile"}}) {
        const Series series = measured(*device, "stream", path, "quick", 5, options);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.evidence.operation == operation);
        for (const Point& point : series.points) CHECK(*point.median == doctest::Approx(5).epsilon(0.02));
    }
    CHECK(measured(*device, "stream", "global.cs", "quick", 5, by_argument).reason.find("is asked on path global") != std::string::npos);
}

TEST_CASE("bandwidth of zeros is measured beside that of random data, in caches and beyond them") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 16 * kMiB;
    card.bandwidth = 5e9;
    card.noise = 0.002;
    const Options zeros{{"width", "16"}, {"data", "zeros"}, {"shape", "4x128x1"}};
    for (const double faster : {1.0, 1.5}) {
        CAPTURE(faster);
        card.zeros_faster = faster;
        const Series series = measured(*model_device(card, 3), "bandwidth", "global", "standard", 5, zeros);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(*series.points.back().median == doctest::Approx(5 * faster).epsilon(0.02));
        CHECK(series.evidence.random_reads.size() == series.points.size() * 3);
        const auto findings = findings_of(series);
        REQUIRE(findings.size() == series.points.size());
        for (const Finding& finding : findings) {
            CAPTURE(finding.text);
            CHECK(*finding.value == doctest::Approx(faster).epsilon(0.01));
            CHECK((finding.text.find("no difference seen within noise") != std::string::npos) == (faster == 1));
            CHECK(std::any_of(series.points.begin(), series.points.end(), [&](const Point& point) { return point.x == finding.x.at(0); }));
        }
    }
    CHECK(findings_of(measured(*model_device(card, 3), "bandwidth", "global", "quick", 5, {{"width", "16"}, {"shape", "4x128x1"}})).empty());
}

TEST_CASE("a grid with a workgroup for each tile is taken far beyond the caches where it is faster, and its words are checked") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 16 * kMiB;
    card.bandwidth = 1e9;
    card.cores = 1;
    card.loops_slower = 1.3;
    const auto caches = static_cast<double>(8 * model_device(card, 3)->info().cache_bytes);
    const Series tried = measured(*model_device(card, 3), "bandwidth", "global", "standard", 5, {{"width", "16"}}), asked = measured(*model_device(card, 3), "bandwidth", "global", "quick", 5, {{"width", "16"}, {"shape", "4x1024xonce"}});
    CAPTURE(asked.reason);
    REQUIRE(tried.status == Status::ok);
    REQUIRE(asked.status == Status::ok);
    for (const ShapeChoice& choice : tried.evidence.shapes) CHECK(choice.shape.ends_with("once") == (static_cast<double>(choice.from_bytes) >= caches));
    CHECK(tried.evidence.shapes.back().shape.ends_with("once"));
    for (const Options& options : {Options{{"operation", "fill"}, {"width", "16"}}, {{"operation", "copy"}, {"width", "4"}}, {{"operation", "triad"}, {"type", "f64"}}, {{"operation", "scale"}, {"type", "f32"}}}) {
        CAPTURE(options_text(options));
        const Series stored = measured(*model_device(card, 3), "stream", "global", "standard", 5, options);
        CAPTURE(stored.reason);
        REQUIRE(stored.status == Status::ok);
        CHECK(stored.evidence.shapes.back().shape == "1x256xonce");
        CHECK(*stored.points.back().median == doctest::Approx(1).epsilon(0.02));
    }
    card.most_groups = 3 * 1500; // of less than all of the memory
    const Series some = measured(*model_device(card, 3), "stream", "global", "standard", 5, {{"operation", "fill"}, {"width", "16"}});
    CAPTURE(some.reason);
    REQUIRE(some.status == Status::ok);
    CHECK(!some.evidence.shapes.back().shape.ends_with("once"));
    CHECK(std::ranges::any_of(some.evidence.shapes, [](const ShapeChoice& choice) { return choice.shape == "1x256xonce"; }));
    card.most_groups = 65535;
    CHECK(*tried.points.back().median == doctest::Approx(1).epsilon(0.02));
    CHECK(*tried.points.front().median == doctest::Approx(1 / 1.3).epsilon(0.02));
    for (const Point& point : asked.points) CHECK(point.x >= 0.9 * caches);
    card.wrong_after = 1;
    CHECK(measured(*model_device(card, 3), "bandwidth", "global", "quick", 5, {{"width", "16"}, {"shape", "4x1024xonce"}}).reason.find("of workgroup") != std::string::npos);
    card.memory_bytes = 2 * kMiB;
    CHECK(measured(*model_device(card, 3), "bandwidth", "global", "quick", 5, {{"width", "16"}, {"shape", "4x1024xonce"}}).status == Status::unsupported);
}

TEST_CASE("no more workgroups go round tiles of their own than run at a time, by the driver's account") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 16 * kMiB;
    for (const std::uint32_t resident : {1u, 2u}) {
        card.resident_groups = resident;
        for (const Options& options : {Options{{"operation", "dot"}, {"type", "f64"}}, {{"operation", "modify"}, {"width", "16"}}}) {
            const Series series = measured(*model_device(card, 3), "stream", "global", "quick", 5, options);
            CAPTURE(series.reason);
            REQUIRE(series.status == Status::ok);
            CHECK(series.evidence.shape->groups.value() <= resident * card.cores);
        }
    }
}

TEST_CASE("a point in which the clock sank, since the host had left the card idle, is taken again awake") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 4 * kMiB;
    card.bandwidth = 500e9;
    card.host_ns = 1e6;
    for (const std::uint64_t sinks_after : {0u, 60u, 150u}) {
        CAPTURE(sinks_after);
        card.sinks_after = sinks_after;
        const auto device = model_device(card, 3);
        const Series series = measured(*device, "bandwidth", "global", "quick", 5, {{"width", "16"}, {"shape", "4x128x1"}});
        REQUIRE(series.status == Status::ok);
        CHECK(series.evidence.clock->points_repeated.value_or(0) == (sinks_after ? 1 : 0));
        for (const Point& point : series.points) CHECK(*point.median == doctest::Approx(500).epsilon(0.02));
    }
}

TEST_CASE("loads on two paths at once, on a modelled card: one pipe, or two; every byte counted") {
    for (const bool one_pipe : {true, false}) {
        CAPTURE(one_pipe);
        CardModel card = model_card("GTX 680");
        card.memory_bytes = 4 * kMiB;
        card.cores = 1;
        card.first_level_rates = {{"global", 32e9}, {"texel", 16e9}, {"scratchpad", 32e9}};
        card.one_pipe = one_pipe;
        card.noise = 0.002;
        for (const auto& [path, with, other] : {std::tuple{"global", "texel", 16.0}, {"global", "scratchpad", 32.0}, {"texel", "scratchpad", 32.0}}) {
            CAPTURE(std::string(path));
            CAPTURE(std::string(with));
            const auto device = model_device(card, 3);
            const double own = std::string(path) == "texel" ? 16 : 32;
            for (const char* profile : {"quick", "standard"}) {
                const Series series = measured(*device, "mix", path, profile, 5, {{"other_path", with}});
                CAPTURE(series.reason);
                REQUIRE(series.status == Status::ok);
                REQUIRE(series.points.size() >= 3);
                for (const Point& point : series.points) {
                    CAPTURE(point.x);
                    const double a = (100 - point.x) / own, b = point.x / other;
                    CHECK(*point.median == doctest::Approx(100 / (one_pipe ? a + b : std::max(a, b))).epsilon(0.02));
                    for (const Sample& sample : point.samples) CHECK(model_counts(*device).moved.count(sample.steps) == 1);
                }
                const auto found = findings_of(series);
                REQUIRE(found.size() == 1);
                CHECK(found[0].text.find(one_pipe ? "the two paths do not overlap" : "the rates add up") != std::string::npos);
            }
            CHECK(model_counts(*device).allocated == 0);
        }
        card.wrong_after = 1;
        const auto wrong = model_device(card, 3);
        const Series series = measured(*wrong, "mix", "global", "quick", 5, {{"other_path", "texel"}});
        CHECK(series.status == Status::failed);
        CHECK(series.reason.find("add up to") != std::string::npos);
        CHECK(model_counts(*wrong).allocated == 0);
    }
}

TEST_CASE("coalescing counts the bytes that lanes asked for, of words and of less than a word") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 4 * kMiB;
    card.cores = 1;
    card.bandwidth = 0.5e9;
    card.noise = 0.002;
    const auto device = model_device(card, 3);
    for (const char* width : {"1", "2", "4", "16"}) {
        CAPTURE(std::string(width));
        const Series series = measured(*device, "coalescing", "global", "quick", 5, {{"pattern", "offset"}, {"width", width}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        REQUIRE(series.points.size() == 7);
        for (const Point& point : series.points) {
            CHECK(*point.median == doctest::Approx(0.5).epsilon(0.02));
            for (const Sample& sample : point.samples) CHECK(model_counts(*device).moved.count(sample.steps) == 1);
        }
    }
    CHECK(measured(*device, "coalescing", "texel", "quick", 5, {{"pattern", "offset"}, {"width", "1"}}).status == Status::unsupported);
}

TEST_CASE("stores in each order and of each width have kernels, on the host too") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 4 * kMiB;
    card.cores = 1;
    card.bandwidth = 0.5e9;
    const auto device = model_device(card, 3);
    for (const char* width : {"1", "2", "4", "8", "16"}) {
        CAPTURE(std::string(width));
        const Series series = measured(*device, "coalescing", "global", "quick", 5, {{"access", "store"}, {"pattern", "order"}, {"width", width}});
        CAPTURE(series.reason);
        CHECK(series.status == Status::ok);
    }
}

TEST_CASE("workgroups on a modelled card: as many as it takes, from one on") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 8 * kMiB;
    card.bandwidth = 5e9;
    card.group_bandwidth = 5e9 / 16;
    card.noise = 0.002;
    const auto device = model_device(card, 3);
    for (const char* from : {"LLC", "DRAM"}) {
        CAPTURE(std::string(from));
        const Series series = measured(*device, "saturation", "global", "quick", 5, {{"level", from}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(series.points.front().x == 1);
        CHECK(*series.points.front().median == doctest::Approx(5.0 / 16).epsilon(0.02));
        const auto found = findings_of(series);
        REQUIRE(found.size() == 1);
        CHECK(*found[0].value == 16);
    }
    // Another API of the card may know of a larger LLC than this one's driver tells.
    const Series told = measured(*device, "saturation", "global", "quick", 5, {{"level", "LLC"}}, 3 * kMiB);
    CHECK(told.evidence.footprint_bytes == 3 * kMiB / 2);
}

TEST_CASE("banks of a modelled scratchpad") {
    struct Row {
        std::uint32_t bank_bytes;
        const char* width;
        double banks;
        const char* text;
    };
    for (const Row& row : {Row{4, "4", 32, "32 banks of 4 bytes"}, {8, "4", 32, "32 banks of 8 bytes"}, {8, "8", 32, "32 banks of 8 bytes"}, {4, "16", 32, "32 banks of 4 bytes for loads of 16 bytes; 32 of these loads take 4 passes at stride 1"}}) {
        CAPTURE(row.bank_bytes);
        CAPTURE(std::string(row.width));
        CardModel card = model_card("GTX 680");
        card.bank_bytes = row.bank_bytes;
        card.noise = 0.003;
        const auto device = model_device(card, 3);
        const Series series = measured(*device, "banks", "scratchpad", "quick", 5, {{"width", row.width}});
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        const auto found = findings_of(series);
        REQUIRE(found.size() == 1);
        CHECK(*found[0].value == row.banks);
        CHECK(found[0].text.find(row.text) != std::string::npos);
    }
}

TEST_CASE("mixed reads and writes on the H200 reach 80 % of reads alone") {
    const Run pairs = read_run(recorded::file("segments-pairs"));
    const auto mixed = std::ranges::find_if(pairs.series, [](const Series& series) { return option::segment_test.is(series.id.options, SegmentTest::read_write); });
    REQUIRE(mixed != pairs.series.end());
    const auto found = findings_of(*mixed);
    REQUIRE(found.size() == 1);
    CHECK(*found[0].value == doctest::Approx(80).epsilon(0.01));
    CHECK(found[0].unit == "% of reads alone");
    CHECK(found[0].text.find("reads and writes mixed: 80 % of reads alone (") != std::string::npos);
    CHECK(found[0].text.find(" move 3.68 TB/s together, 55 % of it read; reads alone 4.6 TB/s, writes alone 3.78") != std::string::npos);
}
