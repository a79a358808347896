// The first line of a diagnosis.
#include <doctest/doctest.h>

#include "core/analysis/card_view.h"
#include "core/diagnosis/overview.h"
#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

TEST_CASE("the peak of DRAM is told with what drivers report of it, where that gives the peak") {
    for (const char* bits : {"6016 bits", "5120 bits"}) {
        MadeUp made;
        made.device("a:0", 0, 4.814304e12).facts = {
            {"memory bus width", bits, "asked"}, {"memory clock", "3201000 kHz", "asked"}};
        made.latency("a:0", "global", kThree, kEnd);
        const std::string line = dram_peak_line(cards_of({&made.run, 1})[0]);
        CHECK(line.empty() == (*bits == '5'));
        if (!line.empty()) CHECK(says(std::vector{line}, "6016 bit x 3201 MHz x 2"));
    }
}

TEST_CASE("the first line counts series that have fewer blocks, and those of them that end early, as the doubt does") {
    MadeUp made;
    made.device("a:0");
    made.latency("a:0", "global", kThree, kEnd).ending =
        Ending{.by = EndedBy::time, .before = 1 << 20, .done = 2, .of = 3};
    made.latency("a:0", "texel", kThree, kEnd).ending = Ending{.by = EndedBy::time, .before = 1 << 20};
    made.latency("a:0", "scratchpad", kTwo, kEnd);
    made.series("latency", "a:0", "image2d", "ns", {}).status = Status::unsupported; // not counted
    const Card card = cards_of({&made.run, 1})[0];
    CHECK(card_line(card, "standard")
              .ends_with("Profile standard: 3 blocks (2 of 3 series fewer, as time was over, of which 1 ends early)."));
    CHECK(says(said(made.run, "cut_short"), "1 of 3 series"));
}
