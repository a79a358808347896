// compare, as typed.
#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/json.h"
#include "core/data/results.h"
#include "tests/command.h"
#include "tests/places.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;

TEST_CASE("compare as typed: two runs of one card beside each other, and --json with every table and comparison") {
    const std::string runs = recorded::run(1) + " " + recorded::run(2);
    const Ran text = sonde_run("compare " + runs);
    CHECK(text.code == 0);
    CHECK(text.err.empty());
    CHECK(says(text.out, "no difference"));
    CHECK_FALSE(says(text.out, " -> "));
    const Ran json = sonde_run("compare --json " + runs);
    REQUIRE(json.code == 0);
    std::size_t tables = 0, comparisons = 0, ratios = 0;
    for (const Json& each : Json::parse(json.out)) {
        if (each.value("type", "") != "table") {
            ++comparisons;
            CHECK(each["differs"] == false);
            continue;
        }
        ++tables;
        CHECK(each["columns"] == Json({"first", "second", "ratio"}));
        for (const Json& row : each["rows"])
            if (const Json& ratio = row["cells"][2]; ratio.contains("value")) {
                ++ratios;
                CHECK(ratio["unit"] == "times");
                CHECK(ratio["value"].get<double>() == doctest::Approx(1).epsilon(0.2));
            }
    }
    CHECK(tables == 3); // a pair of each API
    CHECK(ratios >= 15);
    CHECK(comparisons > 50);
}

TEST_CASE("compare --fail: 4 where anything differs by more than the noise and the tolerance, else 0") {
    const std::string same = recorded::run(1) + " " + recorded::run(2),
                      other = recorded::quick(1) + "@cuda " + recorded::kH100 + "@cuda";
    CHECK(sonde_run("compare --fail " + same).code == 0);
    CHECK(sonde_run("compare --fail " + other).code == 4);
    CHECK(sonde_run("compare --fail --json " + other).code == 4);
    CHECK(sonde_run("compare " + other).code == 0);
    const auto differences = [&](const std::string& words) {
        std::size_t count = 0;
        for (const Json& each : Json::parse(sonde_run("compare --json " + words + other).out))
            count += each.value("differs", false);
        return count;
    };
    const std::size_t all = differences(""), large = differences("--tolerance 10% ");
    CHECK(large < all);
    CHECK(large > 0);
    for (const char* tolerance : {"much", "-1%", "100"})
        CHECK(sonde_run(fmt::format("compare --tolerance {} {}", tolerance, same)).code == 2);
}

TEST_CASE("compare: many differences are a table of the largest sure ones, a row for each series; --full tells each") {
    const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
    for (const std::string& operands : {recorded::quick(1), recorded::quick(1) + " " + recorded::kH100,
             recorded::quick(1) + "@cuda " + recorded::quick(1) + "@vulkan"}) {
        CAPTURE(operands);
        const Ran brief = sonde_run("compare " + operands), full = sonde_run("compare --full " + operands);
        REQUIRE(brief.code == 0);
        REQUIRE(full.code == 0);
        CHECK(lines(brief.out) < 160);
        CHECK(lines(full.out) > 2 * lines(brief.out));
        CHECK_FALSE(says(brief.out, " -> "));
        CHECK(says(full.out, " -> "));
    }
    const Ran few = sonde_run(fmt::format("compare {} {}@cuda", recorded::quick(1) + "@cuda", recorded::quick(2)));
    CHECK(few.out ==
          sonde_run(fmt::format("compare --full {} {}@cuda", recorded::quick(1) + "@cuda", recorded::quick(2))).out);
}

TEST_CASE("compare: equal cards of a file are one side") {
    const std::string node = fmt::format("{}/results/node-of-four/quick.jsonl.gz", places::source);
    const auto pairs_in = [](const std::string& operands) {
        std::set<std::pair<std::string, std::string>> pairs;
        for (const Json& row : Json::parse(sonde_run("compare --json " + operands).out))
            pairs.emplace(row["of"]["a"], row["of"]["b"]);
        return pairs;
    };
    CHECK(pairs_in(node).size() == 3); // of APIs
    const auto beside = pairs_in(node + " " + recorded::quick(1));
    CHECK(beside.size() == 3); // an API each
    for (const auto& [a, b] : beside) CHECK(a.starts_with("4 equal cards"));
}

