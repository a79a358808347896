// What a person is told of how series ended.
#include <doctest/doctest.h>

#include "core/run/tally.h"

using namespace sonde;

namespace {
Series ended(const char* path, Status status, const char* reason) {
    Series series{.id = {"latency", "a:0", path, {}}, .card = "card"};
    series.status = status, series.reason = reason;
    return series;
}
} // namespace

TEST_CASE(
    "a series that is measured again counts once, as it ended last; of series of an earlier run nothing is told") {
    Tally tally;
    Series cut = ended("global", Status::ok, "");
    cut.ending = Ending{.by = EndedBy::time, .before = 2048};
    tally.take(cut);
    tally.take(ended("push", Status::unsupported, "no such path"), false);
    CHECK(tally.cut_short_text().starts_with("cut short,"));
    CHECK(tally.cut_short_text().find(": latency a:0 global;") != std::string::npos);
    tally.take(ended("global", Status::ok, ""));
    CHECK(tally.cut_short_text() == "");
    CHECK(tally.reasons_text() == "");
    CHECK(tally.counts() == std::map<Status, int>{{Status::ok, 1}, {Status::unsupported, 1}});
}

TEST_CASE("reasons of many series stand before those of one, and a failure names its series") {
    Tally tally;
    tally.take(ended("a", Status::unsupported, "no a"));
    for (const char* path : {"b", "c"}) tally.take(ended(path, Status::unsupported, "no driver"));
    tally.take(ended("d", Status::failed, "lost"));
    CHECK(tally.reasons_text().starts_with("2 series unsupported: no driver\n"));
    CHECK(tally.reasons_text().ends_with("\nlatency a:0 a: unsupported: no a\n"));
    CHECK(tally.failures_text() == "latency a:0 d: failed: lost\n");
}
