// Runs as typed: what is measured, what is refused, and what is written of it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/data/results.h"
#include "core/probes/probe.h"
#include "tests/command.h"
#include "tests/places.h"
#include "tests/required.h"
#include "tests/schema_file.h"
#include "tests/thorough.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

TEST_CASE("the DRAM's peak that a person gives is noted of cards whose drivers report none, and of no other") {
    const Folder folder;
    const std::string pretended = places::pretended_drivers, file = folder.file("model.jsonl"),
                      reported = folder.file("cuda.jsonl");
    const std::string words = "run launch --path global --profile quick --time 2 --dram-bandwidth 960 --out ";
    CHECK(sonde_run(words + file, "", "", "", pretended + "/faults/modelled_sonde").code == 0);
    Run run = read_run(file);
    REQUIRE(run.devices.size() == 1);
    CHECK(run.devices[0].bus_bytes_per_second == 960e9);
    CHECK(run.devices[0].facts.back().source == "--dram-bandwidth");
    CHECK(sonde_run(words + reported + " --device cuda", fmt::format("LD_LIBRARY_PATH={}/fake_cuda/new", pretended))
              .code == 0);
    run = read_run(reported);
    REQUIRE(!run.devices.empty());
    CHECK(run.devices[0].bus_bytes_per_second > 0);
    CHECK(run.devices[0].bus_bytes_per_second != 960e9);
    CHECK(sonde_run(words + file + " --dram-bandwidth 0").code == 2);
    CHECK(sonde_run("run --dram-bandwidth 960 --resume " + file).code == 2); // whose devices are written already
}

TEST_CASE("options choose among variants, and what a device cannot be asked for is unsupported with a reason") {
    const Folder folder;
    const fs::path file = folder.path / "run.jsonl";
    const Ran ran =
        sonde_run(fmt::format("run latency bandwidth --device host --path scratchpad --profile quick --time 60 "
                              "--option width=16 --option carveout=0,100 --out {}",
                      file.string()),
            no_drivers());
    CAPTURE(ran.err);
    CHECK(ran.code == 1); // nothing was measured
    std::ifstream in(file);
    std::set<std::pair<std::string, std::string>> asked; // probe, carveout
    for (std::string line; std::getline(in, line);) {
        const Json object = Json::parse(line);
        if (object.at("type") != "series") continue;
        asked.emplace(object.at("probe"), object.at("options").at("carveout"));
        CHECK(object.at("status") == "unsupported");
        CHECK(says(object.at("reason"), "no carve-out"));
        CHECK(says(ran.err, "unsupported: " + object.at("reason").get<std::string>() + "\n"));
        if (object.at("probe") == "bandwidth") CHECK(object.at("options").at("width") == "16");
    }
    CHECK(asked == std::set<std::pair<std::string, std::string>>{
                       {"bandwidth", "0"}, {"bandwidth", "100"}, {"latency", "0"}, {"latency", "100"}});
}

TEST_CASE("every reason of a series that was not measured is on the terminal, within its width") {
    const Folder folder;
    const std::string probes = "matrix rate l1-per-core core-sharing banks scratchpad-fill divergence clock-read "
                               "first-run mix workload.gemm-library transfer";
    const Ran ran = sonde_run(
        fmt::format("run {} --device host --profile quick --time 60 --out {}", probes, folder.file("r.jsonl")),
        fmt::format("{} COLUMNS=80", no_drivers()));
    std::string said = ran.err;
    for (std::size_t at; (at = said.find("\n    ")) != std::string::npos;) said.replace(at, 5, " ");
    CAPTURE(said);
    std::set<std::string> reasons;
    for (const Series& series : read_run(folder.file("r.jsonl")).series)
        if (series.status == Status::unsupported) reasons.insert(series.reason);
    CHECK(reasons.size() > 8);
    for (const std::string& reason : reasons) CHECK(says(said, "unsupported: " + reason + "\n"));
    for (const std::string& line : split(ran.err, '\n')) CHECK(display_width(line) <= 80);
}

TEST_CASE("none of the devices asked for is here: exit 3, and nothing is left behind") {
    Folder folder;
    const Ran ran = sonde_run("run --device opencl:9.9 --out " + folder.file("r.jsonl"), no_drivers());
    CHECK(ran.code == 3);
    CHECK(says(ran.err, "none of the devices"));
    CHECK(says(ran.err, "what is here: host:0"));
    CHECK_FALSE(says(ran.err, "cuda"));
    CHECK_FALSE(fs::exists(folder.file("r.jsonl")));
    for (const std::string& line :
        split(sonde_run("run --device cuda --out " + folder.file("r.jsonl"), std::string("COLUMNS=80 ") + no_drivers())
                  .err,
            '\n'))
        CHECK(display_width(line) <= 80);
}

