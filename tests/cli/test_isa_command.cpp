// The instruction that a compiler makes of each path, for chips that are not here. A compiler update that moves a chase
// to another path makes these fail. `sonde isa` is run as a user would, so its worker, targets and JSON are tested with
// it.
#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/json.h"
#include "core/base/process.h"
#include "core/data/series.h"
#include "core/device/operation.h"
#include "tests/command.h"
#include "tests/required.h"
#include "tests/thorough.h"

using namespace sonde;
using command::Ran, command::sonde_run;

namespace {
/// Errors are behind what it prints.
Ran isa(const std::string& words) {
    Ran ran = sonde_run("isa " + words);
    ran.out += ran.err;
    return ran;
}

/// Mesa's radeon driver is part of mesa-vulkan-drivers (scripts/setup).
bool has_radv() {
    for (const char* folder : {"/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"}) {
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
            if (entry.path().filename().string().starts_with("radeon_icd")) return true;
    }
    return false;
}

/// Chips of each generation of GCN, and of RDNA; every day the oldest and the newest.
std::vector<const char*> radv_chips() {
    if (!thorough()) return {"tahiti", "navi10"};
    return {"tahiti", "hawaii", "fiji", "vega10", "navi10"};
}

/// A path, the class of its load, and how many instructions may stand between two loads of the chain. `chip`: the only
/// one that the row is for; empty: every one. A new path is a new row.
struct Expected {
    const char *path, *load;
    std::size_t most_between;
    const char* chip = "";
};
} // namespace

