// Runs on a modelled machine of four cards, which links of two kinds join: what pairs move, alone and together.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/data/results.h"
#include "tests/command.h"
#include "tests/places.h"
#include "tests/says.h"
#include "tests/schema_file.h"

using namespace sonde;
using namespace command;

namespace {
const std::string kModelledNode = std::string(places::pretended_drivers) + "/faults/modelled_sonde",
                  kLinks = "SONDE_MODEL_LINKS=1";

Ran node(const std::string& words) { return sonde_run(words, kLinks, "", "", kModelledNode); }

/// Of those that `diagnose --json` prints.
std::vector<Json> findings_named(const Json& all, const char* field, const char* value) {
    std::vector<Json> found;
    std::ranges::copy_if(
        all, std::back_inserter(found), [&](const Json& finding) { return text_field(finding, field) == value; });
    return found;
}

double number_of_cell(const Json& grid, const char* place, const char* column) {
    const auto columns = grid["columns"].get<std::vector<std::string>>();
    const auto at = std::ranges::find(columns, column) - columns.begin();
    for (const Json& row : grid["rows"])
        if (text_field(row, "place") == place) return row["cells"].at(static_cast<std::size_t>(at))["value"];
    return 0;
}
} // namespace

TEST_CASE("a machine of four cards: each pair is measured, and the slow one is marked") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl"), page = folder.file("r.html");
    const Ran ran = node("run transfer --path peer --option peer=all --option engine=copy --option direction=to-peer "
                         "--option test=default --option cards=default --profile quick --time 60 --out " +
                         file);
    CAPTURE(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(schema_complaint(file) == "");
    CHECK(read_run(file).series.size() == 12);
    const Json all = read_json(node("diagnose --json " + file).out);
    const auto tables = findings_named(all, "name", "pairs of cards");
    REQUIRE(tables.size() == 1);
    CHECK(number_of_cell(tables[0], "model:0", "model:1") == doctest::Approx(100e9).epsilon(0.05));
    CHECK(number_of_cell(tables[0], "model:2", "model:0") == doctest::Approx(25e9).epsilon(0.05));
    CHECK(number_of_cell(tables[0], "model:3", "model:1") == doctest::Approx(12.5e9).epsilon(0.05));
    const auto slow = findings_named(all, "kind", "slow pair");
    REQUIRE(slow.size() == 2); // one way and the other
    for (const Json& pair : slow) {
        CHECK(std::set{text_field(pair, "device"), text_field(pair, "other")} ==
              std::set<std::string>{"model:1", "model:3"});
        CHECK(pair["share"] == doctest::Approx(0.5).epsilon(0.05));
    }
    const auto links = findings_named(all, "kind", "link");
    REQUIRE(links.size() == 2);
    CHECK(links[0]["pairs"].size() == 2);
    CHECK(links[1]["pairs"].size() == 4);
    for (const char* command : {"diagnose ", "show "}) CHECK(says(node(command + file).out, "SLOW model:1 to model:3"));
    REQUIRE(node("report " + file + " --out " + page).code == 0);
    CHECK(says(text_of_file(page), "Slow pair: model:1 to model:3"));
}

TEST_CASE("all cards at the same time: what they share shows as a share of one alone") {
    const Folder folder;
    const std::string file = folder.file("r.jsonl");
    const Ran ran = node("run transfer --path host --option cards=all,default --option engine=copy --option "
                         "direction=to-device --option memory=pinned --option test=default --option sizes=default "
                         "--option alignment=default --profile quick --time 60 --out " +
                         file);
    CAPTURE(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(schema_complaint(file) == "");
    const Run run = read_run(file);
    CHECK(run.series.size() == 5);
    CHECK(std::ranges::count(
              run.series, 4u, [](const Series& each) { return each.evidence.cards_together.value_or(0); }) == 1);
    const auto tables = findings_named(read_json(node("diagnose --json " + file).out), "name", "cards together");
    REQUIRE(tables.size() == 1);
    CHECK(number_of_cell(tables[0], "from the host", "cards") == 4);
    CHECK(number_of_cell(tables[0], "from the host", "share") == doctest::Approx(0.5).epsilon(0.05));
}
