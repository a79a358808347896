// show, as typed.
#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "tests/command.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;

namespace {
/// Exchanges between all pairs of so many cores: 100 ns, and 200 of cores whose numbers differ by an odd one.
std::string pairs_of(int cores, const std::string& file) {
    std::ofstream out(file);
    out << R"({"type":"run","format":2,"sonde":"0.1.0","started":"2026-01-01T00:00:00Z","host":{},)"
           R"("command":[],"profile":"quick","absent":[]})"
        << "\n";
    Json line = Json::parse(R"({"type":"series","probe":"core-to-core","device":"x:0","api":"x","card":"c",)"
                            R"("path":"global","options":{"scope":"cores"},"status":"ok","reason":"",)"
                            R"("x":{"name":"pair","unit":""},"unit":"ns","points":[],"evidence":{"cores":[]}})");
    for (int first = 0; first < cores; ++first) {
        line["evidence"]["cores"].push_back(first);
        for (int second = first + 1; second < cores; ++second)
            line["points"].push_back(
                {{"x", 1 + first * cores + second}, {"median", (second - first) % 2 ? 200 : 100}, {"low", nullptr},
                    {"high", nullptr}, {"cycles", nullptr}, {"clock_mhz", nullptr}, {"samples", Json::array()}});
    }
    out << line.dump() << "\n";
    return file;
}
} // namespace

TEST_CASE(
    "show derives cycles where an API counts none, from a chain that another API of the card counts, and marks them") {
    const Folder folder;
    std::ofstream out(folder.file("run.jsonl"));
    const auto in = open_to_read(recorded::quick(1));
    for (std::string line; std::getline(*in, line);) {
        Json object = Json::parse(line);
        if (object.value("id", "") == "vulkan:0") object["core_cycles"] = false;
        if (object.value("device", "") == "vulkan:0") {
            object.erase("cycles");
            if (object.contains("points"))
                for (Json& point : object["points"]) point.erase("cycles");
        }
        out << object.dump() << "\n";
    }
    out.close();
    const Ran derived = sonde_run("show " + folder.file("run.jsonl") + " latency --path global"),
              counted = sonde_run("show " + recorded::quick(1) + " latency --path global");
    CAPTURE(derived.out);
    CHECK(says(derived.out, "* cycles of vulkan:0"));
    CHECK(says(derived.out, "fma.f32 takes 4"));
    CHECK(std::ranges::any_of(std::array{"59.2*", "59.3*", "59.4*", "59.5*", "59.6*"},
        [&](const char* cycles) { return says(derived.out, cycles); }));
    CHECK_FALSE(says(counted.out, "* cycles of"));
    CHECK_FALSE(says(counted.out, "no cycles of"));
}

TEST_CASE("show says why a card has no cycles where none of its APIs counts them") {
    const Folder folder;
    std::ofstream out(folder.file("run.jsonl"));
    const auto in = open_to_read(recorded::quick(1));
    for (std::string line; std::getline(*in, line);) {
        Json object = Json::parse(line);
        if (object.value("type", "") == "device") object["core_cycles"] = false;
        if (object.value("id", "") == "vulkan:0") object["clock"] = "";
        out << object.dump() << "\n";
    }
    out.close();
    const Ran none = sonde_run("show " + folder.file("run.jsonl") + " latency --path global", "COLUMNS=1000");
    CAPTURE(none.out);
    CHECK(says(none.out, "no cycles of"));
    CHECK(says(none.out, "core's cycles: clock64;"));
    CHECK(says(none.out, "vulkan:0 read no clock\n"));
}

TEST_CASE(
    "show takes some probes, paths and devices, and bears the numbers of cores; nothing is wider than the terminal") {
    const std::string file = recorded::quick(1);
    const Ran some = sonde_run("show " + file + " latency --path global,scratchpad --device cuda");
    CHECK(some.code == 0);
    CHECK(says(some.out, "== latency scratchpad"));
    CHECK_FALSE(says(some.out, "== bandwidth"));
    CHECK_FALSE(says(some.out, "vulkan:0"));
    CHECK(says(sonde_run("show " + file + " latency --path globl").err, "path 'globl'; it has"));
    const Folder folder;
    const std::string few = pairs_of(4, folder.file("few.jsonl")), many = pairs_of(132, folder.file("many.jsonl"));
    CHECK(says(sonde_run("show --csv " + few).out, ",0-2\n"));
    const std::string all_pairs = sonde_run("show " + many).out; // a line for each core, as there are more pairs
    CHECK_MESSAGE(says(all_pairs, "\n131   100.0      200.0       200.0 "), all_pairs);
    CHECK(std::ranges::count(all_pairs, '\n') < 150);
    CHECK(says(sonde_run("show --csv " + many).out, ",0-1\n"));
    for (const std::string& words : std::vector<std::string>{"--help", "run --help", "probes",
             "probes latency tlb core-to-core", "devices", "show " + file, "diagnose --evidence " + file, "published",
             "published hopper", "compare " + recorded::run(1) + " " + file, "compare " + file,
             "compare " + recorded::run(1) + " published:hopper", "compare published:gk104 published:hawaii", "paths",
             "operations"}) {
        CAPTURE(words);
        const Ran ran = sonde_run(words, fmt::format("COLUMNS=80 {}", no_drivers()));
        CHECK(ran.code == 0);
        for (const std::string& line : split(ran.out, '\n')) {
            CAPTURE(line);
            CHECK((display_width(line) <= 80 ||
                   line.find(' ', line.find_first_not_of(' ')) == std::string::npos)); // or one long word
        }
    }
}

