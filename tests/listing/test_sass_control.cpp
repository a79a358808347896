// What the compiler tells the scheduler: words that public documents print, and kernels that ptxas made.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "backends/nvidia_encodings.h"
#include "core/base/file.h"
#include "core/listing/sass_control.h"
#include "tests/places.h"

using namespace sonde;

namespace {
/// A listing of instructions at these addresses.
std::string at_addresses(const std::vector<std::uint64_t>& addresses) {
    std::string text;
    for (const std::uint64_t address : addresses)
        text += fmt::format("        /*{:04x}*/   FFMA R4, R5, R4, R6 ;\n", address);
    return text;
}

std::vector<std::string> texts_of(const SassControl& control) {
    std::vector<std::string> texts;
    for (const ControlledInstruction& each : control.instructions)
        texts.push_back(each.control ? control_text(*each.control) : "none");
    return texts;
}

Listing recorded(const std::string& name) {
    const Listing listing =
        nvidia::without_encodings(text_of_file(fmt::format("{}/tests/listing/texts/{}", places::source, name)));
    REQUIRE_FALSE(listing.words.empty());
    return listing;
}

/// The loop of the kernel that holds most instructions.
std::vector<ControlledInstruction> largest_loop(const SassControl& control) {
    std::vector<ControlledInstruction> loop;
    std::ranges::copy_if(control.instructions, std::back_inserter(loop), [&](const ControlledInstruction& each) {
        return each.line_number >= control.loops.back().first_line &&
               each.line_number <= control.loops.back().last_line;
    });
    return loop;
}
} // namespace

TEST_CASE("control words that public documents print") {
    // maxas' wiki, "Control Codes": the first two groups of its sample, by the masks that it gives
    const std::vector<std::uint64_t> maxwell{0x001f9400fe2007e6, 0x4c98078000870001, 0x4c98078005470000,
        0x3811000003870101, 0x001f9000fe2007f1, 0x3910007ffff70007, 0x5c9807800ff7000e, 0x5c9807800ff70008};
    CHECK(texts_of(read_control(at_addresses({0x8, 0x10, 0x18, 0x28, 0x30, 0x38}), maxwell)) ==
          std::vector<std::string>{"B------:R-:W-:Y:S06", "B------:R-:W-:-:S01", "B------:R-:W-:Y:S05",
              "B------:R-:W-:-:S01", "B------:R-:W-:-:S01", "B------:R-:W-:Y:S04"});
    // CuAssembler, CuSMVersion: what fills the end of a program of sm_7x and sm_8x
    const std::vector<std::uint64_t> volta{0x0000000000007918, 0x000fc00000000000};
    CHECK(texts_of(read_control(at_addresses({0}), volta)) == std::vector<std::string>{"B------:R-:W-:Y:S00"});
    // envytools, "Notes about scheduling data and dual-issue": 0x28 and 0x20 of its example, 0x04, and nothing told; in
    // the words' two forms, by NAK's marks
    constexpr std::uint64_t kCodes = 0x28 | 0x20 << 8 | 0x04 << 16;
    for (const std::uint64_t word : {0x2000000000000007 | kCodes << 4, 0x0800000000000000 | kCodes << 2}) {
        std::vector<std::uint64_t> kepler(8, 1);
        kepler[0] = word;
        CHECK(texts_of(read_control(at_addresses({0x8, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38}), kepler)) ==
              std::vector<std::string>{"S09", "S01", "dual", "S--", "S--", "S--", "S--"});
    }
}

TEST_CASE("control of Maxwell: dual issue, and counts that hold with the yield flag alone") {
    const auto control_of = [](std::uint64_t code) {
        const std::vector<std::uint64_t> words{code, 0};
        return *read_control(at_addresses({0x8}), words).instructions.at(0).control;
    };
    CHECK(control_of(0x7f0).dual);
    CHECK_FALSE(control_of(0x7e0).dual); // behind a program's end
    CHECK_FALSE(control_of(0x7f1).dual);
    CHECK(control_of(0x7ed).stall == 13u);
    CHECK(control_of(0x7fd).stall == 6u); // the wiki's example of ISETP without the flag
    CHECK(control_of(0x7fb).stall == 11u);
    CHECK_FALSE(control_of(0x7ff).stall);
    CHECK(control_text(control_of(0x7ff)) == "B------:R-:W-:-:S--");
}

