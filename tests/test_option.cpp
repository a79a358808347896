// Which series follow from options: variants, what is measured on request only, what is accepted besides.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "core/option.h"
#include "core/probes/probes.h"

using namespace sonde;

namespace {
using Sets = std::vector<std::map<std::string, std::string>>;

Sets sets(const char* probe, const char* path, const AskedOptions& asked = {}) { return option_sets(*find_probe(probe), *find_path(path), asked); }

bool no_set_twice(const Sets& all) { return std::set(all.begin(), all.end()).size() == all.size(); }
} // namespace

TEST_CASE("what is measured on request only is left out until it is named") {
    CHECK(sets("sharing", "texel") == Sets{{{"with", "global"}}});
    CHECK(sets("sharing", "global").size() == 2);
    CHECK(sets("sharing", "texel", {{"with", {"local", "constant"}}}).size() == 2);
    CHECK(sets("sharing", "texel", {{"width", {"4"}}}) == sets("sharing", "texel")); // of another probe
}

TEST_CASE("an accepted option replaces the variants that set it, and multiplies the others") {
    const Sets unasked = sets("split", "global");
    CHECK(std::count_if(unasked.begin(), unasked.end(), [](const auto& set) { return set.contains("carveout"); }) == 2);
    const Sets asked = sets("split", "global", {{"carveout", {"25", "50"}}});
    CHECK(asked.size() == 8); // four shares of scratchpad
    CHECK(no_set_twice(asked));
    CHECK(std::all_of(asked.begin(), asked.end(), [](const auto& set) { return set.contains("carveout"); }));
    CHECK(sets("split", "global", {{"carveout", {"25"}}, {"scratchpad", {"0"}}}) == Sets{{{"carveout", "25"}, {"scratchpad", "0"}}});
}
