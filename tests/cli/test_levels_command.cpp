// levels: as typed, and what it prints of curves.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/cli/commands.h"
#include "tests/analysis/tool_files.h"
#include "tests/command.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;

namespace {
std::ostream& unused() {
    static std::ostringstream stream;
    return stream;
}

/// Removed at the end of its scope.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& text)
        : path_(std::filesystem::temp_directory_path() / ("sonde-curve-" + std::to_string(getpid()) + ".csv")) {
        std::ofstream(path_) << text;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};
} // namespace

TEST_CASE(
    "levels as typed: another tool's file, a table whose columns are named, and one line for what is not understood") {
    Folder folder;
    std::ofstream(folder.file("gpu.txt")) << kGpuBenches;
    const Ran known = sonde_run("levels " + folder.file("gpu.txt"));
    CHECK(known.code == 0);
    CHECK(known.err.empty());
    CHECK(says(known.out, "L2     266 cycles   23.6-28.5 MiB"));

    std::string table = kGpuBenches;
    table.erase(0, table.find('\n') + 1); // without the line that tells the tool
    std::ofstream(folder.file("table.txt")) << table;
    const Ran refused = sonde_run("levels " + folder.file("table.txt"));
    CHECK(refused.code == 2);
    CHECK(one_line(refused.err));
    CHECK(says(refused.err, "line 1: 5 columns;"));
    CHECK(says(refused.err, "--x 1 --y 5"));
    const Ran named = sonde_run("levels --x 3 --y 5 --size-unit KiB --latency-unit cycles " + folder.file("table.txt"));
    CHECK(named.code == 0);
    CHECK("gpu-benches gpu-latency\n" + named.out == known.out);
    const Ran json = sonde_run("levels --json -", "", "", "<" + folder.file("gpu.txt"));
    REQUIRE(json.code == 0);
    CHECK(Json::parse(json.out).back()["name"] == "DRAM");
    const Ran unknown = sonde_run("levels --x 3 --y 9 " + folder.file("table.txt"));
    CHECK(unknown.code == 2);
    CHECK(says(unknown.err, "--y 9: no such"));
    for (const char* option : {"--x", "--y", "--size-unit", "--latency-unit"})
        CHECK(says(sonde_run("levels --help").out, option));
    CHECK(says(sonde_run("manual man").out, "in the header"));
    for (const char* command : {"--help", "manual man"})
        CHECK(says(sonde_run(command).out, "robes memory hierarchies"));
}

TEST_CASE("the command prints a table or JSON") {
    std::string text = "KiB,cycles\n";
    for (int i = 0; i < 40; ++i) {
        const double kib = std::exp2(i * 0.5);
        text += std::to_string(kib) + "," + (kib <= 128 ? "28" : kib <= 40000 ? "200.5" : "600") + "\n";
    }
    const TemporaryFile file(text);
    LevelsOptions options{.file = file.path(), .format = {.size_unit = "KiB", .latency_unit = "cycles"}};
    std::ostringstream table;
    CHECK(levels_command(options, table, unused()) == 0);
    CHECK(table.str() == "level  latency      capacity        confidence  points\n"
                         "L1     28.0 cycles  128-181 KiB     100 %       15\n"
                         "L2     200 cycles   32-45.3 MiB     100 %       16\n"
                         "DRAM   600 cycles   beyond 724 MiB  100 %       9\n");
    options.json = true;
    std::ostringstream json;
    CHECK(levels_command(options, json, unused()) == 0);
    const auto levels = nlohmann::json::parse(json.str());
    REQUIRE(levels.size() == 3);
    CHECK(levels[0]["latency"] == doctest::Approx(28));
    CHECK(levels[0]["capacity_bytes"][0] == 131072);
    CHECK(levels[2]["capacity_bytes"][1].is_null());
    CHECK(levels[2]["confidence"] == 1);
    CHECK(levels[1]["points"] == 16);
}

