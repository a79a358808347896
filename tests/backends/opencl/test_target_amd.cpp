// What clang is asked to compile for AMD's chips.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "backends/opencl/describe.h"
#include "backends/opencl/target.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/device/kernel_source.h"
#include "tests/required.h"
#include "tests/says.h"

using namespace sonde;

TEST_CASE("AMD's chips have arithmetic on f16 from the eighth generation on") {
    struct Row {
        const char* chip;
        bool has;
    };
    for (const Row& row : {Row{"hawaii", false}, {"fiji", true}, {"gfx900", true}}) {
        CAPTURE(row.chip);
        const Opened opened = opencl::open_amd_chip(row.chip);
        if (opened.devices.empty()) return skip(opened.absent);
        CHECK(opened.devices.front()->why_lacking(Feature::float16, false).has_value() == !row.has);
    }
}

namespace {
/// What clang, as AMD's drivers have it, makes for the chip of a kernel that reads the register. `version`: the one
/// that the compiler says it is. Throws Error.
std::string compiled(const char* chip, const opencl::Register& one, const char* as, int version = 14) {
    constexpr const char* kLibrary = R"(
#define get_local_id(dimension) __builtin_amdgcn_workitem_id_x()
#define get_group_id(dimension) __builtin_amdgcn_workgroup_id_x()
#define get_num_groups(dimension) 1u
)";
    const File text = File::temporary(opencl::source_text(
        kernel_source(opencl::trial_kernel(one.of)), {.a = &path_named("global")}, {.registers = {&one}}, kLibrary));
    return run_program({"clang-14", "-x", "cl", "-cl-std=CL1.2", "-target", "amdgcn-amd-amdhsa",
        fmt::format("-mcpu={}", chip), "-nogpulib", "-Xclang", "-finclude-default-header", "-w", "-U__clang_major__",
        fmt::format("-D__clang_major__={}", version), as, text.path().string(), "-o", "-"});
}
bool assembles(const char* chip, const opencl::Register& one) {
    try {
        compiled(chip, one, "-c");
        return true;
    } catch (const Error&) {
        return false;
    }
}

const opencl::Register& register_named(std::string_view define) {
    const auto all = opencl::all_registers();
    const auto found =
        std::ranges::find_if(all, [&](const opencl::Register& row) { return std::string_view(row.define) == define; });
    REQUIRE(found != all.end());
    return *found;
}
} // namespace

TEST_CASE("of AMD's forms of a core's number the first that the compiler takes is that of the chip") {
    if (opencl::open_amd_chip("tahiti").devices.empty() || !find_program({"clang-14"})) return skip("no clang is here");
    struct Row {
        const char *chip, *form;
    };
    for (const Row& row : {Row{"tahiti", "CORE_AMD_HW_ID"}, {"hawaii", "CORE_AMD_HW_ID"}, {"fiji", "CORE_AMD_HW_ID"},
             {"gfx900", "CORE_AMD_HW_ID"}, {"gfx1010", "CORE_AMD_HW_ID1"}, {"gfx1030", "CORE_AMD_HW_ID1"}}) {
        CAPTURE(row.chip);
        const auto forms = opencl::registers_of(opencl::Register::Of::core, false, opencl::kAmdId);
        const auto taken =
            std::ranges::find_if(forms, [&](const opencl::Register* one) { return assembles(row.chip, *one); });
        REQUIRE(taken != forms.end());
        CHECK(std::string((*taken)->define) == row.form);
    }
}

TEST_CASE("AMD's clock has a form for compilers without its builtin, and one for those that know no RDNA") {
    const Opened opened = opencl::open_amd_chip("tahiti");
    if (opened.devices.empty() || !find_program({"clang-14"})) return skip("no clang is here");
    for (const char* chip : {"tahiti", "hawaii", "fiji", "gfx900"}) {
        CAPTURE(chip);
        CHECK(assembles(chip, register_named("CLOCK_AMD")));
        CHECK(assembles(chip, register_named("CLOCK_AMD_ASSEMBLY")));
        CHECK_FALSE(assembles(chip, register_named("CLOCK_AMD_COUNTER"))); // clang 14 knows RDNA
        for (const auto& [form, version] : {std::pair("CLOCK_AMD_ASSEMBLY", 14), {"CLOCK_AMD_COUNTER", 8}}) {
            const std::string listing = compiled(chip, register_named(form), "-S", version);
            CAPTURE(listing);
            CHECK(says(listing, "s_memtime"));
            CHECK(listing.find("s_memtime") != listing.rfind("s_memtime")); // at begin and end
        }
    }
}

TEST_CASE("AMD's chips tell a kernel its core by the hardware's identity, of which a listing shows the read") {
    struct Row {
        const char *chip, *instruction;
    };
    for (const Row& row : {Row{"tahiti", "hwreg(HW_REG_HW_ID)"}, {"hawaii", "hwreg(HW_REG_HW_ID)"},
             {"fiji", "hwreg(HW_REG_HW_ID)"}, {"gfx900", "hwreg(HW_REG_HW_ID)"}, {"gfx1030", "hwreg(HW_REG_HW_ID1)"}}) {
        CAPTURE(row.chip);
        const Opened opened = opencl::open_amd_chip(row.chip);
        if (opened.devices.empty()) return skip(opened.absent);
        Device& device = *opened.devices.front();
        CHECK(!device.info().core_name.empty());
        const auto kernel = device.compile(kernel_source("cores"), {.a = &path_named("global"), .group_size = 64});
        const std::string text = kernel->listing().text;
        CAPTURE(text);
        CHECK(says(text, "s_getreg_b32"));
        CHECK(says(text, row.instruction));
    }
}
