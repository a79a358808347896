// Commands that are given many files, and pagers that leave.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/file.h"
#include "core/data/results.h"
#include "tests/command.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

namespace {
/// The name of so many copies of a small run, for a shell.
std::string copies(const Folder& folder, int number) {
    const std::string first = recorded::part_of(recorded::quick(1), folder.file("c0.jsonl"), "launch");
    for (int i = 1; i < number; ++i) fs::copy_file(first, folder.file(fmt::format("c{}.jsonl", i)));
    return fmt::format("{}/c*.jsonl", folder.path.string());
}
} // namespace

TEST_CASE("a hundred copies of a file are one line") {
    const Folder folder;
    const std::string files = copies(folder, 100);
    const Ran report = sonde_run(fmt::format("report {} -o {}", files, folder.file("r.html")));
    CHECK(report.code == 0);
    CHECK(one_line(report.err));
    CHECK(says(report.err, "and 97 more"));
    CHECK(says(report.out, "of 1 run"));
    const Ran compare = sonde_run("compare " + files);
    CHECK(compare.code == 2);
    CHECK(one_line(compare.err));
    CHECK(says(compare.err, "same run"));
    const Ran check = sonde_run("check " + files);
    CHECK(one_line(check.err));
    CHECK(says(check.err, "and 97 more"));
    CHECK(one_line(check.out)); // one card
}

TEST_CASE("a second file where one is taken, and help as a probe, are told with what to type") {
    const Ran diagnose = sonde_run(fmt::format("diagnose {0} {0}", recorded::quick(1)));
    CHECK(diagnose.code == 2);
    CHECK(one_line(diagnose.err));
    CHECK(says(diagnose.err, "compare"));
    const Ran help = sonde_run("run help");
    CHECK(help.code == 2);
    CHECK(says(help.err, "sonde run --help"));
}

TEST_CASE("a flipped byte of a packed file, a link in a circle and a side named twice are a line or two") {
    const Folder folder;
    std::string bytes = text_of(recorded::quick(1));
    bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
    std::ofstream(folder.file("flipped.jsonl.gz"), std::ios::binary) << bytes;
    const Ran flipped = sonde_run("show --probe latency " + folder.file("flipped.jsonl.gz"));
    CHECK(flipped.code == 0);
    CHECK(std::ranges::count(flipped.err, '\n') <= 2);
    fs::create_symlink("circle.jsonl", folder.file("circle.jsonl"));
    CHECK(says(sonde_run("show " + folder.file("circle.jsonl")).err, "leads back to itself"));
    const Ran twice = sonde_run("compare published:h100 published:h100");
    CHECK(twice.code == 2);
    CHECK(one_line(twice.err));
}

TEST_CASE("who reads no further is no failure") {
    const Folder folder;
    for (const char* words : {"report -o -", "show", "diagnose --json"}) {
        CAPTURE(std::string(words));
        const std::string line =
            fmt::format("cd '{}' && {{ '{}' {} '{}' 2>err; echo $? >code; }} | head -c 10 >/dev/null",
                folder.path.string(), places::program, words, recorded::quick(1));
        CHECK(std::system(line.c_str()) == 0);
        CHECK(text_of(folder.path / "err").empty());
        CHECK(text_of(folder.path / "code") == "0\n");
    }
    CHECK(sonde_run("report -o - " + recorded::quick(1), "", "", ">/dev/full").code == 1);
}
