// compare, as typed.
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/json.h"
#include "tests/command.h"
#include "tests/recorded.h"

using namespace sonde;
using namespace command;

TEST_CASE("compare as typed: two runs of one card, and --json with every comparison") {
    const std::string runs = recorded::run(1) + " " + recorded::run(2);
    const Ran text = sonde_run("compare " + runs);
    CHECK(text.code == 0);
    CHECK(text.err.empty());
    CHECK(one_line(text.out));
    CHECK(says(text.out, "no difference beyond the noise"));
    const Ran json = sonde_run("compare --json " + runs);
    REQUIRE(json.code == 0);
    const Json rows = Json::parse(json.out);
    CHECK_FALSE(rows.empty());
    for (const Json& row : rows) CHECK(row["differs"] == false);
}
