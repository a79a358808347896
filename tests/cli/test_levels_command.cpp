// levels, as typed.
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/json.h"
#include "tests/analysis/tool_files.h"
#include "tests/command.h"

using namespace sonde;
using namespace command;

TEST_CASE("levels as typed: another tool's file, a table whose columns are named, and one line for what is not understood") {
    Folder folder;
    std::ofstream(folder.file("gpu.txt")) << kGpuBenches;
    const Ran known = sonde_run("levels " + folder.file("gpu.txt"));
    CHECK(known.code == 0);
    CHECK(known.err.empty());
    CHECK(says(known.out, "L2     265.5 cycles  23.6-28.5 MiB"));

    std::string table = kGpuBenches;
    table.erase(0, table.find('\n') + 1); // without the line that tells the tool
    std::ofstream(folder.file("table.txt")) << table;
    const Ran refused = sonde_run("levels " + folder.file("table.txt"));
    CHECK(refused.code == 2);
    CHECK(one_line(refused.err));
    CHECK(says(refused.err, "line 1: 5 columns; name the one of sizes and the one of latencies by number or title, as in --x 1 --y 5"));
    const Ran named = sonde_run("levels --x 3 --y 5 --size-unit KiB --latency-unit cycles " + folder.file("table.txt"));
    CHECK(named.code == 0);
    CHECK("gpu-benches gpu-latency\n" + named.out == known.out);
    const Ran json = sonde_run("levels --json -", "", "", "<" + folder.file("gpu.txt"));
    REQUIRE(json.code == 0);
    CHECK(Json::parse(json.out).back()["name"] == "DRAM");
    const Ran unknown = sonde_run("levels --x 3 --y 9 " + folder.file("table.txt"));
    CHECK(unknown.code == 2);
    CHECK(says(unknown.err, "--y 9: no such column; there are 5"));
    for (const char* option : {"--x", "--y", "--size-unit", "--latency-unit"}) CHECK(says(sonde_run("levels --help").out, option));
    CHECK(says(sonde_run("manual man").out, "title in the header"));
    for (const char* command : {"--help", "manual man"}) CHECK(says(sonde_run(command).out, "robes memory hierarchies, arithmetic and matrix units"));
}
