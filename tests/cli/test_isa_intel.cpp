// What ocloc makes of each path, operation and matrix form for Intel's chips, and what is said where it is not here.
// Each row runs `sonde isa` as a user would.
#include <filesystem>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "core/base/json.h"
#include "core/base/process.h"
#include "core/base/system.h"
#include "core/device/matrix_form.h"
#include "tests/cli/isa.h"
#include "tests/places.h"
#include "tests/required.h"
#include "tests/thorough.h"

using namespace sonde;
using namespace isa_tests;
using command::Folder, command::Ran;

namespace {
/// On the PATH, or what scripts/unpack-ocloc has made, which is put there.
bool has_ocloc() {
    if (!thorough()) {
        skip("in full only: ocloc takes long for each kernel");
        return false;
    }
    const std::string folder = (std::filesystem::path(places::source) / "build/ocloc").string();
    if (!find_program({"ocloc"})) set_environment("PATH", fmt::format("{}:{}", std::getenv("PATH"), folder));
    const bool has = find_program({"ocloc"}).has_value();
    if (!has) skip("ocloc is not here (scripts/unpack-ocloc)");
    return has;
}

/// A program that stands in for ocloc.
void write_ocloc(const Folder& folder, const std::string& script) {
    std::ofstream(folder.file("ocloc")) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(folder.file("ocloc"), std::filesystem::perms::owner_all);
}
} // namespace

TEST_CASE("Intel's chips: without ocloc, or with one that fails, the line says what is missing") {
    const Folder folder;
    const std::string only_here = "PATH=" + folder.path.string();
    CHECK(says(isa("latency --path global --target opencl:dg2", only_here).out, "(Debian: intel-opencl-icd)"));
    CHECK(says(isa("latency --path global --target opencl:dg3", only_here).out, "'opencl:dg3'; nearest: opencl:dg1,"));
    write_ocloc(folder, "echo '1:5:1: error: of the compiler'; exit 245");
    CHECK(says(isa("latency --path global --target opencl:dg2", only_here).out,
        "ocloc exited with 245: 1:5:1: error: of the compiler"));
    write_ocloc(folder, ":");
    CHECK(says(isa("latency --path global --target opencl:dg2", only_here).out, "libiga64.so (Debian: libigc-dev)"));
    for (const auto& [words, reason] :
        {std::pair{"operation --target opencl:dg2 --path global --option operation=fma.f64", "no arithmetic on f64"},
            {"operation --target opencl:skl --path global --option operation=dot.u8x4", "no dot product"},
            {"operation --target opencl:skl --path global --option operation=fma.bf16x2", "has no bfloat16"},
            {"matrix --target opencl:tgllp --path global --option operation=dpas.f16.f32.m8n8k16 --option chains=4 "
             "--option data=integers",
                "tgllp has no dpas"},
            {"matrix --target opencl:pvc --path global --option operation=dpas.f16.f32.m8n8k16 --option chains=4 "
             "--option data=integers",
                "pvc has 16 lanes,"},
            {"matrix --target opencl:dg2 --path global --option operation=mma.f16.f32.m16n8k16 --option chains=4 "
             "--option data=integers",
                "no matrix multiply-adds"},
            {"matrix --target opencl:dg2 --path global --option operation=wmma.f16.f32.m16n16k16 --option chains=4 "
             "--option data=integers",
                "of AMD's compiler"},
            {"atomics --target opencl:skl --path scratchpad --option type=f64",
                "the compiler has no __opencl_c_ext_fp64_local_atomic_add"},
            {"latency --target opencl:pvc --path texel", "pvc has no sampler"},
            {"latency --target opencl:dg2 --path global.cg", "no cache operators"},
            {"latency --target opencl:dg2 --path push", "no push constants"}}) {
        const std::string out = isa(words, only_here).out;
        CAPTURE(words);
        CAPTURE(out);
        CHECK(says(out, reason));
    }
}