TEST_CASE("the device asked for is here, but the probe has no such series: that is said, exit 2, and nothing is left "
          "behind") {
    const Folder folder;
    const Ran ran =
        sonde_run("run coalescing --device host --path global --option pattern=rectangle --option width=8 --out " +
                      folder.file("r.jsonl"),
            no_drivers());
    CHECK(ran.code == 2);
    CHECK(says(ran.err, "no series of coalescing on global has pattern=rectangle and width=8: with pattern=rectangle "
                        "there is width=4"));
    CHECK_FALSE(says(ran.err, "none of the devices"));
    CHECK(says(sonde_run("run coalescing --device host --path push --out " + folder.file("r.jsonl"), no_drivers()).err,
        "coalescing is measured on global, global.pointer, texel, image2d, not on push"));
    CHECK_FALSE(fs::exists(folder.file("r.jsonl")));
}

TEST_CASE("the peak of a card's DRAM is no processor's: that it is not used is said") {
    const Folder folder;
    const Ran ran = sonde_run("run latency --device host --path scratchpad --profile quick --dram-bandwidth 80 --out " +
                                  folder.file("r.jsonl"),
        no_drivers());
    CHECK(ran.code == 0);
    CHECK(says(ran.err, "--dram-bandwidth is not used: it is a card's, and a processor alone is measured"));
    CHECK_FALSE(
        says(sonde_run("run latency --device host --path scratchpad --profile quick --out " + folder.file("s.jsonl"),
                 no_drivers())
                 .err,
            "--dram-bandwidth"));
}

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
    CHECK(says(none.err, "nothing was measured: the time budget was over"));
    CHECK(read_run(file).series.empty());
    CHECK(sonde_run("run --time 6 --resume " + file, no_drivers()).code == 0);
    CHECK_FALSE(read_run(file).series.empty());

    Ran some;
    for (int seconds = 4; seconds <= 256; seconds *= 2) { // as many as this machine needs for a series
        fs::remove(folder.file("some.jsonl"));
        some = sonde_run(words + std::to_string(seconds) + " --out " + folder.file("some.jsonl"), no_drivers());
        if (!read_run(folder.file("some.jsonl")).series.empty()) break;
    }
    CAPTURE(some.err);
    CHECK(some.code == 0);
    CHECK(says(some.err, "the time budget was over"));
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

TEST_CASE("a results file that exists is never overwritten") {
    Folder folder;
    std::ofstream(folder.file("r.jsonl")) << "precious";
    const Ran ran = sonde_run("run latency --device host --out " + folder.file("r.jsonl"), no_drivers());
    CHECK(ran.code == 2);
    CHECK(says(ran.err, "--out"));
    CHECK(text_of(folder.file("r.jsonl")) == "precious");
}

TEST_CASE("a place that cannot be written to is one clear line and exit 1") {
    const Ran folder_missing = sonde_run("run latency --device host --out missing/r.jsonl", no_drivers());
    CHECK(folder_missing.code == 1);
    CHECK(one_line(folder_missing.err));
    Folder folder; // a full disk, by the limit on a file's size
    const Ran full = sonde_run("run latency --path global --profile quick --out " + folder.file("r.jsonl"),
        no_drivers(), "ulimit -f 4;", "", std::string(places::pretended_drivers) + "/faults/modelled_sonde");
    CAPTURE(full.err);
    CHECK(full.code == 1);
    const std::size_t complaint = full.err.find("sonde: ");
    REQUIRE(complaint != std::string::npos); // behind what the run said when it began
    CHECK(one_line(full.err.substr(complaint)));
    CHECK(says(full.err, "cannot write"));
    CHECK(read_run(folder.file("r.jsonl")).warnings.empty());
}

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
        CHECK((each.status == Status::ok || !each.reason.empty()));
        ++series[each.id.probe];
    }
    for (const char* probe : {"line", "tlb", "associativity", "l1-per-core", "sharing", "core-sharing", "core-distance",
             "carveout", "limits"}) {
        CAPTURE(std::string(probe));
        CHECK(series[probe] > 0);
    }
    CHECK(schema_complaint(file) == "");
}
