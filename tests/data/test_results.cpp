// Results files, as commands write and read them: each against its schema, several runs in one, damaged ones.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/data/results.h"
#include "tests/command.h"
#include "tests/places.h"
#include "tests/schema_file.h"
#include "tests/thorough.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

namespace {
bool left_out(const std::string& warnings, int line, const std::string& why) {
    return says(warnings, fmt::format("line {} left out: {}", line, why));
}
} // namespace

TEST_CASE("a file of several runs has each of them once") {
    const Folder folder;
    const auto make = [&](const char* name) {
        sonde_run(
            "run latency --device host --path global --profile quick --seed 7 --time 4 --out " + folder.file(name),
            no_drivers());
        return text_of(folder.file(name));
    };
    std::string one = make("1.jsonl"), two = make("2.jsonl");
    const std::string started = text_field(read_run(folder.file("1.jsonl")).header, "started"),
                      second = text_field(read_run(folder.file("2.jsonl")).header, "started");
    two.replace(two.find(second), second.size(), "2001-02-03T04:05:06Z");
    std::ofstream(folder.file("both.jsonl")) << one << two;
    std::ofstream(folder.file("again.jsonl")) << one << one;
    CHECK(read_runs(folder.file("both.jsonl")).size() == 2);
    const Ran both = sonde_run("show " + folder.file("both.jsonl")),
              again = sonde_run("show " + folder.file("again.jsonl"));
    CHECK(both.err.empty());
    CHECK(says(both.out, "2001-02-03T04:05:06Z"));
    CHECK(says(both.out, started));
    CHECK(again.out == sonde_run("show " + folder.file("1.jsonl")).out);
    CHECK(one_line(again.err));
    CHECK(says(again.err, "which is read once"));
    std::ofstream doubled(folder.file("doubled.jsonl"));
    for (const std::string& line : split(one, '\n')) doubled << line << "\n" << line << "\n";
    doubled.close();
    CHECK(read_runs(folder.file("doubled.jsonl")).at(0).devices.size() ==
          read_run(folder.file("1.jsonl")).devices.size());
    CHECK(sonde_run("diagnose " + folder.file("both.jsonl")).code == 0);
    CHECK(says(sonde_run("report -o both.html " + folder.file("both.jsonl")).out, "2 series of 2 runs"));
    CHECK(says(sonde_run("run --resume " + folder.file("both.jsonl"), no_drivers()).err, "holds 2 runs"));
}

TEST_CASE("the runs in results/ are whole and valid") {
    int runs = 0;
    CasesOfTheDay cases(8);
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(places::source) / "results")) {
        if (entry.path().extension() != ".gz" || !cases.take()) continue;
        CAPTURE(entry.path().filename().string());
        const Run run = read_run(entry.path());
        CHECK(run.warnings.empty());
        CHECK(run.end.is_object());
        CHECK(schema_complaint(entry.path().string(), 8) ==
              ""); // header, devices and the first series: whole files take minutes
        ++runs;
    }
    CHECK(runs > 0);
}

TEST_CASE("the published figures are valid, and the schema refuses what is not") {
    const SchemaFile schema("published/schema.json");
    for (const char* name : {"figures.json", "unmatched.json"}) {
        std::string text = text_of(fs::path(places::source) / "results/published" / name);
        CHECK(schema.complaint(text) == "");
        const std::string needed = name == std::string("figures.json") ? "\"level\":" : "\"reason\":";
        REQUIRE(says(text, needed));
        text.replace(text.find(needed), needed.size(), "\"lost\":");
        CHECK(schema.complaint(text) != "");
    }
}

