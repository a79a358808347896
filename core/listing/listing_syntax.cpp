// The table of languages and the reader.
#include "core/listing/listing_syntax.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

#include "core/listing/listing.h"
#include "core/listing/listing_gen.h"

namespace sonde {

namespace {
constexpr std::size_t kLongestLine = 512;     // an instruction is shorter; std::regex recurses per character
constexpr unsigned long kLongestRange = 32;   // registers of one operand
constexpr unsigned long kMostRepeated = 4096; // of an instruction, by one line

/// Rows of the table. Of those of one kind, the first that is recognised.
std::vector<Syntax> make_syntaxes() {
    // PTX, clang's and NVIDIA's: "@%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1+4];"
    const Syntax ptx{.kind = "ptx",
        .comment = "//.*|;",
        .label = "([\\w$]+):",
        .guard = "@!?(%\\w+)\\s+",
        .registers = "(%[a-zA-Z_]+)(\\d+)()",
        .writes_nothing = "(st|red|bra|brx|bar|barrier|membar|fence|ret|exit|trap|prefetch|prefetchu|cp|call|pmevent|"
                          "discard|griddepcontrol|"
                          "applypriority)(\\..*)?",
        .branch = "(bra|brx)(\\..*)?",
        .load = "(ld|ldu|tex|tld4|suld)(\\..*)?",
        .atomic = "(atom|red)(\\..*)?",
        .cache_control = "(membar|fence|discard|applypriority)(\\..*)?",
        .load_class = {{"\\.(v[248]|[usbf](8|16|32|64|128))(?=\\.|$)", ""}, {"^(tex|tld4|suld)\\..*", "$1"}}};
    // SASS of sm_30 to sm_120: "/*0090*/ @!P0 LDG.E.CONSTANT R2, desc[UR4][R2.64+0x8] ;", "@P0 BRA `(.L_x_1)", "@P0 BRA
    // 0x90".
    const Syntax sass{.kind = "sass",
        .comment = "/\\*.*?\\*/|//.*|[;{}]",
        .address = "^\\s*/\\*([0-9a-fA-F]+)\\*/",
        .label = "([.\\w$]+):",
        .guard = "@!?(U?P\\w+)\\s+",
        .registers = "\\b(U?[RP]|CC)(\\d*)(\\.64)?\\b",
        .writes_nothing =
            "(ST|STG|STS|STSUL|STL|SUST|RED|REDG|UTMA\\w*|BRA|BRX|JMP|JMX|EXIT|RET|CALL|KIL|BPT|SSY|SYNC|PBK|BRK|PCNT|"
            "CONT|BAR|"
            "MEMBAR|CCTL|CCTLL|CCTLT|ERRBAR|FENCE|DEPBAR|BSSY|BSYNC|BREAK|YIELD|WARPSYNC|NANOSLEEP|NOP)(\\..*)?",
        .writes_two = "(U?IADD3?|U?LEA|IMAD|U?[A-Z]*SETP|U?PLOP3|ISCADD)(\\..*)?",
        .flags_first = "(ATOM|ATOMG|ATOMS|LDSLK|STSCUL|TLD|TLD4|TLDS|TEX|TEXS|SHFL|SULD)(\\..*)?",
        .writes_pair = ".*\\.(WIDE|64)(\\..*)?",
        .writes_quad = ".*\\.128(\\..*)?",
        .reads_pair = "(LD|LDG|ATOM)\\.E(\\..*)?", // before Ampere a 64-bit address is written as its first register
        .branch = "(BRA|JMP)(\\..*)?",
        .load = "(LD|LDG|LDS|LDL|LDC|LDCU|ULDC|TLD|TLDS|TLD4|TLD4S|TEX|TEXS|SULD)(\\..*)?",
        .atomic = "(ATOM|ATOMG|ATOMS|RED|REDG|SUATOM|SURED|LDSLK)(\\..*)?",
        .cache_control = "(CCTL|CCTLL|CCTLT|MEMBAR|ERRBAR|FENCE)(\\..*)?",
        .wait = "(DEPBAR|NOP)(\\..*)?",
        .lock =
            "LDSLK(\\..*)?|ATOM[SG]?\\.CAST\\.SPIN(\\..*)?", // Fermi's and Kepler's scratchpad, where STSCUL or STSUL
                                                             // unlocks; later chips' loops of compare-and-swap
        .joins_lanes = "(C?REDUX|U?POPC)(\\..*)?",
        .load_class = {{"^(TLD|TEX|SULD)S?\\..*", "$1"}, {"\\.(U|32|64|128|[US](8|16))(?=\\.|$)", ""},
            {"^((?:(?!STRONG).)*)\\.SYS", "$1"}}}; // Volta and Turing write it on plain loads
    // AMD assembly as LLVM prints it: "buffer_load_dword v1, v1, s[8:11], 0 offen ; e0501000 80020101"
    const Syntax gcn{.kind = "gcn",
        .comment = ";.*|//.*|/\\*.*?\\*/",
        .label = "([.\\w$]+):",
        .registers = "\\b(v|s|a|ttmp|m|vcc(?:_lo|_hi)?)(?:\\[?(\\d+)(?::(\\d+)\\])?)?(?![\\w])",
        .writes_nothing =
            "(s_branch|s_cbranch_.*|s_cmp.*|s_bitcmp.*|s_waitcnt.*|s_barrier|s_endpgm|s_nop|s_sleep|s_setprio|s_inst_"
            "prefetch|"
            "s_clause|s_delay_alu|s_setreg.*|s_dcache.*|ds_write.*|ds_store.*|v_cmpx.*|(t?buffer|flat|global|scratch|"
            "image)_store.*|buffer_wbinvl1.*|buffer_gl._inv|buffer_inv.*|buffer_wbl2.*)",
        .writes_two = "v_(add|sub|subrev|addc|subb|subbrev|mad_u64|mad_i64|div_scale)_.*",
        .branch = "s_branch|s_cbranch_.*|p_branch|p_cbranch.*",
        .repeated = "\\(then repeated (\\d+) times\\)", // as Mesa shortens LLVM's
        .load = "(t?buffer_load|s_buffer_load|s_load|s_scratch_load|global_load|flat_load|scratch_load|ds_read|ds_load)"
                "_.*|image_(load|sample|"
                "gather4).*",
        .atomic = "(buffer|flat|global|image)_atomic_.*|ds_(cmpst|cmpstore|wrxchg|storexchg|add|sub|rsub|inc|dec|min|"
                  "max|and|or|xor|mskor)_.*",
        .cache_control = "buffer_wbinvl1.*|buffer_gl._inv|buffer_inv.*|buffer_wbl2.*|s_dcache_.*|p_barrier",
        .wait = "s_waitcnt.*|s_nop|s_clause|s_delay_alu|p_logical_(start|end)",
        .joins_lanes = "s_bcnt1_.*|v_add(c|_co|_nc)?_.*_dpp|p_reduce|p_(inclusive|exclusive)_scan",
        .load_class = {{"^ds_(read|load)_.*", "ds_read"},
            {"^(t?buffer_load_format|image_load|image_sample|image_gather4)_?.*", "$1"},
            {"^(\\w*?_load)_(?!format).*", "$1"}},
        .load_flags = "\\b(glc|slc|dlc|sc0|sc1|nt)\\b",
        .one_lane = "v_readfirstlane.*|v_readlane.*|p_as_uniform",
        .bookkeeping = "p_(linear_)?phi|p_parallelcopy|p_(create|split|extract)_vector"};
    // Mesa's ACO IR, which stands in for the assembly of GCN 1 and 2: "v1: %519 = ds_read_b32 (kill)%518, %928:m0"
    Syntax aco = gcn;
    aco.recognised_by = "ACO shader stage";
    aco.comment = "/\\*.*?\\*/";
    aco.label = "(BB\\d+)";
    aco.assigns = true;
    aco.registers = "%(?:0:)?(v|s|)\\[?(\\d+|[a-z]\\w*)(?:-(\\d+)\\])?"; // %0:s[0-3] is a register, %12 a value
    aco.repeated = Expression();
    // Intel's as IGA prints it: "(W&f1.0) add (16|M0) r5.0<1>:d r4.0<1;1,0>:d 4:w {I@1} // comment". What a send does
    // is in its comment.
    const Syntax gen{.kind = "gen",
        .comment = "\\{[^}]*\\}|//.*",
        .label = "(L\\d+):",
        .guard = "\\((?:W&?)?(~?f\\d\\.\\d)?(?:\\.\\w+)?\\)\\s+",
        .registers = "\\b(f\\d)(\\.\\d)()",
        .branch = "(jmpi|goto|while|break|cont|if|else|brd|brc)(\\.b)?",
        .load = "send\\S* (?!.*(write|store|atomic)).*(read|load|sample).*",
        .atomic = "send.* .*atomic.*",
        .cache_control = "send.* .*fence.*",
        .wait = "sync.*|nop|wait",
        .lock = "send\\S* .*(logical OR|atomic_or).*", // a load that compilers begin loops of compare-and-swap with
        .load_class = {{"^send\\S* ", ""}, {" with [xyzw]+(?= |$)| using sampler.*", ""},
            {"\\.(d\\d+(x\\d+t?)?|a(32|64)|bti\\[\\d+\\])(?=\\.|$)", ""}},
        .register_bytes = 32};
    Syntax gen_of_64 = gen; // as the target that compiled it says in front
    gen_of_64.recognised_by = "// registers of 64 bytes";
    gen_of_64.register_bytes = 64;
    // SPIR-V as SPIRV-Tools disassembles it, with friendly names: "%79 = OpLoad %uint %78"
    const Syntax spirv{.kind = "spirv",
        .comment = ";.*",
        .label = "(%\\w+) = OpLabel",
        .assigns = true,
        .registers = "(%\\w+)()()",
        .branch = "OpBranch|OpBranchConditional|OpSwitch",
        .load = "OpLoad|OpImageFetch|OpImageRead|OpImageSample.*|OpImageSparseFetch",
        .atomic = "OpAtomic.*",
        .cache_control = "OpMemoryBarrier",
        .joins_lanes = "OpGroup(NonUniform)?[IF]Add",
        .load_flags = "\\b(Volatile|Nontemporal|MakePointerVisible(KHR)?|NonPrivatePointer(KHR)?)\\b",
        .storage = "_ptr_([A-Za-z]+)_",
        .bookkeeping = "OpPhi|OpCopyObject"};
    return {ptx, sass, aco, gcn, gen_of_64, gen, spirv};
}

const std::vector<Syntax>& all_syntaxes() {
    static const std::vector<Syntax> kAll = make_syntaxes();
    return kAll;
}

bool fits(std::string_view text, const std::regex& expression) {
    return std::regex_match(text.begin(), text.end(), expression);
}

/// Without blanks at the ends, and with one blank where there are several: tabs align columns.
std::string squeezed(const std::string& text) {
    std::istringstream words(text);
    std::string result;
    for (std::string word; words >> word;) result += result.empty() ? word : " " + word;
    return result;
}

/// Splits at commas that stand in no bracket.
std::vector<std::string> operands_of(std::string_view text) {
    std::vector<std::string> operands;
    std::string operand;
    int depth = 0;
    for (const char c : text) {
        depth += c == '[' || c == '{' || c == '(' ? 1 : c == ']' || c == '}' || c == ')' ? -1 : 0;
        if (c == ',' && depth == 0) operands.push_back(squeezed(std::exchange(operand, {})));
        else operand += c;
    }
    if (!squeezed(operand).empty()) operands.push_back(squeezed(operand));
    return operands;
}

/// Appends the registers named in `text`, each by its own name: "s[8:9]" is s8 and s9. A register's own width counts
/// where it is more than what is written (`least`: registers that an operand has at least).
void add_registers(
    const Syntax& syntax, const std::string& text, unsigned long least, std::vector<std::string>& registers) {
    for (std::sregex_iterator found(text.begin(), text.end(), syntax.registers), end; found != end; ++found) {
        const std::string bank = (*found)[1], first = (*found)[2], last = (*found)[3];
        if (first.empty() || !std::isdigit(static_cast<unsigned char>(first[0]))) {
            registers.push_back(bank + first);
            continue;
        }
        const unsigned long from = std::strtoul(first.c_str(), nullptr, 10);
        unsigned long count = least;
        if (last == ".64") count = std::max(count, 2ul);
        else if (!last.empty()) count = std::max(count, std::strtoul(last.c_str(), nullptr, 10) - from + 1);
        for (unsigned long i = 0; i < std::min(count, kLongestRange); ++i)
            registers.push_back(bank + std::to_string(from + i));
    }
}

bool is_flag(const std::string& operand) {
    static const std::regex kFlag("!?(U?P\\d+|U?PT|U?RZ|vcc(_lo)?|s\\[?\\d+(:\\d+\\])?)");
    return std::regex_match(operand, kFlag);
}

/// How many of the operands, from the first, are written.
std::size_t destinations(const Syntax& syntax, const std::string& mnemonic, const std::vector<std::string>& operands) {
    if (operands.empty() || fits(mnemonic, syntax.writes_nothing)) return 0;
    if (operands.size() < 2) return 1;
    if (fits(mnemonic, syntax.flags_first) && is_flag(operands[0])) return 2;
    return fits(mnemonic, syntax.writes_two) && is_flag(operands[1]) ? 2 : 1;
}

void read_operands(const Syntax& syntax, Instruction& instruction) {
    const std::vector<std::string> operands = operands_of(instruction.operands);
    const std::size_t written = syntax.assigns ? 0 : destinations(syntax, instruction.mnemonic, operands);
    const unsigned long width = fits(instruction.mnemonic, syntax.writes_quad)   ? 4
                                : fits(instruction.mnemonic, syntax.writes_pair) ? 2
                                                                                 : 1;
    const bool pairs = fits(instruction.mnemonic, syntax.reads_pair);
    const bool coordinates =
        syntax.kind == "sass" && instruction.operands.find(", 2D") != std::string::npos; // x and y side by side
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const bool address = operands[i].find('[') != std::string::npos;
        if (i < written) add_registers(syntax, operands[i], width, instruction.writes);
        else add_registers(syntax, operands[i], (pairs && address) || coordinates ? 2 : 1, instruction.reads);
    }
    // Kepler's and Maxwell's carry is written "R2.CC" and read by every mnemonic with an X.
    if (syntax.kind == "sass" && instruction.operands.find(".CC") != std::string::npos)
        instruction.writes.push_back("CC");
    if (syntax.kind == "sass" && (instruction.mnemonic + ".").find(".X.") != std::string::npos)
        instruction.reads.push_back("CC");
}

/// `line`: with its comment.
Instruction read_instruction(const Syntax& syntax, std::string text, const std::string& line) {
    Instruction instruction;
    instruction.line = text;
    std::smatch guard;
    const bool guarded = std::regex_search(text, guard, syntax.guard, std::regex_constants::match_continuous);
    const bool may_skip = guarded && guard[1].length() > 0;
    if (guarded) {
        add_registers(syntax, guard[1], 1, instruction.reads);
        text = guard.suffix();
    }
    if (syntax.register_bytes) {
        read_gen(syntax, text, line, instruction);
        if (may_skip && !instruction.mnemonic.starts_with("sel"))
            instruction.reads.insert(instruction.reads.end(), instruction.writes.begin(), instruction.writes.end());
        return instruction;
    }
    if (const auto equals = text.find(" = "); syntax.assigns && equals != std::string::npos) {
        add_registers(syntax, text.substr(0, equals), 1, instruction.writes);
        text.erase(0, equals + 3);
    }
    const auto end = std::min(text.find(' '), text.size());
    instruction.mnemonic = text.substr(0, end);
    instruction.operands = squeezed(text.substr(end));
    read_operands(syntax, instruction);
    // What may not be executed keeps the old value, so it depends on it.
    if (may_skip)
        instruction.reads.insert(instruction.reads.end(), instruction.writes.begin(), instruction.writes.end());
    if (fits(instruction.mnemonic, syntax.branch)) {
        static const std::regex kTarget("[%.$\\w]+");
        for (std::sregex_iterator found(instruction.operands.begin(), instruction.operands.end(), kTarget), last;
             found != last; ++found)
            instruction.targets.push_back(found->str());
    }
    return instruction;
}
} // namespace

