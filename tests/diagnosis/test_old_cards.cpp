// What a quick run of modelled cards that are no longer sold says unaided of the paths that their APIs reach
// (tests/model/old_cards.cpp).
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/json.h"
#include "tests/command.h"
#include "tests/places.h"

using namespace sonde;
using namespace command;

namespace {
/// What `diagnose` says after a quick run of a card.
class Diagnosed {
public:
    Diagnosed(const std::string& card, const std::string& series) {
        const Folder folder;
        const std::string file = folder.file("old.jsonl"),
                          program = (std::filesystem::path(places::pretended_drivers) / "old_cards_sonde").string();
        const Ran ran = sonde_run(fmt::format("run {} --profile quick --out {}", series, file),
            fmt::format("'SONDE_OLD_CARD={}'", card), "", "", program);
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        said_ = Json::parse(sonde_run("diagnose --json " + file).out);
    }

    /// What a table's row has for a device.
    Json cell(const std::string& table, const std::string& section, const std::string& place,
        const std::string& device) const {
        for (const Json& said : said_) {
            if (said.value("type", "") != "table" || said.value("name", "") != table) continue;
            const auto& columns = said["columns"];
            const auto column = std::find(columns.begin(), columns.end(), device) - columns.begin();
            for (const Json& row : said["rows"])
                if (row.value("section", "").starts_with(section) && row["place"] == place)
                    return row["cells"][static_cast<std::size_t>(column)];
        }
        return {};
    }
    double number(const std::string& section, const std::string& place, const std::string& device) const {
        return cell("levels", section, place, device).value("value", NAN);
    }
    std::size_t facts(const std::string& rule) const {
        return static_cast<std::size_t>(std::ranges::count_if(said_,
            [&](const Json& said) { return said.value("type", "") == "finding" && said.value("name", "") == rule; }));
    }

private:
    Json said_;
};
const std::string kTakes = "latency", kEnds = "footprint";
} // namespace

TEST_CASE("GTX 680, modelled: Vulkan alone reaches L1, with its smallest size; four texture caches; constants") {
    const Diagnosed card("GeForce GTX 680", "latency l1-per-core sharing");
    CHECK(card.number(kTakes, "L1", "vulkan:0") == doctest::Approx(55));
    CHECK(card.number(kEnds, "L1", "vulkan:0") == doctest::Approx(16 << 10).epsilon(0.05));
    for (const char* device : {"cuda:0", "opencl:0"}) {
        CAPTURE(device);
        CHECK(card.cell("levels", kTakes, "L1", device)["lack"] == "not reached");
        CHECK(card.number(kTakes, "L2", device) == doctest::Approx(260));
    }
    CHECK(card.facts("l1_not_reached") == 1);
    CHECK(card.facts("smallest_split") == 1);
    for (const char* device : {"cuda:0", "opencl:0", "vulkan:0"}) {
        CAPTURE(device);
        CHECK(card.number(kTakes, "texture L1", device) == doctest::Approx(106));
        CHECK(card.number(kEnds, "texture L1", device) == doctest::Approx(12 << 10).epsilon(0.08));
        CHECK(card.number(kEnds, "texture L1s of a core", device) == 4);
        CHECK(card.number(kEnds, "constant L1", device) == doctest::Approx(2 << 10).epsilon(0.06));
        CHECK(card.number(kEnds, "constant L2", device) == doctest::Approx(32 << 10).epsilon(0.06));
    }
}

TEST_CASE("HD 7950, modelled: constants by the vector path, uniform addresses by the scalar cache, each one fact") {
    const Diagnosed card("Radeon HD 7950", "latency --path global,global.uniform,constant,constant.uniform,scratchpad");
    for (const char* device : {"opencl:0", "vulkan:0"}) {
        CAPTURE(device);
        CHECK(card.number(kTakes, "L1", device) == doctest::Approx(123));
        CHECK(card.number(kTakes, "scalar L1", device) == doctest::Approx(48));
        CHECK(card.cell("levels", kTakes, "constant L1", device).is_null());
    }
    CHECK(card.facts("constant_is_global") == 1);
    CHECK(card.facts("uniform_apart") == 2); // on global memory, and on constants
}
