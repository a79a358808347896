// code-size: what it says of series.
#include <doctest/doctest.h>

#include "tests/probes/probe_series.h"

using namespace sonde;

TEST_CASE("code-size: each level of instruction caches, with the loop that it holds") {
    std::vector<std::pair<double, double>> points;
    for (int half = 0; half <= 20; ++half) {
        const double bytes = 1024 * std::exp2(half / 2.0);
        points.emplace_back(bytes, bytes <= 33e3 ? 0.27 : bytes <= 132e3 ? 0.5 : 1.3);
    }
    const auto findings = find_probe("code-size")->findings(made("code-size", "global", {{"on", "one-subgroup"}}, points), {});
    REQUIRE(findings.size() == 3);
    CHECK(findings[0].name == "level 1");
    CHECK(findings[0].text.find("0.27 ns an instruction of a subgroup, in loops of code of up to 32-45.") != std::string::npos);
    CHECK(findings[1].text.find("0.5 ns an instruction of a subgroup, in loops of code of up to 128-181") != std::string::npos);
    CHECK(findings[2].text.ends_with("1.3 ns an instruction of a subgroup, in loops of code of up to 1 MiB, the largest measured"));
    points.resize(15); // to 128 KiB, where an instruction begins to take longer
    points.back().second = 0.57;
    const Finding longer = find_probe("code-size")->findings(made("code-size", "global", {{"on", "one-subgroup"}}, points), {}).back();
    CHECK(longer.text.ends_with("0.5 ns an instruction of a subgroup, in loops of code of up to 90.5 KiB, the largest measured 0.57 ns at 128 KiB"));
}