TEST_CASE("Intel's chips: the message of each path, and what stands between two of them") {
    if (!has_ocloc()) return;
    struct Row {
        const char *path, *skl, *dg2, *pvc; // null: the chip has no form
        std::size_t most_between = 3;
    };
    for (const Row& row :
        {Row{"global", "untyped surface read", "untyped surface read", "load.ugm"},
            {"global.cs", "untyped surface read", "untyped surface read", "load.ugm.uc.uc"},
            {"global.readonly", "untyped surface read", "untyped surface read", "load.ugm"},
            {"global.uniform", "byte gathering read 32b", "byte gathering read 32b", "load.ugm"},
            {"global.pointer", "a64 qword gathering read", "a64 qword gathering read", "load.ugm", 0},
            {"private", "untyped surface read", "a64 dword gathering read", "load.ugm.ca.ca"},
            {"texel", "simd8 sample load with lod forced to 0", "simd8 sample load with lod forced to 0", nullptr, 0},
            {"image2d", "simd8 sample load with lod forced to 0", "simd8 sample load with lod forced to 0", nullptr, 2},
            {"constant", "untyped surface read", "untyped surface read", "load.ugm.ca.ca"},
            {"constant.uniform", "byte gathering read 32b", "byte gathering read 32b", "load.ugm.ca.ca"},
            {"scratchpad", "untyped surface read of slm", "untyped surface read of slm", "load.slm", 1}})
        for (const auto& [chip, load] : {std::pair{"skl", row.skl}, {"dg2", row.dg2}, {"pvc", row.pvc}}) {
            if (!load) continue;
            const Ran ran = isa(fmt::format("latency --path {} --target opencl:{} --json", row.path, chip));
            CAPTURE(row.path);
            CAPTURE(chip);
            CAPTURE(ran.out.substr(0, 400));
            REQUIRE(ran.code == 0);
            const Json answer = Json::parse(ran.out);
            CHECK(answer.at("load") == load);
            CHECK(answer.at("unroll") == 64);
            CHECK(answer.at("address_instructions").size() <= row.most_between);
        }
    const Ran sized = isa("latency --path global --target opencl:dg2 --option subgroup=16");
    CHECK(says(sized.out, "subgroups of 16 lanes"));
}

TEST_CASE("Intel's chips: every operation of OpenCL's, with its instruction where it has one of its own") {
    if (!has_ocloc()) return;
    // Of each chip what it lacks is refused, and everything else compiles with enough of the instruction, or `sonde
    // isa` fails.
    const std::set<std::string> no_f64{
        "fma.f64", "add.f64", "mul.f64", "divide.f64", "convert.f32-f64", "convert.i32-f64"},
        no_dots{"dot.u8x4"};
    std::map<std::string, std::map<std::string, Json>> made;
    for (const auto& [chip, lacks] : {std::pair{"skl", no_dots}, {"dg2", no_f64}})
        for (const Operation& operation : all_operations()) {
            const std::string name(operation.name);
            const Ran ran =
                isa(fmt::format("operation --path global --target opencl:{} --option operation={} --json", chip, name));
            CAPTURE(chip);
            CAPTURE(name);
            CAPTURE(ran.out.substr(0, 400));
            if (lacks.contains(name) || name.ends_with("bf16x2")) {
                CHECK(ran.code == 1);
                continue;
            }
            REQUIRE(ran.code == 0);
            made[chip][name] = Json::parse(ran.out);
            CHECK(made[chip][name].at("kind") == "gen");
            CHECK(!made[chip][name].at("step_instructions").empty());
        }
    struct Row {
        const char *chip, *operation, *instruction;
        double times = 1;
    };
    for (const Row& row : {Row{"skl", "fma.f32", "mad.f"}, {"dg2", "fma.f32", "mad.f"}, {"skl", "fma.f64", "mad.df"},
             {"dg2", "fma.f16x2", "mad.hf", 2}, {"dg2", "mul.f32", "mul.f", 2}, {"skl", "add.u32", "add.d", 2},
             {"dg2", "dot.u8x4", "dp4a"}, {"dg2", "rotate.u32", "rol", 2}, {"skl", "logic.u32", "xor", 2},
             {"dg2", "logic.u32", "bfn", 2}, {"skl", "popcount.u32", "cbit"}, {"dg2", "leading-zeros.u32", "lzd"},
             {"skl", "rcp.f32", "math.inv"}, {"skl", "divide.f32", "math.fdiv"}, {"skl", "divide.u32", "math.iqot"},
             {"dg2", "divide.u32", "math.inv"}, {"dg2", "convert.f32-f16", "mov.hf"}, {"skl", "mad.f32", "mad.f"},
             {"dg2", "divide.f32", "math.inv"}, {"dg2", "rsqrt.f32", "math.rsqt"}, {"dg2", "exp2.f32", "math.exp"},
             {"skl", "sine.f32", "math.sin"}, {"skl", "select.u32", "sel", 2},
             {"dg2", "barrier.u32", "send.gtwy signal barrier"},
             {"dg2", "load-scratchpad.u32", "send.dc1 untyped surface read with x of slm"}}) {
        CAPTURE(row.chip);
        CAPTURE(row.operation);
        CHECK(of_step(made[row.chip][row.operation], row.instruction) == doctest::Approx(row.times).epsilon(0.01));
    }
    CHECK(
        says(isa("operation --path global --target opencl:dg2 --option operation=fma.f32").out, "chain is 1 mad.f\n"));
}

