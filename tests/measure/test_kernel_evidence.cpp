// Instructions of a step that a listing shows, and those that decide.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/measure/arithmetic.h"
#include "core/measure/kernel_evidence.h"

using namespace sonde;

namespace {
/// A loop as nvdisasm writes it, of so many such instructions and another one.
std::string loop_of(int count, const char* mnemonic = "FFMA") {
    std::string text =
        "\t.target\tsm_90\n.text.arithmetic:\n        /*0000*/                   MOV R1, c[0x0][0x28] ;\n.L_x_1:\n";
    for (int i = 0; i < count; ++i)
        text += fmt::format("        /*0010*/                   {} R4, R4, R4, R5 ;\n", mnemonic);
    return text + "        /*0020*/                   ISETP.NE.AND P0, PT, R2, RZ, PT ;\n        /*0030*/              "
                  "@!P0 BRA `(.L_x_1) ;\n        /*0040*/                   EXIT ;\n";
}
KernelChoice choice_of(const char* operation, std::uint32_t chains, std::uint32_t repeat) {
    DeviceInfo info;
    info.subgroup = 32;
    return arithmetic_kernel(info, *find_operation(operation), chains, repeat);
}
} // namespace

TEST_CASE("evidence of a kernel: what the compiler tells the scheduler in one trip, and of how many steps") {
    std::string text = "L1:\n";
    std::vector<std::uint64_t> words;
    const auto add = [&](const char* instruction, std::uint64_t control) {
        text += fmt::format("        /*{:04x}*/  {} ;\n", 8 * words.size(), instruction);
        words.insert(words.end(), {0, control << 41});
    };
    for (int i = 0; i < 15; ++i) add("FFMA R4, R4, R4, R5", 0x7e4); // stalls for four cycles
    add("FFMA R4, R4, R4, R5", 0x7f1);
    add("ISETP.NE.AND P0, PT, R2, RZ, PT", 0xff3); // three, and waits for barrier 0
    add("@P0 BRA `(L1)", 0x7f5);
    const auto issue_of = [&](const Listing& listing) {
        return kernel_evidence(listing, {}, choice_of("fma.f32", 1, 8), *find_path("global")).loop_issue;
    };
    const auto issue = issue_of({"sass", text, "", words});
    REQUIRE(issue);
    CHECK(issue->instructions == 18);
    CHECK(issue->stall_cycles == 15 * 4 + 1 + 3 + 5);
    CHECK(issue->waiting == 1);
    CHECK(issue->dual_issued == 0);
    CHECK(issue->steps == 16.0); // the compiler has unrolled the loop twice more
    CHECK_FALSE(issue_of({"sass", text}));
    CHECK_FALSE(issue_of({"ptx", text, "", words}));
}

TEST_CASE("the listing's count decides whether steps were measured") {
    const auto count = [](int found, const char* operation, const char* mnemonic = "FFMA") {
        return step_instructions({"sass", loop_of(found, mnemonic)}, choice_of(operation, 2, 8));
    };
    CHECK(count(16, "fma.f32").at("FFMA") == 1);
    CHECK(count(64, "fma.f32").at("FFMA") == 1); // the compiler has unrolled the loop four times more
    const auto lacks = [](const char* found) { return doctest::Contains(fmt::format("holds {}", found).c_str()); };
    CHECK_THROWS_WITH_AS(count(15, "fma.f32"), lacks("15 instructions FFMA"), Error);
    CHECK_THROWS_WITH_AS(count(15, "fma.f32"), doctest::Contains("fma.f32 need 16"), Error);
    CHECK_THROWS_AS(count(16, "add.f32"), Error); // another instruction
    CHECK(count(32, "add.f32", "FADD").at("FADD") == 2);
    CHECK_THROWS_AS(count(31, "add.f32", "FADD"), Error); // of two in a step one is missing
    CHECK_THROWS_AS(count(16, "add.f32", "FADD"), Error);
    CHECK(count(16, "insert.u32", "PRMT").at("PRMT") == 1);
    CHECK_THROWS_AS(count(16, "divide.u32"), Error); // a sequence without its reciprocal
    CHECK(count(16, "divide.u32", "MUFU.RCP").at("MUFU.RCP") == 1);
    CHECK(count(32, "divide.u32", "MUFU.RCP").at("MUFU.RCP") == 2); // of a sequence, not of a loop unrolled
    CHECK_THROWS_AS(count(16, "divide.f32"), Error);
    const auto gen = [](std::string_view instruction, int found) {
        std::string text = "L8:\n";
        for (int n = 0; n < found; ++n)
            text += fmt::format("        {} (8|M0)  r4.0<1>:f  r9.0<1;0>:f  r4.0<1;0>:f  r4.0<1>:f\n", instruction);
        return step_instructions({"gen", text + "(W&f1.0) jmpi  L8\n"}, choice_of("fma.f32", 2, 8));
    };
    CHECK(gen("mad", 16).at("mad.f") == 1);
    CHECK_THROWS_WITH_AS(gen("mad", 15), lacks("15 instructions mad\\.f"), Error);
    CHECK_THROWS_AS(gen("mul", 16), Error);
    CHECK(step_instructions({"ptx", loop_of(3)}, choice_of("fma.f32", 2, 8)).empty());
}

