// The order of a card's series, and which come again.
#include <doctest/doctest.h>

#include "core/run/lane.h"

using namespace sonde;

TEST_CASE("sweeps that the time cut short come once more, behind all others, with the seconds they had") {
    Lane lane("card", 0);
    for (const std::size_t place : {4, 5, 6}) lane.add(place);
    std::vector<std::size_t> order;
    std::vector<double> had;
    for (; lane.left() > 0; lane.advance()) {
        order.push_back(lane.place());
        had.push_back(lane.had_seconds());
        if (lane.place() != 5) lane.end_cut_short(static_cast<double>(lane.place())); // again, too: once is enough
    }
    CHECK(order == std::vector<std::size_t>{4, 5, 6, 4, 6});
    CHECK(had == std::vector<double>{0, 0, 0, 4, 6});
}

TEST_CASE("a lane without sweeps cut short ends with its last series") {
    Lane lane("card", 0);
    lane.add(1);
    lane.advance();
    CHECK(lane.left() == 0);
    CHECK(lane.size() == 1);
}

TEST_CASE("series that are unsupported take no share of the time from those left") {
    Lane lane("card", 0);
    for (std::size_t place = 0; place < 40; ++place) lane.add(place);
    CHECK(lane.part_to_measure() == 1);
    for (int i = 0; i < 5; ++i) lane.end_unsupported(), lane.advance();
    CHECK(lane.part_to_measure() == 0.5); // few do not speak of all
    for (int i = 0; i < 15; ++i) lane.end_unsupported(), lane.advance();
    CHECK(lane.part_to_measure() == 0);
}
