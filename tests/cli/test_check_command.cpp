// check, as typed: recorded runs, some of whose values are scaled, and modelled cards.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "tests/command.h"
#include "tests/recorded.h"
#include "tests/required.h"
#include "tests/thorough.h"

using namespace sonde;
using namespace command;

namespace {
const std::string kNode = fmt::format("{}/results/node-of-four/quick.jsonl.gz", places::source);

/// Series and findings as `change` leaves them; all else as it is.
std::string changed(const std::string& from, const std::string& to, const std::function<void(Json&)>& change) {
    const auto in = open_to_read(from);
    std::ofstream out(to);
    for (std::string line; std::getline(*in, line);) {
        Json json = Json::parse(line);
        if (json["type"] == "series" || json["type"] == "finding") change(json), line = json.dump();
        out << line << "\n";
    }
    return to;
}

/// DRAM reads of a device through `bandwidth`, so many times as fast.
std::function<void(Json&)> dram_reads(const std::string& device, double times) {
    constexpr double kBeyondCaches = 200 << 20;
    return [=](Json& json) {
        if (json["type"] != "series" || json["probe"] != "bandwidth" || json["device"] != device) return;
        for (Json& point : json["points"])
            if (point["x"].get<double>() > kBeyondCaches)
                for (const char* value : {"median", "low", "high"})
                    if (point[value].is_number()) point[value] = times * point[value].get<double>();
    };
}

Json checked(const std::string& words, int code) {
    const Ran ran = sonde_run("check --json " + words);
    CAPTURE(ran.err);
    CAPTURE(ran.out);
    CHECK(ran.code == code);
    return Json::parse(ran.out, nullptr, false);
}

std::set<std::string> short_of(const Json& card) {
    std::set<std::string> names;
    for (const Json& number : card["numbers"])
        if (number["falls_short"] == true)
            names.insert(fmt::format("{} {}", number["device"].get<std::string>(), number["name"].get<std::string>()));
    return names;
}
std::map<std::string, int> judged_by(const Json& card) {
    std::map<std::string, int> counts;
    for (const Json& number : card["numbers"]) ++counts[number.value("by", "")];
    return counts;
}

/// Samples of a text in OpenMetrics' form by name and labels; checks its form: types and help before samples, families
/// in one piece, the end.
std::map<std::string, double> samples_of(const std::string& text) {
    std::map<std::string, double> samples;
    std::set<std::string> ended;
    std::string family, type;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        CHECK_FALSE(samples.contains("# EOF"));
        if (line == "# EOF") samples["# EOF"] = 0;
        else if (line.starts_with("# TYPE ")) {
            ended.insert(family);
            family = line.substr(7, line.find(' ', 7) - 7), type = line.substr(line.rfind(' ') + 1);
            CHECK_FALSE(ended.contains(family));
            CHECK((type == "gauge" || type == "counter"));
        } else if (line.starts_with("# UNIT ")) {
            const std::string unit = line.substr(line.rfind(' ') + 1);
            CHECK(family.ends_with("_" + unit));
        } else if (line.starts_with("# HELP ")) CHECK(line.starts_with("# HELP " + family + " "));
        else {
            const std::size_t brace = line.find('{'), last = line.rfind(' ');
            REQUIRE(brace != line.npos);
            CHECK(line.substr(0, brace) == family + (type == "counter" ? "_total" : ""));
            CHECK(samples.emplace(line.substr(0, last), std::stod(line.substr(last))).second);
        }
    }
    CHECK(samples.contains("# EOF"));
    return samples;
}
} // namespace

TEST_CASE("check: four equal cards are ok by each other, and a slowed one alone is named with its number") {
    const Json all = checked(kNode, 0);
    REQUIRE(all.size() == 4);
    for (const Json& card : all) {
        CHECK(card["state"] == "ok");
        CHECK(card["pci"].get<std::string>().starts_with("0000:"));
        CHECK(card["uuid"].get<std::string>().starts_with("GPU-"));
        CHECK(judged_by(card)["equal cards"] >= 10);
    }
    const Folder folder;
    const std::string slowed = changed(kNode, folder.file("slowed.jsonl"), dram_reads("cuda:2", 0.92));
    const Json named = checked(slowed, 1);
    REQUIRE(named.size() == 4);
    for (const Json& card : named) {
        const bool is_it = card["devices"][0] == "cuda:2";
        CHECK(card["state"] == (is_it ? "slow" : "ok"));
        CHECK(short_of(card) == (is_it ? std::set<std::string>{"cuda:2 DRAM read"} : std::set<std::string>{}));
    }
    const Ran text = sonde_run("check " + slowed);
    CHECK(std::ranges::count(text.out, '\n') == 4);
    CHECK(says(text.out, "slow: cuda:2 (NVIDIA H200, GPU-"));
    CHECK(sonde_run("check --tolerance 12% " + slowed).code == 0);
    CHECK(checked("--device cuda:2 " + slowed, 0).size() == 1); // by what is documented, as no other card is asked for
}

