// diagnose, as typed.
#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/data/results.h"
#include "core/diagnosis/card_grid.h"
#include "tests/command.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;

TEST_CASE("diagnose begins with the card on one screen: doubts, its tables by API, the largest differences first") {
    const Ran plain = sonde_run("diagnose " + recorded::quick(1), "COLUMNS=80");
    CHECK(plain.code == 0);
    CHECK(plain.out.starts_with("NVIDIA H200, 132 cores at 1980 MHz, DRAM 4.81 TB/s; cuda:0 CUDA 13.0, "));
    const auto at = [&](const std::string& part) { return plain.out.find(part); };
    for (const char* part :
        {"DOUBT [1] ", kLatencyOfALoad, kLevelEndsAt, kRateOfAllCores, "fma.f32", "f16 wgmma", "[2] ", "[4] "}) {
        CAPTURE(part);
        CHECK(at(part) != std::string::npos);
    }
    CHECK(at("DOUBT") < at(kLatencyOfALoad));
    CHECK(at(kRateOfAllCores) < at("\n[2] ")); // behind a doubt
    CHECK(std::ranges::count(plain.out, '\n') <= 43);
    for (const std::string& line : split(plain.out, '\n')) CHECK(display_width(line) <= 80);
    CHECK(says(plain.out, " FILE --full"));
}

TEST_CASE("diagnose --full has every statement and table, --evidence also what each sentence rests on") {
    const std::string full = sonde_run("diagnose --full " + recorded::quick(1)).out;
    CHECK(full.find("Random loads over ") < full.find("Fills of DRAM on global")); // 3.7 times before 1.1
    CHECK(says(full, "\nglobal.pointer\n"));
    CHECK(says(full, "\nline global level=1 test=line, B\n  line of L1 "));
    CHECK_FALSE(says(full, "LDG.E R"));
    CHECK(says(sonde_run("diagnose --evidence " + recorded::quick(1)).out, "LDG.E"));
}

TEST_CASE("diagnose --csv: every number of every table of --json, of statements also") {
    std::size_t cells = 0;
    const auto count = [&](const Json& table) {
        for (const Json& row : table["rows"]) cells += row["cells"].size();
    };
    for (const Json& each : Json::parse(sonde_run("diagnose --json " + recorded::quick(1)).out))
        if (each["type"] == "table") count(each);
        else if (each.contains("table")) count(each["table"]);
    const Ran csv = sonde_run("diagnose --csv " + recorded::quick(1));
    CHECK(csv.code == 0);
    CHECK(csv.out.starts_with("subject,table,caption,section,place,column,value,unit,"));
    CHECK(static_cast<std::size_t>(std::ranges::count(csv.out, '\n')) == cells + 1);
}

TEST_CASE("diagnose --json has what probes found as one table by device, in units without prefix") {
    const Json all = Json::parse(sonde_run("diagnose --json " + recorded::quick(1)).out);
    const auto table = std::ranges::find_if(
        all, [](const Json& each) { return each["type"] == "table" && each["name"] == "findings"; });
    REQUIRE(table != all.end());
    CHECK((*table)["columns"] == Json{"cuda:0", "opencl:1.0", "vulkan:0"});
    const auto row = std::ranges::find_if((*table)["rows"], [](const Json& each) {
        return each["section"] == "line global level=1 test=line" && each["place"] == "line of L1";
    });
    REQUIRE(row != (*table)["rows"].end());
    CHECK((*row)["cells"][0]["value"] == 128);
    CHECK((*row)["cells"][0]["unit"] == "B");
}

TEST_CASE("diagnose --json: a statement that is a fact has its subject, its ratio and its table") {
    std::size_t facts = 0;
    for (const Json& finding : Json::parse(sonde_run("diagnose --json " + recorded::quick(1)).out)) {
        if (!finding.contains("table")) continue;
        ++facts;
        CHECK(finding["text"].get<std::string>().starts_with(finding["subject"].get<std::string>()));
        CHECK((finding["times"].get<double>() >= 1 || finding["name"] == "load_moved")); // 0: no compiler moved one
        if (finding["name"] == "bandwidth_apart") CHECK(finding["about"]["footprint"]["unit"] == "B");
        if (finding["name"] == "atomics_apart") CHECK(finding["about"]["path"] == finding["path"]);
        CHECK(finding["table"]["name"] == finding["name"]);
        CHECK_FALSE(finding["table"]["rows"].empty());
    }
    CHECK(facts >= 10);
}

TEST_CASE("diagnose FILE N tells one statement whole, with what it rests on, and nothing else") {
    const Ran second = sonde_run("diagnose " + recorded::quick(1) + " 2");
    CHECK(second.code == 0);
    CHECK(says(second.out, "[2] Atomics on one"));
    CHECK(says(second.out, "  1 workgroup ")); // a row that its line does not tell
    CHECK(says(second.out, "atomics vulkan:0 global"));
    CHECK_FALSE(says(second.out, "[3]"));
    const Ran third = sonde_run("diagnose " + recorded::quick(1) + " 3");
    CHECK(says(third.out, "[3] Largest scratchpad"));
    for (const char* number : {"0", "1000", "x"}) {
        const Ran none = sonde_run("diagnose " + recorded::quick(1) + " " + number);
        CHECK(none.code == 2);
        CHECK(one_line(none.err));
    }
}

