// What a run writes of its devices.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/data/results.h"
#include "tests/command.h"

using namespace sonde;
using namespace command;

TEST_CASE("the DRAM's peak that a person gives is noted of cards whose drivers report none, and of no other") {
    const Folder folder;
    const std::string pretended = SONDE_PRETENDED_DRIVERS, file = folder.file("model.jsonl"), reported = folder.file("cuda.jsonl");
    const std::string words = "run launch --path global --profile quick --time 2 --dram-bandwidth 960 --out ";
    CHECK(sonde_run(words + file, "", "", "", pretended + "/faults/modelled_sonde").code == 0);
    Run run = read_run(file);
    REQUIRE(run.devices.size() == 1);
    CHECK(run.devices[0].bus_bytes_per_second == 960e9);
    CHECK(run.devices[0].facts.back().source == "--dram-bandwidth");
    CHECK(sonde_run(words + reported + " --device cuda", fmt::format("LD_LIBRARY_PATH={}/fake_cuda/new", pretended)).code == 0);
    run = read_run(reported);
    REQUIRE(!run.devices.empty());
    CHECK(run.devices[0].bus_bytes_per_second > 0);
    CHECK(run.devices[0].bus_bytes_per_second != 960e9);
    CHECK(sonde_run(words + file + " --dram-bandwidth 0").code == 2);
    CHECK(sonde_run("run --dram-bandwidth 960 --resume " + file).code == 2); // whose devices are written already
}
