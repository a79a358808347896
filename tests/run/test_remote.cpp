// A run on another machine, and results as lines.
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/data/results.h"
#include "tests/command.h"
#include "tests/places.h"
#include "tests/schema_file.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

TEST_CASE("a machine that cannot be reached is one line and exit 1, whatever was asked of it") {
    for (const char* words :
        {"run latency --via false", "devices --via false", "paths --via 'sleep 1000 #' --worker-timeout 0.3",
            "run --via 'sh -c \"sleep 1000; true\"' --worker-timeout 0.3",
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

TEST_CASE("exit codes that a command has, up to 3, come back as they are, and any other is an error") {
    for (const auto& [there, here] : {std::pair{3, 3}, {4, 1}}) {
        CAPTURE(there);
        const Ran ran = sonde_run(
            fmt::format(R"(devices --via "sh -c 'read -r _; echo sonde: on lab7; exit {}' x")", there), no_drivers());
        CHECK(ran.code == here);
    }
}

TEST_CASE("results as lines: to standard output, from standard input, and from a program that a launcher starts") {
    const Folder folder;
    const std::string words = "run latency --device host --path scratchpad --profile quick --time 60",
                      program = fs::path(places::program).parent_path().string();
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
    CHECK(says(sonde_run("run --via env --resume " + folder.file("r.jsonl"), path).out, "nothing is missing"));
    for (const char* more : {"bandwidth", "latency --path texel", "latency --option carveout=0",
             "latency --device host --path scratchpad,texel"}) {
        CAPTURE(std::string(more));
        const Ran refused = sonde_run(fmt::format("run {} --resume {}", more, folder.file("r.jsonl")), no_drivers());
        CHECK(refused.code == 2);
        CHECK(one_line(refused.err));
        CHECK(says(refused.err, "not asked for"));
    }
    CHECK(sonde_run("run latency --path scratchpad --resume " + folder.file("r.jsonl"), no_drivers()).code == 0);
    CHECK(read_run(folder.file("r.jsonl")).series.size() == 1);
}

namespace {
/// Where the program is on the PATH, as on a machine that has it.
std::string installed() {
    return fmt::format("{} PATH={}:$PATH", no_drivers(), fs::path(places::program).parent_path().string());
}
const std::string kJoins = R"(--via "sh -c 'exec sh -c \"\$*\"' x" )"; // its words for a shell, as ssh does
const std::string kShort = "run latency --device host --path scratchpad --profile quick --time 60 ";
} // namespace

TEST_CASE("a launcher may join its words for a shell, and no shell reads what was asked") {
    const Folder folder;
    for (const std::string& via : {std::string("--via env "), kJoins}) {
        CAPTURE(via);
        const Ran ran = sonde_run("devices " + via, installed());
        CHECK(ran.code == 0);
        CHECK(says(ran.out, "\nhost:0 "));
        CHECK(ran.err.empty());
        const Ran hostile = sonde_run(
            fmt::format("run latency {} --device \"x'y z\" --device \"\\$(touch {})\"", via, folder.file("touched")),
            installed());
        CHECK(hostile.code == 2);
        CHECK(one_line(hostile.err));
        CHECK(says(hostile.err, "unknown device 'x'y z'"));
        CHECK_FALSE(fs::exists(folder.file("touched")));
    }
}

TEST_CASE("a machine without the program, or with another version, is brought this one, which goes again") {
    const Folder folder, temporary;
    std::ofstream(folder.file("sonde")) << "#!/bin/sh\necho sonde 0.0.1\n";
    fs::permissions(folder.file("sonde"), fs::perms::owner_all);
    for (const std::string& path : {std::string("$PATH"), folder.path.string() + ":$PATH"}) {
        CAPTURE(path);
        const std::string there = fmt::format("{} TMPDIR={} PATH={}", no_drivers(), temporary.path.string(), path);
        CHECK(says(sonde_run("devices " + kJoins, there).out, "\nhost:0 "));
        const Ran run = sonde_run(kShort + kJoins + "--out -", there);
        CAPTURE(run.err);
        CHECK(run.code == 0);
        CHECK(says(run.err, "1 series ok"));
        CHECK(run.out.starts_with("{\"type\":\"run\""));
        CHECK(fs::is_empty(temporary.path));
    }
}

TEST_CASE("what a machine says to begin with is none of its results, and what comes among these is") {
    const Ran greets =
        sonde_run("devices --via \"sh -c 'echo Welcome; echo to lab7 >&2; exec \\\"\\$@\\\"' x\"", installed());
    CHECK(says(greets.out, "\nhost:0 "));
    CHECK_FALSE(says(greets.out, "Welcome"));
    CHECK(greets.err.empty());
    const Ran floods = sonde_run("devices --via \"sh -c 'yes Welcome' x\"", installed());
    CHECK(floods.code == 1);
    CHECK(one_line(floods.err));
    CHECK(says(floods.err, "wrote invalid output"));
    const Ran among = sonde_run(kShort + "--out - --via \"sh -c 'echo sonde: on lab7; echo rubbish' x\"", installed());
    CHECK(among.code == 1);
    CHECK(one_line(among.err));
    CHECK(says(among.err, "not a JSON"));
}

TEST_CASE("a connection that is lost in the middle is one line, and keeps what was measured") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl");
    // Three lines pass: where the command begins, the run and its device.
    const std::string via =
        R"(--via "sh -c 'exec 3<&0; \"\$@\" <&3 2>/dev/null | head -n 3; echo host is down >&2; exit )";
    for (const auto& [code, why] : {std::pair{"255", "lost: sh exited"}, {"7", "sh exited with 7"}}) {
        CAPTURE(std::string(code));
        fs::remove(file);
        const Ran lost = sonde_run(kShort + via + code + "' x\" --out " + file, installed());
        CAPTURE(lost.err);
        CHECK(lost.code == 1);
        CHECK(one_line(lost.err));
        CHECK(says(lost.err, why));
        CHECK(says(lost.err, "said: host is"));
        CHECK(says(lost.err, file + " keeps what"));
        CHECK(says(lost.err, "--resume " + file + " --via '"));
    }
    CHECK(read_run(file).devices.size() == 1);
    CHECK(sonde_run("run --via env --resume " + file, installed()).code == 0);
    CHECK(read_run(file).series.size() == 1);
    fs::remove(file); // by a launcher that says no more than its command's codes
    const Ran early = sonde_run(kShort + via + "0' x\" --out " + file, installed());
    CHECK(early.code == 1);
    CHECK(says(early.err, "the connection is lost: sh exited with 0 before the run's end"));
}
