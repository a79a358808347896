// Rules of matrix units: what makes each speak, and what does not.
#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kMatrixUnitsCases{
    {"cooperative_beside_mma",
        "Cooperative matrices through b:0 beside mma.sync through a:0: 0.50 times the rate of f16 (300 TFLOP/s; 600 "
        "TFLOP/s) with sums in f32.",
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("b:0", "coopmat.f16.f32.m16n16k16", 300);
        },
        [](MadeUp& card) {
            card.matrix("a:0", "mma.s8.s32.m16n8k32", 600), card.matrix("b:0", "coopmat.f16.f32.m16n16k16", 300);
        }},
    {"wgmma_beside_mma",
        "wgmma beside mma.sync through a:0: 1.50 times the rate of f16 (900 TFLOP/s; 600 TFLOP/s) with sums in f32.",
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900);
        },
        [](MadeUp& card) {
            card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900), card.matrix("a:0", "mma.f16.f16.m16n8k16", 600);
        }},
    {"wgmma_beside_mma",
        "wgmma beside mma.sync through a:0: 10.00 times the rate of e4m3 (1.9 PFLOP/s; 190 TFLOP/s emulated by HMMA) "
        "with sums in f32.",
        [](MadeUp& card) {
            card.matrix("a:0", "mma.e4m3.f32.m16n8k32", 190).evidence.kernel.emplace().step_instructions = {
                {"HMMA.16816.F32", 4}};
            card.matrix("a:0", "wgmma.e4m3.f32.m64n256k32", 1900);
        },
        [](MadeUp& card) { card.matrix("a:0", "wgmma.e4m3.f32.m64n256k32", 1900); }},
    {"sparse_beside_dense",
        "mma.sp beside mma.sync through a:0, zeros of A counted: 1.50 times the rate of f16 (900 TFLOP/s; 600 TFLOP/s) "
        "with sums in f32. Half of A's numbers are stored.",
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("a:0", "mma-sp.f16.f32.m16n8k32", 900);
        },
        [](MadeUp& card) {
            card.matrix("a:0", "mma-sp.tf32.f32.m16n8k16", 900), card.matrix("a:0", "mma.f16.f32.m16n8k16", 600);
        }},
    {"sparse_beside_dense",
        "wgmma.sp beside wgmma through a:0, zeros of A counted: 1.80 times the rate of f16 (1.62 PFLOP/s; 900 TFLOP/s) "
        "with sums in f32. Half of A's numbers are stored.",
        [](MadeUp& card) {
            card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900),
                card.matrix("a:0", "wgmma-sp.f16.f32.m64n256k32", 1620);
        },
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("a:0", "wgmma-sp.f16.f32.m64n256k32", 1620);
        }},
    {"zeros_as_integers", "Zeros run at the rate of small integers per clock, within 2 %, in 1 series of matrix forms.",
        [](MadeUp& card) { card.matrix_at("a:0", "integers", 600, 1800), card.matrix_at("a:0", "zeros", 650, 1950); },
        [](MadeUp& card) { card.matrix_at("a:0", "integers", 600, 1800), card.matrix_at("a:0", "zeros", 650, 1800); }},
    {"library_beside",
        "cuBLASLt 13.0.2 multiplies f16 matrices of 8192 rows at 720 TFLOP/s through a:0: 80 % of the best rate of "
        "wgmma (900 TFLOP/s).",
        [](MadeUp& card) {
            card.library("a:0", "f16", 720), card.matrix("a:0", "mma.f16.f32.m16n8k16", 600),
                card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900),
                card.matrix("a:0", "wgmma.bf16.f32.m64n256k16", 950);
        },
        [](MadeUp& card) {
            card.library("a:0", "f16", 720), card.matrix("a:0", "mma.f16.f16.m16n8k16", 600),
                card.product("a:0", 40000, 1);
        }},
    {"library_beside",
        "80 % of the best rate of wgmma (900 TFLOP/s). It ran for 3.2 ms at a time, the instruction for 0.45 ms: "
        "clocks may differ.",
        [](MadeUp& card) {
            card.library("a:0", "f16", 720).points.back().samples = {
                {.steps = 1, .host_ns = 1.6e6}, {.steps = 2, .host_ns = 3.2e6}};
            card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900);
            card.run.series.back().points.back().samples = {
                {.steps = 1, .host_ns = 6e4}, {.steps = 8, .host_ns = 4.6e5, .device_ns = 4.5e5}};
        },
        [](MadeUp& card) { card.library("a:0", "f16", 720); }},
    {"library_beside", "80 % of the best rate of wgmma (900 TFLOP/s). Reported by NVML: power cap.",
        [](MadeUp& card) {
            TelemetryEvidence& told = card.library("a:0", "f16", 720).evidence.telemetry;
            told.source = "NVML", told.state.power_limit_watts = 700, told.during.throttled_by = {"power cap"};
            told.during.power_watts = {.low = 648, .median = 695, .high = 702},
            told.during.core_mhz = {.low = 1950, .median = 1980, .high = 1980};
            card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900);
        },
        [](MadeUp& card) { card.library("a:0", "f16", 720); }},
    {"library_beside",
        "cuBLASLt 13.0.2 multiplies f32 matrices of 8192 rows at 50 TFLOP/s through a:0: 125 % of workload.gemm "
        "through a:0 (40 TFLOP/s).",
        [](MadeUp& card) { card.product("a:0", 40000, 1), card.library("a:0", "f32", 50); },
        [](MadeUp& card) { card.product("a:0", 40000, 1), card.library("a:0", "f32", 50).evidence.library.reset(); }},
    {"library_beside",
        "VkFFT 1.2.26 does transforms of 16777216 points at 3 TFLOP/s through a:0: 150 % of workload.fft through a:0 "
        "(2 TFLOP/s).",
        [](MadeUp& card) { card.transforms("a:0", 3000, "a:0", 2000); },
        [](MadeUp& card) { card.transforms("a:0", 3000, "b:0", 2000); }},
};
} // namespace

TEST_CASE("rules of matrix units: each speaks where it must and is silent where it must") { kMatrixUnitsCases.check(); }

TEST_CASE("a power cap that is named far below the card's limit is no reason for a library's rate") {
    for (const auto& [watts, is_reason] : {std::pair{690.0, true}, {180.0, false}}) {
        CAPTURE(watts);
        MadeUp card;
        TelemetryEvidence& told = card.library("a:0", "f16", 720).evidence.telemetry;
        told.source = "NVML", told.state.power_limit_watts = 700, told.during.throttled_by = {"power cap"};
        told.during.power_watts = {.low = watts, .median = watts, .high = watts};
        card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900);
        const auto spoken = said(card.run, "library_beside");
        REQUIRE(spoken.size() == 1);
        CHECK(says(spoken, "power cap") == is_reason);
    }
}