TEST_CASE("check --against: recorded runs of a good card are what a card is held against") {
    const std::string good = fmt::format("--against {} --against {} ", recorded::quick(1), recorded::quick(3));
    const Json same = checked(good + recorded::quick(2), 0);
    REQUIRE(same.size() == 1);
    CHECK(judged_by(same[0])["recorded"] >= 10);
    const Folder folder;
    const std::string slowed = changed(recorded::quick(2), folder.file("slowed.jsonl"), dram_reads("vulkan:0", 0.9));
    const Json named = checked(good + slowed, 1);
    CHECK(named[0]["state"] == "slow");
    CHECK(short_of(named[0]) == std::set<std::string>{"vulkan:0 DRAM read"});
    const Ran other = sonde_run(fmt::format("check {} --against {}", recorded::kH100, recorded::quick(1)));
    CHECK(one_line(other.err)); // the reference has no such card
    CHECK(other.code == 0);
}

TEST_CASE("check: a lone card is held against what is documented") {
    const Json alone = checked(recorded::kH100, 0);
    CHECK(judged_by(alone[0])["documented"] >= 3);
    const Folder folder;
    const Json named = checked(changed(recorded::kH100, folder.file("slowed.jsonl"), dram_reads("cuda:0", 0.7)), 1);
    CHECK(short_of(named[0]) == std::set<std::string>{"cuda:0 DRAM read"});
}

TEST_CASE("check: a card that others used is void, and its line names them") {
    const Folder folder;
    const std::string used = changed(kNode, folder.file("used.jsonl"), [](Json& json) {
        if (json["type"] != "series" || !json["device"].get<std::string>().ends_with(":1") || json["points"].empty())
            return;
        json["status"] = "unstable";
        json["doubts"] = Json::array({{{"kind", "other_processes"}}});
        json["evidence"]["telemetry"]["others"] = Json::array({{{"pid", 4711}, {"busy_percent", 97}}});
    });
    const Ran ran = sonde_run("check " + used);
    CHECK(ran.code == 1);
    CHECK(says(ran.out, "void: cuda:1 ("));
    CHECK(says(ran.out, "4711"));
}

TEST_CASE("check --metrics: every card's numbers, in base units, in a form that Prometheus reads") {
    const Folder folder;
    const std::string slowed = changed(kNode, folder.file("slowed.jsonl"), dram_reads("cuda:2", 0.92));
    const Ran ran = sonde_run("check --metrics " + slowed);
    CHECK(ran.code == 1);
    const auto samples = samples_of(ran.out);
    std::size_t ok = 0, cards = 0, reads = 0;
    for (const auto& [name, value] : samples) {
        if (name.starts_with("sonde_card_ok")) ++cards, ok += value == 1;
        if (name.starts_with("sonde_read_bytes_per_second") && says(name, "level=\"DRAM\"")) {
            ++reads;
            CHECK(value > 4e12);
            CHECK(value < 5e12);
        }
        if (name.starts_with("sonde_load_latency_seconds")) CHECK((value > 1e-9 && value < 1e-6));
    }
    CHECK(cards == 4);
    CHECK(ok == 3);
    CHECK(reads == 12); // through three APIs each
    if (!thorough()) return;
    if (std::system("/usr/bin/python3 -c 'import prometheus_client' 2>/dev/null") != 0)
        return skip("no python3-prometheus-client: apt-get install python3-prometheus-client");
    std::ofstream(folder.file("card.prom")) << ran.out;
    const std::string parse =
        fmt::format("/usr/bin/python3 -c 'import sys\nfrom prometheus_client.openmetrics.parser import "
                    "text_string_to_metric_families as openmetrics\nfrom prometheus_client.parser "
                    "import text_string_to_metric_families as plain\ntext = open(sys.argv[1]).read()\n"
                    "for parse in openmetrics, plain:\n    "
                    "print(sum(len(each.samples) for each in parse(text)))' {} > {}",
            folder.file("card.prom"), folder.file("counts"));
    CHECK(std::system(parse.c_str()) == 0);
    CHECK(text_of(folder.file("counts")) == fmt::format("{0}\n{0}\n", samples.size() - 1));
}

TEST_CASE("check: what it cannot do is a usage error of one line") {
    for (const std::string& words : {"--tolerance much " + kNode, "--tolerance 100% " + kNode,
             std::string("none-such.jsonl"), "--against none-such.jsonl " + kNode, "--json --metrics " + kNode,
             "--out kept.jsonl " + kNode, "--via 'ssh lab7' " + kNode, "--device nvidia " + kNode}) {
        CAPTURE(words);
        const Ran ran = sonde_run("check " + words);
        CHECK(ran.code == 2);
        CHECK(one_line(ran.err));
        CHECK(ran.out.empty());
    }
}

namespace {
Ran modelled(const std::string& words, const std::string& environment) {
    return sonde_run("check " + words, fmt::format("{} {}", no_drivers(), environment), "", "",
        (std::filesystem::path(places::pretended_drivers) / "faults/modelled_sonde").string());
}
} // namespace

