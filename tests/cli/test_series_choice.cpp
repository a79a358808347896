// --probe, --path and --device, as typed: the same words for show, diagnose, compare and report.
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/json.h"
#include "core/cli/series_choice.h"
#include "core/data/results.h"
#include "tests/command.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;

namespace {
/// A reading command, what stands behind its name, and how it prints JSON.
const std::string kReaders[] = {"show " + recorded::quick(1), "diagnose " + recorded::quick(1),
    "compare " + recorded::quick(1) + " " + recorded::quick(2), "report " + recorded::quick(1) + " -o -"};

/// Values of a field in a page's data, wherever it stands.
std::set<std::string> values_of(const Json& json, const char* field) {
    std::set<std::string> values;
    for (const Json& card : json["cards"])
        for (const Json& series : card["series"]) values.insert(series[field].get<std::string>());
    return values;
}

Json page_data_of(const std::string& page) {
    const std::string begin = R"(<script type="application/json" id="data">)";
    const std::size_t from = page.find(begin);
    REQUIRE(from != page.npos);
    return Json::parse(page.substr(from + begin.size(), page.find("</script>", from) - from - begin.size()));
}
} // namespace

TEST_CASE("every reader refuses a word that chooses nothing, with the nearest name of the file") {
    struct Row {
        const char *words, *says;
    };
    for (const std::string& reader : kReaders)
        for (const Row& row : {Row{"--probe lat", "probe 'lat'; nearest: latency"}, {"--path globl", "global"},
                 {"--device vulcan", "vulkan:0"}, {"--device vulkan:3", "no series of device 'vulkan:3'"},
                 {"--probe launch --path texel", "no series of path 'texel'; it has"}}) {
            const Ran ran = sonde_run(reader + " " + row.words);
            CAPTURE(reader);
            CAPTURE(row.words);
            CAPTURE(ran.err);
            CHECK(ran.code == 2);
            CHECK(one_line(ran.err));
            CHECK(says(ran.err, row.says));
            CHECK(ran.out.empty());
        }
}

TEST_CASE("a card's words choose in every reader: gpu, its PCI address, all") {
    const std::string address = read_run(recorded::quick(1)).devices.at(0).pci;
    REQUIRE_FALSE(address.empty());
    for (const std::string& reader : kReaders) {
        const auto with = [&](const std::string& device) {
            const Ran ran = sonde_run(fmt::format("{} --probe latency --device {}", reader, device));
            CHECK(ran.code == 0);
            return ran.out.substr(0, ran.out.find("\nmore:")); // which repeats the words
        };
        CAPTURE(reader);
        CHECK(with("gpu").size() == with("all").size());
        CHECK(with(address).size() == with("all").size());
        CHECK(with("cuda,opencl").size() < with("all").size());
    }
}

TEST_CASE("diagnose has the chosen series alone, with the levels' names of the whole file") {
    std::set<std::string> names;
    for (const Json& each : Json::parse(
             sonde_run("diagnose --json --probe latency --path texel --device vulkan " + recorded::quick(1)).out)) {
        if (each["type"] != "finding" || each["kind"] != "level") continue;
        CHECK(each["probe"] == "latency");
        CHECK(each["path"] == "texel");
        CHECK(each["device"] == "vulkan:0");
        names.insert(each["level"].get<std::string>());
    }
    CHECK(names.contains("L2 far"));
}

TEST_CASE("compare judges the chosen questions alone, as among all of them") {
    const std::string files = recorded::quick(1) + " " + recorded::quick(2);
    const auto rows = [&](const std::string& words) {
        std::set<std::string> found;
        for (const Json& each : Json::parse(sonde_run("compare --json " + files + " " + words).out))
            if (each.contains("probe"))
                found.insert(fmt::format("{} {}", each["probe"].get<std::string>(), each["item"].get<std::string>()));
        return found;
    };
    const std::set<std::string> all = rows(""), some = rows("--probe bandwidth --device cuda");
    CHECK_FALSE(some.empty());
    for (const std::string& row : some) {
        CHECK(row.starts_with("bandwidth "));
        CHECK(all.contains(row));
    }
}

TEST_CASE("a page draws the chosen series") {
    const Json data =
        page_data_of(sonde_run("report -o - --probe latency,tlb --device cuda " + recorded::quick(1)).out);
    CHECK(values_of(data, "probe") == std::set<std::string>{"latency", "tlb"});
    CHECK(values_of(data, "device") == std::set<std::string>{"cuda:0"});
    CHECK(data["probes"].size() == 2);
}

TEST_CASE("words choose a series whose device no line describes by its own names") {
    Run run;
    run.series.push_back({.id = {"latency", "cuda:7", "global", {}}, .api = "cuda"});
    CHECK(is_chosen({.devices = {"cuda"}}, run.series[0], run));
    CHECK(is_chosen({.devices = {"cuda:7"}, .probes = {"latency"}}, run.series[0], run));
    CHECK_FALSE(is_chosen({.devices = {"cuda:7"}, .probes = {"tlb"}}, run.series[0], run));
    CHECK_FALSE(is_chosen({.paths = {"texel"}}, run.series[0], run));
}
