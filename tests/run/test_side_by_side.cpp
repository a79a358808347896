// Several cards in one run.
#include <algorithm>
#include <filesystem>
#include <map>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/data/results.h"
#include "tests/command.h"
#include "tests/places.h"

using namespace sonde;
using namespace command;

TEST_CASE("two cards are measured side by side, each series once, and the processor after them") {
    const Folder folder;
    const std::string driver = (std::filesystem::path(places::pretended_drivers) / "fake_cuda/new").string(),
                      file = folder.file("two.jsonl");
    const Ran ran =
        sonde_run(fmt::format("run atomics launch --device cuda,host --path global --profile quick --out {}", file),
            fmt::format("SONDE_FAKE_CUDA=devices=2 LD_LIBRARY_PATH={}", driver));
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    const Run run = read_run(file);
    std::map<std::string, std::string> cards;
    for (const DeviceRecord& device : run.devices) cards[device.id] = device.card;
    CHECK(cards.at("cuda:0") != cards.at("cuda:1"));
    std::map<std::string, std::size_t> series;
    for (const Series& each : run.series) {
        CHECK(each.status != Status::failed);
        ++series[each.id.device];
    }
    CHECK(series["cuda:0"] > 0);
    CHECK(series["cuda:0"] == series["cuda:1"]);
    REQUIRE(series["host:0"] > 0);
    const auto of_host = std::find_if(
        run.series.begin(), run.series.end(), [](const Series& each) { return each.id.device == "host:0"; });
    CHECK(std::all_of(of_host, run.series.end(), [](const Series& each) { return each.id.device == "host:0"; }));
}

TEST_CASE("while one card's driver hangs the other card is measured, except where both would use the host's link") {
    const std::string program = (std::filesystem::path(places::pretended_drivers) / "faults/modelled_sonde").string();
    const auto statuses = [&](const std::string& probe) { // in the order in which series ended
        const Folder folder;
        const std::string environment =
            fmt::format("{} SONDE_MODEL_CARDS=2 SONDE_FAULT_ONCE={} SONDE_FAULT_MODEL=allocate@1=hang", no_drivers(),
                folder.file("hung"));
        sonde_run(
            fmt::format("run {} --path global,scratchpad,host --profile quick --time 20 --worker-timeout 3 --out {}",
                probe, folder.file("two.jsonl")),
            environment, "", "", program);
        std::vector<std::pair<std::string, Status>> ended;
        for (const Series& each : read_run(folder.file("two.jsonl")).series)
            ended.emplace_back(each.id.device, each.status);
        return ended;
    };
    const auto cards = statuses("latency"), link = statuses("transfer");
    REQUIRE(cards.size() > 2);
    CHECK(cards[0].second == Status::ok);
    const auto hung =
        std::find_if(cards.begin(), cards.end(), [](const auto& each) { return each.second == Status::failed; });
    REQUIRE(hung != cards.end());
    CHECK(std::all_of(cards.begin(), hung, [&](const auto& each) { return each.first != hung->first; }));
    REQUIRE(link.size() > 2);
    CHECK(link[0].second == Status::failed);
}
