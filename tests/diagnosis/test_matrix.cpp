// The table of paths and levels.
#include <doctest/doctest.h>

#include <cmath>

#include "core/analysis/card_view.h"
#include "core/diagnosis/matrix.h"
#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

TEST_CASE("matrix: a row per level of a path, and each way of not being there told apart") {
    MadeUp card;
    two_apis(card, kThree, kTwo);
    card.latency("a:0", "private", kThree, 512 * kKiB);
    Series& refused = card.latency("b:0", "private", kThree, 1);
    refused.status = Status::unsupported;
    const Card seen = cards_of({&card.run, 1})[0];
    const Matrix matrix = matrix_of(seen);
    REQUIRE(matrix.devices.size() == 2);
    REQUIRE(matrix.rows.size() == 5);
    CHECK(matrix.rows[0].level.text() == "L1");
    CHECK(matrix.rows[0].cells[0].reach == Reached::reached);
    CHECK(matrix.rows[0].cells[0].level->value == doctest::Approx(40));
    CHECK(matrix.rows[0].cells[1].reach == Reached::passed_by);
    CHECK(matrix.rows[2].cells[1].level->value == doctest::Approx(600));
    CHECK(matrix.rows[3].path == "private");
    CHECK(matrix.rows[3].cells[1].reach == Reached::unsupported);
    CHECK(matrix.rows[4].cells[0].reach == Reached::reached);
}

TEST_CASE("matrix: levels that a failed series found are shown, and of one that found none that it failed") {
    MadeUp card;
    two_apis(card, kThree, kThree);
    card.run.series.back().status = Status::failed;
    card.latency("a:0", "texel", kThree, 1).status = Status::failed;
    const Card seen = cards_of({&card.run, 1})[0];
    const Matrix matrix = matrix_of(seen);
    REQUIRE(matrix.rows.size() == 4);
    for (std::size_t i = 0; i < 3; ++i) CHECK(matrix.rows[i].cells[1].reach == Reached::reached);
    CHECK(matrix.rows[3].path == "texel");
    CHECK(matrix.rows[3].cells[0].reach == Reached::failed);
}

TEST_CASE("matrix: a curve that rises through a level of others, between two of its own, is not told apart there") {
    MadeUp card;
    const std::vector<Step> four{{40, 64 * kKiB}, {200, 4 * kMiB}, {400, 32 * kMiB}, {700, kEnd}};
    two_apis(card, four, four);
    for (Point& point : card.run.series.back().points)
        if (point.x > 4 * kMiB && point.x <= 40 * kMiB)
            point.median = point.low = point.high = point.cycles = 200 * std::pow(point.x / (4 * kMiB), 0.5);
    const Card seen = cards_of({&card.run, 1})[0];
    const Matrix matrix = matrix_of(seen);
    REQUIRE(matrix.rows.size() == 4);
    CHECK(matrix.rows[2].level.text() == "L3");
    CHECK(matrix.rows[2].cells[0].reach == Reached::reached);
    CHECK(matrix.rows[2].cells[1].reach == Reached::blurred);
    CHECK(to_text(Reached::blurred) == std::string("not told apart"));
}

TEST_CASE("matrix: a level of a processor that is not sure has a row, and says so") {
    MadeUp card;
    DeviceRecord& processor = card.device("a:0");
    processor.cpu = true, processor.cache_levels = {64 << 10, 4 << 20};
    for (Point& point : card.latency("a:0", "global", kThree, kEnd).points)
        if (point.x > 1 * kMiB && point.x < 2 * kMiB)
            point.median = point.low = point.high = point.cycles = 320; // a hump
    const Card seen = cards_of({&card.run, 1})[0];
    const Matrix matrix = matrix_of(seen);
    REQUIRE(matrix.rows.size() == 3);
    CHECK(matrix.rows[1].level.text() == "L2");
    CHECK(to_text(matrix.rows[1].cells[0].reach) == std::string("not sure"));
    CHECK(matrix.rows[2].cells[0].reach == Reached::reached);
    for (Point& point : card.run.series[0].points) // the same of the first
        if (point.x < 1 * kMiB)
            point.median = point.low = point.high = point.cycles =
                point.x > 8 * kKiB && point.x < 24 * kKiB ? 120 : *point.median;
        else if (point.x < 2 * kMiB) point.median = point.low = point.high = point.cycles = 200;
    const Card again = cards_of({&card.run, 1})[0];
    const Matrix of_it = matrix_of(again);
    REQUIRE(of_it.rows.size() == 3);
    CHECK(of_it.rows[0].level.text() == "L1");
    CHECK(to_text(of_it.rows[0].cells[0].reach) == std::string("not sure"));
}

TEST_CASE("matrix: of a curve that scatters no level is told, and it makes no row") {
    MadeUp card;
    two_apis(card, kThree, kTwo);
    for (DeviceRecord& device : card.run.devices) device.cpu = true;
    for (Point& point : card.run.series.back().points)
        for (const double ns : {100, 100, 150, 150})
            point.samples.insert(point.samples.end(),
                {Sample{.steps = 1000, .host_ns = 1000 * ns}, Sample{.steps = 8000, .host_ns = 8000 * ns}});
    const Card seen = cards_of({&card.run, 1})[0];
    const Matrix matrix = matrix_of(seen);
    REQUIRE(matrix.rows.size() == 3);
    for (const MatrixRow& row : matrix.rows) CHECK(row.cells[1].reach == Reached::scattered);
    CHECK(matrix.rows[2].level.text() == "DRAM");
}
