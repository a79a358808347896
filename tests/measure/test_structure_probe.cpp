// Structure probes on modelled cards: lines, ways, caches and who shares them.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/probes/probes.h"
#include "tests/model/measured.h"
#include "tests/probes/probe_series.h"
#include "tests/thorough.h"

using namespace sonde;

namespace {
struct Structure {
    const char* what;
    CardModel card;
    std::string probe, path;
    Options options;
    std::optional<double> value; // of the finding; nullopt: there must be none
};

CardModel with_partitions(std::uint32_t copies) {
    CardModel card = small_card("GTX 680");
    card.caches[0].copies = copies;
    return card;
}

CardModel with_random_replacement() {
    CardModel card = small_card("GTX 680");
    card.caches[1].replacement = Replacement::random;
    return card;
}

CardModel with_scratchpad(bool from_first) {
    CardModel card = small_card("GTX 980 Ti");
    card.caches[0].bytes = 64 << 10;
    card.caches[0].ways = 16;
    card.scratchpad_bytes = 66 << 10;
    card.scratchpad_from_first = from_first;
    return card;
}

CardModel with_neighbours(std::uint32_t cores, bool tells_core) {
    CardModel card = small_card("GTX 680");
    card.cores = 12;
    card.caches[0].cores = cores;
    card.tells_core = tells_core;
    return card;
}

std::vector<Structure> structures() {
    const Options fetch1{{"test", "fetch"}, {"level", "1"}}, fetch2{{"test", "fetch"}, {"level", "2"}},
        line1{{"test", "line"}, {"level", "1"}}, line2{{"test", "line"}, {"level", "2"}};
    return {
        {"sectors of 32 bytes", small_card("GTX 680"), "line", "texel", fetch1, 32},
        {"lines of 64 bytes without sectors", small_card("R9 390"), "line", "global", fetch1, 64},
        {"an LLC's sectors", small_card("GTX 680"), "line", "texel", fetch2, 32},
        {"an LLC's lines, hashed", small_card("GTX 680"), "line", "global", line1, 128},
        {"lines of a cache with random replacement", with_random_replacement(), "line", "global", line1, 128},
        {"lines where the index is of address bits", small_card("R9 390"), "line", "global", line1, 64},
        {"a path with two levels has no third", small_card("GTX 680"), "line", "global", line2, std::nullopt},
        {"four ways", small_card("R9 390"), "associativity", "global", {}, 4},
        {"24 ways", small_card("GTX 680"), "associativity", "texel", {}, 24},
        {"a hashed index has no fixed ways", small_card("GTX 680", 256 << 20), "associativity", "global", {},
            std::nullopt},
        {"four caches", with_partitions(4), "l1-per-core", "texel", {}, 4},
        {"two caches", with_partitions(2), "l1-per-core", "texel", {}, 2},
        {"one cache", with_partitions(1), "l1-per-core", "texel", {}, 1},
        {"a texture cache for every core", with_neighbours(1, true), "core-sharing", "texel", {}, 1},
        {"a texture cache for two cores", with_neighbours(2, true), "core-sharing", "texel", {}, 2},
        {"a texture cache for four cores", with_neighbours(4, true), "core-sharing", "texel", {}, 4},
        {"a texture cache for every core, of which none is told", with_neighbours(1, false), "core-sharing", "texel",
            {}, 1},
        {"a texture cache for three cores, of which none is told", with_neighbours(3, false), "core-sharing", "texel",
            {}, 3},
        {"ordinary loads use the texture cache", small_card("GTX 980 Ti"), "sharing", "texel",
            {{"other_path", "global"}}, 1},
        {"textures use the ordinary loads' cache", small_card("GTX 980 Ti"), "sharing", "global",
            {{"other_path", "texel"}}, 1},
        {"ordinary loads pass the texture cache by", small_card("GTX 680"), "sharing", "texel",
            {{"other_path", "global"}}, 0},
        {"a scalar cache is apart", small_card("R9 390"), "sharing", "global.uniform", {{"other_path", "global"}}, 0},
        {"textures leave an L1 that loads must ask for", small_card("K80"), "sharing", "global.ca",
            {{"other_path", "texel"}}, 0},
        {"and are left alone by those that do not ask", small_card("K80"), "sharing", "texel",
            {{"other_path", "global"}}, 0},
        {"scratchpad takes L1", with_scratchpad(true), "sharing", "global", {{"other_path", "scratchpad"}}, 1},
        {"scratchpad has a memory of its own", with_scratchpad(false), "sharing", "global",
            {{"other_path", "scratchpad"}}, 0},
    };
}
} // namespace

TEST_CASE("structure probes on modelled cards: what was put in comes out, and nothing where nothing can be told") {
    CasesOfTheDay day(3);
    for (const Structure& row : structures())
        for (const std::uint32_t seed : {23u, 41u}) { // rows failed with one of thirty, when a dispatch was hardly
                                                      // longer than what warms the caches before
            if (!day.take()) continue;
            CAPTURE(std::string(row.what));
            CAPTURE(seed);
            const auto device = model_device(row.card, seed + 977);
            const Series series = measured(*device, row.probe, row.path, "quick", seed, row.options);
            CAPTURE(series.reason);
            CAPTURE(Json(series.evidence).dump());
            std::string curve;
            for (const Point& point : series.points)
                curve += fmt::format("{}: {:.2f}, ", point.x, point.median.value_or(0));
            CAPTURE(curve);
            REQUIRE(series.status != Status::failed);
            std::vector<Finding> findings;
            if (series.status == Status::ok) findings = find_probe(row.probe)->findings(series, {});
            if (!row.value) { // a measured negative, which says how far was looked
                REQUIRE(series.status == Status::ok);
                CHECK((findings.empty() ? series.evidence.none_seen : findings[0].text).find(" seen up to ") !=
                      std::string::npos);
                if (!findings.empty()) CHECK_FALSE(findings[0].value);
                continue;
            }
            CHECK(series.status == Status::ok);
            REQUIRE(findings.size() == 1);
            CHECK(std::abs(*findings[0].value - *row.value) <= (row.probe == "sharing" ? 0.15 : 0));
            CHECK(findings[0].text.find('\n') == std::string::npos);
            CHECK(findings[0].confidence.value_or(1) >= 0.6);
        }
}
