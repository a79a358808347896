// `sonde isa` as a user runs it, for chips that are not here: what its tests share.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "core/base/json.h"
#include "core/base/process.h"
#include "tests/command.h"

namespace isa_tests {

/// Errors are behind what it prints.
inline command::Ran isa(const std::string& words, const std::string& environment = "") {
    command::Ran ran = command::sonde_run("isa " + words, environment);
    ran.out += ran.err;
    return ran;
}

/// Mesa's radeon driver is part of mesa-vulkan-drivers (scripts/setup).
inline bool has_radv() {
    for (const char* folder : {"/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"}) {
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
            if (entry.path().filename().string().starts_with("radeon_icd")) return true;
    }
    return false;
}

inline bool has_clang() {
    return sonde::find_program({"clang-14", "clang-15", "clang-16", "clang", "clang-17", "clang-18", "clang-19"})
        .has_value();
}

/// A path, the class of its load, and how many instructions may stand between two loads of the chain. `chip`: the only
/// one that the row is for; empty: every one. A new path is a new row.
struct ExpectedLoad {
    const char *path, *load;
    std::size_t most_between;
    const char* chip = "";
};

/// Instructions in a step of the answer whose names begin so.
inline double of_step(const sonde::Json& answer, const std::string& instruction) {
    double found = 0;
    for (const auto& [mnemonic, count] : answer.at("step_instructions").get<std::map<std::string, double>>())
        if (mnemonic.starts_with(instruction)) found += count;
    return found;
}

} // namespace isa_tests
