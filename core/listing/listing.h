// Finds, in the text of a compiled kernel, the instructions that prove which memory path was taken.
//
// A kernel holds many loads (arguments, descriptors, the staging of a scratchpad, the touch that warms a cache); what
// was measured is one of them. It is found by what happens to its result, not by its name: instructions are read with
// the registers they write and read, loops are found by their backward branches, and the data flow is followed round
// each loop.
//
// Kinds of listing: "ptx", "sass" (nvdisasm, cuobjdump), "gcn" (AMD assembly of GCN and RDNA as LLVM prints it, and
// Mesa's ACO IR), "gen" (Intel's, as its IGA disassembler prints it), "spirv".
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

struct LoadInstruction {
    std::string mnemonic{}; // "buffer_load_dword"
    std::string line{};     // the whole instruction, without comments and alignment
    std::string kind{}; // without widths and types, with cache flags: "ld.global.nc", "LDG.E.CONSTANT", "buffer_load
                        // glc", "ds_read", "OpLoad StorageBuffer"
    std::size_t line_number = 0; // in the listing, from 1; of the first copy in the loop
    std::size_t copies = 0;      // how many such loads one trip of the loop holds
    /// AMD: some instruction of the loop moves one lane's value into a scalar register, a cost that the path did not
    /// ask for.
    bool readfirstlane_in_loop = false;
    std::vector<std::string>
        between{}; // what stands between this load and the next one on the chain: the address arithmetic
};

/// The load whose result becomes the address of its own next execution, or of the next unrolled copy: the measured load
/// of a chase. Of several loops with such loads the one with most copies, which is the measuring one. nullopt: there is
/// none, or no text of a known kind.
std::optional<LoadInstruction> find_load(std::string_view kind, std::string_view listing);

/// The load whose results are summed up round its loop: the measured load of a bandwidth test. `between` stays empty.
std::optional<LoadInstruction> find_summed_load(std::string_view kind, std::string_view listing);

/// True when listings of this kind can be read.
bool is_readable_listing(std::string_view kind);

struct AtomicInstruction {
    std::string mnemonic, line;
    std::size_t line_number = 0;
    std::string
        cache_control;      // mnemonic of the fence or cache invalidation that directly follows (waits aside), or empty
    bool lock_loop = false; // no instruction of its own: a loop that tries until it succeeds, by a load that locks or
                            // by compare-and-swap
    std::string combined_by; // mnemonic of what counts or adds up a subgroup's lanes for it, which then execute it
                             // once; or empty
    std::size_t copies = 1;  // where equal ones are counted as one
};

/// Every atomic instruction, in the order of the listing.
std::vector<AtomicInstruction> find_atomics(std::string_view kind, std::string_view listing);

/// Those with the same mnemonic, the same cache control and the same joining of lanes as one, the first of them; the
/// one with most copies, which is the measured one of a kernel that is unrolled by text, comes first.
std::vector<AtomicInstruction> count_atomics(std::string_view kind, std::string_view listing);

/// Instructions in the listing, those of a loop once, but for what fills space; 0: no text of a known kind.
std::size_t count_instructions(std::string_view kind, std::string_view listing);

/// How often each mnemonic stands in the loop with most instructions; nothing where there is none, or no text of a
/// known kind.
std::map<std::string, std::size_t> count_loop(std::string_view kind, std::string_view listing);
/// How many of them have a mnemonic that fits the expression.
std::size_t counted(const std::map<std::string, std::size_t>& loop, std::string_view mnemonic);

/// Bytes from one instruction to the next, on the average of a listing of machine code whose lines begin with
/// addresses; nullopt for any other.
std::optional<double> bytes_per_instruction(std::string_view kind, std::string_view listing);

} // namespace sonde
