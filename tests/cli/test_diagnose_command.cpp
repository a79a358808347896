// diagnose, as typed.
#include <fstream>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/data/results.h"
#include "tests/command.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;

TEST_CASE("diagnose begins with the card in a few lines, doubts first, and tells what each sentence rests on where "
          "that is asked for") {
    const std::string file = recorded::kEverything;
    const Ran plain = sonde_run("diagnose " + file);
    CHECK(plain.code == 0);
    CHECK(plain.out.starts_with("NVIDIA H200, 132 cores at 1.98 GHz; cuda:0 CUDA 13.0, "));
    const auto at = [&](const char* part) { return plain.out.find(part); };
    for (const char* part :
        {"DOUBT [1] ", "LATENCY, cycles (cuda:0): L1 39 to ~215 KiB | L2 near 288 (mean: about half of the loads",
            "READ (cuda:0): L1 32", " % of peak, caches serve at most 1.", "\n[", "\npath            level"}) {
        CAPTURE(part);
        CHECK(at(part) != std::string::npos);
    }
    CHECK(at("DOUBT") < at("LATENCY"));
    CHECK(at("LATENCY") < at("\n[3] "));
    CHECK(at("TLB reach through vulkan:0") < at("Fill bandwidth of DRAM")); // 32 times before 1.1
    CHECK(says(plain.out, "line global level=1 test=line (cuda:0, opencl:1.0, vulkan:0): L1 has lines of"));
    CHECK(!says(plain.out, "LDG.E R"));
    CHECK(says(plain.out, "diagnose --evidence "));
    CHECK(says(sonde_run("diagnose --evidence " + file).out, "LDG.E"));
}

/// The run with the card's devices once more under other ids, as a second card whose times are `times` as long; with
/// `driver` instead of theirs where one is named.
std::string with_second_card(
    const std::string& file, const std::string& as, double times, const std::string& driver = "") {
    const Run run = read_run(file);
    std::ofstream out(as);
    out << run.header.dump() << "\n";
    const auto other = [](const std::string& id) { return id.substr(0, id.find(':')) + ":7"; };
    for (DeviceRecord device : run.devices) {
        out << Json(device).dump() << "\n";
        if (device.cpu) continue;
        device.id = other(device.id), device.card = device.uuid = "a second card";
        if (!driver.empty()) device.driver = driver;
        out << Json(device).dump() << "\n";
    }
    for (Series series : run.series) {
        out << Json(series).dump() << "\n";
        series.id.device = other(series.id.device), series.card = "a second card";
        for (Point& point : series.points) {
            for (std::optional<double>* value : {&point.median, &point.low, &point.high, &point.cycles})
                if (*value) **value *= times;
            for (Sample& sample : point.samples)
                sample.host_ns *= times,
                    sample.device_ns = sample.device_ns ? std::optional(*sample.device_ns * times) : std::nullopt;
        }
        out << Json(series).dump() << "\n";
    }
    return as;
}

TEST_CASE("diagnose: first sentences, then the statements in full; where nothing speaks of the series that is said, "
          "and not beside a table of theirs") {
    const std::string all = sonde_run("diagnose " + recorded::kEverything).out;
    const auto more = all.find(" more below.\n"), full = all.find("\nIn full:\n");
    REQUIRE(more != std::string::npos);
    REQUIRE(full != std::string::npos);
    CHECK(more < full);
    CHECK(all.find("As misses cost much the same") > full); // what follows the first sentence of [3]
    const std::string silent = "Nothing else is said of these series";
    CHECK(says(sonde_run("diagnose " + recorded::file("bandwidth-widths")).out, silent));
    CHECK_FALSE(says(sonde_run("diagnose " + recorded::file("cluster")).out, silent));
}

TEST_CASE("two cards of one model: what they have in common is said once, then what differs") {
    Folder folder;
    const Ran alike = sonde_run("diagnose " + with_second_card(recorded::run(1), folder.file("alike.jsonl"), 1));
    CHECK(alike.code == 0);
    CHECK(says(alike.out, "beside the same model above"));
    CHECK(says(alike.out, "no difference beyond the noise in "));
    CHECK(alike.out.find("\nLATENCY") == alike.out.rfind("\nLATENCY"));
    const Ran apart = sonde_run("diagnose " + with_second_card(recorded::run(1), folder.file("apart.jsonl"), 1.1));
    CHECK(says(apart.out, "10.0 % slower"));
}

TEST_CASE("two cards of one model with different drivers are each told in full") {
    Folder folder;
    const Ran other =
        sonde_run("diagnose " + with_second_card(recorded::run(1), folder.file("driver.jsonl"), 1, "another driver"));
    CHECK(other.code == 0);
    CHECK_FALSE(says(other.out, "beside the same model above"));
    CHECK(other.out.find("\nLATENCY") != other.out.rfind("\nLATENCY"));
}