TEST_CASE("sizes that each API rounds in its own way stand in one row, unless a series has both") {
    Folder folder;
    std::ofstream out(folder.file("r.jsonl"));
    out << R"({"type":"run","format":2,"sonde":"0.1.0","started":"2026-01-01T00:00:00Z","host":{},)"
           R"("command":[],"profile":"quick","absent":[]})"
        << "\n";
    const auto series = [&](const char* device, const std::vector<double>& sizes) {
        Json line = Json::parse(R"({"type":"series","probe":"bandwidth","api":"x","card":"c","path":"global",)"
                                R"("options":{},"status":"ok","reason":"","x":{"name":"footprint","unit":"bytes"},)"
                                R"("unit":"GB/s","points":[],"evidence":{}})");
        line["device"] = device;
        for (const double x : sizes)
            line["points"].push_back({{"x", x}, {"median", 5}, {"low", 5}, {"high", 5}, {"cycles", nullptr},
                {"clock_mhz", nullptr}, {"samples", Json::array()}});
        out << line.dump() << "\n";
    };
    series("x:0", {1000000, 2000000, 2000500});
    series("x:1", {1000400, 2000000});
    out.close();
    const std::string shown = sonde_run("show " + folder.file("r.jsonl")).out;
    CAPTURE(shown);
    CHECK(says(shown, "977 KiB    5.000±0.0%  5.000±0.0%\n"));
    CHECK(says(shown, "1.907 MiB  5.000±0.0%  5.000±0.0%\n"));
    CHECK(says(shown, "1.908 MiB  5.000±0.0%\n"));
}

TEST_CASE(
    "series whose options or points are another version's: show, diagnose and report leave out what they cannot read") {
    Folder folder;
    const std::string file = folder.file("other.jsonl");
    std::ofstream out(file);
    out << R"({"type":"run","format":2,"sonde":"0.1.0","started":"2026-01-01T00:00:00Z","host":{},)"
           R"("command":[],"profile":"quick","absent":[]})"
        << "\n"
        << R"({"type":"device","id":"x:0","api":"x","card":"c","name":"a card","driver":"",)"
           R"("software":false,"memory_bytes":1})"
        << "\n";
    const std::string points =
        R"([{"x":-1e300,"median":3,"samples":[]},{"x":0,"median":1,"samples":[]},{"x":1e300,"median":2,"samples":[]}])";
    for (const std::string probe :
        {"latency", "coalescing", "core-to-core", "channels", "bandwidth", "atomics", "tlb", "segments"})
        for (const std::string options : {R"({})", R"({"pattern":"order","width":"4","scope":"cores","kind":"none"})"})
            out << R"({"type":"series","probe":")" << probe
                << R"(","device":"x:0","api":"x","card":"c","path":"global","options":)" << options
                << R"(,"status":"ok","reason":"","x":{"name":"x","unit":""},"unit":"ns","points":)" << points
                << R"(,"evidence":{"cores":[0,1,2]}})"
                << "\n";
    out.close();
    for (const std::string command : {"show ", "diagnose ", "diagnose --evidence ", "diagnose --json "}) {
        CAPTURE(command);
        const Ran ran = sonde_run(command + file);
        CAPTURE(ran.err);
        CHECK(ran.code == 0);
        CHECK(!ran.out.empty());
    }
    CHECK(sonde_run("report " + file + " -o " + folder.file("page.html")).code == 0);
}

TEST_CASE("a terminal of two columns is taken for one of 40") {
    const Folder folder;
    const std::string file = pairs_of(132, folder.file("pairs.jsonl"));
    const Ran narrow = sonde_run("show " + file, "COLUMNS=2"), least = sonde_run("show " + file, "COLUMNS=40");
    CHECK(narrow.code == 0);
    CHECK(narrow.out == least.out);
}

TEST_CASE("a quote makes a field of CSV a quoted one, in which it is doubled") {
    const Folder folder;
    std::ofstream out(folder.file("r.jsonl"));
    out << R"({"type":"run","format":2,"sonde":"0.1.0","started":"2026-01-01T00:00:00Z","host":{},)"
           R"("command":[],"profile":"quick","absent":[]})"
        << "\n"
        << R"({"type":"series","probe":"latency","device":"x:0","api":"x","card":"3.5\" card","path":"global",)"
           R"("options":{},"status":"ok","reason":"","x":{"name":"footprint","unit":"bytes"},"unit":"ns",)"
           R"("points":[{"x":1024,"median":5,"low":5,"high":5,"cycles":null,"clock_mhz":null,"samples":[]}],)"
           R"("evidence":{}})"
        << "\n";
    out.close();
    CHECK(says(sonde_run("show " + folder.file("r.jsonl") + " --csv").out, R"(latency,x:0,x,"3.5"" card",global,)"));
}