TEST_CASE("the command names the tool, DRAM's TLB and doubtful levels") {
    const auto printed = [](const std::string& text, bool json) {
        const TemporaryFile file(text);
        std::ostringstream out;
        CHECK(levels_command({.file = file.path(), .format = {}, .json = json}, out, unused()) == 0);
        return out.str();
    };
    CHECK(printed(kGpuBenches, false) == R"(gpu-benches gpu-latency
level  latency      capacity         confidence  points
L1     34.3 cycles  216-291 KiB      100 %       8
L2     266 cycles   23.6-28.5 MiB    100 %       9
L3     475 cycles   50.5-55.6 MiB    88 %        4
DRAM   653 cycles   beyond 1.46 GiB  100 %       7
)");
    CHECK(printed(kChipsAndCheese, false) == R"(Chips and Cheese
level  latency   capacity      confidence  points
L1     0.871 ns  32-48 KiB     100 %       7
L2     4.17 ns   3-4 MiB       88 %        3
L3     14.9 ns   10-12 MiB     62 %        2
DRAM   110 ns    beyond 1 GiB  94 %        3
L2: latency rises again beyond 192 KiB: TLB, or another cache
L3, DRAM: 3 points or fewer: a level each, or part of one rise; more sizes would tell
)");
    CHECK(printed(kTinymembench, false) == R"(tinymembench, MADV_NOHUGEPAGE
level  latency  capacity  confidence  points
L2     7.11 ns  2-4 MiB   75 %        3
L2: 3 points or fewer: a level, or part of one rise; more sizes would tell
tinymembench tells the time beyond an L1 hit: add L1's latency

tinymembench, MADV_HUGEPAGE
level  latency  capacity  confidence  points
L2     4.67 ns  2-4 MiB   60 %        3
L2: 3 points or fewer: a level, or part of one rise; more sizes would tell
tinymembench tells the time beyond an L1 hit: add L1's latency
)");
    CHECK(printed(kMt4gJson, false) == R"(MT4G
level  latency      capacity       confidence  points
L1     38.0 cycles  233 KiB        97 %
L2     219 cycles   50 MiB         -
DRAM   834 cycles   beyond 50 MiB  -
levels as MT4G found them: its result holds no curve

MT4G, constant
level  latency      capacity  confidence  points
L1     20.7 cycles  2.06 KiB  90 %
L1.5   105 cycles   64 KiB    0 %
levels as MT4G found them: its result holds no curve
)");
    CHECK(printed(kLmbench, false).find("L2     7.51 ns  512-768 KiB") != std::string::npos);
    CHECK(printed(kMt4gTimings, false).find("L1     140 cycles  16-16.2 KiB") != std::string::npos);
    std::string text = "KiB,ns\n";
    for (int i = 0; i < 52; ++i)
        text += std::to_string(std::exp2(i * 0.5)) + "," +
                (i <= 14      ? "30"
                    : i <= 30 ? "200"
                    : i <= 42 ? "335"
                              : "1200") +
                "\n";
    CHECK(printed(text, false) == R"(level  latency  capacity         confidence  points
L1     30.0 ns  128-181 KiB      100 %       15
L2     200 ns   32-45.3 MiB      100 %       16
DRAM   335 ns   beyond 45.3 GiB  100 %       12
DRAM: latency rises again beyond 2 GiB: TLB
)");
    const auto levels = nlohmann::json::parse(printed(text, true));
    REQUIRE(levels.size() == 3);
    CHECK(levels[2]["name"] == "DRAM");
    CHECK(levels[2]["unit"] == "ns");
    CHECK(levels[2]["tlb_beyond_bytes"] == 2147483648.0);
    CHECK(levels[0]["tlb_beyond_bytes"].is_null());
    CHECK(nlohmann::json::parse(printed(kTinymembench, true))[0]["curve"] == "MADV_NOHUGEPAGE");
}

