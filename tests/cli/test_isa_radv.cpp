// What RADV makes of each path for AMD's chips, GCN and RDNA. An update of Mesa that moves a chase to another path
// makes these fail.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/cli/isa.h"
#include "tests/required.h"
#include "tests/thorough.h"

using namespace sonde;
using namespace isa_tests;
using command::Ran;

namespace {
/// Chips of each generation of GCN, and of RDNA; every day the oldest and the newest.
std::vector<const char*> radv_chips() {
    if (!thorough()) return {"tahiti", "navi10"};
    return {"tahiti", "hawaii", "fiji", "vega10", "navi10"};
}
} // namespace

TEST_CASE("RADV: the instruction of each path, on every generation of GCN and on RDNA") {
    if (!has_radv()) {
        MESSAGE("skipped: Mesa's radeon driver is not installed (mesa-vulkan-drivers)");
        CHECK_MESSAGE(!required("radv"), "--require radv");
        return;
    }
    const ExpectedLoad rows[] = {
        {"global", "buffer_load", 1},
        {"global.cg", "buffer_load glc", 1, "tahiti"},
        {"global.cg", "buffer_load glc", 1, "hawaii"},
        {"global.cg", "buffer_load glc", 1, "fiji"},
        {"global.cg", "buffer_load glc", 1, "vega10"},
        {"global.cg", "buffer_load glc dlc", 1, "navi10"}, // past L0 and L1
        {"global.readonly", "buffer_load", 1},
        {"global.uniform", "s_buffer_load", 1},
        {"global.pointer", "buffer_load", 0, "tahiti"}, // no other addresses there
        {"global.pointer", "flat_load", 0, "hawaii"},
        {"global.pointer", "flat_load", 0, "fiji"},
        {"global.pointer", "global_load", 0, "vega10"},
        {"global.pointer", "global_load", 0, "navi10"},
        {"private", "buffer_load", 1, "tahiti"},
        {"private", "buffer_load", 1, "hawaii"},
        {"private", "buffer_load", 1, "fiji"},
        {"private", "scratch_load", 1, "vega10"},
        {"private", "scratch_load", 1, "navi10"},
        {"texel", "buffer_load_format", 0},
        {"image2d", "image_load", 2},
        {"constant", "buffer_load", 1},
        {"constant.uniform", "s_buffer_load", 1},
        {"push", "s_load", 2},
        {"scratchpad", "ds_read", 1},
    };
    CasesOfTheDay day(5);
    for (const char* chip : radv_chips())
        for (const ExpectedLoad& row : rows) {
            if ((*row.chip && std::string(row.chip) != chip) || !day.take()) continue;
            CAPTURE(chip);
            CAPTURE(row.path);
            const Ran ran = isa(fmt::format("latency --path {} --target vulkan:{} --json", row.path, chip));
            CAPTURE(ran.out.substr(0, 400));
            REQUIRE(ran.code == 0);
            const Json answer = Json::parse(ran.out);
            CHECK(answer.at("kind") == "gcn");
            CHECK(answer.at("load") == row.load);
            CHECK(answer.at("address_instructions").size() <= row.most_between);
            CHECK(answer.at("unroll") >= 64); // the measuring loop, not the warm-up
            CHECK(answer.at("readfirstlane_in_loop") == false);
        }
}

TEST_CASE("RADV: the bandwidth test's loads are vector loads of the widest kind, independent of each other") {
    if (!has_radv()) return skip("no Mesa radeon driver is here");
    const Json answer = Json::parse(isa("bandwidth --path global --target vulkan:fiji --json").out);
    CHECK(answer.at("load") == "buffer_load");
    CHECK(says(answer.at("instruction"), "buffer_load_dwordx4"));
    CHECK(answer.at("address_instructions").empty());
}

TEST_CASE("RADV: a family that this Mesa does not know is refused in one line, though the driver aborts") {
    if (!has_radv()) return skip("no Mesa radeon driver is here");
    int known = 0, refused = 0;
    for (const char* family : {"fiji", "gfx1100", "navi31", "gfx1201"}) { // no release knows both names of RDNA 3
        const Ran ran = isa(fmt::format("latency --path global --target vulkan:{} --json", family));
        CAPTURE(ran.out.substr(0, 400));
        if (ran.code == 0) {
            ++known;
            continue;
        }
        CHECK(ran.code == 1);
        CHECK(says(ran.out, fmt::format("sonde: vulkan:{0}: RADV of this Mesa compiles nothing for {0}: ", family)));
        CHECK(!says(ran.out, "worker"));
        CHECK(std::ranges::count(ran.out, '\n') == 1);
        ++refused;
    }
    CHECK(known >= 1);
    CHECK(refused >= 1);
}

TEST_CASE("RADV: atomic instructions of memory and of the scratchpad, without cache control behind them") {
    if (!has_radv()) return skip("no Mesa radeon driver is here");
    struct Row {
        const char *probe, *path, *instruction;
    };
    for (const char* chip : radv_chips())
        for (const Row& row :
            {Row{"core-to-core", "scratchpad", "ds_cmpst_rtn_b32"}, {"core-to-core", "global", "buffer_atomic_cmpswap"},
                {"atomics", "global", "buffer_atomic_add"}, {"atomics", "scratchpad", "ds_add_u32"}}) {
            CAPTURE(chip);
            CAPTURE(row.probe);
            CAPTURE(row.path);
            const Ran ran = isa(fmt::format("{} --path {} --target vulkan:{} --json", row.probe, row.path, chip));
            CAPTURE(ran.out.substr(0, 400));
            REQUIRE(ran.code == 0);
            const Json answer = Json::parse(ran.out);
            REQUIRE(!answer.at("atomics").empty());
            CHECK(answer.at("atomics")[0].at("kind") == row.instruction);
            CHECK(answer.at("atomics")[0].at("unroll") == 16);
            CHECK(answer.at("atomics")[0].at("cache_control") == "");
            CHECK(answer.at("atomics")[0].at("lock_loop") == false);
        }
    const Ran shown = isa("core-to-core --path scratchpad --target vulkan:hawaii");
    CHECK(says(shown.out, "16 of them"));
    CHECK(says(shown.out, ">> "));
    CHECK(says(isa("atomics --path global --target vulkan:vega10 --option type=u64").out, "buffer_atomic_add_x2: "));
    CHECK(says(isa("atomics --path scratchpad --target vulkan:vega10 --option type=u64").out, "ds_add_u64: "));
}
