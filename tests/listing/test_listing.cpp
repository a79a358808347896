// The load of a chase is found by its data flow, in recorded listings of every kind (tests/listing/texts/README.md).
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/listing/listing.h"
#include "tests/places.h"

using namespace sonde;

namespace {
std::string listing_text(const std::string& name) {
    std::ifstream in(std::filesystem::path(places::source) / "tests/listing/texts" / name);
    REQUIRE_MESSAGE(in.good(), name);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string kind_of(const std::string& file) {
    const std::string tool = file.substr(0, file.find('-'));
    return tool == "radv" || tool == "clang" ? "gcn" : tool;
}
} // namespace

TEST_CASE("instructions of a listing are counted, without those that fill space") {
    CHECK(count_instructions("sass", "        /*0000*/                   MOV R1, c[0x0][0x28] ;\n.L_x_1:\n        "
                                     "/*0010*/                   FFMA R4, R4, R4, R5 ;\n        /*0020*/               "
                                     "    NOP ;\n        /*0030*/                   EXIT ;\n") == 3);
    CHECK(count_instructions("gcn", "v_mov_b32 v1, 0\ns_nop 0\ns_endpgm\n") == 2);
    CHECK(count_instructions("", "no listing") == 0);
}

TEST_CASE("the load of a chase, its class and the instructions between two of them") {
    struct Row {
        const char *file, *kind, *line;
        std::size_t between;
        bool readfirstlane = false;
    };
    const Row rows[] = {
        {"ptx-chase-global.txt", "ld.global", "ld.global.u32 %r81, [%rd18]", 2},
        {"ptx-chase-local.txt", "ld.shared", "ld.shared.u32 %r109, [%rd75]", 2},
        {"radv-tahiti-chase-global.txt", "buffer_load",
            "v1: %64 = buffer_load_dword %63, (kill)%61, 0 offen storage:buffer semantics:private,reorder", 1},
        {"radv-tahiti-chase-local.txt", "ds_read", "v1: %69 = ds_read_b32 (kill)%68, %189:m0 storage:shared", 1},
        {"radv-hawaii-chase-global.txt", "buffer_load",
            "v1: %64 = buffer_load_dword %63, (kill)%61, 0 offen storage:buffer semantics:private,reorder", 1},
        {"radv-hawaii-chase-local.txt", "ds_read", "v1: %69 = ds_read_b32 (kill)%68, %189:m0 storage:shared", 1},
        {"radv-fiji-chase-global.txt", "buffer_load", "buffer_load_dword v1, v1, s[8:11], 0 offen", 1},
        {"radv-fiji-chase-local.txt", "ds_read", "ds_read_b32 v1, v1", 1},
        {"radv-vega10-chase-global.txt", "buffer_load", "buffer_load_dword v1, v1, s[8:11], 0 offen", 1},
        {"radv-vega10-chase-local.txt", "ds_read", "ds_read_b32 v1, v1", 1},
        {"radv-navi10-chase-global.txt", "buffer_load", "buffer_load_dword v1, v1, s[8:11], 0 offen", 1},
        {"radv-navi10-chase-local.txt", "ds_read", "ds_read_b32 v1, v1", 1},
        {"radv-gfx1100-chase-local.txt", "ds_read", "ds_load_b32 v1, v1", 1},
        // A uniform index goes to the scalar cache, and costs the scratchpad's chase a move to a scalar register each
        // step.
        {"radv-tahiti-chase-global-uniform.txt", "s_buffer_load",
            "s1: %58 = s_buffer_load_dword %57, (kill)%55 storage:buffer semantics:private,reorder", 1},
        {"radv-tahiti-chase-local-uniform.txt", "ds_read", "v1: %178 = ds_read_b32 (kill)%176, %177:m0 storage:shared",
            2, true},
        {"radv-fiji-chase-global-uniform.txt", "s_buffer_load", "s_buffer_load_dword s1, s[8:11], s1", 1},
        {"radv-fiji-chase-local-uniform.txt", "ds_read", "ds_read_b32 v1, v1", 3, true},
        {"clang-tahiti-chase-global.txt", "buffer_load", "buffer_load_dword v1, v[4:5], s[8:11], 0 addr64", 1},
        {"clang-hawaii-chase-global.txt", "flat_load", "flat_load_dword v1, v[4:5]", 3},
        {"clang-gfx900-chase-global.txt", "global_load", "global_load_dword v1, v[4:5], off", 3},
        {"clang-gfx900-chase-local.txt", "ds_read", "ds_read_b32 v0, v0", 1},
        {"gen-skl-chase-global.txt", "untyped surface read", "send (8|M0) r21:d r20 0xC 0x02106E00", 1},
        {"gen-skl-chase-local.txt", "untyped surface read of slm", "send (8|M0) r26:d r25 0xC 0x02106EFE", 1},
        {"gen-dg2-chase-global.txt", "untyped surface read", "send.dc1 (8|M0) r20 r19 null:0 0x0 0x02106E00", 1},
        {"gen-dg2-chase-texel.txt", "simd8 sample load with lod forced to 0",
            "send.smpl (8|M0) r20 r8 null:0 0x0 0x0213A000", 0},
        {"gen-pvc-chase-global.txt", "load.ugm", "send.ugm (16|M0) r10 r8 null:0 0x0 0x04100580", 3},
        {"gen-pvc-chase-global-uniform.txt", "load.ugm", "(W) send.ugm (1|M0) r35 r34 null:0 0x0 0x02108580", 2},
        {"spirv-chase-global.txt", "OpLoad StorageBuffer", "%166 = OpLoad %uint %165", 1},
        {"spirv-chase-local.txt", "OpLoad Workgroup", "%193 = OpLoad %uint %192", 1},
        {"sass-sm_35-chase-global.txt", "LD.E", "LD.E R4, [R2]", 2},
        {"sass-sm_52-chase-texel.txt", "TLD", "TLD.LZ.T R0, R0, 0x0, 1D, 0x1", 0},
        {"sass-sm_75-chase-local.txt", "LDS", "LDS.U R3, [R3]", 1},
        {"sass-sm_75-chase-constant.txt", "LDC", "LDC R2, c[0x3][R0]", 1},
        {"sass-sm_90-chase-global.txt", "LDG.E", "LDG.E R11, desc[UR4][R20.64]", 1},
        {"sass-sm_90-chase-global.cg.txt", "LDG.E.STRONG.GPU", "LDG.E.STRONG.GPU R11, desc[UR4][R20.64]", 1},
        {"sass-sm_90-chase-global.readonly.txt", "LDG.E.CONSTANT", "LDG.E.CONSTANT R11, desc[UR4][R10.64]", 1},
        {"sass-sm_90-chase-global.pointer.txt", "LDG.E", "LDG.E.64 R4, desc[UR4][R4.64]", 0},
        {"sass-sm_90-chase-private.txt", "LDL", "LDL R4, [R14]", 1},
        {"sass-sm_90-chase-texel.txt", "TLD", "TLD.LZ RZ, R15, R15, UR4, 0x0, 1D, 0x1", 0},
        {"sass-sm_90-chase-image2d.txt", "TLD", "TLD.LZ RZ, R4, R14, UR4, 0x0, 2D, 0x1", 2},
        {"sass-sm_90-chase-constant.txt", "LDC", "LDC R9, c[0x3][R9]", 1},
        {"sass-sm_90-chase-push.txt", "LDC", "LDC R7, c[0x0][R7+0x210]", 1},
        // Vulkan's storage buffers: the index is compared with the buffer's size, and a branch or the load itself waits
        // for that.
        {"sass-sm_90-vulkan-chase-global.txt", "LDG.E.STRONG.SM", "LDG.E.STRONG.SM R0, [R2.U32+UR4]", 5},
        {"sass-sm_90-vulkan-chase-global.readonly.txt", "LDG.E.CONSTANT", "LDG.E.CONSTANT R2, [R2.U32+UR6], !P1", 2},
        {"sass-sm_90-chase-cluster.txt", "LD.E", "LD.E R14, [R14]", 2},
    };
    for (const Row& row : rows) {
        CAPTURE(row.file);
        const std::string listing = listing_text(row.file);
        const auto load = find_load(kind_of(row.file), listing);
        REQUIRE(load);
        CHECK(load->kind == row.kind);
        CHECK(load->line == row.line);
        CHECK(load->between.size() == row.between);
        CHECK(load->readfirstlane_in_loop == row.readfirstlane);
        // The line number leads to the line.
        std::istringstream lines(listing);
        std::string line;
        for (std::size_t i = 0; i < load->line_number; ++i) std::getline(lines, line);
        line = std::regex_replace(line, std::regex("[ \t]+"), " "); // columns are aligned
        CHECK(line.find(load->line) != std::string::npos);
    }
}

TEST_CASE("the address arithmetic between two loads, as written") {
    CHECK(find_load("gcn", listing_text("radv-fiji-chase-local-uniform.txt"))->between ==
          std::vector<std::string>{"v_readfirstlane_b32 s1, v1", "s_lshl_b32 s1, s1, 2", "v_mov_b32_e32 v1, s1"});
    CHECK(find_load("gcn", listing_text("clang-hawaii-chase-global.txt"))->between ==
          std::vector<std::string>{
              "v_lshl_b64 v[4:5], v[1:2], 2", "v_add_i32_e32 v4, vcc, s2, v4", "v_addc_u32_e32 v5, vcc, v6, v5, vcc"});
    CHECK(find_load("sass", listing_text("sass-sm_35-chase-global.txt"))->between ==
          std::vector<std::string>{
              "ISCADD R2.CC, R4, c[0x0][0x140], 0x2", "IMAD.U32.U32.HI.X R3, R4, R7, c[0x0][0x144]"});
}

TEST_CASE("loads whose results are only summed are no chase, and are found as what they are") {
    struct Row {
        const char *file, *kind;
        std::size_t copies;
    };
    for (const Row& row : {Row{"ptx-read-global-width4.txt", "ld.global", 4},
             {"radv-fiji-read-global.txt", "buffer_load", 4}, {"gen-dg2-read-global.txt", "untyped surface read", 4}}) {
        CAPTURE(row.file);
        CHECK_FALSE(find_load(kind_of(row.file), listing_text(row.file)));
        const auto load = find_summed_load(kind_of(row.file), listing_text(row.file));
        REQUIRE(load);
        CHECK(load->kind == row.kind);
        CHECK(load->copies == row.copies);
    }
}

TEST_CASE("a chain that is one load long, a guarded one, and one through another register") {
    const auto one = find_load("ptx", "LBB0_1:\n ld.global.nc.u64 %rd1, [%rd1];\n add.s32 %r1, %r1, 1;\n setp.lt.u32 "
                                      "%p1, %r1, %r2;\n @%p1 bra LBB0_1;\n");
    REQUIRE(one);
    CHECK(one->kind == "ld.global.nc");
    CHECK(one->copies == 1);
    CHECK(one->between.empty());
    // Only the second load's result comes back; the first one's is lost where both write the same register.
    const auto guarded = find_load("sass", "/*0010*/ LDS R2, [R4] ;\n/*0020*/ @P1 LDC R2, c[0x3][R2] ;\n/*0030*/ SHL "
                                           "R4, R2, 0x2 ;\n/*0040*/ @P0 BRA 0x10 ;\n");
    REQUIRE(guarded);
    CHECK(guarded->kind == "LDS");
    CHECK(guarded->copies == 2);
    const auto lost = find_load("sass", "/*0010*/ LDS R2, [R4] ;\n/*0020*/ LDC R2, c[0x3][R6] ;\n/*0030*/ SHL R6, R2, "
                                        "0x2 ;\n/*0040*/ @P0 BRA 0x10 ;\n");
    REQUIRE(lost);
    CHECK(lost->kind == "LDC");
    CHECK(lost->copies == 1);
}

TEST_CASE("cache operators and flags are part of the class, widths and types are not") {
    struct Row {
        const char *kind, *load, *expected;
    };
    for (const Row& row : {Row{"ptx", "ld.global.cg.u32 %r1, [%r1];", "ld.global.cg"},
             {"ptx", "ld.const.u32 %r1, [%r1];", "ld.const"}, {"ptx", "ld.local.v2.u32 {%r1, %r2}, [%r1];", "ld.local"},
             {"ptx", "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [source, {%r1}];", "tex"},
             {"sass", "LDG.E.STRONG.GPU R1, [R1.64] ;", "LDG.E.STRONG.GPU"}, {"sass", "LDG.E.SYS R1, [R1] ;", "LDG.E"},
             {"sass", "LDG.E.STRONG.SYS R1, [R1] ;", "LDG.E.STRONG.SYS"},
             {"sass", "TLD.B.LZ RZ, R1, R1, R5, 0x0, 1D, 0x1 ;", "TLD"}, {"sass", "LDCU UR1, c[0x3][UR1] ;", "LDCU"},
             {"gcn", "buffer_load_dword v1, v1, s[0:3], 0 offen glc", "buffer_load glc"},
             {"gcn", "buffer_load_format_x v1, v1, s[0:3], 0 idxen", "buffer_load_format"},
             {"gcn", "image_load v1, v[1:2], s[0:7] dmask:0x1 unorm", "image_load"},
             {"gcn", "s_load_dword s1, s[0:1], s1", "s_load"},
             {"gcn", "scratch_load_dword v1, v1, off", "scratch_load"}}) {
        CAPTURE(row.load);
        const std::string branch = std::string(row.kind) == "ptx"    ? "bra loop;"
                                   : std::string(row.kind) == "sass" ? "BRA `(loop) ;"
                                                                     : "s_cbranch_scc1 loop";
        const auto load = find_load(row.kind, "loop:\n" + std::string(row.load) + "\n" + branch + "\n");
        REQUIRE(load);
        CHECK(load->kind == row.expected);
    }
}

TEST_CASE("Gen: a loop's instructions by opcode and type, what one lane does apart") {
    const auto loop = count_loop("gen", listing_text("gen-dg2-arithmetic-fma.txt"));
    CHECK(loop.at("mad.f") == 4);
    CHECK(loop.at("add(1).d") == 1); // the counter of trips
    CHECK(counted(loop, "mad.*") == 4);
}

TEST_CASE("Gen: registers are told apart by words, conditions and skipped writes count, messages are what their "
          "comments say") {
    const auto between = [](const std::string& step, int registers = 1) {
        const auto load =
            find_load("gen", fmt::format("L8:\n        send.dc1 (8|M0)          r3       r2      null:0  0x0           "
                                         " 0x02106E00           {{A@1,$1}} // wr:1+0, rd:{}; untyped surface read with "
                                         "x\n{}\n(W&f1.0) jmpi                                L8\n",
                                 registers, step));
        return load ? std::optional(load->between) : std::nullopt;
    };
    using Lines = std::vector<std::string>;
    CHECK(between("        shl (8|M0)               r2.0<1>:d     r3.0<1;1,0>:d    2:w               {I@1}") ==
          Lines{"shl (8|M0) r2.0<1>:d r3.0<1;1,0>:d 2:w"});
    CHECK_FALSE(between("        shl (8|M0)               r2.0<1>:d     r4.0<1;1,0>:d    2:w")); // of another register
    CHECK(between("        shl (8|M0)               r2.0<1>:d     r4.0<1;1,0>:d    2:w", 2) ==
          Lines{"shl (8|M0) r2.0<1>:d r4.0<1;1,0>:d 2:w"}); // the second that it fills
    CHECK_FALSE(between("(W)     mov (1|M0)               r4.1<1>:d     r3.0<0;1,0>:d\n(W)     mov (8|M0)              "
                        " r2.0<1>:d     r4.0<0;1,0>:d")); // of another word
    CHECK(between("(W)     mov (1|M0)               r4.1<1>:d     r3.0<0;1,0>:d\n(W)     mov (8|M0)               "
                  "r2.0<1>:d     r4.1<0;1,0>:d")
              ->size() == 2);
    CHECK(between("        mov (4|M0)               r4.0<2>:d     r3.0<1;1,0>:d\n        mov (8|M0)               "
                  "r2.0<1>:d     r4.6<0;1,0>:d")
              ->size() == 2); // the fourth lane's
    CHECK(between("        cmp (8|M0)    (gt)f0.1   null<1>:ud    r3.0<1;1,0>:ud   7:w\n(f0.1)  sel (8|M0)             "
                  "  r2.0<1>:d     r5.0<1;1,0>:d    9:w")
              ->size() == 2);
    CHECK(between("(f0.1)  mov (8|M0)               r2.0<1>:d     r3.0<1;1,0>:d")->size() == 1);
    const auto atomics =
        find_atomics("gen", "        sends (8|M0)             r8:ud    r14     r13     0x4C           0x02009700       "
                            "    // wr:1+1, rd:1; hdc.dc1; untyped a64 atomic int32 integer add\n"
                            "(W)     send.slm (1|M0)          r10      r7      null:0  0x0            0x0210001F       "
                            "    {$2} // wr:1+0, rd:1; fence.slm.none.group\n");
    REQUIRE(atomics.size() == 1);
    CHECK(atomics[0].mnemonic == "sends untyped a64 atomic int32 integer add");
    CHECK(atomics[0].cache_control == "send.slm fence.slm.none.group");
    CHECK_NOTHROW(find_load(
        "gen", "L0:\nsend (9999999999|M0) r1 r99999999999\nmov (16|M0) r3.0<999999999;1,999999999>:d r1:d\njmpi L0\n"));
}

TEST_CASE("texts without a chase, or that cannot be read, give nothing") {
    CHECK_FALSE(find_load("sass", listing_text("sass-sm_80-atomics.txt")));
    CHECK_FALSE(find_load("elf", "\x7f"
                                 "ELF"));
    CHECK_FALSE(find_load("", "the driver hands out nothing"));
    CHECK_FALSE(find_load("gcn", ""));
    CHECK_FALSE(find_load("ptx", std::string(100000, '(')));
    CHECK_NOTHROW(find_load("gcn", "x:\ns_load_dword s[0:4000000000], s[9:99999999999999999999999]\ns_branch x\n"));
    CHECK(is_readable_listing("gcn"));
    CHECK_FALSE(is_readable_listing("elf"));
}

TEST_CASE("atomic instructions, and the cache control that follows them") {
    const auto atomics = find_atomics("sass", listing_text("sass-sm_80-atomics.txt"));
    REQUIRE(atomics.size() == 3);
    CHECK(atomics[0].mnemonic == "ATOMG.E.CAS.STRONG.GPU");
    CHECK(atomics[0].cache_control == "CCTL.IVALL");
    CHECK(atomics[1].mnemonic == "ATOMS.CAS");
    CHECK(atomics[1].cache_control == "");
    CHECK(atomics[2].mnemonic == "RED.E.ADD.STRONG.GPU");

    const auto gcn =
        find_atomics("gcn", "buffer_atomic_cmpswap v[1:2], v0, s[0:3], 0 offen glc\ns_waitcnt "
                            "vmcnt(0)\nbuffer_wbinvl1_vol\nds_cmpst_rtn_b32 v0, v1, v2, v3\ns_waitcnt lgkmcnt(0)\n");
    REQUIRE(gcn.size() == 2);
    CHECK(gcn[0].cache_control == "buffer_wbinvl1_vol");
    CHECK(gcn[1].cache_control == ""); // a wait is no cache control
    CHECK(gcn[1].line_number == 4);

    CHECK(find_atomics("ptx", "atom.global.cas.b32 %r1, [%rd1], %r2, %r3;\nmembar.gl;\nred.shared.add.u32 [%r1], 1;\n")
              .size() == 2);
    CHECK(find_atomics("spirv",
              "%5 = OpAtomicCompareExchange %uint %3 %uint_1 %uint_0 %uint_0 %a %b\nOpMemoryBarrier %uint_1 %uint_72\n")
              .at(0)
              .cache_control == "OpMemoryBarrier");
}

TEST_CASE("cache control that clang puts behind ordered atomic instructions, and none behind relaxed ones or in the "
          "scratchpad") {
    struct Row {
        const char *file, *addition, *swap, *exchange, *control;
    };
    for (const Row& row : {Row{"clang-tahiti-atomics.txt", "buffer_atomic_add", "buffer_atomic_cmpswap",
                               "buffer_atomic_swap", "buffer_wbinvl1"},
             {"clang-gfx900-atomics.txt", "global_atomic_add", "global_atomic_cmpswap", "global_atomic_swap",
                 "buffer_wbinvl1_vol"},
             {"clang-gfx940-atomics.txt", "global_atomic_add", "global_atomic_cmpswap", "global_atomic_swap",
                 "buffer_inv"},
             {"clang-gfx1010-atomics.txt", "global_atomic_add", "global_atomic_cmpswap", "global_atomic_swap",
                 "buffer_gl0_inv"},
             {"clang-gfx1100-atomics.txt", "global_atomic_add_u32", "global_atomic_cmpswap_b32",
                 "global_atomic_swap_b32", "buffer_gl0_inv"}}) {
        CAPTURE(row.file);
        const auto atomics = find_atomics(kind_of(row.file), listing_text(row.file));
        REQUIRE(atomics.size() == 4);
        const char* mnemonics[] = {row.addition, row.swap, "ds_add_rtn_u32", row.exchange};
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK(atomics[i].mnemonic == mnemonics[i]);
            CHECK(atomics[i].cache_control == (i < 2 ? row.control : ""));
            CHECK(atomics[i].combined_by.empty());
            CHECK_FALSE(atomics[i].lock_loop);
        }
        CHECK(count_atomics(kind_of(row.file), listing_text(row.file)).size() == 4);
    }
}