bool is_readable_listing(std::string_view kind) {
    return std::ranges::find(all_syntaxes(), kind, &Syntax::kind) != all_syntaxes().end();
}

const Syntax* find_syntax(std::string_view kind, std::string_view listing) {
    const std::string_view head = listing.substr(0, 4096);
    for (const Syntax& syntax : all_syntaxes())
        if (syntax.kind == kind && head.find(syntax.recognised_by) != head.npos) return &syntax;
    return nullptr;
}

Program read_listing(const Syntax& syntax, std::string_view listing) {
    Program program;
    program.syntax = &syntax;
    std::size_t number = 0;
    while (!listing.empty()) {
        const auto end = std::min(listing.find('\n'), listing.size());
        const std::string line(listing.substr(0, std::min(end, kLongestLine)));
        listing.remove_prefix(std::min(end + 1, listing.size()));
        ++number;
        std::smatch found;
        std::uint64_t address = 0;
        if (std::regex_search(line, found, syntax.address)) {
            address = std::strtoull(found[1].str().c_str(), nullptr, 16);
            program.labels[fmt::format("{:#x}", address)] = program.instructions.size(); // as branches write it
        }
        const std::string text = squeezed(std::regex_replace(line, syntax.comment, ""));
        if (text.empty()) continue;
        if (std::regex_match(text, found, syntax.label)) {
            program.labels[found[1]] = program.instructions.size();
            continue;
        }
        if (text[0] == '.') continue; // a directive of the assembler
        if (std::regex_match(text, found, syntax.repeated) && !program.instructions.empty()) {
            program.instructions.insert(program.instructions.end(),
                std::min(std::strtoul(found[1].str().c_str(), nullptr, 10), kMostRepeated),
                Instruction(program.instructions.back()));
            continue;
        }
        program.instructions.push_back(read_instruction(syntax, text, line));
        program.instructions.back().line_number = number;
        program.instructions.back().address = address;
    }
    return program;
}

} // namespace sonde