TEST_CASE("check measures all cards by itself, names a slow one, and keeps the run where that is asked for") {
    const Folder folder;
    const std::string file = folder.file("kept.jsonl");
    const Ran slow = modelled("--json --out " + file, "SONDE_MODEL_CARDS=2 SONDE_MODEL_SLOW=1.3");
    CAPTURE(slow.err);
    CHECK(slow.code == 1);
    const Json cards = Json::parse(slow.out);
    REQUIRE(cards.size() == 2);
    CHECK(cards[0]["state"] == "ok");
    CHECK(cards[1]["state"] == "slow");
    const std::set<std::string> named = short_of(cards[1]);
    CHECK_FALSE(named.empty());
    CHECK(std::ranges::all_of(named, [](const std::string& name) { return name.ends_with("latency"); }));
    CHECK(Json::parse(sonde_run("check --json " + file).out) == cards);
    if (!thorough()) return; // it takes as long again
    const Ran well = modelled("", "SONDE_MODEL_CARDS=2");
    CAPTURE(well.out);
    CHECK(well.code == 0);
    CHECK(std::ranges::count(well.out, '\n') == 2);
    const Ran room = modelled("--json --via env --via 'env SONDE_MODEL_SLOW=1.3'", "SONDE_MODEL_CARDS=1");
    CHECK(room.code == 1);
    std::multiset<std::string> states;
    for (const Json& card : Json::parse(room.out)) states.insert(card["state"].get<std::string>());
    CHECK(states == std::multiset<std::string>{"ok", "slow"});
}

TEST_CASE("check names a card whose clock is held back, and why, and a card that another program uses") {
    const Ran held = modelled("--json", "SONDE_MODEL_CARDS=2 SONDE_MODEL_CLOCK=0.7");
    CAPTURE(held.err);
    CHECK(held.code == 1);
    const Json cards = Json::parse(held.out);
    REQUIRE(cards.size() == 2);
    CHECK(cards[0]["state"] == "ok");
    CHECK(cards[1]["state"] == "slow");
    const std::set<std::string> named = short_of(cards[1]);
    CHECK(std::ranges::any_of(named, [](const std::string& name) { return name.ends_with("latency"); }));
    CHECK(std::ranges::any_of(named, [](const std::string& name) { return says(name, "fma.f32"); }));
    CHECK(std::ranges::any_of(cards[1]["signs"],
        [](const Json& sign) { return sign["kind"] == "throttled" && says(sign.dump(), "temperature"); }));
    const Ran used = modelled("", "SONDE_MODEL_CARDS=2 SONDE_MODEL_USER=60");
    CHECK(used.code == 1);
    CHECK(says(used.out, "void: model:1"));
    CHECK(says(used.out, "pid 1 (60 % busy)"));
    CHECK_FALSE(says(used.out, "void: model:0"));
}

TEST_CASE("check of several machines holds each card against those of the others, and says which it is of") {
    const Folder folder;
    std::string files;
    for (const int number : {1, 2, 3}) {
        const std::string file = folder.file(fmt::format("lab{}.jsonl", number));
        const auto in = open_to_read(recorded::quick(1));
        std::ofstream out(file);
        const auto slow = dram_reads("cuda:0", number == 2 ? 0.9 : 1);
        for (std::string line; std::getline(*in, line);) {
            Json json = Json::parse(line);
            if (json["type"] == "run") json["started"] = fmt::format("2026-11-30T07:12:0{}Z", number); // no copy
            if (json["type"] == "device") json["uuid"] = "";
            if (json.contains("card")) json["card"] = json["card"] == "cpu" ? "cpu" : "0000:1b:00.0"; // of each machine
            if (json["type"] == "series") slow(json);
            out << json.dump() << "\n";
        }
        files += " " + file;
    }
    const Json cards = checked(files, 1);
    REQUIRE(cards.size() == 3);
    for (const Json& card : cards) {
        CHECK(judged_by(card)["equal cards"] >= 10);
        CHECK(card["state"] == (card["where"] == "lab2" ? "slow" : "ok"));
    }
    CHECK(samples_of(sonde_run("check --metrics " + files).out).size() > 100);
    // The same card twice is no other card.
    const Json same = checked(recorded::quick(1) + " " + recorded::quick(2), 0);
    for (const Json& card : same) CHECK(judged_by(card)["equal cards"] == 0);
}

TEST_CASE("check without a card ends with 3, and a driver's crash is no good card") {
    CHECK(modelled("", "SONDE_MODEL_CARDS=0").code == 3);
    CHECK(modelled("--device cuda", "SONDE_MODEL_CARDS=1").code >= 2);
    const Ran crashed = modelled("--json", "SONDE_MODEL_CARDS=1 SONDE_FAULT_MODEL=run@400=crash");
    CHECK(crashed.code == 1);
    const Json cards = Json::parse(crashed.out);
    REQUIRE(cards.size() == 1);
    CHECK(std::ranges::any_of(cards[0]["signs"], [](const Json& sign) { return sign["kind"] == "failed"; }));
}
