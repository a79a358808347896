// compare, as typed.
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/json.h"
#include "tests/command.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;

TEST_CASE("compare as typed: two runs of one card, and --json with every comparison") {
    const std::string runs = recorded::run(1) + " " + recorded::run(2);
    const Ran text = sonde_run("compare " + runs);
    CHECK(text.code == 0);
    CHECK(text.err.empty());
    CHECK(one_line(text.out));
    CHECK(says(text.out, "no difference beyond the noise"));
    const Ran json = sonde_run("compare --json " + runs);
    REQUIRE(json.code == 0);
    const Json rows = Json::parse(json.out);
    CHECK_FALSE(rows.empty());
    for (const Json& row : rows) CHECK(row["differs"] == false);
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
    for (const Json& row : Json::parse(ran.out)) pairs.emplace(device(row["of"]["a"]), device(row["of"]["b"]));
    CHECK(pairs ==
          std::set<std::pair<std::string, std::string>>{{"a card x:0", "a card x:0"}, {"a card x:1", "a card x:1"}});
}