TEST_CASE("reading a damaged file: what is whole is shown, the rest is said in one line each") {
    Folder folder;
    const std::string header = R"({"type":"run","format":2,"sonde":"0.1.0","started":"2026-01-01T00:00:00Z","host":{},)"
                               R"("command":[],"profile":"quick","absent":[]})";
    const std::string series = R"({"type":"series","probe":"latency","device":"x:0","api":"x","card":"c",)"
                               R"("path":"global","options":{},"status":"ok","reason":"","x":{"name":"footprint",)"
                               R"("unit":"bytes"},"unit":"ns","points":[],"evidence":{}})";
    std::ofstream(folder.file("torn.jsonl")) << header << "\n" << series << "\nnot json\n" << series.substr(0, 50);
    const Ran torn = sonde_run("show " + folder.file("torn.jsonl"));
    CHECK(torn.code == 0);
    CHECK(left_out(torn.err, 3, "not a JSON"));
    CHECK(left_out(torn.err, 4, "truncated"));
    CHECK(says(torn.out, "did not finish"));

    std::ofstream(folder.file("blank.jsonl")) << "\n{\"msg\":\"of another tool\"}\n";
    const Ran blank = sonde_run("show " + folder.file("blank.jsonl"));
    CHECK(blank.code == 2);
    CHECK(says(blank.err, "not a results file"));
    {
        std::ofstream other(folder.file("other.jsonl"));
        other << header << "\n" << series << "\n{\"type\":[]}\n";
        for (int i = 0; i < 1000; ++i) other << "{\"msg\":\"of another tool\"}\n";
        other << Json{{"type", "series"}, {"probe", std::string(100000, 'p')}, {"device", "x:0"}, {"api", "x"},
                     {"card", "c"}, {"path", "global"}}
                     .dump()
              << "\n";
    }
    const Ran other = sonde_run("show " + folder.file("other.jsonl"));
    CHECK(other.code == 0);
    CHECK(left_out(other.err, 3, "unknown type ''"));
    CHECK(says(other.err, "982 lines more"));
    CHECK(std::count(other.err.begin(), other.err.end(), '\n') == 21);
    {
        Json named = Json::parse(series);
        named["path"] = std::string(100000, 'p');
        std::ofstream(folder.file("named.jsonl")) << header << "\n" << named.dump() << "\n";
    }
    CHECK(left_out(sonde_run("show " + folder.file("named.jsonl")).err, 2, "a series with"));
    std::ofstream(folder.file("large.jsonl")) << header << "\n";
    std::filesystem::resize_file(folder.file("large.jsonl"), 2ull << 30); // a hole: no disk is filled
    for (const char* command : {"show ", "diagnose ", "compare ", "run --resume "}) {
        const Ran large = sonde_run(command + folder.file("large.jsonl"));
        CHECK(large.code == 2);
        CHECK(says(large.err, "larger than 256 MiB"));
    }

    const auto with = [&](const std::string& name, const char* medians) {
        Json line = Json::parse(series);
        for (const double median : Json::parse(medians))
            line["points"].push_back({{"x", 512}, {"median", median}, {"low", median}, {"high", median},
                {"cycles", nullptr}, {"clock_mhz", nullptr}, {"samples", Json::array()}});
        std::ofstream(folder.file(name)) << header << "\n" << line.dump() << "\n" << line.dump() << "\n";
        return sonde_run("show " + folder.file(name)).err;
    };
    CHECK(left_out(with("twice.jsonl", "[5]"), 3, "latency x:0 global is"));
    {
        Json cut = Json::parse(series), whole = cut;
        whole["reason"] = "again";
        Json found = {{"type", "finding"}, {"kind", "level"}, {"name", "L1"}, {"unit", "ns"},
                 {"text", "of the sweep cut short"}},
             elsewhere = found, beside = found;
        for (const char* name : {"probe", "device", "api", "card", "path", "options"})
            found[name] = elsewhere[name] = beside[name] = cut[name];
        elsewhere["path"] = "push", elsewhere["text"] = "of another path";
        beside["card"] = "d", beside["text"] = "of another card";
        for (const bool coarse : {false, true}) {
            if (coarse) cut["reason"] = "", cut["evidence"]["refinement"] = {{"ended_by", "the time budget"}};
            else cut["reason"] = "ends before 2 KiB: the time budget was over";
            std::ofstream(folder.file("cut.jsonl")) << header << "\n"
                                                    << cut.dump() << "\n"
                                                    << found.dump() << "\n"
                                                    << elsewhere.dump() << "\n"
                                                    << beside.dump() << "\n"
                                                    << whole.dump() << "\n";
            const Run run = read_run(folder.file("cut.jsonl"));
            REQUIRE(run.series.size() == 1);
            CHECK(run.series[0].reason == "again");
            CHECK(run.warnings.empty());
            REQUIRE(run.findings.size() == 2);
            CHECK(text_field(run.findings[0], "text") == "of another path");
            CHECK(text_field(run.findings[1], "text") == "of another card");
        }
    }
    CHECK(says(with("nonsense.jsonl", "[5, -5, 1e308]"), "2 of the points"));
    {
        Json spread = Json::parse(series);
        for (const auto& [low, high] : {std::pair{4, 6}, {6, 4}, {5, 5}, {6, 7}, {3, 4}}) // about a median of 5
            spread["points"].push_back({{"x", 512}, {"median", 5}, {"low", low}, {"high", high}, {"cycles", nullptr},
                {"clock_mhz", nullptr}, {"samples", Json::array()}});
        std::ofstream(folder.file("quartiles.jsonl")) << header << "\n" << spread.dump() << "\n";
        const Run run = read_run(folder.file("quartiles.jsonl"));
        CHECK(run.series.at(0).points.size() == 2);
        CHECK(run.warnings.size() == 1);
    }
    const auto evidence = [&](const std::string& name, const std::string& value) {
        std::string line = series;
        std::ofstream(folder.file(name)) << header << "\n"
                                         << line.replace(line.find("{}}"), 2, "{\"note\":" + value + "}") << "\n";
        return sonde_run("show " + folder.file(name)).err;
    };
    const std::string huge = evidence("huge.jsonl", "\"" + std::string(5 << 20, 'x') + "\""),
                      many = evidence("many.jsonl", "[" + std::string(3 << 20, ',') + "]");
    CHECK(one_line(huge));
    CHECK(left_out(huge, 2, "a string of 5.0"));
    CHECK(one_line(many));
    CHECK(left_out(many, 2, "more than 1048576"));
    CHECK(evidence("long.jsonl", "\"" + std::string(100 << 10, 'x') + "\"") == "");
    CHECK(says(sonde_run("show " + folder.path.string()).err, "is a folder;"));

    struct Row {
        const char *text, *says;
    };
    for (const Row& row : {Row{"", "empty"}, {"hello\n", "not a results file"},
             {"{\"type\":\"run\",\"format\":1}\n", "not format 2"}, {"[1]\n", "not a results file"}}) {
        const std::string file = folder.file("bad.jsonl");
        std::ofstream(file) << row.text;
        for (const std::string command : {"show ", "compare "}) {
            CAPTURE(command);
            const Ran bad = sonde_run(command + file);
            CHECK(bad.code == 2);
            CHECK(one_line(bad.err));
            CHECK(says(bad.err, row.says));
        }
    }
}
