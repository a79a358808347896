// A device that an API shows twice, and what commands take of it.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/json.h"
#include "core/data/results.h"
#include "core/device/doubles.h"
#include "core/run/cards.h"
#include "core/run/device_words.h"
#include "tests/command.h"
#include "tests/places.h"
#include "tests/required.h"

using namespace sonde;
using namespace command;
namespace fs = std::filesystem;

namespace {
DeviceInfo shown_as(const char* id, const char* driver, const char* uuid = "", const char* pci = "", bool cpu = false) {
    return {.id = id,
        .api = std::string(id).substr(0, std::string(id).find(':')),
        .name = "a card",
        .driver = driver,
        .cpu = cpu,
        .uuid = uuid,
        .pci = pci};
}

std::vector<DeviceInfo> noted(std::vector<DeviceInfo> devices) {
    std::vector<DeviceInfo*> all;
    for (DeviceInfo& device : devices) all.push_back(&device);
    note_doubles(all);
    return devices;
}
} // namespace

TEST_CASE("one device once: by UUID, by PCI address, and a processor by its driver") {
    struct Row {
        const char* what;
        DeviceInfo first, second;
        bool one;
    };
    for (const Row& row : {Row{"one UUID", shown_as("vulkan:0", "A", "aa"), shown_as("vulkan:1", "A", "aa"), true},
             {"two UUIDs at one address, as slices of a card are", shown_as("cuda:0", "A", "aa", "0000:01:00.0"),
                 shown_as("cuda:1", "A", "bb", "0000:01:00.0"), false},
             {"two APIs", shown_as("cuda:0", "A", "aa"), shown_as("vulkan:0", "A", "aa"), false},
             {"two drivers of one card", shown_as("vulkan:0", "RADV", "aa"), shown_as("vulkan:1", "AMDVLK", "aa"),
                 false},
             {"one address", shown_as("opencl:0.0", "A", "", "0000:01:00.0"),
                 shown_as("opencl:1.0", "A", "", "0000:01:00.0"), true},
             {"two addresses", shown_as("opencl:0.0", "A", "", "0000:01:00.0"),
                 shown_as("opencl:1.0", "A", "", "0000:02:00.0"), false},
             {"partitions of one card through one platform", shown_as("opencl:0.0", "A", "", "0000:01:00.0"),
                 shown_as("opencl:0.1", "A", "", "0000:01:00.0"), false},
             {"nothing tells", shown_as("opencl:0.0", "A"), shown_as("opencl:1.0", "A"), false},
             {"a processor", shown_as("opencl:0.0", "PoCL", "", "", true), shown_as("opencl:1.0", "PoCL", "", "", true),
                 true},
             {"a processor through two drivers", shown_as("opencl:0.0", "PoCL", "", "", true),
                 shown_as("opencl:1.0", "rusticl", "", "", true), false}}) {
        CAPTURE(row.what);
        const auto devices = noted({row.first, row.second});
        CHECK(first_of_double(devices[0]).empty());
        CHECK(first_of_double(devices[1]) == (row.one ? row.first.id : ""));
    }
    const auto three =
        noted({shown_as("vulkan:0", "A", "aa"), shown_as("vulkan:1", "A", "aa"), shown_as("vulkan:2", "A", "aa")});
    for (const std::size_t place : {1u, 2u}) CHECK(first_of_double(three[place]) == "vulkan:0");
    CHECK(noted(three)[2].facts.size() == 1);
}

TEST_CASE("a double is taken by its id alone, and does not part the card's other APIs") {
    const auto devices = noted({shown_as("cuda:0", "C"), shown_as("vulkan:0", "A", "", "0000:01:00.0"),
        shown_as("vulkan:1", "A", "", "0000:01:00.0")});
    std::vector<const DeviceInfo*> here;
    for (const DeviceInfo& device : devices) here.push_back(&device);
    const Taken taken = taken_of({}, here);
    CHECK(taken.doubles == std::vector<const DeviceInfo*>{&devices[2]});
    CHECK(says(left_out_text(taken), "vulkan:1"));
    using Words = std::vector<std::string>;
    for (const Words& words : {taken.words, Words{"vulkan"}, Words{"all"}, Words{"gpu"}, Words{"01:00.0"}}) {
        CHECK(is_chosen(words, devices[1]));
        CHECK_FALSE(is_chosen(words, devices[2]));
    }
    CHECK(is_chosen(Words{"vulkan:1"}, devices[2]));
    CHECK(is_chosen({}, devices[2]));
    CHECK(taken_of({}, {&devices[2]}).words == Words{"vulkan:1"}); // of a file that has no other
    CHECK(card_names(devices) == Words{"0000:01:00.0", "0000:01:00.0", "0000:01:00.0"});
}

TEST_CASE("one bad OpenCL driver costs its own devices; the others are opened apart, numbered on, and measured") {
    const Folder folder;
    const fs::path faulty = fs::path(places::pretended_drivers) / "faults/libfaulty_opencl.so";
    std::ofstream(folder.file("a.icd")) << places::aborting_driver << "\n";
    for (const char* copy : {"b", "c"}) { // two drivers of one processor
        fs::copy_file(faulty, folder.file(fmt::format("lib{}.so", copy)));
        std::ofstream(folder.file(fmt::format("{}.icd", copy))) << folder.file(fmt::format("lib{}.so", copy)) << "\n";
    }
    const std::string environment = fmt::format("{} OCL_ICD_VENDORS={}", no_drivers(), folder.path.string());
    std::map<std::string, Json> devices;
    int failed = 0;
    const Ran ran = sonde_run("devices --json", environment);
    for (const Json& row : Json::parse(ran.out)) {
        if (row.contains("id")) devices[row["id"]] = row;
        else if (row["api"] == "opencl") {
            ++failed;
            CHECK(row.value("driver", "") == places::aborting_driver);
            CHECK(says(row.value("failed", ""), "killed by SIGABRT"));
        }
    }
    if (!devices.contains("opencl:0.0")) return skip("PoCL is not here");
    CHECK(ran.code == 1); // what failed is told
    CHECK(failed == 1);
    REQUIRE(devices.contains("opencl:1.0"));
    CHECK(devices["opencl:1.0"].value("left_out", false)); // the processor once more
    CHECK(says(devices["opencl:0.0"]["facts"].dump(), "SIGABRT"));
    CHECK(sonde_run("isa latency --device opencl:0.0", environment).code == 0);
    const std::string file = folder.file("r.jsonl");
    sonde_run(
        "run latency --device opencl:0.0,opencl:1.0 --path global --profile quick --time 8 --out " + file, environment);
    const Run run = read_run(file);
    for (const char* id : {"opencl:0.0", "opencl:1.0"}) {
        CAPTURE(std::string(id));
        const auto series = std::ranges::find_if(run.series, [&](const Series& each) { return each.id.device == id; });
        REQUIRE(series != run.series.end());
        CHECK(series->status != Status::failed);
        CHECK_FALSE(series->points.empty());
    }
}
