// The PTX that the build made for Kepler, held against the instructions that NVIDIA's documents have for it: no
// assembler of today makes sm_30.
#include <cctype>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "backends/cuda/ptx.h"
#include "core/base/text.h"
#include "tests/places.h"

using namespace sonde;

namespace {
constexpr int kFermi = 20, kKepler = 30;

/// What an instruction or a qualifier needs: the least sm_, by its name.
using Needs = std::map<std::string, int>;
struct Instruction {
    int least = kFermi;
    Needs qualifiers;
};

/// "nc@35"
std::pair<std::string, int> entry(const std::string& word) {
    const std::size_t at = word.find('@');
    return {word.substr(0, at), at == word.npos ? kFermi : std::stoi(word.substr(at + 1))};
}

const std::map<std::string, Instruction>& instructions() {
    static const std::map<std::string, Instruction> all = [] {
        std::map<std::string, Instruction> rows;
        std::ifstream file(std::string(places::source) + "/tests/backends/cuda/ptx_3_2.txt");
        Instruction* row = nullptr;
        for (std::string line; std::getline(file, line);) {
            if (line.starts_with('#')) continue;
            std::istringstream words(line);
            std::string word;
            if (!line.starts_with(' ') && words >> word) {
                const auto [name, least] = entry(word);
                row = &(rows[name] = {.least = least, .qualifiers = {}});
            }
            while (words >> word) row->qualifiers.insert(entry(word));
        }
        return rows;
    }();
    return all;
}

/// Why an instruction is not one of PTX 3.2 on such a chip: "shfl.sync.bfly.b32: .sync"; nullopt: it is.
std::optional<std::string> refused(const std::string& opcode, int sm) {
    const std::vector<std::string> parts = split(opcode, '.');
    const auto row = instructions().find(parts[0]);
    if (row == instructions().end() || row->second.least > sm) return opcode + ": no such instruction";
    bool wide = false, later = false;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const auto found = row->second.qualifiers.find(parts[i]);
        if (found == row->second.qualifiers.end() || found->second > sm) return opcode + ": ." + parts[i];
        wide |= parts[i].ends_with("64");
        later |= parts[i] == "and" || parts[i] == "or" || parts[i] == "xor" || parts[i] == "min" || parts[i] == "max";
    }
    // of 64 bits these are of sm_32
    if ((parts[0] == "atom" || parts[0] == "red") && wide && later && sm < 32) return opcode + ": of 64 bits";
    return std::nullopt;
}

/// The opcodes of a text: the first word of each statement, behind its guard.
std::vector<std::string> opcodes(std::string_view text) {
    std::vector<std::string> all;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        line.resize(std::min(line.find("//"), line.size()));
        for (char& c : line)
            if (c == '{' || c == '}') c = ';';
        for (const std::string& statement : split(line, ';')) {
            std::istringstream words(statement);
            std::string word;
            if (!(words >> word)) continue;
            if (word.starts_with('@') && !(words >> word)) continue;
            const bool named = std::islower(static_cast<unsigned char>(word[0])) && !word.ends_with(':') &&
                               word.find_first_of("(),=[]%$") == word.npos;
            if (named) all.push_back(word);
        }
    }
    return all;
}

/// "30" of a text ".target sm_30".
int target_of(std::string_view text) {
    constexpr std::string_view kLine = ".target sm_";
    const std::size_t at = text.find(kLine);
    REQUIRE(at != text.npos);
    return std::stoi(std::string(text.substr(at + kLine.size(), 3)));
}
} // namespace

TEST_CASE("ptx: the texts for Kepler hold instructions and qualifiers of PTX 3.2 alone") {
    REQUIRE(instructions().size() > 50);
    std::map<int, int> texts;
    std::map<std::string, std::string> wrong; // with one text that holds it
    for (const auto& [name, text] : cuda::embedded_ptx()) {
        const int sm = target_of(text);
        if (sm > 37) continue;
        ++texts[sm];
        CHECK(text.find(".version 3.2") != text.npos);
        const std::vector<std::string> all = opcodes(text);
        CHECK(all.size() > 3);
        for (const std::string& opcode : all)
            if (const auto reason = refused(opcode, sm)) wrong.emplace(*reason, name);
    }
    for (const auto& [reason, name] : wrong) FAIL_CHECK(reason, " in ", name);
    CHECK(texts[30] > 500);
    CHECK(texts[35] > 0);
}

TEST_CASE("ptx: for Fermi the texts for Kepler hold nothing later but shuffles, textures and the global timer") {
    int texts = 0;
    for (const auto& [name, text] : cuda::embedded_ptx()) {
        if (target_of(text) != kKepler) continue;
        const std::string older = cuda::ptx_for(std::string(text), 21);
        CHECK(older.find(".target sm_20\n") != older.npos);
        CHECK(cuda::ptx_for(std::string(text), kKepler) == text);
        for (const std::string& opcode : opcodes(older))
            if (!opcode.starts_with("shfl.") && !opcode.starts_with("tex.")) {
                const auto reason = refused(opcode, kFermi);
                CHECK_MESSAGE(!reason, reason.value_or(""), " in ", name);
            }
        const bool timer = older.find("%globaltimer") != older.npos;
        CHECK((!timer || name.find("GLOBALTIMER") != name.npos));
        ++texts;
    }
    CHECK(texts > 500);
}

TEST_CASE("ptx: what came with later chips or versions is none of Kepler's") {
    for (const char* later :
        {"shfl.sync.bfly.b32", "vote.sync.ballot.b32", "lop3.b32", "shf.l.wrap.b32", "ld.global.nc.u32", "atom.add.f64",
            "atom.global.max.u64", "atom.relaxed.gpu.global.add.u32", "bar.warp.sync", "ld.acquire.gpu.global.u32",
            "fma.rn.f16x2", "dp4a.u32.u32", "redux.sync.add.u32", "membar.proxy.alias", "mma.sync"}) {
        CAPTURE(later);
        CHECK(refused(later, 30));
    }
    CHECK(!refused("shf.l.wrap.b32", 35));
    CHECK(!refused("ld.global.nc.u32", 35));
    CHECK(!refused("atom.shared.cas.b64", 30));
    CHECK(opcodes("@%p1 bra $L; // mov.u32 x\n{ .reg .b16 half; cvt.rn.f16.f32 half, %1; }\n$L:") ==
          std::vector<std::string>{"bra", "cvt.rn.f16.f32"});
}
