// What NVIDIA's compiler tells the scheduler with each instruction, which no listing shows: it stands in bits of the
// machine code that disassemblers print as numbers alone.
//
// Formats, by public documents:
//  - sm_70 and later, bits 105 to 125 of an instruction's 128: Jia, Maggioni, Staiger and Scarpazza, "Dissecting the
//    NVIDIA Volta GPU Architecture via Microbenchmarking" (2018), section 2.1; "CuAssembler User Guide".
//  - sm_50 to sm_62, a word in front of three instructions, 21 bits each: Gray, "Control Codes" in the wiki of maxas.
//  - sm_30 to sm_37, a word in front of seven instructions, 8 bits each: "Notes about scheduling data and dual-issue on
//    GK104+" in envytools' documents, and Zhang's KeplerAs; the two forms of the word: Mesa's compiler NAK.
// Fermi and older chips find out themselves.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

struct IssueControl {
    std::uint32_t code = 0; // as it stands there: 21 bits, or 8 of Kepler
    std::optional<std::uint32_t>
        stall{};        // cycles until the subgroup's next instruction may be issued; none: nobody tells
    bool yield = false; // another subgroup is to come next
    bool dual = false;  // issued together with the next instruction
    std::optional<std::uint32_t> write_barrier{}, read_barrier{}; // 0 to 5: set until it has written or read registers
    std::uint32_t wait_mask = 0;                                  // of the barriers that it waits for
    std::uint32_t reuse = 0;  // of the source operands that stay in the reuse cache, the first one's bit the lowest
    bool has_barriers = true; // Kepler's has no barriers, no yield and no reuse
};

struct ControlledInstruction {
    std::uint64_t address = 0;
    std::size_t line_number = 0;           // in the listing, from 1
    std::string instruction{}, mnemonic{}; // without comments
    std::optional<IssueControl> control{}; // none: the words end before it
};

/// One trip of a loop of several instructions, as if none of it were skipped.
struct LoopControl {
    std::size_t first_line = 0, last_line = 0; // of the listing
    std::size_t instructions = 0, stall_cycles = 0;
    std::size_t dual_issued = 0, waiting = 0, yielding = 0, reusing = 0; // how many of the instructions
};

struct SassControl {
    std::vector<ControlledInstruction> instructions{};
    std::vector<LoopControl> loops{}; // by size, the largest last
};

/// Of a listing of SASS and its words from address 0 on (Listing::words). Nothing where there are no words, or of a
/// chip without control information.
SassControl read_control(std::string_view listing, std::span<const std::uint64_t> words);

/// As CuAssembler writes it: "B0-2---:R-:W1:Y:S04" waits for barriers 0 and 2, sets no read barrier and write barrier
/// 1, yields, and stalls for four cycles; "S--" where no document tells the cycles. Of Kepler: "S09", "S--" or "dual".
std::string control_text(const IssueControl&);

} // namespace sonde