TEST_CASE("compare: of a side of several runs the table has the median and the range") {
    const auto dram_of = [](const std::string& operands) {
        for (const Json& each : Json::parse(sonde_run("compare --json " + operands).out))
            if (each.value("type", "") == "table")
                for (const Json& row : each["rows"])
                    if (row["place"] == "DRAM" && row["cells"][0].contains("value")) return row["cells"];
        return Json();
    };
    const std::string a = recorded::quick(1) + "@cuda", b = recorded::quick(2) + "@cuda",
                      c = recorded::quick(3) + "@cuda";
    std::vector<double> single;
    for (const std::string& operand : {a, b, c})
        single.push_back(dram_of(operand + " " + (operand == a ? b : a))[0]["value"].get<double>());
    std::ranges::sort(single);
    const Json side = dram_of(recorded::quick(1) + "," + recorded::quick(2) + "," + recorded::quick(3) + "@cuda " +
                              recorded::kH100 + "@cuda")[0];
    CHECK(side["value"].get<double>() == doctest::Approx(single[1]));
    CHECK(side["low"].get<double>() == doctest::Approx(single[0]));
    CHECK(side["high"].get<double>() == doctest::Approx(single[2]));
}

TEST_CASE("a card that both files have is compared with itself alone, not with others of the same API") {
    const Folder folder;
    const auto written = [&](const char* name) {
        std::ofstream out(folder.file(name));
        out << R"({"type":"run","format":2,"sonde":"0.1.0","started":"2026-01-01T00:00:00Z","host":{},)"
               R"("command":[],"profile":"quick","absent":[]})"
            << "\n";
        for (const char* id : {"x:0", "x:1"}) {
            Json device = Json::parse(R"({"type":"device","api":"x","name":"a card","driver":"1","software":false,)"
                                      R"("memory_bytes":1,"facts":[]})"),
                 series = Json::parse(R"({"type":"series","probe":"latency","api":"x","path":"global","options":{},)"
                                      R"("status":"ok","reason":"","x":{"name":"footprint","unit":"bytes"},)"
                                      R"("unit":"ns","points":[],"evidence":{}})");
            device["id"] = series["device"] = id;
            device["card"] = series["card"] = fmt::format("the card of {}", id);
            for (int size = 1024; size <= 4 << 20; size *= 2)
                series["points"].push_back({{"x", size}, {"median", size > 65536 ? 100 : 10}, {"low", nullptr},
                    {"high", nullptr}, {"cycles", nullptr}, {"clock_mhz", nullptr}, {"samples", Json::array()}});
            out << device.dump() << "\n" << series.dump() << "\n";
        }
        return folder.file(name);
    };
    const Ran ran = sonde_run(fmt::format("compare --json {} {}", written("a.jsonl"), written("b.jsonl")));
    CAPTURE(ran.err);
    REQUIRE(ran.code == 0);
    std::set<std::pair<std::string, std::string>> pairs;
    const auto device = [](const std::string& label) { return label.substr(0, label.find(" (")); };
    for (const Json& row : Json::parse(ran.out)) // tables and comparisons
        pairs.emplace(device(row["of"]["a"]), device(row["of"]["b"]));
    CHECK(pairs ==
          std::set<std::pair<std::string, std::string>>{{"a card x:0", "a card x:0"}, {"a card x:1", "a card x:1"}});
}

