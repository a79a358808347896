// probes NAME, as typed.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/probes/probe.h"
#include "tests/command.h"

using namespace sonde;
using namespace command;

TEST_CASE(
    "every probe is explained: what it measures, its axes, a picture, its options, the method where it was published") {
    for (const Probe* probe : all_probes()) {
        const Ran ran = sonde_run(fmt::format("probes {}", probe->name));
        CAPTURE(ran.out);
        CHECK(ran.code == 0);
        for (const char* part : {"measures ", "x axis ", "y axis ", "picture ", "options ", "run "})
            CHECK(says(ran.out, fmt::format("\n{}", part)));
    }
    CHECK(says(sonde_run("probes latency").out, "\nmethod      Saavedra and Smith"));
    CHECK(says(sonde_run("probes latncy").err, "nearest: latency"));
}