TEST_CASE("diagnose --json has the tables: a cell for each device, numbers in units without prefix") {
    std::map<std::string, Json> tables;
    for (const Json& each : Json::parse(sonde_run("diagnose --json " + recorded::quick(1)).out))
        if (each["type"] == "table") tables[each["name"]] = each;
    REQUIRE(tables.contains("levels"));
    CHECK(tables.contains("arithmetic"));
    const Json& levels = tables["levels"];
    CHECK(levels["columns"].size() == 3);
    std::map<std::pair<std::string, std::string>, double> first; // through CUDA
    for (const Json& row : levels["rows"]) {
        REQUIRE(row["cells"].size() == 3);
        if (row["cells"][0].contains("value")) first[{row["section"], row["place"]}] = row["cells"][0]["value"];
    }
    CHECK(first[{kLatencyOfALoad, "L1"}] == doctest::Approx(34).epsilon(0.01)); // cycles, by pointer
    CHECK(first[{kLatencyOfALoad, "L1, indexing adds"}] == doctest::Approx(5).epsilon(0.1));
    CHECK(first[{kRateOfAllCores, "DRAM, read"}] == doctest::Approx(4.62e12).epsilon(0.01)); // bytes a second
    CHECK(first[{kLevelEndsAt, "L1"}] == doctest::Approx(208 << 10).epsilon(0.01));
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

TEST_CASE("diagnose --full: every statement stands above its table, and nothing says that there is more") {
    const std::string all = sonde_run("diagnose --full " + recorded::quick(1)).out;
    std::vector<std::size_t> at;
    for (const Json& finding : Json::parse(sonde_run("diagnose --json " + recorded::quick(1)).out)) {
        if (finding["type"] != "finding" || !finding.contains("subject")) continue;
        const std::size_t number = at.size() + 1;
        CAPTURE(number);
        at.push_back(all.find(fmt::format("[{}] ", number)));
        CHECK(at.back() != std::string::npos);
        if (finding.contains("table"))
            CHECK(all.find(finding["table"]["columns"].at(0).get<std::string>(), at.back()) != std::string::npos);
    }
    CHECK(at.size() > 20);
    CHECK_FALSE(says(all, " more below"));
}

TEST_CASE("diagnose --full: where nothing speaks of a series that is said, and not beside a table of theirs") {
    const std::string silent = "Nothing else is";
    const Folder folder;
    const auto full = [&](const char* probe, const std::vector<std::string_view>& paths) {
        return sonde_run(
            "diagnose --full " + recorded::part_of(recorded::kMemory, folder.file("part.jsonl"), probe, paths))
            .out;
    };
    CHECK(says(full("bandwidth", {"scratchpad"}), silent));
    CHECK_FALSE(says(full("latency", {"cluster"}), silent));
}

TEST_CASE("two cards of one model: what they have in common is said once, then what differs") {
    Folder folder;
    const Ran alike = sonde_run("diagnose " + with_second_card(recorded::run(1), folder.file("alike.jsonl"), 1));
    CHECK(alike.code == 0);
    CHECK(says(alike.out, "2 equal cards"));
    CHECK_FALSE(says(alike.out, "cards differ"));
    CHECK(says(alike.out, "no difference"));
    CHECK(says(alike.out, kLatencyWithIndex));
    CHECK(alike.out.find(kLatencyWithIndex) == alike.out.rfind(kLatencyWithIndex));
    const Ran apart = sonde_run("diagnose " + with_second_card(recorded::run(1), folder.file("apart.jsonl"), 1.1));
    CHECK(says(apart.out, "cards differ"));
    CHECK(says(apart.out, kLatencyWithIndex));
    CHECK(apart.out.find(kLatencyWithIndex) == apart.out.rfind(kLatencyWithIndex));
}

TEST_CASE("two cards of one model with different drivers are each told in full") {
    Folder folder;
    const Ran other =
        sonde_run("diagnose " + with_second_card(recorded::run(1), folder.file("driver.jsonl"), 1, "another driver"));
    CHECK(other.code == 0);
    CHECK_FALSE(says(other.out, "equal cards"));
    CHECK(other.out.find(kLatencyWithIndex) != other.out.rfind(kLatencyWithIndex));
}

TEST_CASE("a number of several cards is told of each that has it, and one that none has is refused before any") {
    Folder folder;
    const std::string file = with_second_card(recorded::run(1), folder.file("two.jsonl"), 1, "another driver");
    const Ran first = sonde_run("diagnose " + file + " 1");
    CHECK(first.code == 0);
    CHECK(first.out.find("[1]") != first.out.rfind("[1]"));
    const Ran none = sonde_run("diagnose " + file + " 1 1000");
    CHECK(none.code == 2);
    CHECK(none.out.empty());
}

TEST_CASE("series whose device no usable line describes are counted, and no command ends in a crash") {
    const Folder folder;
    const std::string file = folder.file("damaged.jsonl"), whole = File::open(recorded::quick(1)).lines().text;
    const auto damaged = [&](auto&& replaced) {
        std::ofstream out(file, std::ios::binary);
        for (const std::string& line : split(whole, '\n'))
            if (!line.empty()) out << (line.starts_with("{\"type\":\"device\"") ? replaced(line) : line) << '\n';
    };
    using Replaced = std::string (*)(const std::string&);
    for (const Replaced replaced : std::initializer_list<Replaced>{[](const std::string&) { return std::string(); },
             [](const std::string& line) { return line.substr(0, line.size() / 2); },
             [](const std::string& line) { return "\xff\xfe" + line; },
             [](const std::string&) { return std::string(R"({"type":"device","id":7})"); }}) {
        damaged(replaced);
        for (const char* command : {"diagnose", "diagnose --full", "diagnose --json", "show", "report --out -"}) {
            CAPTURE(std::string(command));
            const Ran ran = sonde_run(fmt::format("{} {}", command, file));
            CHECK(ran.code < 3); // no signal
            CHECK(says(ran.err, "which no line of the file describes") == says(command, "diagnose"));
            CHECK_FALSE(says(ran.out, "% of its peak"));
        }
        CHECK(sonde_run(fmt::format("compare {}", file)).code < 3);
    }
}
