// Drivers that are absent, or die or hang while they open, as a person at the terminal sees it.
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/data/results.h"
#include "tests/command.h"
#include "tests/places.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

TEST_CASE("without any driver, devices explains each absence and run still measures the host") {
    const Ran devices = sonde_run("devices --json", no_drivers());
    REQUIRE(devices.code == 0);
    int absent = 0;
    for (const Json& row : Json::parse(devices.out)) {
        if (!row.contains("absent")) {
            CHECK(row["id"] == "host:0");
            CHECK(row["card"] == "cpu");
            REQUIRE(!row["facts"].empty());
            CHECK(row["facts"][0].contains("source"));
            const std::string name = row["facts"][0]["name"];
            CHECK(says(sonde_run("devices -v", no_drivers()).out, "\n" + name + ": "));
            CHECK(!says(sonde_run("devices", no_drivers()).out, "\n" + name + ": "));
            continue;
        }
        ++absent;
        CAPTURE(row.dump());
        CHECK(row["absent"].get<std::string>().size() > 5);
        if (row["api"] == "vulkan") CHECK(says(row["absent"], "; VK_DRIVER_FILES is set to /")); // which is why
    }
    CHECK(absent >= 2);

    Folder folder;
    const Ran run =
        sonde_run("run latency --path global --profile quick --time 4 --out " + folder.file("r.jsonl"), no_drivers());
    CAPTURE(run.err);
    CHECK(run.code == 0);
    CHECK(read_run(folder.file("r.jsonl")).series.size() >= 1);
}

TEST_CASE("an empty environment is enough") {
    const Ran devices = sonde_run("devices", "-i");
    CHECK(devices.code == 0);
    CHECK(says(devices.out, "host:0"));
}

TEST_CASE("a driver that aborts at load is that API's failure; the others run") {
    Folder folder;
    std::ofstream(folder.file("broken.json")) << R"({"file_format_version":"1.0.0","ICD":{"library_path":")"
                                              << places::aborting_driver << R"(","api_version":"1.1.0"}})";
    const std::string environment = fmt::format("OCL_ICD_VENDORS={} VK_DRIVER_FILES={} VK_ICD_FILENAMES={}",
        places::aborting_driver, folder.file("broken.json"), folder.file("broken.json"));
    const Ran devices = sonde_run("devices", environment);
    CAPTURE(devices.out);
    CHECK(devices.code == 1);
    CHECK(sonde_run("devices --json", environment).code == 1);
    CHECK(says(devices.out, "host:0"));
    for (const char* api : {"opencl", "vulkan"}) CHECK(says(devices.out, fmt::format("{0}: failed: the {0}", api)));
    CHECK(says(devices.out, "killed by SIGABRT"));
    const Ran run =
        sonde_run("run latency --device host --path global --profile quick --time 4 --out " + folder.file("r.jsonl"),
            environment);
    CHECK(run.code == 0);
}

TEST_CASE("an API that was asked for and crashes has failed: exit 1; so has everything where nothing can be started") {
    const Folder folder;
    for (const char* words : {"run latency --device opencl --out ",
             "run latency --device opencl,host --path global --profile quick --time 4 --out "}) {
        CAPTURE(std::string(words));
        const Ran run = sonde_run(words + folder.file(fmt::format("{}.jsonl", std::string(words).size())),
            fmt::format("{} OCL_ICD_VENDORS={}", no_drivers(), places::aborting_driver));
        CHECK(run.code == 1);
        CHECK(says(run.err, "killed by SIGABRT"));
        CHECK_FALSE(says(run.err, "opencl is absent"));
    }
    const Ran devices = sonde_run("devices", fmt::format("{} prlimit --nofile=8", no_drivers()));
    CHECK(devices.code == 1);
    CHECK(says(devices.out, "host: failed: "));
}

TEST_CASE("Ctrl-C while drivers open is interrupted, exit 130, and no driver is called absent") {
    const Folder folder;
    const std::string program = (fs::path(places::pretended_drivers) / "faults/modelled_sonde").string();
    const Ran ran = sonde_run("run latency --out " + folder.file("r.jsonl"),
        fmt::format("{} SONDE_FAULT_MODEL=open=hang timeout --preserve-status -s INT 1", no_drivers()), "", "",
        program);
    CHECK(ran.code == 130);
    CHECK(ran.err == "sonde: interrupted\n");
    CHECK_FALSE(fs::exists(folder.file("r.jsonl")));
}
