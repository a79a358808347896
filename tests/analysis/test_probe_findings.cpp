// What probes conclude of a card's series, and what a control has to prove.
#include <doctest/doctest.h>

#include "core/analysis/card_view.h"
#include "tests/diagnosis/made_up.h"
#include "tests/says.h"

using namespace sonde;

TEST_CASE("what is built into a processor is told from several blocks, not from one") {
    made_up::MadeUp made;
    made.device("a:0").cpu = true, made.evicting("a:0", "texel", 1);
    const auto finding = [&](int blocks) {
        for (Point& point : made.run.series[0].points) {
            point.samples.clear();
            for (int block = 0; block < blocks; ++block)
                point.samples.push_back({.block = block, .steps = 1000, .host_ns = 1000 * *point.median});
        }
        return cards_of({&made.run, 1})[0].curves[0].findings.at(0);
    };
    CHECK(finding(1).no_value == NoValue::inconclusive);
    CHECK(finding(1).text.ends_with("(--profile standard)"));
    CHECK_FALSE(cards_of({&made.run, 1})[0].curves[0].usable()); // by rules neither
    CHECK(finding(2).value);
    CHECK(cards_of({&made.run, 1})[0].curves[0].usable());
    made.run.devices[0].cpu = false;
    CHECK(finding(1).value);
}

TEST_CASE("what a control would have to prove is inconclusive without it") {
    made_up::MadeUp made;
    made.device("a:0"), made.evicting("a:0", "global", 0.27);
    const auto found = [&] { return cards_of({&made.run, 1})[0].curves[0].findings.at(0); };
    const auto lacks = [&](const char* why) {
        CHECK(found().no_value == NoValue::inconclusive);
        CHECK(found().rows.empty());
        CHECK(says(found().text, why));
        CHECK(found().text.ends_with("other_path=texel"));
    };
    lacks("not measured");
    made.run.series[0].points[1].median = made.run.series[0].points[2].median = 150;
    CHECK(found().value == 1); // which needs none
    CHECK(found().text.ends_with("one cache"));
    made.run.series[0].points[1].median = made.run.series[0].points[2].median = 77;
    made.evicting("a:0", "texel", 1);
    CHECK(found().value == doctest::Approx(0.27));
    CHECK(found().text.ends_with("(control: other_path=texel)"));
    made.run.series.pop_back(), made.evicting("a:0", "texel", 0.05); // the level was taken for another
    lacks("control is inconclusive");
}
