// The table of paths and levels.
#include <doctest/doctest.h>

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
    CHECK(matrix.rows[0].level == "L1");
    CHECK(matrix.rows[0].cells[0].reach == Reached::reached);
    CHECK(matrix.rows[0].cells[0].level->value == doctest::Approx(40));
    CHECK(matrix.rows[0].cells[1].reach == Reached::passed_by);
    CHECK(matrix.rows[2].cells[1].level->value == doctest::Approx(600));
    CHECK(matrix.rows[3].path == "private");
    CHECK(matrix.rows[3].cells[1].reach == Reached::unsupported);
    CHECK(matrix.rows[4].cells[0].reach == Reached::reached);
}