TEST_CASE("an atomic instruction under a predicate or a branch is named without it, and what joined the lanes for it "
          "with it") {
    struct Row {
        const char *kind, *listing, *mnemonic, *combined_by;
    };
    for (const Row& row : {
             Row{"sass", "/*0090*/ @!P2 REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5 ;\n", "REDG.E.ADD.STRONG.GPU", ""},
             {"sass",
                 "/*0090*/ @P0 BRA 0xb0 ;\n/*00a0*/ RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2.64], R5 ;\n/*00b0*/ EXIT ;\n",
                 "RED.E.ADD.F32.FTZ.RN.STRONG.GPU", ""},
             // One per subgroup: the lanes are counted, the first of them adds so many times as much.
             {"sass",
                 "VOTEU.ANY UR6, UPT, PT ;\nUFLO.U32 UR7, UR6 ;\nS2R R0, SR_LANEID ;\nUPOPC UR6, UR6 ;\nIMAD R5, R4, "
                 "UR6, RZ ;\nISETP.EQ.U32.AND P0, PT, R0, UR7, PT ;\n@P0 RED.E.ADD.STRONG.GPU [R2.64], R5 ;\n",
                 "RED.E.ADD.STRONG.GPU", "UPOPC"},
             {"sass",
                 "REDUX.SUM UR4, R3 ;\nIMAD.U32 R5, RZ, RZ, UR4 ;\n@!P2 REDG.E.ADD.STRONG.GPU desc[UR6][R6.64], R5 ;\n",
                 "REDG.E.ADD.STRONG.GPU", "REDUX.SUM"},
             {"sass", "POPC R9, R8 ;\nIADD3 R5, R4, 0x1, RZ ;\nRED.E.ADD.STRONG.GPU [R2.64], R5 ;\n",
                 "RED.E.ADD.STRONG.GPU", ""}, // of something else
             {"gcn",
                 "s_bcnt1_i32_b64 s0, s[2:3]\nv_mov_b32 v1, s0\ns_and_saveexec_b64 s[4:5], vcc\ns_cbranch_execz "
                 ".end\nds_add_u32 v0, v1\n.end:\ns_endpgm\n",
                 "ds_add_u32", "s_bcnt1_i32_b64"},
             {"gcn", "v_mul_lo_u32 v1, v2, v3\nbuffer_atomic_add v1, v0, s[0:3], 0 offen\n", "buffer_atomic_add", ""},
             {"spirv",
                 "%7 = OpGroupNonUniformIAdd %uint %uint_3 Reduce %6\n%8 = OpAtomicIAdd %uint %3 %uint_1 %uint_0 %7\n",
                 "OpAtomicIAdd", "OpGroupNonUniformIAdd"},
         }) {
        CAPTURE(row.listing);
        const auto atomics = find_atomics(row.kind, row.listing);
        REQUIRE(atomics.size() == 1);
        CHECK(atomics[0].mnemonic == row.mnemonic);
        CHECK(atomics[0].combined_by == row.combined_by);
    }
}

