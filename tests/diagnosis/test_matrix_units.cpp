// Rules of matrix units: what makes each speak, and what does not.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

namespace {
const Cases kMatrixUnitsCases{
    {"cooperative_beside_mma",
        {{"all numbers", "b:0", 0.5}, {"f16 with sums in f32", "b:0", 3e14}, {"f16 with sums in f32", "a:0", 6e14}},
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("b:0", "coopmat.f16.f32.m16n16k16", 300);
        },
        [](MadeUp& card) {
            card.matrix("a:0", "mma.s8.s32.m16n8k32", 600), card.matrix("b:0", "coopmat.f16.f32.m16n16k16", 300);
        }},
    {"wgmma_beside_mma",
        {{"all numbers", "a:0", 1.5}, {"f16 with sums in f32", "a:0", 9e14}, {"f16 with sums in f32", "a:0", 6e14}},
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900);
        },
        [](MadeUp& card) {
            card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900), card.matrix("a:0", "mma.f16.f16.m16n8k16", 600);
        }},
    {"wgmma_beside_mma",
        {{"all numbers", "a:0", 1.5}, {"e4m3 with sums in f32", "a:0", 1.9e15},
            {"mma.sync, e4m3 with sums in f32, by HMMA", "a:0", 1.9e14}},
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900);
            card.matrix("a:0", "mma.e4m3.f32.m16n8k32", 190).evidence.kernel.emplace().step_instructions = {
                {"HMMA.16816.F32", 4}};
            card.matrix("a:0", "wgmma.e4m3.f32.m64n256k32", 1900);
        },
        [](MadeUp& card) { // a ratio to what stands in for an instruction is none
            card.matrix("a:0", "mma.e4m3.f32.m16n8k32", 190).evidence.kernel.emplace().step_instructions = {
                {"HMMA.16816.F32", 4}};
            card.matrix("a:0", "wgmma.e4m3.f32.m64n256k32", 1900);
        }},
    {"sparse_beside_dense",
        {{"all numbers", "a:0", 1.5}, {"f16 with sums in f32", "a:0", 9e14}, {"f16 with sums in f32", "a:0", 6e14}},
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("a:0", "mma-sp.f16.f32.m16n8k32", 900);
        },
        [](MadeUp& card) {
            card.matrix("a:0", "mma-sp.tf32.f32.m16n8k16", 900), card.matrix("a:0", "mma.f16.f32.m16n8k16", 600);
        }},
    {"sparse_beside_dense",
        {{"all numbers", "a:0", 1.8}, {"f16 with sums in f32", "a:0", 1.62e15}, {"f16 with sums in f32", "a:0", 9e14}},
        [](MadeUp& card) {
            card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900),
                card.matrix("a:0", "wgmma-sp.f16.f32.m64n256k32", 1620);
        },
        [](MadeUp& card) {
            card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("a:0", "wgmma-sp.f16.f32.m64n256k32", 1620);
        }},
    {"zeros_as_integers", {{"zeros, times small integers", "a:0", 1}, {"series", "a:0", 1}},
        [](MadeUp& card) { card.matrix_at("a:0", "integers", 600, 1800), card.matrix_at("a:0", "zeros", 650, 1950); },
        [](MadeUp& card) { card.matrix_at("a:0", "integers", 600, 1800), card.matrix_at("a:0", "zeros", 650, 1800); }},
    {"library_beside", {{"cuBLASLt", "a:0", 7.2e14}, {"wgmma", "a:0", 9e14}, {"of wgmma", "a:0", 0.8}},
        [](MadeUp& card) {
            card.library("a:0", "f16", 720), card.matrix("a:0", "mma.f16.f32.m16n8k16", 600),
                card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900),
                card.matrix("a:0", "wgmma.bf16.f32.m64n256k16", 950);
        },
        [](MadeUp& card) {
            card.library("a:0", "f16", 720), card.matrix("a:0", "mma.f16.f16.m16n8k16", 600),
                card.product("a:0", 40000, 1);
        }},
    {"library_beside", {{"of wgmma", "a:0", 0.8}, {"cuBLASLt", "a:0", 3.2e6}, {"wgmma", "a:0", 4.5e5}},
        [](MadeUp& card) {
            card.library("a:0", "f16", 720).points.back().samples = {
                {.steps = 1, .host_ns = 1.6e6}, {.steps = 2, .host_ns = 3.2e6}};
            card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900);
            card.run.series.back().points.back().samples = {
                {.steps = 1, .host_ns = 6e4}, {.steps = 8, .host_ns = 4.6e5, .device_ns = 4.5e5}};
        },
        [](MadeUp& card) { card.library("a:0", "f16", 720); }},
    {"library_beside",
        {{"of wgmma", "a:0", 0.8}, {"held back by", "a:0", "NVML: power cap"}, {"shown by NVML", "a:0", 1980}},
        [](MadeUp& card) {
            TelemetryEvidence& told = card.library("a:0", "f16", 720).evidence.telemetry;
            told.source = "NVML", told.state.power_limit_watts = 700, told.during.throttled_by = {"power cap"};
            told.during.power_watts = {.low = 648, .median = 695, .high = 702},
            told.during.core_mhz = {.low = 1950, .median = 1980, .high = 1980};
            card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900);
        },
        [](MadeUp& card) { card.library("a:0", "f16", 720); }, Cause::power_cap},
    {"library_beside", {{"cuBLASLt", "a:0", 5e13}, {"workload.gemm", "a:0", 4e13}, {"of workload.gemm", "a:0", 1.25}},
        [](MadeUp& card) { card.product("a:0", 40000, 1), card.library("a:0", "f32", 50); },
        [](MadeUp& card) { card.product("a:0", 40000, 1), card.library("a:0", "f32", 50).evidence.library.reset(); }},
    {"library_beside", {{"VkFFT", "a:0", 3e12}, {"workload.fft", "a:0", 2e12}, {"of workload.fft", "a:0", 1.5}},
        [](MadeUp& card) { card.transforms("a:0", 3000, "a:0", 2000); },
        [](MadeUp& card) { card.transforms("a:0", 3000, "b:0", 2000); }},
};
} // namespace

