// Runs on two cards that are pretended, or on two devices of one processor: what they move to one another.
#include <algorithm>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/data/results.h"
#include "tests/command.h"
#include "tests/places.h"
#include "tests/required.h"
#include "tests/schema_file.h"

using namespace sonde;
using namespace command;

namespace {
/// The pretended CUDA driver and NVML, with so many cards.
std::string pretended(int cards) {
    const std::filesystem::path drivers = places::pretended_drivers;
    return fmt::format("{} SONDE_FAKE_CUDA=devices={} LD_LIBRARY_PATH={}:{}", no_drivers(), cards,
        (drivers / "fake_cuda/new").string(), (drivers / "fake_nvml").string());
}

bool is_between_cards(const Series& series) {
    const Path* path = find_path(series.id.path);
    return path && is_of_peer(path->space);
}

/// It has values of what really arrived on the other card, however busy this machine is.
void check_measured(const Series& series, const std::string& peer) {
    CAPTURE(series.id.text());
    CAPTURE(series.reason);
    REQUIRE((series.status == Status::ok || series.status == Status::unstable));
    CHECK(series.evidence.peer == peer);
    CHECK(series.evidence.dispatches_checked.value_or(0) > 0);
    REQUIRE_FALSE(series.points.empty());
    for (const Point& point : series.points) CHECK(point.median.value_or(0) > 0);
}
} // namespace

TEST_CASE("two cards of CUDA: loads, stores and copies go to the other one, and the file says what joins them") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl");
    const Ran ran =
        sonde_run("run latency transfer --path peer,peer.unmapped --device cuda:0 --profile quick --time 120 "
                  "--out " +
                      file,
            pretended(2));
    CAPTURE(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(schema_complaint(file) == "");
    const Run run = read_run(file);
    CHECK(std::ranges::count(run.series, "latency", [](const Series& each) { return each.id.probe; }) == 1);
    CHECK(std::ranges::count(run.series, "peer.unmapped", [](const Series& each) { return each.id.path; }) > 1);
    for (const Series& series : run.series) check_measured(series, "cuda:1");
    const auto card = std::ranges::find(run.devices, "cuda:0", &DeviceRecord::id);
    REQUIRE(card != run.devices.end());
    REQUIRE(card->peers.size() == 1);
    CHECK(card->peers[0].device == "cuda:1");
    CHECK(card->peers[0].mapped);
    CHECK(card->peers[0].link == "2 NVLinks");
    CHECK(card->peers[0].link_bytes_per_second == 50e9);
    const Ran told = sonde_run("diagnose " + file);
    CHECK(told.code == 0);
    CHECK(says(told.out, "2 NVLinks"));
}

TEST_CASE("four links to a switch are told as such, and a card alone measures nothing to another") {
    const Folder folder;
    const std::string switched = folder.file("s.jsonl"), alone = folder.file("a.jsonl"), asked = folder.file("q.jsonl"),
                      words = "run transfer --device cuda:0 --profile quick --time 60 --out ";
    REQUIRE(
        sonde_run(words + switched + " --path peer --option engine=copy", pretended(2) + " SONDE_FAKE_NVML=switched")
            .code == 0);
    const Run by_switch = read_run(switched);
    REQUIRE_FALSE(by_switch.series.empty());
    CHECK(by_switch.series[0].evidence.peer_link == "4 NVLinks to a switch");
    CHECK(by_switch.series[0].evidence.peer_link_gb_per_s == doctest::Approx(100));
    REQUIRE(sonde_run(words + alone, pretended(1)).code == 0);
    CHECK(std::ranges::none_of(read_run(alone).series, is_between_cards));
    CHECK(sonde_run(words + asked + " --path peer", pretended(1)).code == 1); // nothing was measured
    for (const Series& series : read_run(asked).series) CHECK(series.status == Status::unsupported);
}

TEST_CASE("two devices of one OpenCL platform copy to one another, and no kernel reaches the other's memory") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl");
    const Ran ran =
        sonde_run("run transfer --path peer,peer.unmapped --device opencl:0.0 --profile quick --time 60 --out " + file,
            "POCL_DEVICES='pthread pthread'");
    if (says(ran.err, "none of the devices")) return skip("PoCL is not here");
    CAPTURE(ran.err);
    REQUIRE(ran.code == 0);
    const Run run = read_run(file);
    std::size_t copied = 0;
    for (const Series& series : run.series) {
        if (series.id.path == "peer") CHECK(series.status == Status::unsupported);
        else check_measured(series, "opencl:0.1"), ++copied;
    }
    CHECK(copied > 1);
}
