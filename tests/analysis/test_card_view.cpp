#include <doctest/doctest.h>

#include "core/analysis/card_view.h"
#include "core/data/results.h"
#include "tests/recorded.h"

using namespace sonde;

TEST_CASE("levels side by side whose ends no two blocks have in common are none; one whose end alone is in doubt stays") {
    const std::vector<Run> runs = read_runs(recorded::file("global-cs"));
    const std::vector<Card> cards = cards_of(runs);
    REQUIRE(cards.size() == 1);
    const auto curve = [&](const std::string& device) -> const Curve& { return *std::ranges::find_if(cards[0].curves, [&](const Curve& each) { return each.series->id.device == device; }); };
    CHECK(curve("cuda:0").level_names == std::vector<std::string>{"L1", "DRAM"});
    CHECK(capacity_text(curve("cuda:0").levels[0]) == "194-223 KiB");
    CHECK(curve("opencl:1.0").level_names == std::vector<std::string>{"L1", "L2", "DRAM"});
    CHECK(curve("vulkan:0").level_names == std::vector<std::string>{"L1", "L2", "DRAM"});
    CHECK(capacity_text(curve("vulkan:0").levels[1]) == "18.4-27.9 MiB");
}