TEST_CASE("Intel's chips: matrix forms by dpas, two in a step") {
    if (!has_ocloc()) return;
    for (const Operation& form : all_matrix_forms()) {
        if (form.gen.empty()) continue;
        const char* chip = form.matrix->n == 8 ? "dg2" : "pvc";
        const Ran ran = isa(fmt::format("matrix --path global --target opencl:{} --option operation={} --option "
                                        "chains=4 --option data=integers --json",
            chip, form.name));
        CAPTURE(form.name);
        CAPTURE(ran.out.substr(0, 400));
        REQUIRE(ran.code == 0);
        CHECK(of_step(Json::parse(ran.out), "dpas.8x8") == doctest::Approx(2).epsilon(0.01));
    }
}

TEST_CASE("Intel's chips: atomic instructions by type; additions that a chip has no instruction for are loops") {
    if (!has_ocloc()) return;
    struct Row {
        const char *chip, *options, *instruction;
        bool loop = false;
    };
    for (const Row& row : {Row{"skl", "--path global", "sends untyped a64 atomic int32 integer add"},
             {"dg2", "--path global --option type=u64", "send.dc1 untyped a64 atomic int64 integer add"},
             {"dg2", "--path scratchpad", "send.dc1 untyped atomic int32 integer add of slm"},
             {"pvc", "--path scratchpad", "send.slm atomic_iadd.slm.d32.a32"},
             {"dg2", "--path global --option type=f32", "send.dc1 a64 float atomic add (32b)"},
             {"skl", "--path global --option type=f32", "sends untyped a64 atomic int32 logical OR", true},
             {"pvc", "--path global --option type=f64", "send.ugm atomic_fadd.ugm.d64.a64"},
             {"dg2", "--path global --option operation=compare-swap",
                 "send.dc1 untyped a64 atomic int32 integer compare and swap"}}) {
        const Ran ran = isa(fmt::format("atomics --target opencl:{} {} --json", row.chip, row.options));
        CAPTURE(row.chip);
        CAPTURE(row.options);
        CAPTURE(ran.out.substr(0, 400));
        REQUIRE(ran.code == 0);
        const Json answer = Json::parse(ran.out);
        REQUIRE(!answer.at("atomics").empty());
        CHECK(answer.at("atomics")[0].at("kind") == row.instruction);
        CHECK(answer.at("atomics")[0].at("lock_loop") == row.loop);
    }
}
