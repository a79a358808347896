// bandwidth, and the same of stores (stream): series on modelled cards, and what it says of series.
#include <algorithm>
#include <tuple>

#include <doctest/doctest.h>

#include "core/data/results.h"
#include "core/data/shared_options.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"
#include "tests/thorough.h"

using namespace sonde;

namespace {
/// Of a byte moved by `stream` on numbers.
void check_demand(const Series& series) {
    const std::string& operation = series.evidence.operation;
    const bool scale = operation.starts_with("scale"), dot = operation.starts_with("dot"),
               wide = operation.ends_with("f64");
    const double moved = (scale ? 1 : 2) + (dot ? 0 : 1), operations = scale || operation.starts_with("add") ? 1 : 2;
    const Demand& demand = series.evidence.demand.at(0);
    CHECK(demand.read_bytes == doctest::Approx((scale ? 1 : 2) / moved));
    CHECK(demand.written_bytes == doctest::Approx((dot ? 0 : 1) / moved));
    CHECK(demand.operations == doctest::Approx(operations / (moved * (wide ? 8 : 4))));
    CHECK(demand.operation == (wide ? "fma.f64" : ""));
}
} // namespace

TEST_CASE("bandwidth: clusters read each other's scratchpads") {
    Series series = made("bandwidth", "cluster", {{"width", "16"}, {"cluster", "8"}}, {{4096, 2000}, {65536, 2560}});
    series.evidence.shape = ShapeEvidence{.groups = 128};
    const Finding found = only_finding(series);
    CHECK(found.name == "cluster 8");
    CHECK(number_at(found, "workgroups") == 128);
    CHECK(*found.value == 2560);
    CHECK(number_at(found, "by each workgroup") == 20);
}

TEST_CASE("bandwidth and write count the bytes that were moved, no more and no less") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 4 * kMiB;
    card.bandwidth = 5e9;
    card.noise = 0.002;
    for (const Options& options : {Options{{"width", "16"}}, {{"width", "4"}}, {{"width", "16"}, {"operation", "fill"}},
             {{"width", "8"}, {"operation", "copy"}}, {{"width", "4"}, {"operation", "modify"}},
             {{"operation", "scale"}, {"type", "f64"}}, {{"operation", "add"}, {"type", "f32"}},
             {{"operation", "triad"}, {"type", "f64"}}, {{"operation", "dot"}, {"type", "f32"}},
             {{"operation", "dot"}, {"type", "f64"}}}) {
        CAPTURE(options_text(options));
        const Options shaped = options * option::shape.as("4x128x1");
        const auto device = model_device(card, 3);
        const Series series =
            measured(*device, option::operation.asked(options) ? "stream" : "bandwidth", "global", "quick", 5, shaped);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        REQUIRE(series.points.size() >= 4);
        for (const Point& point : series.points) {
            CAPTURE(point.x);
            CHECK(*point.median == doctest::Approx(5).epsilon(0.02));
            for (const Sample& sample : point.samples) CHECK(model_counts(*device).moved.count(sample.steps) == 1);
        }
        CHECK(
            series.evidence.demand.empty() == !option::type.asked(options)); // fills and copies are limits of workloads
        CHECK(findings_of(series).empty() == (series.id.probe == "bandwidth"));
        if (!series.evidence.demand.empty()) check_demand(series);
        CHECK(model_counts(*device).allocated == 0);
    }
    const Options streaming{{"operation", "triad"}, {"type", "f64"}, {"shape", "4x128x1"}};
    CHECK(says(measured(*model_device(card, 3), "stream", "global.cs", "quick", 5, streaming).reason, "no such path"));
    card.paths.insert(card.paths.end(), {{"global.cs", {0}}, {"constant", {0}}});
    const auto device = model_device(card, 3);
    const Options by_argument{{"operation", "scale"}, {"type", "f64"}, {"factor", "argument"}, {"shape", "4x128x1"}},
        by_constant{{"operation", "scale"}, {"type", "f32"}, {"factor", "constant"}, {"shape", "4x128x1"}};
    for (const auto& [path, options, operation] : {std::tuple{"global.cs", streaming, "triad f64"},
             {"global", by_argument, "by an argument"}, {"global", by_constant, "by a constant"}}) {
        const Series series = measured(*device, "stream", path, "quick", 5, options);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        CHECK(says(series.evidence.operation, operation));
        for (const Point& point : series.points) CHECK(*point.median == doctest::Approx(5).epsilon(0.02));
    }
    CHECK(says(measured(*device, "stream", "global.cs", "quick", 5, by_argument).reason, "on path global"));
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
        REQUIRE(findings.size() == (faster == 1 ? 1 : series.points.size()));
        for (const Finding& finding : findings) {
            CAPTURE(finding.text);
            CHECK(*finding.value == doctest::Approx(faster).epsilon(0.01));
            CHECK((finding.name == "zeros") == (faster == 1)); // of all footprints, else of one
            CHECK(std::any_of(series.points.begin(), series.points.end(),
                [&](const Point& point) { return point.x == finding.x.at(0); }));
        }
    }
    CHECK(findings_of(
        measured(*model_device(card, 3), "bandwidth", "global", "quick", 5, {{"width", "16"}, {"shape", "4x128x1"}}))
              .empty());
}