TEST_CASE(
    "levels that lie close are each told, but where a tool walks a processor's small pages, as TLB misses do so") {
    const auto levels_in = [](std::string text, double unit, char between) {
        for (int i = 0; i < 60; ++i)
            text += fmt::format("{:.6f}{}{}\n", std::exp2(i * 0.25) * unit, between,
                i <= 16   ? 53.5
                : i <= 28 ? 72.3
                : i <= 40 ? 102.5
                          : 410);
        const TemporaryFile file(text);
        std::ostringstream out;
        CHECK(levels_command({.file = file.path(), .format = {}, .json = true}, out, unused()) == 0);
        return Json::parse(out.str()).size();
    };
    CHECK(levels_in("KiB,ns\n", 1, ',') == 4);
    CHECK(levels_in("\"stride=128\n", 1 / 1024.0, ' ') == 3); // lmbench
}

TEST_CASE("a curve without a plateau has no level") {
    std::string text;
    for (int i = 9; i < 30; ++i) text += std::to_string(1 << i) + " " + std::to_string(std::exp2(0.5 * i)) + "\n";
    const TemporaryFile file(text);
    std::ostringstream out;
    CHECK(levels_command({.file = file.path(), .format = {}}, out, unused()) == 0);
    CHECK(out.str().starts_with("no level:"));
    std::ostringstream json;
    levels_command({.file = file.path(), .format = {}, .json = true}, json, unused());
    CHECK(json.str() == "[]\n");
}

TEST_CASE("show, diagnose and the page doubt levels of few points as levels does") {
    const Folder folder;
    const std::string file = folder.file("tiny.txt");
    std::ofstream(file) << kTinymembench;
    const std::string doubt = "3 points or fewer: a level, or part of one rise; more sizes would tell";
    for (const char* command : {"levels", "show", "diagnose --full", "report -o -"}) {
        CAPTURE(std::string(command));
        CHECK(says(sonde_run(fmt::format("{} {}", command, file)).out, doubt));
    }
    CHECK_FALSE(says(sonde_run("show latency --path global " + recorded::quick(1)).out, "points or fewer"));
}

TEST_CASE(
    "levels says what of a file is in no curve, which levels too few points decide, and no size where there is none") {
    const Folder folder;
    const auto levels = [&](const char* text, const char* words = "") {
        std::ofstream(folder.file("curve.txt")) << text;
        return sonde_run(fmt::format("levels {} {}", words, folder.file("curve.txt")));
    };
    const Ran stray =
        levels("\"stride=64\n0.001 1\n0.002 1\nbench: frequency changed\n0.004 1\n0.008 9\n0.016 9\n0.032 9\n");
    CHECK(stray.code == 0);
    CHECK(says(stray.err, "curve.txt: 1 line of 8 not used: 4 ('bench: frequency changed')"));
    CHECK(says(stray.out, "L1, L2: 3 points or fewer"));
    CHECK(says(levels("\"stride=64\n0.001 1\nx\n0.002 1\n0.004 1\n", "--json").err, "not used: 3"));
    CHECK_FALSE(says(levels("1K 1\n2K 1\n4K 1\n8K 1\n16K 5\n32K 5\n64K 5\n128K 5\n").out, "points or fewer"));
    const Ran scratchpad =
        levels(R"({"general": {"name": "X"}, "memory": {"shared": {"latency": {"mean": 29, "unit": "cycles"}}}})");
    CHECK(says(scratchpad.out, "scratchpad"));
    CHECK_FALSE(says(scratchpad.out, "0 B"));
    for (const auto& [text, told] : {std::pair{"{\"general\": {},\n\"mem", "line 2, column 5: the JSON ends"},
             {"{\"general\": {},\n\"memory\" ;}", "line 2, column 10: the JSON is broken here"},
             {"{\"other\": inf}", "JSON that is not MT4G's"},
             {"{\"type\":\"run\"}\n{\"type\":\"end\"}", "sonde show"}}) {
        CAPTURE(std::string(text));
        const Ran json = levels(text);
        CHECK(json.code == 2);
        CHECK(one_line(json.err));
        CHECK(says(json.err, told));
    }
}
