// How listings are written: one row of a table per language, and one reader for all of them.
#pragma once
#include <cstddef>
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

/// One language of listings. An expression that a language has no use for stays empty, and an empty std::regex matches nothing.
struct Syntax {
    std::string_view kind;
    std::string_view recognised_by;      // stands near the begin of such a text; tells apart languages that share a kind
    std::regex comment;                  // removed from every line
    std::regex address;                  // group 1: the instruction's address, which branches name in place of a label
    std::regex label;                    // a line that is a label; group 1: its name
    std::regex guard;                    // in front of an instruction that may not be executed
    bool assigns = false;                // "destinations = mnemonic operands", else "mnemonic destination, operands"
    std::regex registers;                // group 1: bank or name, 2: first number, 3: last number of a range, or ".64"
    std::regex writes_nothing;           // mnemonics whose first operand is no destination
    std::regex writes_two;               // "mnemonic first, second": the second operand is a destination too, such as a carry
    std::regex flags_first;              // "mnemonic first": the first operand is a flag, the destination follows it
    std::regex writes_pair, writes_quad; // mnemonics whose destination is that many consecutive registers
    std::regex reads_pair;               // mnemonics whose registers in brackets are the first of a pair
    std::regex branch;
    std::regex repeated; // a line that stands for more of the instruction before it; group 1: how many
    std::regex load, atomic, cache_control, wait;
    std::regex lock; // atomics that are no instruction but a loop: the load that takes the lock
    std::vector<std::pair<std::regex, std::string>> load_class; // replacements, one after the other, that turn a mnemonic into its class
    std::regex load_flags;                                      // words among a load's operands that belong to its class
    std::regex storage;     // group 1, in the definition of a load's address: a storage class that belongs to the load's class
    std::regex one_lane;    // moves one lane's value into a scalar register
    std::regex bookkeeping; // writes registers and is no instruction in the end
};

struct Instruction {
    std::size_t line_number = 0;
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
bool has_syntax(std::string_view kind);

Program read_listing(const Syntax& syntax, std::string_view listing);

} // namespace sonde