TEST_CASE("a grid with a workgroup for each tile is taken far beyond the caches where it is faster, and its words are "
          "checked") {
    CardModel card = model_card("GTX 680");
    card.memory_bytes = 16 * kMiB;
    card.bandwidth = 1e9;
    card.cores = 1;
    card.loops_slower = 1.3;
    const auto caches = static_cast<double>(8 * model_device(card, 3)->info().cache_bytes);
    const Series tried = measured(*model_device(card, 3), "bandwidth", "global", "standard", 5, {{"width", "16"}}),
                 asked = measured(*model_device(card, 3), "bandwidth", "global", "quick", 5,
                     {{"width", "16"}, {"shape", "4x1024xonce"}});
    CAPTURE(asked.reason);
    REQUIRE(tried.status == Status::ok);
    REQUIRE(asked.status == Status::ok);
    for (const ShapeChoice& choice : tried.evidence.shapes)
        CHECK(choice.shape.ends_with("once") == (static_cast<double>(choice.from_bytes) >= caches));
    CHECK(tried.evidence.shapes.back().shape.ends_with("once"));
    CasesOfTheDay day(4);
    for (const Options& options :
        {Options{{"operation", "fill"}, {"width", "16"}}, {{"operation", "copy"}, {"width", "4"}},
            {{"operation", "triad"}, {"type", "f64"}}, {{"operation", "scale"}, {"type", "f32"}}}) {
        if (!day.take()) continue;
        CAPTURE(options_text(options));
        const Series stored = measured(*model_device(card, 3), "stream", "global", "standard", 5, options);
        CAPTURE(stored.reason);
        REQUIRE(stored.status == Status::ok);
        CHECK(stored.evidence.shapes.back().shape == "1x256xonce");
        CHECK(*stored.points.back().median == doctest::Approx(1).epsilon(0.02));
    }
    card.most_groups = 3 * 1500; // of less than all of the memory
    const Series some =
        measured(*model_device(card, 3), "stream", "global", "standard", 5, {{"operation", "fill"}, {"width", "16"}});
    CAPTURE(some.reason);
    REQUIRE(some.status == Status::ok);
    CHECK(!some.evidence.shapes.back().shape.ends_with("once"));
    CHECK(std::ranges::any_of(
        some.evidence.shapes, [](const ShapeChoice& choice) { return choice.shape == "1x256xonce"; }));
    card.most_groups = 65535;
    CHECK(*tried.points.back().median == doctest::Approx(1).epsilon(0.02));
    CHECK(*tried.points.front().median == doctest::Approx(1 / 1.3).epsilon(0.02));
    for (const Point& point : asked.points) CHECK(point.x >= 0.9 * caches);
    card.wrong_after = 1;
    CHECK(
        measured(*model_device(card, 3), "bandwidth", "global", "quick", 5, {{"width", "16"}, {"shape", "4x1024xonce"}})
            .reason.find("of workgroup") != std::string::npos);
    card.memory_bytes = 2 * kMiB;
    CHECK(
        measured(*model_device(card, 3), "bandwidth", "global", "quick", 5, {{"width", "16"}, {"shape", "4x1024xonce"}})
            .status == Status::unsupported);
}
