// What a run does with the time that it is given.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/data/results.h"
#include "tests/command.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

TEST_CASE("time is a bound: what it does not suffice for is cut short or not begun, and named; a run that asks for "
          "more measures the rest") {
    const Folder folder;
    const std::string words = "run latency --device host --path global.pointer,scratchpad --profile standard --time ",
                      file = folder.file("r.jsonl");
    const Ran none =
        sonde_run("run latency --device host --path scratchpad --profile quick --time 0.000000001 --out " + file,
            no_drivers()); // over before a worker is asked
    CAPTURE(none.err);
    CHECK(none.code == 1);
    CHECK(says(none.err, "nothing was measured:"));
    CHECK(read_run(file).series.empty());
    CHECK(sonde_run("run --time 6 --resume " + file, no_drivers()).code == 0);
    CHECK_FALSE(read_run(file).series.empty());

    Ran some;
    for (int seconds = 2; seconds <= 256; seconds *= 2) { // as many as this machine needs for a series
        fs::remove(folder.file("some.jsonl"));
        some = sonde_run(words + std::to_string(seconds) + " --out " + folder.file("some.jsonl"), no_drivers());
        if (!read_run(folder.file("some.jsonl")).series.empty()) break;
    }
    CAPTURE(some.err);
    CHECK(some.code == 0);
    CHECK(says(some.err, "time budget was"));
    CHECK(says(some.out, "next: sonde diagnose " + folder.file("some.jsonl")));
    for (const Series& series : read_run(folder.file("some.jsonl")).series) CHECK_FALSE(series.points.empty());
    CHECK(sonde_run("run latency --device host --path global --option carveout=0 --time 1e9 --out " +
                        folder.file("long.jsonl"),
              no_drivers())
              .code == 1); // which the host does not have
}

TEST_CASE("a run that measured nothing fails and says so in one line; where a series is there, none is told") {
    const Folder folder;
    const auto run = [&](const std::string& words, const char* name) {
        return sonde_run(fmt::format("run latency --device host --profile quick {} --out {}", words, folder.file(name)),
            no_drivers());
    };
    const Ran none = run("--path cluster", "none.jsonl"), some = run("--path push,scratchpad", "some.jsonl");
    CHECK(none.code == 1);
    CHECK(says(none.err, "\nnothing was measured"));
    CHECK(some.code == 0);
    CHECK_FALSE(says(some.err, "nothing was measured"));
    CHECK(sonde_run("run --resume " + folder.file("none.jsonl"), no_drivers()).code == 0); // nothing is missing there
}

TEST_CASE("the time left that a run tells falls, and is never more than what is left of --time") {
    const Folder folder;
    const Ran ran = sonde_run("run latency --device host --path global,global.pointer,scratchpad --profile quick "
                              "--time 8 --for-another --out " +
                                  folder.file("r.jsonl"),
        no_drivers(), fmt::format("mkfifo {};", folder.file("open")),
        "<>" + folder.file("open")); // an input that does not end
    CAPTURE(ran.err);
    std::vector<double> left;
    constexpr std::string_view kMark = ", about ";
    for (const std::string& line : split(ran.err, '\n'))
        if (const std::size_t at = line.find(kMark); at != std::string::npos)
            left.push_back(std::stod(line.substr(at + kMark.size())));
    REQUIRE(left.size() >= 3);
    CHECK(*std::max_element(left.begin(), left.end()) <= 8);
    CHECK(left.back() < left.front());
}
