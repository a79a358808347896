// How listings are written: one row of a table per language, and one reader for all of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// g++ 12 with sanitizers takes std::regex's own code for reading what is not initialized (GCC bug 105562).
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <regex>
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic pop
#endif

namespace sonde {

/// Made from its text. An empty one, which a language has no use for, matches nothing.
struct Expression : std::regex {
    Expression() = default;
    Expression(const char* text) : std::regex(text, optimize) {}
};

/// One language of listings.
struct Syntax {
    std::string_view kind;
    std::string_view recognised_by{}; // stands near the begin of such a text; tells apart languages that share a kind
    Expression comment{};             // removed from every line
    Expression address{};             // group 1: the instruction's address, which branches name in place of a label
    Expression label{};               // a line that is a label; group 1: its name
    Expression guard{};               // in front of an instruction that may not be executed
    bool assigns = false;             // "destinations = mnemonic operands", else "mnemonic destination, operands"
    Expression registers{};           // group 1: bank or name, 2: first number, 3: last number of a range, or ".64"
    Expression writes_nothing{};      // mnemonics whose first operand is no destination
    Expression writes_two{};  // "mnemonic first, second": the second operand is a destination too, such as a carry
    Expression flags_first{}; // "mnemonic first": the first operand is a flag, the destination follows it
    Expression writes_pair{}, writes_quad{}; // mnemonics whose destination is that many consecutive registers
    Expression reads_pair{};                 // mnemonics whose registers in brackets are the first of a pair
    Expression branch{};
    Expression repeated{}; // a line that stands for more of the instruction before it; group 1: how many
    Expression load{}, atomic{}, cache_control{}, wait{};
    Expression lock{};        // atomics that are no instruction but a loop: the load that takes the lock, or the
                              // compare-and-swap that is tried again
    Expression joins_lanes{}; // counts or adds up over the lanes of a subgroup
    std::vector<std::pair<Expression, std::string>>
        load_class{};        // replacements, one after the other, that turn a mnemonic into its class
    Expression load_flags{}; // words among a load's operands that belong to its class
    Expression
        storage{}; // group 1, in the definition of a load's address: a storage class that belongs to the load's class
    Expression one_lane{};            // moves one lane's value into a scalar register
    std::uint32_t register_bytes = 0; // not 0: a listing of Gen, whose operands say how far they reach (listing_gen.h)
    Expression bookkeeping{};         // writes registers and is no instruction in the end
};

struct Instruction {
    std::size_t line_number = 0;
    std::uint64_t address = 0;            // where the line begins with one
    std::string line, mnemonic, operands; // the line without comments; what stands behind the mnemonic
    std::vector<std::string> writes, reads;
    std::vector<std::string> targets; // of a branch
};

struct Program {
    const Syntax* syntax = nullptr;
    std::vector<Instruction> instructions;
    std::map<std::string, std::size_t> labels; // name or address -> index of the instruction that follows
};

/// nullptr when no row fits.
const Syntax* find_syntax(std::string_view kind, std::string_view listing);

Program read_listing(const Syntax& syntax, std::string_view listing);

} // namespace sonde
