// Going on with a run that stopped.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/file.h"
#include "core/data/results.h"
#include "core/data/unfinished.h"
#include "core/run/resume.h"
#include "tests/command.h"
#include "tests/places.h"
#include "tests/schema_file.h"
#include "tests/thorough.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

TEST_CASE("a results file named .gz is packed, goes on with --resume, here and on another machine, and is read like "
          "any other") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl.gz");
    CHECK(sonde_run("run latency --device host --path global,scratchpad --profile quick --time 20 --out " + file,
              no_drivers())
              .code == 0);
    CHECK(text_of(file).starts_with("\x1f\x8b"));
    const Run whole = read_run(file);
    CHECK(whole.series.size() == 2);
    CHECK(schema_complaint(file) == "");
    const std::string there =
        fmt::format("{} PATH={}:$PATH", no_drivers(), fs::path(places::program).parent_path().string());
    for (const char* via : {"", "--via env"}) {
        CAPTURE(std::string(via));
        fs::resize_file(file, fs::file_size(file) * 2 / 3);
        CHECK(sonde_run(fmt::format("run {} --resume {}", via, file), there).code == 0);
        const Run resumed = read_run(file);
        CHECK(resumed.warnings.empty());
        CHECK(resumed.series.size() == 2);
        CHECK(resumed.end.is_object());
    }
}

TEST_CASE("a file goes on only on the card that it names, by its name and through its driver") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl"), other = folder.file("other.jsonl");
    sonde_run("run latency --device host --path cluster --profile quick --out " + file, no_drivers()); // no such path
    CHECK(sonde_run("run --resume " + file, no_drivers()).code == 0);
    for (const char* field : {"card", "name", "driver"}) {
        CAPTURE(std::string(field));
        std::ifstream kept(file);
        std::ofstream changed(other);
        for (std::string line; std::getline(kept, line);) {
            Json object = Json::parse(line);
            if (object["type"] == "device") object[field] = "another";
            changed << object.dump() << "\n";
        }
        changed.close();
        const Ran ran = sonde_run("run --resume " + other, no_drivers());
        CHECK(ran.code == 2);
        CHECK(says(ran.err, field));
    }
}

TEST_CASE("what the time had cut short is measured anew only by a run with more time") {
    Run run;
    run.header = {{"selection", {{"seconds", 60}}}};
    run.series.push_back({.id = {"latency", "a:0", "global", {}},
        .status = Status::ok,
        .ending = Ending{.by = EndedBy::time, .before = 2048}});
    run.series.push_back({.id = {"latency", "a:0", "push", {}}, .status = Status::ok});
    run.series.push_back({.id = {"latency", "a:0", "texel", {}}, .status = Status::ok});
    run.series.back().evidence.refinement = RefinementEvidence{.ended_by = RefinementEnd::time}; // its edges are coarse
    CHECK(without_cut_short(run, 0).series.size() == 3);
    CHECK(without_cut_short(run, 60).series.size() == 3);
    const Run left = without_cut_short(run, 61);
    REQUIRE(left.series.size() == 1);
    CHECK(left.series[0].id.path == "push");
    run.header["selection"]["seconds"] = 0; // the profile's time, which is longer
    CHECK(without_cut_short(run, 61).series.size() == 3);
    for (Series& series : run.series) series.status = Status::unstable; // for another doubt, which a file keeps
    CHECK(std::ranges::none_of(run.series, gives_way));
}

TEST_CASE("each series is on the disk before the next one is written: with what was not synced lost, a run is whole") {
    const Folder folder;
    const std::string loses =
        fmt::format("{} LD_PRELOAD={}/faults/liblost_writes.so ASAN_OPTIONS=verify_asan_link_order=0", no_drivers(),
            places::pretended_drivers);
    for (const char* name : {"r.jsonl", "r.jsonl.gz"}) {
        const std::string file = folder.file(name);
        CAPTURE(file);
        CHECK(sonde_run(
                  "run latency --device host --path global,scratchpad --profile quick --time 10 --out " + file, loses)
                  .code == 0);
        Run run = read_run(file);
        CHECK(run.warnings.empty());
        CHECK(run.series.size() == 2);
        CHECK(run.end.is_object());
        fs::resize_file(file, fs::file_size(file) * 2 / 3);
        CHECK(sonde_run("run --resume " + file, loses).code == 0);
        run = read_run(file);
        CHECK(run.warnings.empty());
        CHECK(run.series.size() == 2);
        CHECK(run.end.is_object());
    }
}

TEST_CASE(
    "a file that is cut off at any byte behind its first line goes on and is whole; within that line it is refused") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl"), cut = folder.file("cut.jsonl");
    sonde_run("run latency bandwidth --device host --path cluster --profile quick --out " + file, no_drivers()); // none
    const std::string text = text_of(file);
    const Run whole = read_run(file);
    REQUIRE(whole.series.size() > 1);
    REQUIRE(whole.end.is_object());
    const std::size_t first = text.find('\n') + 1, step = thorough() ? 1 : 397;
    std::set<std::size_t> places{0, 1, first - 1};
    for (std::size_t at = first; at != 0 && at < text.size(); at = text.find('\n', at) + 1)
        places.insert({at, at + 1, text.find('\n', at)}); // where a line begins, within it, before its end
    for (std::size_t at = 1; at < text.size(); at += step) places.insert(at);
    for (const std::size_t at : places) {
        CAPTURE(at);
        std::ofstream(cut, std::ios::binary | std::ios::trunc) << text.substr(0, at);
        const Ran ran = sonde_run("run --resume " + cut, no_drivers());
        if (at < first) {
            CHECK(ran.code == 2);
            CHECK(text_of(cut) == text.substr(0, at));
            continue;
        }
        CHECK(ran.code == (at + 1 == text.size() ? 0 : 1)); // nothing can be measured, and all lines are there
        const Run run = read_run(cut);
        CHECK(run.warnings.empty());
        CHECK(run.end.is_object());
        CHECK(run.devices.size() == whole.devices.size());
        CHECK(run.series.size() == whole.series.size());
    }
}
