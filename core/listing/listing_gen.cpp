// Operands of Intel's instructions: regions, and lengths of messages.
#include "core/listing/listing_gen.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

namespace sonde {

namespace {
constexpr unsigned long kWord = 4, kMostWords = 1024;
constexpr unsigned long kMostRegisters = 32; // of a message

unsigned long number(const std::string& digits) { return std::strtoul(digits.c_str(), nullptr, 10); }

/// Of a type's name: "ud", "hf", "q".
unsigned long bytes_of(const std::string& type) {
    static const std::map<std::string, unsigned long> kBytes{
        {"b", 1}, {"ub", 1}, {"w", 2}, {"uw", 2}, {"hf", 2}, {"bf", 2}, {"q", 8}, {"uq", 8}, {"df", 8}};
    const auto found = kBytes.find(type);
    return found == kBytes.end() ? kWord : found->second;
}

void add_words(const Syntax& syntax, unsigned long from, unsigned long bytes, std::vector<std::string>& names) {
    const unsigned long first = from / kWord,
                        last = std::min((from + std::max(bytes, 1ul) - 1) / kWord, first + kMostWords);
    const unsigned long in_register = syntax.register_bytes / kWord;
    for (unsigned long word = first; word <= last; ++word)
        names.push_back(fmt::format("r{}.{}", word / in_register, word % in_register));
}

/// Elements from one lane to the next: of "<2>" 2, of "<8;8,1>" 1, of "<1;0>" 1, of "<0;1,0>" 0.
unsigned long stride_of(const std::string& region) {
    static const std::regex kNumbers("(\\d+)(?:;(?:(\\d+),)?(\\d+))?");
    std::smatch found;
    if (!std::regex_match(region, found, kNumbers)) return 1;
    const unsigned long vertical = number(found[1]), width = found[2].matched ? number(found[2]) : 1,
                        horizontal = found[3].matched ? number(found[3]) : 0;
    return horizontal ? horizontal : vertical / std::max(width, 1ul);
}

/// "r3.1<8;8,1>:d", "-r3.0<0;1,0>:f", "(eq)f0.0", "acc0.0<1>:d".
void add_operand(const Syntax& syntax, const std::string& text, unsigned long lanes, std::vector<std::string>& names) {
    static const std::regex kRegister("\\br(\\d+)(?:\\.(\\d+))?(?:<([\\d;,]+)>)?(?::(\\w+))?"),
        kOther("\\b(f\\d\\.\\d|acc\\d+|a0\\.\\d+)");
    std::smatch found;
    if (std::regex_search(text, found, kRegister)) {
        const unsigned long size = bytes_of(found[4]), stride = found[3].matched ? stride_of(found[3]) : 1;
        add_words(syntax, number(found[1]) * syntax.register_bytes + number(found[2]) * size,
            stride ? ((lanes - 1) * stride + 1) * size : size, names);
    } else if (std::regex_search(text, found, kOther)) {
        names.push_back(found[1]);
    }
}

/// Destination and two payloads, whose lengths in registers the comment has: "wr:2+1, rd:2; untyped surface read with
/// x".
void read_message(
    const Syntax& syntax, const std::vector<std::string>& operands, const std::string& line, Instruction& instruction) {
    static const std::regex kLengths("wr:(\\d+)h?\\+(\\d+), rd:(\\d+)(?:; (?:[\\w.]+; )?(.*\\S))?"),
        kWhole("r(\\d+)\\b.*");
    static const std::regex kScratchpad("\\b0x[0-9A-F]+FE\\b"),
        kOfSurface(" (untyped|byte|DWORD|qword) "); // surface 254 is shared local memory
    std::smatch lengths, whole;
    const bool known = std::regex_search(line, lengths, kLengths);
    if (known && lengths[4].matched) instruction.mnemonic += " " + lengths[4].str();
    if (std::regex_search(instruction.operands, kScratchpad) && std::regex_search(instruction.mnemonic, kOfSurface))
        instruction.mnemonic += " of slm";
    for (std::size_t i = 0; i < std::min<std::size_t>(operands.size(), 3); ++i) {
        if (!std::regex_match(operands[i], whole, kWhole)) continue;
        const unsigned long registers = known ? std::min(number(lengths[i == 0 ? 3 : i]), kMostRegisters) : 1;
        if (registers)
            add_words(syntax, number(whole[1]) * syntax.register_bytes, registers * syntax.register_bytes,
                i == 0 ? instruction.writes : instruction.reads);
    }
}
} // namespace

void read_gen(const Syntax& syntax, const std::string& text, const std::string& line, Instruction& instruction) {
    static const std::regex kHead("(\\S+)(?: \\((\\d+)\\|M\\d+\\))?(?: \\((\\w+)\\)(f\\d\\.\\d))? ?(.*)"),
        kType(".*:([a-z]+)");
    std::smatch head, type;
    if (!std::regex_match(text, head, kHead)) return;
    instruction.mnemonic = head[1];
    instruction.operands = head[5];
    const unsigned long lanes = head[2].matched ? std::max(number(head[2]), 1ul) : 1;
    std::vector<std::string> operands;
    std::istringstream words(instruction.operands);
    for (std::string word; words >> word;) operands.push_back(word);
    if (std::regex_match(instruction.mnemonic, syntax.branch)) {
        for (const std::string& word : operands)
            if (word[0] == 'L' && std::ranges::find(instruction.targets, word) == instruction.targets.end())
                instruction.targets.push_back(word);
        return;
    }
    if (instruction.mnemonic.starts_with("send")) return read_message(syntax, operands, line, instruction);
    // A condition is what a comparison writes; a selection takes the lesser or the greater by it.
    if (head[4].matched && !instruction.mnemonic.starts_with("sel")) instruction.writes.push_back(head[4]);
    if (operands.empty()) return;
    if (head[2].matched && lanes == 1) instruction.mnemonic += "(1)";
    if (std::regex_match(operands[0], type, kType)) instruction.mnemonic += "." + type[1].str();
    add_operand(syntax, operands[0], lanes, instruction.writes);
    for (std::size_t i = 1; i < operands.size(); ++i) add_operand(syntax, operands[i], lanes, instruction.reads);
}

} // namespace sonde
