// Where a sweep ends that the card refuses to go on with.
#include <doctest/doctest.h>

#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("where a size is refused the sweep finds out how much is taken, to the width of an edge") {
    CardModel card = small_card("GTX 680");
    card.scratchpad_taken = 45 << 10; // it says 48
    const Series series = measured(*model_device(card, 9), "latency", "scratchpad", "quick", 4);
    CAPTURE(series.reason);
    REQUIRE(series.status == Status::ok);
    CHECK(series.points.back().x <= 45 << 10);
    CHECK(series.points.back().x >= (45 << 10) / 1.1);
    CHECK(series.reason.find("takes less than it says") != std::string::npos);
}
