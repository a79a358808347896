// A run on another machine, and results as lines.
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/data/results.h"
#include "tests/command.h"
#include "tests/schema_file.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

TEST_CASE("a machine that cannot be reached is one line and exit 1, whatever was asked of it") {
    for (const char* words : {"run latency --via false", "devices --via false", "paths --via 'sleep 1000 #' --worker-timeout 0.3", "run --via 'sh -c \"sleep 1000; true\"' --worker-timeout 0.3",
                              "run --via 'sh -c \"echo no-such-host | sed s/t$/t\\\\r/ >&2; exit 255\"'"}) {
        CAPTURE(std::string(words));
        const Ran ran = sonde_run(words, no_drivers());
        CHECK(ran.code == 1);
        CAPTURE(ran.err);
        CHECK(one_line(ran.err));
        CHECK_FALSE(says(ran.err, "?")); // a character that no terminal shows
        CHECK(ran.out.empty());
    }
}

TEST_CASE("results as lines: to standard output, from standard input, and from a program that a launcher starts") {
    const Folder folder;
    const std::string words = "run latency --device host --path global --profile quick --time 20", program = fs::path(SONDE_PROGRAM).parent_path().string();
    const Ran run = sonde_run(words + " --out -", no_drivers());
    CHECK(run.code == 0);
    CHECK(says(run.err, "1 series ok"));
    std::ofstream(folder.file("lines")) << run.out;
    CHECK(schema_complaint(folder.file("lines")) == "");
    for (const char* command : {"show -", "diagnose -", "report - -o -"}) {
        CAPTURE(std::string(command));
        const Ran read = sonde_run(command, no_drivers(), "", "<" + folder.file("lines"));
        CHECK(read.code == 0);
        CHECK(read.err.empty());
    }
    const std::string path = fmt::format("{} PATH={}:$PATH", no_drivers(), program);
    CHECK(says(sonde_run("devices --via env", path).out, "host:0"));
    const Ran remote = sonde_run(words + " --via env --out " + folder.file("r.jsonl"), path);
    CAPTURE(remote.err);
    CHECK(remote.code == 0);
    CHECK(says(remote.out, "r.jsonl: 1 series ok"));
    CHECK(says(remote.out, "next: sonde diagnose " + folder.file("r.jsonl")));
    CHECK(schema_complaint(folder.file("r.jsonl")) == "");
    std::string kept = text_of(folder.file("r.jsonl"));
    std::ofstream(folder.file("r.jsonl")) << kept.substr(0, kept.find("{\"type\":\"series\"")) << "{\"torn";
    CHECK(sonde_run("run --via env --resume " + folder.file("r.jsonl"), path).code == 0);
    const Run resumed = read_run(folder.file("r.jsonl"));
    CHECK(resumed.warnings.empty());
    CHECK(resumed.resumes.size() == 1);
    CHECK(resumed.series.size() == 1);
    CHECK(says(sonde_run("run --via env --resume " + folder.file("r.jsonl"), path).out, "r.jsonl: nothing is missing"));
    for (const char* more : {"bandwidth", "latency --path texel", "latency --option carveout=0", "latency --device host --path global,texel"}) {
        CAPTURE(std::string(more));
        const Ran refused = sonde_run(fmt::format("run {} --resume {}", more, folder.file("r.jsonl")), no_drivers());
        CHECK(refused.code == 2);
        CHECK(one_line(refused.err));
        CHECK(says(refused.err, "was not asked for"));
    }
    CHECK(sonde_run("run latency --path global --resume " + folder.file("r.jsonl"), no_drivers()).code == 0);
    CHECK(read_run(folder.file("r.jsonl")).series.size() == 1);
}
