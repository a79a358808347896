// One file has the same levels, by name, value and end, whichever command tells of them, and of whatever part.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/data/series.h"
#include "tests/command.h"
#include "tests/recorded.h"
#include "tests/thorough.h"

using namespace sonde;
using namespace command;

namespace {
/// Of `diagnose --json`: each level as device, path, options, name, value and ends.
std::set<std::string> levels_in_json(const std::string& words) {
    std::set<std::string> levels;
    const Ran ran = sonde_run("diagnose --json " + words);
    REQUIRE(ran.code == 0);
    for (const Json& each : Json::parse(ran.out))
        if (text_field(each, "kind") == "level")
            levels.insert(fmt::format("{} {} {} {} {} {}", text_field(each, "device"), text_field(each, "path"),
                each["options"].dump(), text_field(each, "level"), each["value"].dump(),
                each.contains("capacity_bytes") ? each["capacity_bytes"].dump() : ""));
    return levels;
}

/// Of `show`: the rows of its table of levels, below the device and path of each.
std::set<std::string> levels_shown(const std::string& words) {
    std::set<std::string> levels;
    const Ran ran = sonde_run("show " + words, "COLUMNS=1000");
    REQUIRE(ran.code == 0);
    bool here = false;
    std::string of;
    for (const std::string& line : split(ran.out, '\n')) {
        if (line.starts_with("== levels")) here = true;
        else if (line.empty()) here = false;
        if (!here || line.starts_with("==")) continue;
        if (line[0] != ' ') { // the first one's line has the heads of the columns, too
            of = line.substr(0, line.find("  "));
            continue;
        }
        std::string row = of;
        for (const std::string& cell : split(line, ' '))
            if (!cell.empty()) row += " | " + cell;
        levels.insert(row);
    }
    return levels;
}

void is_part_of(const std::set<std::string>& part, const std::set<std::string>& whole) {
    CHECK_FALSE(part.empty());
    for (const std::string& level : part) {
        CAPTURE(level);
        CHECK(whole.contains(level));
    }
}
} // namespace

TEST_CASE("compare has the levels of the files under the card's names") {
    std::map<std::string, std::set<std::string>> names; // by device and path, of latencies without options
    for (const int number : {1, 2})
        for (const Json& each : Json::parse(sonde_run("diagnose --json " + recorded::run(number)).out))
            if (text_field(each, "kind") == "level" && each["options"].empty())
                names[text_field(each, "device") + " " + text_field(each, "path")].insert(text_field(each, "level"));
    std::size_t compared = 0;
    for (const Json& row :
        Json::parse(sonde_run(fmt::format("compare --json {} {}", recorded::run(1), recorded::run(2))).out)) {
        const std::string what = text_field(row, "what"), label = text_field(row["of"], "a");
        const std::size_t item = what.find(": ");
        if (!what.starts_with("latency ") || says(what, " at ") || says(what, " from ") || says(what, ": levels"))
            continue;
        for (const auto& [place, of_place] : names) {
            const auto words = split(place, ' ');
            if (!says(label, words[0]) || what.substr(0, item) != "latency " + words[1]) continue;
            std::string level = what.substr(item + 2);
            if (level.starts_with("capacity of ")) level.erase(0, std::string("capacity of ").size());
            CAPTURE(what);
            CHECK(of_place.contains(level));
            ++compared;
        }
    }
    CHECK(compared > 20);
}

TEST_CASE("diagnose of one device, and show of one path, probe or device, have the levels of the whole file") {
    for (const std::string& file : {recorded::run(1), recorded::quick(1), recorded::kMemory}) {
        if (file == recorded::kMemory && !thorough()) continue; // a minute
        CAPTURE(file);
        const std::set<std::string> told = levels_in_json(file), shown = levels_shown(file);
        CHECK(told.size() > 6);
        for (const char* device : {"cuda", "opencl", "vulkan"})
            is_part_of(levels_in_json(fmt::format("{} --device {}", file, device)), told);
        for (const char* part : {"latency --path global", "--path global", "--device vulkan", "latency"})
            is_part_of(levels_shown(fmt::format("{} {}", file, part)), shown);
    }
}
