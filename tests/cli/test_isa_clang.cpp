// What clang makes of paths, atomics and matrix forms for AMD's chips, from OpenCL C.
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/cli/isa.h"
#include "tests/command.h"
#include "tests/required.h"
#include "tests/thorough.h"

using namespace sonde;
using namespace isa_tests;
using command::Ran;
using command::sonde_run;

TEST_CASE("clang: the instruction of each path in OpenCL C") {
    if (!has_clang()) return skip("no clang is here");
    const ExpectedLoad rows[] = {{"global", "flat_load", 3, "hawaii"}, {"global", "global_load", 3, "gfx900"},
        {"global.cg", "flat_load glc", 3, "hawaii"}, {"global.cg", "global_load glc", 3, "gfx900"},
        {"global.cs", "flat_load glc slc", 3, "hawaii"}, {"global.cs", "global_load glc slc", 3, "gfx900"},
        {"global.uniform", "s_load", 3, "hawaii"}, {"global.uniform", "s_load", 3, "gfx900"},
        {"global.pointer", "flat_load", 0, "hawaii"}, {"global.pointer", "global_load", 0, "gfx900"},
        {"private", "buffer_load", 2, "hawaii"}, {"private", "buffer_load", 2, "gfx900"},
        {"constant", "global_load", 3, "gfx900"}, {"constant.uniform", "s_load", 3, "gfx900"},
        {"scratchpad", "ds_read", 2, "hawaii"}, {"scratchpad", "ds_read", 2, "gfx900"}};
    CasesOfTheDay cases(5);
    for (const ExpectedLoad& row : rows) {
        if (!cases.take()) continue;
        CAPTURE(row.chip);
        CAPTURE(row.path);
        const Ran ran = isa(fmt::format("latency --path {} --target opencl:{} --json", row.path, row.chip));
        CAPTURE(ran.out.substr(0, 400));
        REQUIRE(ran.code == 0);
        const Json answer = Json::parse(ran.out);
        CHECK(answer.at("load") == row.load);
        CHECK(answer.at("address_instructions").size() <= row.most_between);
        CHECK(answer.at("readfirstlane_in_loop") == false);
    }
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

TEST_CASE(
    "clang for AMD's chips: matrix instructions by builtins, two in a step; a chip without them refuses by name") {
    struct Row {
        const char *target, *form, *instruction;
    };
    const Row rows[] = {{"gfx908", "mfma.f16.f32.m16n16k16", "v_mfma_f32_16x16x16f16"},
        {"gfx90a", "mfma.f16.f32.m16n16k16", "v_mfma_f32_16x16x16f16"},
        {"gfx908", "mfma.f32.f32.m16n16k4", "v_mfma_f32_16x16x4f32"},
        {"gfx90a", "mfma.bf16.f32.m16n16k16", "v_mfma_f32_16x16x16bf16_1k"}};
    if (!has_clang()) return skip("no clang is here");
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
        CHECK(of_step(Json::parse(ran.out), row.instruction) == doctest::Approx(2).epsilon(0.01));
    }
    for (const char* target : {"gfx908", "gfx90a"}) { // a product of matrices, of 32 independent sums
        const Ran ran = isa(fmt::format(
            "workload.gemm --path scratchpad --target opencl:{} --option operation=mfma.f16.f32.m16n16k16 --json",
            target));
        CAPTURE(ran.out.substr(0, 600));
        REQUIRE(ran.code == 0);
        const Json answer = Json::parse(ran.out);
        CHECK(of_step(answer, "v_mfma_f32_16x16x16f16") == doctest::Approx(2).epsilon(0.01));
        CHECK(of_step(answer, "ds_") > 0);
    }
    const Ran rdna3 =
        asked("gfx1100", "wmma.f16.f32.m16n16k16"); // clang 14 does not know the chip: the first that does compiles
    if (says(rdna3.out, "does not know gfx1100")) MESSAGE("skipped: ", rdna3.out);
    else {
        CAPTURE(rdna3.out.substr(0, 600));
        REQUIRE(rdna3.code == 0);
        CHECK(of_step(Json::parse(rdna3.out), "v_wmma_f32_16x16x16_f16") >= 1);
    }
    CHECK(says(asked("gfx900", "mfma.f16.f32.m16n16k16").out, "gfx900 has no v_mfma"));
    CHECK(says(asked("gfx908", "mfma.bf16.f32.m16n16k16").out, "v_mfma of bf16"));
    CHECK(says(asked("gfx90a", "wmma.f16.f32.m16n16k16").out, "gfx90a has no v_wmma"));
    CHECK(says(asked("gfx90a", "mma.f16.f32.m16n8k16").out, "wgmma are PTX"));
}

TEST_CASE("clang for AMD's chips: atomic instructions by type and operation; a chip without an instruction refuses it "
          "by name") {
    if (has_clang()) {
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
        CHECK(says(isa("atomics --path global --target opencl:fiji --option type=f32").out, "no cl_ext_float_atomics"));
    }
    const Ran refused = isa("atomics --path global --target cuda:sm_52 --option type=f64");
    CHECK(refused.code == 1);
    CHECK(says(refused.out, "capability 6.0, the card"));
    CHECK(says(isa("atomics --path global --target cuda:sm_60 --option type=f64").out, "of them"));
    CHECK(isa("atomics --path global --target cuda:sm_60 --option type=f16").code == 2);
    CHECK(isa("atomics --path global --target cuda:sm_60 --option type=f32 --option operation=exchange").code ==
          2); // there is no such series
}
