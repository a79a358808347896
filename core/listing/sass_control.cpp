// The layouts, as a table, and what loops come to.
#include "core/listing/sass_control.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/listing/loops.h"

namespace sonde {

namespace {
constexpr std::uint32_t kNoBarrier = 7, kBarriers = 6;
constexpr std::uint64_t kWordBytes = 8;

std::optional<std::uint32_t> barrier(std::uint32_t number) {
    return number == kNoBarrier ? std::nullopt : std::optional(number);
}

IssueControl of_volta(std::uint32_t code) {
    return {.code = code,
        .stall = code & 0xf,
        .yield = (code & 0x10) == 0,
        .write_barrier = barrier(code >> 5 & 7),
        .read_barrier = barrier(code >> 8 & 7),
        .wait_mask = code >> 11 & 0x3f,
        .reuse = code >> 17 & 0xf};
}

/// The same fields. No stall and no yield is dual issue; both yield and no stall stand behind a program's end. Counts
/// from 12 on hold with yield alone: without it 13 is 6 cycles ("Control Codes"), and nobody tells of the others.
IssueControl of_maxwell(std::uint32_t code) {
    IssueControl control = of_volta(code);
    control.dual = control.stall == 0u && !control.yield;
    if (!control.yield && control.stall >= 12u) control.stall = control.stall == 13u ? std::optional(6u) : std::nullopt;
    return control;
}

IssueControl of_kepler(std::uint32_t code) {
    constexpr std::uint32_t kDual = 0x04, kTold = 0x60;
    IssueControl control{.code = code, .dual = code == kDual, .has_barriers = false};
    if (control.dual) control.stall = 0;
    else if (code & kTold) control.stall = (code & 0x1f) + 1;
    return control;
}

/// Where control information stands.
struct Layout {
    std::uint64_t group;           // words of a group, the control word among them; 2: an instruction and its control
    std::uint64_t control_word;    // its place in the group
    std::uint64_t mark_bits, mark; // what such a word holds besides
    std::uint32_t first_bit, bits; // of the first instruction, and of each
    IssueControl (*decoded)(std::uint32_t);
};
constexpr Layout kLayouts[] = {{2, 1, 0, 0, 41, 21, of_volta}, {4, 0, 0x8000000000000000, 0, 0, 21, of_maxwell},
    {8, 0, 0xf00000000000000f, 0x2000000000000007, 4, 8, of_kepler},  // sm_30
    {8, 0, 0xfc00000000000003, 0x0800000000000000, 2, 8, of_kepler}}; // sm_32 to sm_37

bool fits(const Layout& layout, std::span<const std::uint64_t> words, std::span<const ControlledInstruction> code) {
    const auto place = [&](const ControlledInstruction& each) { return each.address / kWordBytes % layout.group; };
    const bool in_order = std::ranges::all_of(
        code, [&](const auto& each) { return layout.group == 2 ? place(each) == 0 : place(each) != 0; });
    return in_order && words.size() > layout.control_word &&
           (words[layout.control_word] & layout.mark_bits) == layout.mark;
}

std::optional<IssueControl> control_at(
    const Layout& layout, std::span<const std::uint64_t> words, std::uint64_t address) {
    const std::uint64_t at = address / kWordBytes, group = at / layout.group * layout.group,
                        control_word = group + layout.control_word;
    if (std::max(at, control_word) >= words.size()) return std::nullopt;
    const std::uint64_t before = layout.group == 2 ? 0 : at - group - 1; // instructions of the group
    const std::uint64_t code = words[control_word] >> (layout.first_bit + before * layout.bits);
    return layout.decoded(static_cast<std::uint32_t>(code & ((1u << layout.bits) - 1)));
}

LoopControl summed(std::span<const ControlledInstruction> loop) {
    LoopControl sum{
        .first_line = loop.front().line_number, .last_line = loop.back().line_number, .instructions = loop.size()};
    for (const ControlledInstruction& each : loop) {
        const IssueControl control = each.control.value_or(IssueControl{});
        sum.stall_cycles += control.stall.value_or(0);
        sum.dual_issued += control.dual;
        sum.waiting += control.wait_mask != 0;
        sum.yielding += control.yield;
        sum.reusing += control.reuse != 0;
    }
    return sum;
}
} // namespace

SassControl read_control(std::string_view listing, std::span<const std::uint64_t> words) {
    const Syntax* syntax = find_syntax("sass", listing);
    if (!syntax || words.empty()) return {};
    const Program program = read_listing(*syntax, listing);
    SassControl read;
    read.instructions.reserve(program.instructions.size());
    for (const Instruction& each : program.instructions)
        read.instructions.push_back({each.address, each.line_number, each.line, each.mnemonic});
    const auto layout =
        std::ranges::find_if(kLayouts, [&](const Layout& each) { return fits(each, words, read.instructions); });
    if (layout == std::end(kLayouts) || read.instructions.empty()) return {};
    for (ControlledInstruction& each : read.instructions) each.control = control_at(*layout, words, each.address);
    const std::span<const ControlledInstruction> all(read.instructions);
    for (const Loop& loop : loops_of(program))
        if (loop.size() > 1) // a branch to itself stands behind a program's end
            read.loops.push_back(summed(all.subspan(loop.first, loop.size())));
    return read;
}

std::string control_text(const IssueControl& control) {
    const std::string stall = control.stall ? fmt::format("S{:02}", *control.stall) : "S--";
    if (!control.has_barriers) return control.dual ? "dual" : stall;
    std::string waits(kBarriers, '-');
    for (std::uint32_t i = 0; i < kBarriers; ++i)
        if (control.wait_mask >> i & 1) waits[i] = static_cast<char>('0' + i);
    const auto number = [](const std::optional<std::uint32_t>& set) { return set ? std::to_string(*set) : "-"; };
    return fmt::format("B{}:R{}:W{}:{}:{}", waits, number(control.read_barrier), number(control.write_barrier),
        control.yield ? "Y" : "-", stall);
}

} // namespace sonde