TEST_CASE("rules of matrix units: each speaks where it must and is silent where it must") { kMatrixUnitsCases.check(); }

TEST_CASE("a power cap that is named is told beside a library's rate, whatever the card draws") {
    for (const double watts : {690.0, 180.0}) {
        CAPTURE(watts);
        MadeUp card;
        TelemetryEvidence& telemetry = card.library("a:0", "f16", 720).evidence.telemetry;
        telemetry.source = "NVML", telemetry.state.power_limit_watts = 700,
        telemetry.during.throttled_by = {"power cap"};
        telemetry.during.power_watts = {.low = watts, .median = watts, .high = watts};
        card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900);
        const Statements all = statements_of(card.run);
        const auto told = std::ranges::find(all, "library_beside", &Statement::rule);
        REQUIRE(told != all.end());
        CHECK(told->fact.cause == Cause::power_cap);
    }
}

TEST_CASE("wgmma beside mma.sync: a line tells the range of all numbers; the effect is that of those farthest apart") {
    MadeUp card;
    card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900);
    card.matrix("a:0", "mma.s8.s32.m16n8k32", 1200), card.matrix("a:0", "wgmma.s8.s32.m64n256k32", 300);
    const Statements all = statements_of(card.run);
    const auto told = std::ranges::find(all, "wgmma_beside_mma", &Statement::rule);
    REQUIRE(told != all.end());
    const Grid& grid = told->fact.grid;
    CHECK(grid.columns == std::vector<std::string>{"a:0"});
    const Quantity* range = grid.sections.at(0).rows.at(0).cells.at(0).quantity();
    REQUIRE((range && range->range));
    CHECK(range->unit == Unit::times);
    CHECK(range->range->first == doctest::Approx(0.25));
    CHECK(range->range->second == doctest::Approx(1.5));
    const auto rates = std::ranges::find(grid.sections, "wgmma", &GridSection::title);
    REQUIRE(rates != grid.sections.end());
    REQUIRE(rates->rows.size() == 2);
    CHECK(rates->rows[0].cells.at(0).quantity()->unit == Unit::flop_per_s);
    CHECK(rates->rows[1].cells.at(0).quantity()->unit == Unit::op_per_s);
    CHECK(told->effect == doctest::Approx(4));
}

TEST_CASE("an instruction far below what is documented beside a library: the faster one is shown as not measured") {
    for (const double rate : {600.0, 900.0}) { // of 919 that are documented at this clock
        CAPTURE(rate);
        MadeUp card;
        DeviceRecord& device = card.device("a:0");
        device.cores = 132, device.facts = {{"compute capability", "9.0", "asked"}};
        card.library("a:0", "f16", 720), card.matrix_at("a:0", "integers", rate, 1700);
        const Statements all = statements_of(card.run);
        const auto told = std::ranges::find(all, "library_beside", &Statement::rule);
        REQUIRE(told != all.end());
        const std::vector<GridRow>& rows = told->fact.grid.sections.at(0).rows;
        CHECK(rows.at(1).place == "mma");
        CHECK((rows.size() == 3) == (rate < 900));
        if (rows.size() == 3) CHECK((rows[2].place == "wgmma" && !rows[2].cells.at(0).quantity()));
        const std::vector<GridSection>& sections = told->fact.grid.sections; // no share of what the library may not use
        CHECK(sections.at(1).rows.empty() == (rate < 900));
    }
}
