// Runs on every device that is here: what they measure, and what they write of it.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/data/results.h"
#include "tests/command.h"
#include "tests/required.h"
#include "tests/schema_file.h"
#include "tests/thorough.h"

using namespace sonde;
using namespace command;

TEST_CASE("a quick run on every API that is here: valid lines, and every sample kept") {
    Folder folder;
    const std::string file = folder.file("r.jsonl"),
                      paths = thorough() ? "global,scratchpad,texel" : "scratchpad"; // which ends after some KiB
    const Ran ran = sonde_run(fmt::format(
        "run latency bandwidth --path {} --option width=16 --profile quick --time 90 --out {}", paths, file));
    CAPTURE(ran.out);
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    CHECK(schema_complaint(file) == "");
    const Run run = read_run(file);
    CHECK(run.warnings.empty());
    REQUIRE(run.end.is_object());
    CHECK(run.end["series"].value("failed", 0) == 0);
    for (const Series& series : run.series) {
        CAPTURE(series.id.text());
        CAPTURE(series.reason);
        if (series.status == Status::unsupported) {
            CHECK_FALSE(series.reason.empty());
            continue;
        }
        REQUIRE_FALSE(series.points.empty());
        CHECK_FALSE(series.evidence.output_checked.empty());
        for (const Point& point : series.points) {
            CHECK(point.samples.size() >= 6);
            CHECK(point.median.value_or(0) > 0);
        }
    }
    const Ran show = sonde_run("show " + file);
    CHECK(show.code == 0);
    CHECK(says(show.out, "latency scratchpad"));
    const Ran csv = sonde_run("show --csv " + file);
    CHECK(csv.code == 0);
    std::size_t points = 0;
    for (const Series& series : run.series) points += series.points.size();
    CHECK(points > run.series.size()); // however little time a busy machine left
    CHECK(static_cast<std::size_t>(std::count(csv.out.begin(), csv.out.end(), '\n')) == points + 1);
}

TEST_CASE("this processor's memory is farther than its L1") {
    const Folder folder; // the time is the whole sweep's many times over, so that a busy machine gets there as well
    REQUIRE(
        sonde_run("run latency --device host --path global --profile quick --time 120 --out " + folder.file("r.jsonl"),
            no_drivers())
            .code == 0);
    const Run run = read_run(folder.file("r.jsonl"));
    REQUIRE(run.series.size() == 1);
    const std::vector<Point>& points = run.series[0].points;
    REQUIRE(points.size() > 10);
    REQUIRE(points.back().x > 100e6);
    CHECK(points.back().median.value() > 3 * points.front().median.value());
}

TEST_CASE("latency runs on every path of every device that is here, to the path's end") {
    if (!thorough()) return skip("in full only: a minute of measuring; every day one path of every device is measured");
    Folder folder;
    const Ran whole = sonde_run("run latency --profile quick --time 60 --out " + folder.file("r.jsonl"));
    CAPTURE(whole.err);
    CHECK(whole.code == 0);
    std::set<std::string> measured;
    for (const Series& series : read_run(folder.file("r.jsonl")).series) {
        CAPTURE(series.id.text());
        CAPTURE(series.reason);
        CHECK(series.status != Status::failed);
        if (series.status == Status::unsupported) continue;
        measured.insert(series.api);
        if (series.api == "host") continue; // its footprints are hundreds of MiB, and the time is short
        CHECK(series.points.front().x == (series.id.path == "push" ? 16 : 512));
        CHECK((series.points.size() >= (series.id.path == "push" ? 4 : 6) ||
               is_cut_short(series))); // a busy machine may not get there
    }
    CHECK(measured.count("host") == 1); // whatever drivers are here
    for (const Json& device : Json::parse(sonde_run("devices --json").out))
        if (device.contains("id")) CHECK(measured.count(device["api"]) == 1);
}

TEST_CASE("latency with an option that no device here takes: refused by each, with the reason") {
    Folder folder;
    CHECK(sonde_run(
              "run latency --path scratchpad --profile quick --time 4 --option banks=4 --out " + folder.file("r.jsonl"))
              .code == 1); // banks: Kepler's; nothing was measured
    const Run run = read_run(folder.file("r.jsonl"));
    CHECK_FALSE(run.series.empty());
    for (const Series& series : run.series) {
        CAPTURE(series.id.text());
        CHECK(series.status == Status::unsupported);
        CHECK_FALSE(series.reason.empty());
    }
}

TEST_CASE("structure probes run on every device that is here, or say why not; their findings are valid lines") {
    if (!thorough()) return skip("in full only: two minutes of measuring");
    Folder folder;
    const std::string file = folder.file("r.jsonl");
    const Ran ran =
        sonde_run("run line tlb associativity l1-per-core sharing core-sharing core-distance carveout limits --path "
                  "global,global.cg,scratchpad --option test=fetch --option level=1 --option lines=one "
                  "--option scratchpad=0 --profile quick --time 120 --out " +
                  file);
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    std::map<std::string, int> series;
    for (const Series& each : read_run(file).series) {
        CAPTURE(each.id.text());
        CAPTURE(each.reason);
        CHECK(each.status != Status::failed);
        CHECK((each.status == Status::ok || !each.reason.empty() || !each.doubts.empty()));
        ++series[each.id.probe];
    }
    for (const char* probe : {"line", "tlb", "associativity", "l1-per-core", "sharing", "core-sharing", "core-distance",
             "carveout", "limits"}) {
        CAPTURE(std::string(probe));
        CHECK(series[probe] > 0);
    }
    CHECK(schema_complaint(file) == "");
}