TEST_CASE("the instruction that decides, by what an H200's compilers made of each step") {
    struct Row {
        const char* operation;
        std::vector<std::pair<const char*, std::size_t>> step;
        bool holds = true;
    };
    const Row rows[] = {{"sqrt.f32", {{"FADD", 1}, {"FFMA", 2}, {"FMUL.FTZ", 2}, {"MUFU.RSQ", 1}}}, // CUDA's
        {"sqrt.f32", {{"FADD", 1}, {"FMUL", 2}, {"MUFU.SQRT", 1}}},                                 // OpenCL's
        {"sqrt.f32", {{"FADD.FTZ", 1}}, false}, {"divide.f32", {{"FFMA.FTZ", 1}, {"MUFU.RCP", 1}}},
        {"divide.f32", {{"DFMA", 7}, {"MUFU.RCP64H", 1}}, false},
        {"divide.f64", {{"DFMA", 7}, {"DMUL", 1}, {"MUFU.RCP64H", 1}}},
        {"divide.f64", {{"FFMA", 1}, {"MUFU.RCP", 1}}, false},
        {"divide.u32", {{"I2F.U32.RP", 1}, {"IMAD.HI.U32", 2}, {"MUFU.RCP", 1}}},
        {"remainder.u32", {{"I2FP.F32.U32", 1}, {"FMUL.FTZ.RZ", 2}, {"MUFU.RCP", 1}}}, // Vulkan's
        {"remainder.u32", {{"I2F.U32.RP", 1}, {"IMAD.HI.U32", 2}}, false}, {"mad.f32", {{"FFMA.FTZ", 1}}},
        {"mad.f32", {{"FADD", 1}, {"FMUL", 1}}}, {"mad.f32", {{"FADD", 1}}, false},
        {"mad.u64", {{"IADD3", 1}, {"IMAD", 2}, {"IMAD.WIDE.U32", 1}}}, {"mad.u64", {{"IMAD", 2}}, false},
        {"mad.u16", {{"IMAD", 1}, {"PRMT", 1}}}, {"mad.u16", {{"IMAD.MOV.U32", 1}, {"PRMT", 1}}, false},
        {"mad.u32", {{"IMAD.IADD", 1}}, false}, {"insert.u32", {{"IMAD.IADD", 1}, {"PRMT", 1}}},
        {"insert.u32", {{"IMAD.IADD", 1}, {"IMAD.SHL.U32", 1}, {"LOP3.LUT", 1}}},
        {"insert.u32", {{"IMAD.IADD", 1}}, false}, {"reduce.u32", {{"IMAD.IADD", 1}, {"MOV", 1}, {"REDUX.SUM", 1}}},
        {"reduce.u32", {{"SHFL.BFLY", 5}, {"IADD3", 5}}}, {"reduce.u32", {{"IADD3", 5}}, false}};
    for (const Row& row : rows) {
        constexpr std::uint32_t kSteps = 256;
        std::string text = "\t.target\tsm_90\n.text.arithmetic:\n.L_x_1:\n";
        for (const auto& [mnemonic, times] : row.step)
            for (std::size_t n = 0; n < times * kSteps; ++n)
                text += fmt::format("        /*0010*/                   {} R4, R4, R4, R5 ;\n", mnemonic);
        text += "        /*0030*/              @!P0 BRA `(.L_x_1) ;\n        /*0040*/                   EXIT ;\n";
        CAPTURE(row.operation);
        CAPTURE(row.step[0].first);
        const auto counted = [&] { return step_instructions({"sass", text}, choice_of(row.operation, 1, kSteps)); };
        if (!row.holds) {
            CHECK_THROWS_AS(counted(), Error);
            continue;
        }
        const auto found = counted();
        for (const auto& [mnemonic, times] : row.step) CHECK(found.at(mnemonic) == times);
    }
}
