// What proves how a measuring kernel measures: its text, the compiler's listing, the loads and atomic instructions
// found in it.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/fields.h"

namespace sonde {

/// The load that proves the path; `note` alone where the listing does not show it.
struct LoadEvidence {
    std::string instruction{}, kind{};
    std::optional<std::size_t> line{}, unroll{};
    std::optional<std::vector<std::string>> address_instructions{};
    std::optional<bool> readfirstlane_in_loop{};
    std::string note{};
    static constexpr auto fields =
        std::tuple{where_known("instruction", &LoadEvidence::instruction, "as it stands in the listing"),
            where_known("kind", &LoadEvidence::kind, "without widths and types, with cache flags"),
            where_known("line", &LoadEvidence::line, "of the listing, from 1"),
            where_known("unroll", &LoadEvidence::unroll, "such loads in one loop trip"),
            where_known("address_instructions", &LoadEvidence::address_instructions, "between two dependent loads"),
            where_known("readfirstlane_in_loop", &LoadEvidence::readfirstlane_in_loop,
                "AMD: a lane's value is moved to a scalar register in the loop"),
            where_known("note", &LoadEvidence::note, "why there is none")};
};

struct AtomicEvidence {
    std::string instruction{}, kind{};
    std::size_t line = 0, unroll = 0;
    std::string cache_control{}, combined_by{};
    bool lock_loop = false;
    static constexpr auto fields = std::tuple{
        where_known("instruction", &AtomicEvidence::instruction, "as it stands in the listing"),
        where_known("kind", &AtomicEvidence::kind, "its mnemonic"),
        where_known("line", &AtomicEvidence::line, "of the listing, from 1"),
        where_known("unroll", &AtomicEvidence::unroll, "equal ones in the listing"),
        Field{"cache_control", &AtomicEvidence::cache_control, "the fence or cache invalidation that follows", "",
            Presence::lenient},
        where_known("combined_by", &AtomicEvidence::combined_by,
            "the instruction that counts or adds up a subgroup's lanes for it: it is executed once for all of them"),
        where_known("lock_loop", &AtomicEvidence::lock_loop,
            "a loop that tries until it succeeds, by a lock or by compare-and-swap, instead of an atomic instruction")};
};

struct ListingEvidence {
    std::string kind{}, hash{}, note{};
    std::optional<double> instructions{};
    static constexpr auto fields =
        std::tuple{Field{"kind", &ListingEvidence::kind,
                       "\"sass\", \"gcn\", \"ptx\", \"spirv\", ...; empty: there is none", "", Presence::lenient},
            Field{"hash", &ListingEvidence::hash, "64-bit FNV-1a of its text", "", Presence::lenient},
            Field{"note", &ListingEvidence::note, "why there is none, or what it is where it is no machine code", "",
                Presence::lenient},
            where_known("instructions", &ListingEvidence::instructions,
                "instructions of machine code, those of a loop once; not of arithmetic, whose steps are counted")};
};

/// The kernel that measures, and what proves how it does.
struct KernelEvidence {
    std::string name{}, text_hash{};
    std::map<std::string, std::string> defines{};
    ListingEvidence listing{};
    LoadEvidence load{};
    std::optional<std::vector<AtomicEvidence>> atomics{};
    std::map<std::string, std::string> facts{}; // by the driver's own names, which differ
    std::map<std::string, double> step_instructions{};
    std::optional<double> held_scratchpad_bytes{};
    static constexpr auto fields = std::tuple{where_known("name", &KernelEvidence::name, "of its text"),
        where_known("text_hash", &KernelEvidence::text_hash, "64-bit FNV-1a of its text"),
        where_known("defines", &KernelEvidence::defines, "words that it was built with"),
        where_known("listing", &KernelEvidence::listing, "what the compiler made of it"),
        where_known("load", &KernelEvidence::load, "the measured load"),
        where_known("atomics", &KernelEvidence::atomics, "atomic instructions, the measured one first"),
        where_known("step_instructions", &KernelEvidence::step_instructions,
            "of arithmetic: instructions in one step of a chain, by mnemonic"),
        where_known("facts", &KernelEvidence::facts, "what the driver reports of it, by the driver's names"),
        where_known("held_scratchpad_bytes", &KernelEvidence::held_scratchpad_bytes,
            "bytes of scratchpad that a workgroup holds while the kernel runs, static and dynamic")};
};

} // namespace sonde
