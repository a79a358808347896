// Runs as typed: what is refused, and what is written of it.
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/data/results.h"
#include "tests/command.h"
#include "tests/places.h"
#include "tests/schema_file.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

TEST_CASE("the DRAM's peak that a person gives is noted of cards whose drivers report none, and of no other") {
    const Folder folder;
    const std::string pretended = places::pretended_drivers, file = folder.file("model.jsonl"),
                      reported = folder.file("cuda.jsonl");
    const std::string words = "run launch --path global --profile quick --time 2 --dram-bandwidth 960 --out ";
    CHECK(sonde_run(words + file, "", "", "", pretended + "/faults/modelled_sonde").code == 0);
    Run run = read_run(file);
    REQUIRE(run.devices.size() == 1);
    CHECK(run.devices[0].bus_bytes_per_second == 960e9);
    CHECK(run.devices[0].facts.back().source == "--dram-bandwidth");
    CHECK(sonde_run(words + reported + " --device cuda", fmt::format("LD_LIBRARY_PATH={}/fake_cuda/new", pretended))
              .code == 0);
    run = read_run(reported);
    REQUIRE(!run.devices.empty());
    CHECK(run.devices[0].bus_bytes_per_second > 0);
    CHECK(run.devices[0].bus_bytes_per_second != 960e9);
    CHECK(sonde_run(words + file + " --dram-bandwidth 0").code == 2);
    CHECK(sonde_run("run --dram-bandwidth 960 --resume " + file).code == 2); // whose devices are written already
}

TEST_CASE("options choose among variants, and what a device cannot be asked for is unsupported with a reason") {
    const Folder folder;
    const fs::path file = folder.path / "run.jsonl";
    const Ran ran =
        sonde_run(fmt::format("run latency bandwidth --device host --path scratchpad --profile quick --time 60 "
                              "--option width=16 --option carveout=0,100 --out {}",
                      file.string()),
            no_drivers());
    CAPTURE(ran.err);
    CHECK(ran.code == 1); // nothing was measured
    std::ifstream in(file);
    std::set<std::pair<std::string, std::string>> asked; // probe, carveout
    for (std::string line; std::getline(in, line);) {
        const Json object = Json::parse(line);
        if (object.at("type") != "series") continue;
        asked.emplace(object.at("probe"), object.at("options").at("carveout"));
        CHECK(object.at("status") == "unsupported");
        CHECK(says(object.at("reason"), "no carve-out"));
        CHECK(says(ran.err, "unsupported: " + object.at("reason").get<std::string>() + "\n"));
        if (object.at("probe") == "bandwidth") CHECK(object.at("options").at("width") == "16");
    }
    CHECK(asked == std::set<std::pair<std::string, std::string>>{
                       {"bandwidth", "0"}, {"bandwidth", "100"}, {"latency", "0"}, {"latency", "100"}});
}

TEST_CASE("every reason of a series that was not measured is on the terminal, within its width") {
    const Folder folder;
    const std::string probes = "matrix rate l1-per-core core-sharing banks scratchpad-fill divergence clock-read "
                               "first-run mix workload.gemm-library transfer";
    const Ran ran = sonde_run(
        fmt::format("run {} --device host --profile quick --time 60 --out {}", probes, folder.file("r.jsonl")),
        fmt::format("{} COLUMNS=80", no_drivers()));
    std::string said = ran.err;
    for (std::size_t at; (at = said.find("\n    ")) != std::string::npos;) said.replace(at, 5, " ");
    CAPTURE(said);
    std::set<std::string> reasons;
    for (const Series& series : read_run(folder.file("r.jsonl")).series)
        if (series.status == Status::unsupported) reasons.insert(series.reason);
    CHECK(reasons.size() > 8);
    for (const std::string& reason : reasons) CHECK(says(said, "unsupported: " + reason + "\n"));
    for (const std::string& line : split(ran.err, '\n')) CHECK(display_width(line) <= 80);
}

TEST_CASE("none of the devices asked for is here: exit 3, and nothing is left behind") {
    Folder folder;
    const Ran ran = sonde_run("run --device opencl:9.9 --out " + folder.file("r.jsonl"), no_drivers());
    CHECK(ran.code == 3);
    CHECK(says(ran.err, "of the devices"));
    CHECK(says(ran.err, "is here: host:0"));
    CHECK_FALSE(says(ran.err, "cuda"));
    CHECK_FALSE(fs::exists(folder.file("r.jsonl")));
    for (const std::string& line :
        split(sonde_run("run --device cuda --out " + folder.file("r.jsonl"), std::string("COLUMNS=80 ") + no_drivers())
                  .err,
            '\n'))
        CHECK(display_width(line) <= 80);
}

TEST_CASE("the device asked for is here, but the probe has no such series: that is said, exit 2, and nothing is left "
          "behind") {
    const Folder folder;
    const Ran ran =
        sonde_run("run coalescing --device host --path global --option pattern=rectangle --option width=8 --out " +
                      folder.file("r.jsonl"),
            no_drivers());
    CHECK(ran.code == 2);
    CHECK(says(ran.err, "pattern=rectangle and width=8:"));
    CHECK_FALSE(says(ran.err, "of the devices"));
    CHECK(says(sonde_run("run coalescing --device host --path push --out " + folder.file("r.jsonl"), no_drivers()).err,
        "not on push"));
    CHECK_FALSE(fs::exists(folder.file("r.jsonl")));
}

TEST_CASE("the peak of a card's DRAM is no processor's: that it is not used is said") {
    const Folder folder;
    const Ran ran = sonde_run("run latency --device host --path scratchpad --profile quick --dram-bandwidth 80 --out " +
                                  folder.file("r.jsonl"),
        no_drivers());
    CHECK(ran.code == 0);
    CHECK(says(ran.err, "--dram-bandwidth is not"));
    CHECK_FALSE(
        says(sonde_run("run latency --device host --path scratchpad --profile quick --out " + folder.file("s.jsonl"),
                 no_drivers())
                 .err,
            "--dram-bandwidth"));
}

TEST_CASE("a results file that exists is never overwritten") {
    Folder folder;
    std::ofstream(folder.file("r.jsonl")) << "precious";
    const Ran ran = sonde_run("run latency --device host --out " + folder.file("r.jsonl"), no_drivers());
    CHECK(ran.code == 2);
    CHECK(says(ran.err, "--out"));
    CHECK(text_of(folder.file("r.jsonl")) == "precious");
}

TEST_CASE("a place that cannot be written to is one clear line and exit 1") {
    const Ran folder_missing = sonde_run("run latency --device host --out missing/r.jsonl", no_drivers());
    CHECK(folder_missing.code == 1);
    CHECK(one_line(folder_missing.err));
    Folder folder; // a full disk, by the limit on a file's size
    const Ran full = sonde_run("run latency --path global --profile quick --out " + folder.file("r.jsonl"),
        no_drivers(), "ulimit -f 4;", "", std::string(places::pretended_drivers) + "/faults/modelled_sonde");
    CAPTURE(full.err);
    CHECK(full.code == 1);
    const std::size_t complaint = full.err.find("sonde: ");
    REQUIRE(complaint != std::string::npos); // behind what the run said when it began
    CHECK(one_line(full.err.substr(complaint)));
    CHECK(says(full.err, "cannot write"));
    CHECK(read_run(folder.file("r.jsonl")).warnings.empty());
}