TEST_CASE("RADV: the instruction of each path, on every generation of GCN and on RDNA") {
    if (!has_radv()) {
        MESSAGE("skipped: Mesa's radeon driver is not installed (mesa-vulkan-drivers)");
        CHECK_MESSAGE(!required("radv"), "--require radv");
        return;
    }
    const Expected rows[] = {
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
        for (const Expected& row : rows) {
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

TEST_CASE("clang: the instruction of each path in OpenCL C") {
    const Expected rows[] = {{"global", "flat_load", 3, "hawaii"}, {"global", "global_load", 3, "gfx900"},
        {"global.cg", "flat_load glc", 3, "hawaii"}, {"global.cg", "global_load glc", 3, "gfx900"},
        {"global.cs", "flat_load glc slc", 3, "hawaii"}, {"global.cs", "global_load glc slc", 3, "gfx900"},
        {"global.uniform", "s_load", 3, "hawaii"}, {"global.uniform", "s_load", 3, "gfx900"},
        {"global.pointer", "flat_load", 0, "hawaii"}, {"global.pointer", "global_load", 0, "gfx900"},
        {"private", "buffer_load", 2, "hawaii"}, {"private", "buffer_load", 2, "gfx900"},
        {"constant", "global_load", 3, "gfx900"}, {"constant.uniform", "s_load", 3, "gfx900"},
        {"scratchpad", "ds_read", 2, "hawaii"}, {"scratchpad", "ds_read", 2, "gfx900"}};
    CasesOfTheDay cases(5);
    for (const Expected& row : rows) {
        if (!cases.take()) continue;
        CAPTURE(row.chip);
        CAPTURE(row.path);
        const Ran ran = isa(fmt::format("latency --path {} --target opencl:{} --json", row.path, row.chip));
        if (says(ran.out, "clang is not on the PATH")) {
            MESSAGE("skipped: ", ran.out);
            return;
        }
        CAPTURE(ran.out.substr(0, 400));
        REQUIRE(ran.code == 0);
        const Json answer = Json::parse(ran.out);
        CHECK(answer.at("load") == row.load);
        CHECK(answer.at("address_instructions").size() <= row.most_between);
        CHECK(answer.at("readfirstlane_in_loop") == false);
    }
}

TEST_CASE("CUDA: the load of each path in PTX or SASS, whatever tools are here") {
    struct Row {
        const char *path, *chip, *ptx, *sass;
    };
    for (const auto& [path, chip, ptx, sass] :
        {Row{"global", "sm_75", "ld.global", "LDG.E"}, {"global.ca", "sm_75", "ld.global.ca", "LDG.E.STRONG.CTA"},
            {"global.cg", "sm_75", "ld.global.cg", "LDG.E.STRONG.GPU"},
            {"global.cs", "sm_75", "ld.global.cs", "LDG.E.EF"},
            {"global.readonly", "sm_75", "ld.global.nc", "LDG.E.CONSTANT"},
            {"global.uniform", "sm_75", "ld.global", "LDG.E"}, {"global.pointer", "sm_75", "ld.global", "LDG.E"},
            {"private", "sm_75", "ld.local", "LDL"}, {"texel", "sm_75", "tex", "TLD"},
            {"image2d", "sm_75", "tex", "TLD"}, {"constant", "sm_75", "ld.const", "LDC"},
            {"constant.uniform", "sm_90", "ld.const", "LDC"}, {"push", "sm_90", "ld.param", "LDC"},
            {"scratchpad", "sm_75", "ld.shared", "LDS"}, {"cluster", "sm_90", "ld.shared::cluster", "LD.E"}}) {
        const Ran ran = isa(fmt::format("latency --path {} --target cuda:{} --json", path, chip));
        CAPTURE(path);
        CAPTURE(ran.out.substr(0, 400));
        REQUIRE(ran.code == 0);
        const Json answer = Json::parse(ran.out);
        CHECK(answer.at("load") == (answer.at("kind") == "sass" ? sass : ptx));
    }
}

TEST_CASE("stream: on path global.cs the stores carry the hint, too") {
    struct Row {
        const char *asked, *shown, *store; // by whom the listing then is
    };
    for (const Row& row : {Row{"--target cuda:sm_90", "cuda:sm_90", "st\\.global\\.cs\\.v4|STG\\.E\\.EF\\.128"},
             {"--target opencl:gfx900", "(clang-", "global_store_dwordx4 .* glc slc"},
             {"--device vulkan:0", "(llvmpipe", "OpStore .* Nontemporal"}}) {
        const std::string out = isa(
            fmt::format("stream --path global.cs --option operation=fill --option width=16 --option shape=4x128x1 {}",
                row.asked))
                                    .out;
        CAPTURE(out.substr(0, 400));
        const std::regex store(row.store);
        if (says(out, row.shown))
            CHECK(std::distance(std::sregex_iterator(out.begin(), out.end(), store), std::sregex_iterator()) == 4);
        else MESSAGE("skipped: ", row.asked);
    }
}

TEST_CASE("the listing has its load marked, and the headline tells it") {
    const Ran ran = isa("latency --path scratchpad --target cuda:sm_30");
    CHECK(ran.code == 0);
    CHECK(ran.out.starts_with("latency on scratchpad, cuda:sm_30 (sm_30), kernel chase, workgroup of 32\n"));
    const auto mark = ran.out.find("\n>> ");
    REQUIRE(mark != std::string::npos);
    CHECK(ran.out.find("\n>> ", mark + 1) == std::string::npos);
    const std::string line = ran.out.substr(mark, ran.out.find('\n', mark + 1) - mark);
    CHECK((says(line, "ld.shared") || says(line, "LDS")));
}

TEST_CASE("operations: RADV's chips compile each and the listing's count holds, or one reason says what they lack") {
    if (!thorough() || !has_radv()) return skip("not in full, or no Mesa radeon driver is here");
    for (const char* chip : {"tahiti", "gfx1100"}) // the oldest and the newest
        for (const Operation& operation : all_operations()) {
            if (operation.matrix) continue;
            CAPTURE(chip);
            CAPTURE(std::string(operation.name));
            const Ran ran = isa(fmt::format(
                "operation --path global --target vulkan:{} --option operation={} --json", chip, operation.name));
            CAPTURE(ran.out.substr(0, 400));
            const bool lacks = says(ran.out, "GLSL has no bfloat16") || says(ran.out, "the device has no ") ||
                               says(ran.out, "the driver makes other instructions of a packed dot product");
            CHECK((ran.code == 0 || lacks));
        }
}

TEST_CASE("operations: the instruction of each, by clang and by RADV, for chips that are not here") {
    struct Row {
        const char *target, *operation, *instruction;
        double times = 1; // in a step
    };
    const Row rows[] = {{"opencl:hawaii", "fma.f32", "v_fma_f32"}, {"opencl:hawaii", "fma.f64", "v_fma_f64"},
        {"opencl:hawaii", "rotate.u32", "v_alignbit_b32", 2}, {"opencl:hawaii", "logic.u32", "v_xor_b32", 2},
        {"opencl:hawaii", "popcount.u32", "v_bcnt_u32_b32"}, {"opencl:hawaii", "shuffle.u32", "ds_swizzle_b32"},
        {"opencl:fiji", "fma.f16x2", "v_fma_f16", 2}, {"opencl:fiji", "sine.f32", "v_sin_f32"},
        {"opencl:gfx900", "select.u32", "v_cndmask_b32", 2}, {"opencl:gfx90a", "fma.f16x2", "v_pk_fma_f16"},
        {"opencl:gfx90a", "dot.u8x4", "v_dot4_u32_u8"}, {"opencl:gfx90a", "rcp.f32", "v_rcp_f32"},
        {"opencl:gfx90a", "barrier.u32", "s_barrier"}, {"opencl:gfx90a", "mul.f64", "v_mul_f64", 2},
        {"opencl:gfx1030", "fma.f32", "v_fma_f32"}, {"opencl:gfx1030", "exp2.f32", "v_exp_f32"},
        {"opencl:gfx1030", "rsqrt.f32", "v_rsq_f32"}, {"opencl:gfx1030", "leading-zeros.u32", "v_ffbh_u32"},
        {"opencl:gfx1030", "add.u32", "v_add_nc_u32", 2}, {"opencl:gfx1030", "log2.f32", "v_log_f32"},
        {"opencl:gfx1030", "insert.u32", "v_bfi_b32"}, {"opencl:hawaii", "divide.u32", "v_rcp_iflag_f32"},
        {"opencl:gfx900", "divide.u32", "v_rcp_iflag_f32"}, {"opencl:gfx1030", "remainder.u32", "v_rcp_iflag_f32"},
        {"opencl:gfx900", "divide.f64", "v_rcp_f64"}, {"opencl:gfx90a", "convert.f32-f64", "v_cvt_f32_f64"},
        {"opencl:hawaii", "convert.i32-f64", "v_cvt_i32_f64"}, {"opencl:gfx1030", "convert.f32-f16", "v_cvt_f16_f32"},
        {"opencl:hawaii", "mad.f32", "v_mad_f32"}, {"vulkan:hawaii", "divide.u32", "v_rcp"},
        {"vulkan:vega10", "convert.f32-f64", "v_cvt_f32_f64"},
        {"vulkan:navi10", "convert.f32-f16", "v_cvt_pkrtz_f16_f32"},
        {"vulkan:fiji", "convert.i32-f64", "v_cvt_i32_f64"}, {"vulkan:tahiti", "fma.f64", "v_fma_f64"},
        {"vulkan:hawaii", "logic.u32", "v_xor_b32", 2}, {"vulkan:fiji", "mul.f32", "v_mul_f32", 2},
        {"vulkan:vega10", "rcp.f32", "v_rcp_f32"}, {"vulkan:vega10", "popcount.u32", "v_bcnt_u32_b32"},
        {"vulkan:navi10", "fma.f32", "v_mad_f32"}, {"vulkan:navi10", "convert.u32", "v_cvt_u32_f32"},
        {"vulkan:navi10", "exp2.f32", "v_exp_f32"}};
    const bool clang = find_program({"clang-14", "clang-15", "clang-16", "clang", "clang-17", "clang-18", "clang-19"})
                           .has_value(),
               radv = has_radv();
    if (!clang && !radv) return skip("neither clang nor Mesa's radeon driver is here");
    CasesOfTheDay cases(7);
    for (const Row& row : rows) {
        if (!(std::string(row.target).starts_with("opencl") ? clang : radv) || !cases.take()) continue;
        CAPTURE(std::string(row.target));
        CAPTURE(std::string(row.operation));
        const Ran ran = isa(
            fmt::format("operation --path global --target {} --option operation={} --json", row.target, row.operation));
        CAPTURE(ran.out.substr(0, 400));
        REQUIRE(ran.code == 0);
        double found = 0;
        for (const auto& [mnemonic, count] :
            Json::parse(ran.out).at("step_instructions").get<std::map<std::string, double>>())
            if (mnemonic.starts_with(row.instruction)) found += count;
        CHECK(found == doctest::Approx(row.times).epsilon(0.01));
    }
    if (!clang) return;
    for (const char* chains : {"1", "2", "4", "8"}) // hundreds of steps of a chain overflow the compiler's stack
        CHECK(says(isa(fmt::format(
                           "rate --path global --target opencl:gfx900 --option operation=divide.u32 --option chains={}",
                           chains))
                       .out,
            "a step of a chain is a sequence: "));
    CHECK(says(isa("operation --path global --target opencl:hawaii --option operation=dot.u8x4").out,
        "hawaii has no dot product of bytes"));
    CHECK(says(isa("operation --path global --target opencl:hawaii --option operation=fma.f16x2").out,
        "hawaii has no arithmetic on f16"));
    CHECK(says(isa("operation --path global --target opencl:gfx90a --option operation=fma.f32").out,
        "a step of a chain is 1 v_fma_f32\n"));
}

TEST_CASE("clang for AMD's chips: one that a signal ends is told in one line") {
    const command::Folder folder;
    std::ofstream(folder.file("clang-14"))
        << "#!/bin/sh\ncase \"$*\" in *-fsyntax-only*) exit 0;; esac\nkill -SEGV $$\n";
    std::filesystem::permissions(folder.file("clang-14"), std::filesystem::perms::owner_all);
    const Ran ran = sonde_run(
        "isa operation --path global --target opencl:fiji --option operation=fma.f32", "PATH=" + folder.path.string());
    CHECK(ran.code == 1);
    CHECK(ran.err == "sonde: global on opencl:fiji: clang-14 was killed by SIGSEGV\n");
}

TEST_CASE("isa: what is asked wrongly, and what is not here") {
    Ran ran = isa("latency --path global --target vulkan:hawai");
    CHECK(ran.code == 2);
    CHECK(says(ran.out, "unknown target 'vulkan:hawai'; nearest: vulkan:hawaii"));
    ran = isa("latency --path globa --target vulkan:hawaii");
    CHECK(ran.code == 2);
    CHECK(says(ran.out, "global"));
    CHECK(isa("latenzy --path global --target vulkan:hawaii").code == 2);
    CHECK(isa("latency --path global").code == 2);
    CHECK(isa("latency --path global --target vulkan:hawaii --device host:0").code == 2);
    CHECK(isa("latency --path global --device host:99").code == 3);
    CHECK(says(isa("bandwidth --device host:0").out, "bandwidth on global, host:0")); // the probe's first path
    ran = isa("latency --path global --device host:0 --json");
    CHECK(ran.code == 0);
    CHECK(Json::parse(ran.out).at("load").is_null());
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

TEST_CASE(
    "clang for AMD's chips: matrix instructions by builtins, two in a step; a chip without them refuses by name") {
    struct Row {
        const char *target, *form, *instruction;
    };
    const Row rows[] = {{"gfx908", "mfma.f16.f32.m16n16k16", "v_mfma_f32_16x16x16f16"},
        {"gfx90a", "mfma.f16.f32.m16n16k16", "v_mfma_f32_16x16x16f16"},
        {"gfx908", "mfma.f32.f32.m16n16k4", "v_mfma_f32_16x16x4f32"},
        {"gfx90a", "mfma.bf16.f32.m16n16k16", "v_mfma_f32_16x16x16bf16_1k"}};
    if (!find_program({"clang-14", "clang-15", "clang-16", "clang", "clang-17", "clang-18", "clang-19"}).has_value())
        return skip("no clang is here");
    const auto asked = [](const char* target, const char* form) {
        return isa(fmt::format("matrix --path global --target opencl:{} --option operation={} --option chains=4 "
                               "--option data=integers --json",
            target, form));
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.target));
        CAPTURE(std::string(row.form));
        const Ran ran = asked(row.target, row.form);
        CAPTURE(ran.out.substr(0, 600));
        REQUIRE(ran.code == 0);
        double found = 0;
        for (const auto& [mnemonic, count] :
            Json::parse(ran.out).at("step_instructions").get<std::map<std::string, double>>())
            if (mnemonic.starts_with(row.instruction)) found += count;
        CHECK(found == doctest::Approx(2).epsilon(0.01));
    }
    for (const char* target : {"gfx908", "gfx90a"}) { // a product of matrices, of 32 independent sums
        const Ran ran = isa(fmt::format(
            "workload.gemm --path scratchpad --target opencl:{} --option operation=mfma.f16.f32.m16n16k16 --json",
            target));
        CAPTURE(ran.out.substr(0, 600));
        REQUIRE(ran.code == 0);
        const auto found = Json::parse(ran.out).at("step_instructions").get<std::map<std::string, double>>();
        double matrix = 0, scratchpad = 0;
        for (const auto& [mnemonic, count] : found)
            matrix += mnemonic.starts_with("v_mfma_f32_16x16x16f16") ? count : 0,
                scratchpad += mnemonic.starts_with("ds_") ? count : 0;
        CHECK(matrix == doctest::Approx(2).epsilon(0.01));
        CHECK(scratchpad > 0);
    }
    const Ran rdna3 =
        asked("gfx1100", "wmma.f16.f32.m16n16k16"); // clang 14 does not know the chip: the first that does compiles
    if (says(rdna3.out, "does not know gfx1100")) MESSAGE("skipped: ", rdna3.out);
    else {
        CAPTURE(rdna3.out.substr(0, 600));
        REQUIRE(rdna3.code == 0);
        double found = 0;
        for (const auto& [mnemonic, count] :
            Json::parse(rdna3.out).at("step_instructions").get<std::map<std::string, double>>())
            if (mnemonic.starts_with("v_wmma_f32_16x16x16_f16")) found += count;
        CHECK(found >= 1);
    }
    CHECK(says(asked("gfx900", "mfma.f16.f32.m16n16k16").out, "gfx900 has no v_mfma"));
    CHECK(says(asked("gfx908", "mfma.bf16.f32.m16n16k16").out, "gfx908 has no v_mfma of bf16"));
    CHECK(says(asked("gfx90a", "wmma.f16.f32.m16n16k16").out, "gfx90a has no v_wmma"));
    CHECK(says(asked("gfx90a", "mma.f16.f32.m16n8k16").out, "mma.sync and wgmma are PTX"));
}

TEST_CASE("clang for AMD's chips: atomic instructions by type and operation; a chip without an instruction refuses it "
          "by name") {
    if (find_program({"clang-14", "clang-15", "clang-16", "clang", "clang-17", "clang-18", "clang-19"}).has_value()) {
        struct Row {
            const char *path, *options, *instruction;
        };
        for (const Row& row : {Row{"global", "", "flat_atomic_add: "},
                 {"global", " --option operation=compare-swap", "flat_atomic_cmpswap: "},
                 {"global", " --option type=u64", "flat_atomic_add_x2: "}, {"scratchpad", "", "ds_add_u32: "},
                 {"scratchpad", " --option operation=exchange --option type=u64", "ds_wrxchg_rtn_b64: "}}) {
            const Ran ran = isa(fmt::format("atomics --path {} --target opencl:fiji{}", row.path, row.options));
            CAPTURE(ran.out.substr(0, 400));
            CHECK(ran.code == 0);
            CHECK(says(ran.out, row.instruction));
        }
        CHECK(says(isa("atomics --path global --target opencl:fiji --option type=f32").out,
            "the compiler alone has no cl_ext_float_atomics"));
    }
    const Ran refused = isa("atomics --path global --target cuda:sm_52 --option type=f64");
    CHECK(refused.code == 1);
    CHECK(says(refused.out, "atom.add.f64 needs compute capability 6.0, the card has 5.2"));
    CHECK(says(isa("atomics --path global --target cuda:sm_60 --option type=f64").out, "of them"));
    CHECK(isa("atomics --path global --target cuda:sm_60 --option type=f16").code == 2);
    CHECK(isa("atomics --path global --target cuda:sm_60 --option type=f32 --option operation=exchange").code ==
          2); // there is no such series
}

TEST_CASE("a path on which the probe measures nothing is refused with those that it has") {
    const Ran ran = isa("bandwidth --path global.cs --target opencl:gfx900");
    CHECK(ran.code == 2);
    CHECK(says(ran.out, "bandwidth measures nothing on path global.cs; its paths: global, global.ca,"));
}
