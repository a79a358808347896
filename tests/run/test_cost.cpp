// What series are expected to take, and what a run says of that before it begins.
#include <regex>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/data/profile.h"
#include "core/data/results.h"
#include "core/run/cost.h"
#include "tests/command.h"
#include "tests/places.h"

using namespace sonde;
using namespace command;

namespace {
Fleet::Entry device(const char* card, bool processor = false) {
    Fleet::Entry entry{{{.id = "a:0", .api = "a", .software = processor, .cpu = processor}, card}, {}, {}, nullptr};
    entry.paths = {{"global", true, ""}, {"push", false, "no push constants"}};
    return entry;
}

Planned series(const Fleet::Entry& entry, const char* path = "global") {
    return {find_probe("latency"), &entry, {"latency", entry.info.id, path, {}}};
}

const Profile& profile(const char* name) { return *find_profile(name); }
} // namespace

TEST_CASE("every probe says what a quick series of it takes") {
    for (const Probe* probe : all_probes()) {
        CAPTURE(probe->name);
        CHECK(probe->quick.seconds > 0);
        CHECK(probe->quick.seconds < 10);
    }
}

TEST_CASE("a series takes longer in a longer profile, up to its budget, and on a processor; none that a device lacks") {
    const Fleet::Entry gpu = device("card"), processor = device("cpu", true);
    const double quick = expected_seconds(series(gpu), profile("quick")),
                 standard = expected_seconds(series(gpu), profile("standard"));
    CHECK(quick > 0);
    CHECK(standard > quick);
    CHECK(standard <= profile("standard").seconds + kSecondsBesideMeasuring);
    CHECK(expected_seconds(series(gpu), profile("thorough")) > standard);
    CHECK(expected_seconds(series(processor), profile("quick")) > quick);
    CHECK(expected_seconds(series(gpu, "push"), profile("quick")) == 0);
}

TEST_CASE("cards are measured side by side, processors behind them, and no run takes longer than its time") {
    const Fleet::Entry first = device("first"), second = device("second"), processor = device("cpu", true);
    const Profile& quick = profile("quick");
    const double one = expected_seconds(series(first), quick), behind = expected_seconds(series(processor), quick);
    CHECK(expected_seconds({series(first), series(first)}, quick) == doctest::Approx(2 * one));
    CHECK(expected_seconds({series(first), series(second)}, quick) == doctest::Approx(one));
    CHECK(expected_seconds({series(first), series(second), series(processor)}, quick) == doctest::Approx(one + behind));
    CHECK(expected_seconds({series(first), series(first)}, quick, one) == doctest::Approx(one));
    CHECK(expected_seconds(std::vector<Planned>{}, quick) == 0);
}

TEST_CASE("the pace is what was expected until something was seen, and then goes there") {
    Pace pace;
    CHECK(pace.factor() == 1);
    pace.take(1, 4);
    const double one = pace.factor();
    CHECK(one > 1);
    CHECK(one < 4);
    for (int i = 0; i < 1000; ++i) pace.take(1, 4);
    CHECK(pace.factor() == doctest::Approx(4).epsilon(0.01));
    pace.take(0, 0); // of a path that is not there
    CHECK(pace.factor() == doctest::Approx(4).epsilon(0.01));
}

TEST_CASE("a duration is told in the unit that a person thinks in") {
    CHECK(duration_text(41.6) == "42 s");
    CHECK(duration_text(600) == "10 min");
    CHECK(duration_text(9000) == "2.5 h");
}

TEST_CASE(
    "a run without words takes what is asked first, quick, and says how many series and how long before it begins") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl"),
                      model = std::string(places::pretended_drivers) + "/faults/modelled_sonde";
    const Ran ran = sonde_run("run --time 0.000000001 --out " + file, no_drivers(), "", "", model); // over at once
    const Run run = read_run(file);
    CHECK(text_field(run.header, "profile") == "quick");
    CHECK(run.header.at("selection").at("probes") == Json(unasked_probes()));
    for (const char* probe : {"latency", "bandwidth", "operation", "rate", "matrix"})
        CHECK(find_probe(probe)->quick.unasked);
    const std::regex said("([0-9]+) series, about ([0-9.]+) (s|min|h)\\b");
    const auto series_said = [&](const Ran& of) {
        const std::string first = of.err.substr(0, of.err.find('\n'));
        std::smatch told;
        return std::regex_search(first, told, said) ? std::stoul(told[1]) : 0;
    };
    CHECK(series_said(ran) > 10);
    const Ran all =
        sonde_run("run all --time 0.000000001 --out " + folder.file("all.jsonl"), no_drivers(), "", "", model);
    CHECK(series_said(all) > series_said(ran));
    CHECK(text_field(read_run(folder.file("all.jsonl")).header, "profile") == "quick");
}