TEST_CASE("an instruction that a listing repeats by saying so counts as often") {
    const auto atomics =
        count_atomics("gcn", "\tds_add_u32 v3, v2 ; d8000000\n\t(then repeated 15 times)\n\ts_endpgm\n");
    REQUIRE(atomics.size() == 1);
    CHECK(atomics[0].copies == 16);
    CHECK(atomics[0].line_number == 1);
    CHECK(count_atomics("gcn", "(then repeated 99999999999999999999 times)\n").empty());
}

TEST_CASE("atomic instructions are counted, and a lock loop is told from one") {
    const auto counted = count_atomics("ptx", "atom.global.cas.b32 %r1, [%rd1], %r2, %r3;\natom.global.add.u32 %r1, "
                                              "[%rd1], 1;\natom.global.add.u32 %r2, [%rd1], 1;\n");
    REQUIRE(counted.size() == 2);
    CHECK(counted[0].mnemonic == "atom.global.add.u32"); // of the most copies
    CHECK(counted[0].copies == 2);
    CHECK(counted[0].line_number == 2);
    CHECK_FALSE(counted[0].lock_loop);
    // Kepler's scratchpad, as nvdisasm writes it.
    const auto locked = count_atomics("sass", "/*0060*/ LDSLK P0, R6, [R2];\n/*0068*/ @P0 IADD R6, R6, R5;\n/*0070*/ "
                                              "@P0 STSCUL P1, [R2], R6;\n/*0078*/ @!P1 BRA 0x60;\n");
    REQUIRE(locked.size() == 1);
    CHECK(locked[0].mnemonic == "LDSLK");
    CHECK(locked[0].lock_loop);
    // A later chip's addition of floating-point numbers in the scratchpad.
    const auto swapped =
        count_atomics("sass", "/*0060*/ LDS R6, [R2] ;\n/*0070*/ FADD R7, R6, R5 ;\n/*0080*/ ATOMS.CAST.SPIN R7, [R2], "
                              "R6, R7 ;\n/*0090*/ ISETP.EQ.U32.AND P0, PT, R7, 0x1, PT ;\n/*00a0*/ @!P0 BRA 0x60 ;\n");
    REQUIRE(swapped.size() == 1);
    CHECK(swapped[0].lock_loop);
    CHECK_FALSE(count_atomics("sass", "ATOMS.CAS R0, [R4], R5, R6 ;\n")[0].lock_loop);
}

TEST_CASE("the size of an instruction is told by the addresses of a listing, and by nothing else") {
    CHECK(bytes_per_instruction("sass",
              "        /*0090*/                   FFMA R2, R2, R2, R3 ;\n        /*00a0*/                   "
              "FFMA R4, R4, R4, R3 ;\n        /*00b0*/                   EXIT ;\n") == 16.0);
    CHECK_FALSE(bytes_per_instruction("gcn", "v_fma_f32 v1, v1, v1, v2\nv_fma_f32 v3, v3, v3, v2\n"));
    CHECK_FALSE(bytes_per_instruction("", "there is none"));
}