TEST_CASE("a card of which no series is ok is named, and no processor stands in for it") {
    const Folder folder;
    const std::string busy = folder.file("busy.jsonl");
    std::ofstream out(busy);
    const Run run = read_run(recorded::run(2));
    out << run.header.dump() << "\n";
    DeviceRecord processor = run.devices.at(0);
    processor.id = "cuda:7", processor.card = processor.uuid = processor.name = "a processor", processor.cpu = true;
    out << Json(processor).dump() << "\n";
    for (const DeviceRecord& device : run.devices) out << Json(device).dump() << "\n";
    for (Series series : run.series) {
        if (series.id.device == run.devices.at(0).id) {
            Series its = series;
            its.id.device = processor.id, its.card = processor.card;
            out << Json(its).dump() << "\n";
        }
        series.status = Status::unstable;
        series.doubts = {{.kind = DoubtKind::other_processes}};
        out << Json(series).dump() << "\n";
    }
    out.close();
    const Ran ran = sonde_run(fmt::format("compare --json {} {}", recorded::run(1), busy));
    CAPTURE(ran.err);
    std::set<std::string> measured;
    for (const Series& series : run.series) measured.insert(series.id.device);
    for (const std::string& device : measured) CHECK(says(ran.err, device));
    for (const Json& row : ran.out.empty() ? Json::array() : Json::parse(ran.out)) {
        CHECK_FALSE(says(row["of"]["a"].get<std::string>(), "a processor"));
        CHECK_FALSE(says(row["of"]["b"].get<std::string>(), "a processor"));
    }
    const Ran asked = sonde_run(fmt::format("compare {} {}@{}", recorded::run(1), busy, run.devices.at(0).id));
    CHECK(asked.code == 2);
    CHECK(one_line(asked.err));
    CHECK(says(asked.err, "series is ok"));
}

TEST_CASE("two APIs of a file stand beside each other card by card, and no card beside a processor of the same name") {
    const Folder folder;
    const Run run = read_run(recorded::run(1));
    const std::string two = folder.file("two.jsonl");
    std::ofstream out(two);
    out << run.header.dump() << "\n";
    for (const char* which : {"", "second", "processor"})
        for (DeviceRecord device : run.devices) {
            const std::string before = device.id;
            device.id += which, device.card += which;
            device.cpu = which == std::string("processor");
            out << Json(device).dump() << "\n";
            for (Series series : run.series) {
                if (series.id.device != before || series.id.probe != "latency") continue;
                series.id.device = device.id, series.card = device.card;
                out << Json(series).dump() << "\n";
            }
        }
    out.close();
    const Ran ran = sonde_run(fmt::format("compare --json {0}@cuda {0}@vulkan", two));
    CAPTURE(ran.err);
    REQUIRE(ran.code == 0);
    std::set<std::pair<std::string, std::string>> pairs;
    const auto device = [](const std::string& label) { return label.substr(0, label.find(" (")); };
    for (const Json& row : Json::parse(ran.out)) pairs.emplace(device(row["of"]["a"]), device(row["of"]["b"]));
    CHECK(pairs == std::set<std::pair<std::string, std::string>>{{"NVIDIA H200 cuda:0", "NVIDIA H200 vulkan:0"},
                       {"NVIDIA H200 cuda:0second", "NVIDIA H200 vulkan:0second"},
                       {"NVIDIA H200 cuda:0processor", "NVIDIA H200 vulkan:0processor"}});
    CHECK(sonde_run(fmt::format("compare {0}@cuda:0 {0}@cuda:0processor", two)).code == 2);
}

TEST_CASE("what a view does not have is told in one line, behind all that is compared") {
    const Ran ran = sonde_run(fmt::format("compare --view cycles {0}@cuda {0}@vulkan", recorded::quick(1)));
    REQUIRE(ran.code == 0);
    const std::size_t told = ran.out.find("not compared: ");
    REQUIRE(told != std::string::npos);
    CHECK(told > ran.out.find("no difference"));
    CHECK(ran.out.find("not compared: ", told + 1) == std::string::npos);
    CHECK(says(ran.out.substr(told), "bandwidth"));
    CHECK(ran.out.starts_with("first: "));
}