TEST_CASE("control of Volta and later: each field of an instruction's second word") {
    const auto control_of = [](std::uint64_t second) {
        const std::vector<std::uint64_t> words{0, second};
        return *read_control(at_addresses({0}), words).instructions.at(0).control;
    };
    const IssueControl all = control_of((5ull | 1ull << 5 | 4ull << 8 | 0b100010ull << 11 | 0b101ull << 17) << 41);
    CHECK(all.stall == 5u);
    CHECK(all.yield);
    CHECK_FALSE(all.dual);
    CHECK(all.write_barrier == 1u);
    CHECK(all.read_barrier == 4u);
    CHECK(all.wait_mask == 0b100010);
    CHECK(all.reuse == 0b101);
    CHECK(control_text(all) == "B-1---5:R4:W1:Y:S05");
    const IssueControl none = control_of(0x7ffull << 41);
    CHECK(none.stall == 15u);
    CHECK_FALSE(none.yield);
    CHECK_FALSE(none.write_barrier);
    CHECK_FALSE(none.read_barrier);
    CHECK(none.wait_mask == 0);
}

TEST_CASE("control of a loop that ptxas made: stall counts between dependent operations are the chip's latency") {
    struct Row {
        const char* file;
        std::size_t latency, dual;
    };
    // Sixteen dependent FFMA, a subtraction, a comparison and the branch. Kepler issues both beside an FFMA, and the
    // branch; Maxwell the branch; later chips issue one instruction at a time.
    for (const auto& [file, latency, dual] :
        {Row{"sass-sm_35-fma-encodings.txt", 9, 3}, Row{"sass-sm_52-fma-encodings.txt", 6, 1},
            Row{"sass-sm_75-fma-encodings.txt", 4, 0}, Row{"sass-sm_90-fma-encodings.txt", 4, 0}}) {
        CAPTURE(file);
        const Listing listing = recorded(file);
        const SassControl control = read_control(listing.text, listing.words);
        REQUIRE_FALSE(control.loops.empty());
        const LoopControl& loop = control.loops.back();
        CHECK(loop.instructions == 19);
        CHECK(loop.dual_issued == dual);
        CHECK(loop.waiting == 0);
        std::size_t cycles = 0, since = 0, dependent = 0;
        for (const ControlledInstruction& each : largest_loop(control)) {
            if (each.mnemonic == "FFMA") {
                if (dependent++) CHECK(since == latency);
                since = 0;
            }
            REQUIRE(each.control);
            since += each.control->stall.value_or(0);
            cycles += each.control->stall.value_or(0);
        }
        CHECK(dependent == 16);
        CHECK(loop.stall_cycles == cycles);
    }
}

TEST_CASE("control of Blackwell stands where Volta's does") {
    // From /*0160*/ on: what ptxas 13.0 makes of the same loop for sm_100 and sm_120
    const std::vector<std::uint64_t> words{0x0000000600067223, 0x000fc80000000005, 0x0000000600077223,
        0x000fe20000000005, 0xfffffffc00b41947, 0x000fec000383ffff};
    CHECK(texts_of(read_control(at_addresses({0, 0x10, 0x20}), words)) ==
          std::vector<std::string>{"B------:R-:W-:Y:S04", "B------:R-:W-:-:S01", "B------:R-:W-:-:S06"});
}

TEST_CASE("control: nothing where there are no words, of Fermi, and behind the words' end") {
    CHECK(read_control(at_addresses({0, 0x10}), {}).instructions.empty());
    const std::vector<std::uint64_t> words(4, 0x2800440400005de4);
    CHECK(read_control(at_addresses({0, 0x8, 0x10, 0x18}), words).instructions.empty());
    CHECK(texts_of(read_control(at_addresses({0, 0x10, 0x20}), words)).back() == "none");
    CHECK(read_control("", words).instructions.empty());
}
