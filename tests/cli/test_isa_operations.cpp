// The instruction of each arithmetic operation, by clang and by RADV, for chips that are not here.
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/device/operation.h"
#include "tests/cli/isa.h"
#include "tests/required.h"
#include "tests/thorough.h"

using namespace sonde;
using namespace isa_tests;
using command::Ran;

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
    const bool clang = has_clang(), radv = has_radv();
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
        CHECK(of_step(Json::parse(ran.out), row.instruction) == doctest::Approx(row.times).epsilon(0.01));
    }
    if (!clang) return;
    for (const char* chains : {"1", "2", "4", "8"}) // hundreds of steps of a chain overflow the compiler's stack
        CHECK(says(isa(fmt::format(
                           "rate --path global --target opencl:gfx900 --option operation=divide.u32 --option chains={}",
                           chains))
                       .out,
            "a step of a chain is a sequence: "));
    CHECK(
        says(isa("operation --path global --target opencl:hawaii --option operation=dot.u8x4").out, "no dot product"));
    CHECK(says(isa("operation --path global --target opencl:hawaii --option operation=fma.f16x2").out,
        "no arithmetic on f16"));
    CHECK(says(isa("operation --path global --target opencl:gfx90a --option operation=fma.f32").out,
        "a step of a chain is 1 v_fma_f32\n"));
}
