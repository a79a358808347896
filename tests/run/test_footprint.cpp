// run --footprint: what is measured then, what the file says of it, and what goes on with it.
#include <cmath>
#include <fstream>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/analysis/level_findings.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/data/footprints.h"
#include "core/data/results.h"
#include "tests/command.h"
#include "tests/recorded.h"
#include "tests/schema_file.h"

using namespace sonde;
using namespace command;

namespace {
Ran measured(const std::string& words, const std::string& file) {
    return sonde_run(fmt::format("run {} --device host --profile quick --out {}", words, file), no_drivers());
}

std::set<double> xs_of(const Series& series) {
    std::set<double> xs;
    for (const Point& point : series.points) xs.insert(point.x);
    return xs;
}
} // namespace

TEST_CASE("a range bounds the sweeps of all probes that have one, and leaves others as they are") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl");
    CHECK(measured("latency bandwidth clock-read --path global --footprint 16KiB..256KiB --time 20", file).code == 0);
    const Run run = read_run(file);
    CHECK(schema_complaint(file) == "");
    std::set<std::string> probes;
    for (const Series& series : run.series) {
        probes.insert(series.id.probe);
        CAPTURE(series.id.text());
        CHECK(option::footprint.asked(series.id.options) == (series.id.probe != "clock-read"));
        if (series.id.probe == "clock-read") continue;
        REQUIRE(series.points.size() > 2);
        CHECK(series.points.front().x >= 16384);
        CHECK(series.points.back().x <= 262144);
        CHECK(series.points.back().x > 131072);
    }
    CHECK(probes == std::set<std::string>{"bandwidth", "clock-read", "latency"});
    CHECK(run.header["selection"]["options"]["footprint"] == Json::array({"16KiB..256KiB"}));
}

TEST_CASE("of a list each footprint is measured, and nothing else") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl");
    CHECK(measured("latency --path global --footprint 64KiB,8KiB,1MiB --time 20", file).code == 0);
    const Run run = read_run(file);
    REQUIRE(run.series.size() == 1);
    CHECK(xs_of(run.series[0]) == std::set<double>{8192, 65536, 1048576});
}

TEST_CASE("footprints beyond what a path has are one line; what lies within is measured") {
    const Folder folder;
    const Ran beyond = measured("latency --path scratchpad --footprint 1GiB..2GiB", folder.file("a.jsonl"));
    CHECK(beyond.code == 1); // nothing was measured
    CHECK(says(beyond.out + beyond.err, "1 GiB to 2 GiB were asked for, and there are no more than"));
    const Ran partly = measured("latency --path scratchpad --footprint 1KiB..2GiB", folder.file("b.jsonl"));
    CHECK(partly.code == 0);
    const Run run = read_run(folder.file("b.jsonl"));
    REQUIRE(run.series.at(0).ending);
    CHECK(says(run.series[0].ending->why, "2 GiB was asked for"));
    CHECK_FALSE(run.series[0].points.empty());
}

TEST_CASE("probes without footprints, and texts that are none, are refused") {
    const Ran none = sonde_run("run rate launch --footprint 4KiB..1GiB", no_drivers());
    CHECK(none.code == 2);
    CHECK(one_line(none.err));
    CHECK(says(none.err, "latency, bandwidth, stream"));
    const Ran wrong = sonde_run("run latency --footprint 1GiB..4KiB", no_drivers());
    CHECK(wrong.code == 2);
    CHECK(says(wrong.err, "range that ascends"));
}

TEST_CASE("--resume goes on with the footprints of the file, and with no others") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl");
    CHECK(measured("latency --path global --footprint 4KiB..64KiB --time 20", file).code == 0);
    CHECK(sonde_run("run --resume " + file, no_drivers()).code == 0);
    CHECK(sonde_run("run --footprint 4KiB..64KiB --resume " + file, no_drivers()).code == 0);
    CHECK(read_run(file).series.size() == 1);
    const Ran other = sonde_run("run --footprint 4KiB..128KiB --resume " + file, no_drivers());
    CHECK(other.code == 2);
    CHECK(says(other.err, "--resume adds nothing"));
}

TEST_CASE("compare holds a bounded sweep against a whole one at the footprints of both") {
    const Folder folder;
    const std::string bounded = folder.file("bounded.jsonl");
    std::ofstream out(bounded);
    const auto in = open_to_read(recorded::quick(2));
    for (std::string line; std::getline(*in, line);) {
        Json object = Json::parse(line);
        if (object["type"] == "finding") continue;
        if (object["type"] == "series") {
            if (object["probe"] != "latency" || object["path"] != "global" || !object["options"].empty()) continue;
            object["options"]["footprint"] = "4KiB..1MiB";
            Json points = Json::array();
            for (const Json& point : object["points"])
                if (point["x"] >= 4096 && point["x"] <= 1 << 20) points.push_back(point);
            object["points"] = points;
        }
        out << object.dump() << "\n";
    }
    out.close();
    const Ran ran = sonde_run(fmt::format("compare --json {} {}", recorded::quick(1), bounded));
    CHECK(ran.code == 0);
    std::set<std::string> items;
    for (const Json& each : Json::parse(ran.out))
        if (each.value("probe", "") == "latency") items.insert(each["item"].get<std::string>());
    CHECK(items.contains("L1"));
    CHECK_FALSE(items.contains("DRAM"));
}

TEST_CASE("a sweep that begins where the nearest level may have ended names no levels") {
    Series series;
    series.id = {"latency", "cuda:0", "global", option::footprint.as("1MiB..")};
    series.x = {"footprint", "bytes"};
    series.unit = "ns";
    for (int k = 0; k < 40; ++k)
        series.points.push_back({.x = (1 << 20) * std::exp2(k / 4.0), .median = k < 20 ? 100.0 : 300.0, .samples = {}});
    CHECK(level_findings(series, {}).empty());
    series.id.options = {};
    CHECK(level_findings(series, {}).size() == 2);
}
