// Chains of multiply-adds of whole matrices, D = A x B + D: CHAINS independent ones in every subgroup, each with
// operands of its own and each step needing the one before it. A step is two of them, with B and with C, so that sums
// stay where they are exact. A trip of the loop holds as many steps as the build's `repeat` says.
// PTX names the registers of matrices itself: the C compiler neither counts nor moves them.
// a: of each chain A, B and C, and of sparse ones metadata, as the form's unit wants them
// (core/measure/matrix_units.cpp). out: per workgroup, the clock at begin and end (two words each), then of every
// subgroup (wgmma: of four) the sums of each chain: one product with B before the loop, and what the loop adds.
// BUILD PTX global: CHAINS=1|2|4|8 OPERATION=OP_MMA_F16_F32_M16N8K16|OP_MMA_F16_F16_M16N8K16|OP_MMA_BF16_F32_M16N8K16|
//       OP_MMA_TF32_F32_M16N8K8|OP_MMA_E4M3_F32_M16N8K32|OP_MMA_E5M2_F32_M16N8K32|OP_MMA_S8_S32_M16N8K32|
//       OP_MMA_U8_S32_M16N8K32|OP_MMA_B1_S32_M16N8K256|OP_MMA_F64_F64_M8N8K4|OP_MMA_F64_F64_M16N8K4|
//       OP_MMA_F64_F64_M16N8K8|OP_MMA_F64_F64_M16N8K16|OP_MMA_F16_F32_M16N8K8|OP_MMA_TF32_F32_M16N8K4|
//       OP_MMA_S8_S32_M16N8K16|OP_MMA_F16_F16_M16N8K8|OP_MMA_BF16_F32_M16N8K8|OP_MMA_S8_S32_M8N8K16|
//       OP_MMA_U8_S32_M16N8K16|OP_MMA_B1_S32_M8N8K128|OP_MMA_B1_S32_M16N8K128|OP_MMA_SP_F16_F32_M16N8K32|
//       OP_MMA_SP_BF16_F32_M16N8K32|OP_MMA_SP_TF32_F32_M16N8K16|OP_MMA_SP_S8_S32_M16N8K64
// BUILD PTX global: CHAINS=1|2|4|8 OPERATION=OP_MMA_U8_S32_M8N8K16|OP_MMA_S4_S32_M8N8K32|OP_MMA_S4_S32_M16N8K32|
//       OP_MMA_S4_S32_M16N8K64|OP_MMA_U4_S32_M8N8K32|OP_MMA_U4_S32_M16N8K32|OP_MMA_U4_S32_M16N8K64|
//       OP_MMA_XOR_B1_S32_M8N8K128|OP_MMA_XOR_B1_S32_M16N8K128|OP_MMA_XOR_B1_S32_M16N8K256|OP_MMA_E4M3_F16_M16N8K16|
//       OP_MMA_E4M3_F16_M16N8K32|OP_MMA_E5M2_F16_M16N8K16|OP_MMA_E5M2_F16_M16N8K32|OP_MMA_E4M3_F32_M16N8K16|
//       OP_MMA_E5M2_F32_M16N8K16|OP_MMA_SP_F16_F16_M16N8K32|OP_MMA_SP_F16_F32_M16N8K16|OP_MMA_SP_F16_F16_M16N8K16|
//       OP_MMA_SP_BF16_F32_M16N8K16|OP_MMA_SP_TF32_F32_M16N8K8|OP_MMA_SP_U8_S32_M16N8K64|OP_MMA_SP_S8_S32_M16N8K32|
//       OP_MMA_SP_U8_S32_M16N8K32|OP_MMA_SP_S4_S32_M16N8K64|OP_MMA_SP_S4_S32_M16N8K128|OP_MMA_SP_U4_S32_M16N8K64|
//       OP_MMA_SP_U4_S32_M16N8K128|OP_MMA_SP_E4M3_F32_M16N8K64|OP_MMA_SP_E5M2_F32_M16N8K64
// BUILD PTX global: CHAINS=1 OPERATION=OP_WGMMA_F16_F32_M64N256K16|OP_WGMMA_BF16_F32_M64N256K16|
//       OP_WGMMA_TF32_F32_M64N256K8|OP_WGMMA_E4M3_F32_M64N256K32|OP_WGMMA_E5M2_F32_M64N256K32|
//       OP_WGMMA_S8_S32_M64N256K32|OP_WGMMA_SP_F16_F32_M64N256K32|OP_WGMMA_SP_BF16_F32_M64N256K32|
//       OP_WGMMA_SP_TF32_F32_M64N256K16|OP_WGMMA_SP_E4M3_F32_M64N256K64|OP_WGMMA_SP_E5M2_F32_M64N256K64|
//       OP_WGMMA_SP_S8_S32_M64N256K64
#include "vocabulary.h"
#include "chains.h"

ARGS(uint rounds; uint pad;)

#define FROM __global
#include "matrix_fragments.h"
#if defined DIALECT_GLSL
spirv_instruction(COOPERATIVE, id = 4457) MATRIX_A load_a(spirv_by_reference uint at, uint order, uint stride);
spirv_instruction(COOPERATIVE, id = 4457) MATRIX_B load_b(spirv_by_reference uint at, uint order, uint stride);
spirv_instruction(COOPERATIVE, id = 4457) MATRIX_D load_d(spirv_by_reference uint at, uint order, uint stride);
#define A_WORDS (MATRIX_M * ROW_WORDS)
#define B_WORDS (MATRIX_N * ROW_WORDS)
#define D_WORDS (MATRIX_M * SUM_ROW_WORDS)
#define CHAIN_WORDS (A_WORDS + 2u * B_WORDS)
// The sums begin as zeros: what is loaded stands behind the operands.
#define BEGIN(i, number)                                                                          \
    MATRIX_A a##i = load_a(a[number * CHAIN_WORDS], BY_ROWS, ROW_WORDS);                          \
    MATRIX_B b##i = load_b(a[number * CHAIN_WORDS + A_WORDS], BY_COLUMNS, ROW_WORDS);             \
    MATRIX_B c##i = load_b(a[number * CHAIN_WORDS + A_WORDS + B_WORDS], BY_COLUMNS, ROW_WORDS);   \
    MATRIX_D d##i = load_d(a[CHAINS * CHAIN_WORDS], BY_ROWS, SUM_ROW_WORDS);                      \
    STEP_B(i, number)
#define STEP_B(i, number) d##i = multiply_add(a##i, b##i, d##i, SIGNS);
#define STEP_C(i, number) d##i = multiply_add(a##i, c##i, d##i, SIGNS);
#define END(i, number) store_d(result[block + 4u + (TEAM * CHAINS + number) * D_WORDS], d##i, BY_ROWS, SUM_ROW_WORDS);
#define PREPARE
#define TRIP_BEGIN
#define TRIP_END
#define FINISH_UNIT

#elif !defined DIALECT_CUDA && !defined VENDOR_NVIDIA
#define OF_CHAIN(number, row) (a + (number * (M + 2u * N) + row) * ROW_WORDS)
#define BEGIN(i, number)                                                                                               \
    TYPE_OF_A a##i = ROWS_OF_A(OF_CHAIN(number, 0u), ROW_WORDS);                                                       \
    TYPE_OF_B b##i = COLUMNS_OF_B(OF_CHAIN(number, M), ROW_WORDS),                                                     \
              c##i = COLUMNS_OF_B(OF_CHAIN(number, M + N), ROW_WORDS);                                                 \
    TYPE_OF_D d##i = (TYPE_OF_D)(0);                                                                                   \
    STEP_B(i, number)
#define STEP_B(i, number) d##i = UNIT(CALL_)(a##i, b##i, d##i);
#define STEP_C(i, number) d##i = UNIT(CALL_)(a##i, c##i, d##i);
#define D_WORDS (M * N)
#define STORE_D(c, r)                                                                                                  \
    result[block + 4u + (TEAM * CHAINS + c) * D_WORDS + UNIT(ROW_)(r) * N + LOCAL_ID % N] = as_uint(d##c.s##r);
#define END(i, number) EACH(FORM_D, STORE_D, i)
#define PREPARE
#define TRIP_BEGIN
#define TRIP_END
#define FINISH_UNIT

#else
#define D_WORDS (OPERATION(FORM_D) * LANES * OF_SUM(PTX_WORDS_))
#define BEGIN(c, number) UNIT(BEGIN_)(c)
#define STEP_B(c, number) UNIT(STEP_)(c, b)
#define STEP_C(c, number) UNIT(STEP_)(c, e)
#define TRIP_BEGIN UNIT(TRIP_BEGIN_)
#define TRIP_END UNIT(TRIP_END_)
#define PREPARE UNIT(PREPARE_)
#define FINISH_UNIT UNIT(FINISH_)

#define ZERO_D(c, r) PTX("mov" OF_SUM(PTX_TYPE_) " d" #c "_" #r ", " OF_SUM(PTX_ZERO_) ";");
#define STORE_D(c, r)                                                                                                  \
    PTX("st.global" OF_SUM(PTX_TYPE_) " [%0], d" #c "_" #r ";"                                                         \
        : : "l"(                                                                                                       \
            result + block + 4u + (TEAM * CHAINS + c) * D_WORDS + (r * LANES + LOCAL_ID % LANES) * OF_SUM(PTX_WORDS_)) \
        : "memory");
#define END(c, number) EACH(FORM_D, STORE_D, c)

// mma.sync: registers of a subgroup's lanes.
#define REGISTERS (OPERATION(FORM_A) + 2 * OPERATION(FORM_B) + UNIT(MORE_)) // of a chain's operands
#define MORE_MMA 0
#define LOAD_OPERAND(name, c, at)                                                                                      \
    PTX("ld.global" OPERAND(PTX_TYPE_) " " name ", [%0];"                                                              \
        : : "l"(a + ((c * REGISTERS + at) * 32u + LOCAL_ID % 32u) * OPERAND(PTX_WORDS_)));
#define FETCH_A(c, r) LOAD_OPERAND("a" #c "_" #r, c, r)
#define FETCH_B(c, r) LOAD_OPERAND("b" #c "_" #r, c, OPERATION(FORM_A) + r)
#define FETCH_C(c, r) LOAD_OPERAND("e" #c "_" #r, c, OPERATION(FORM_A) + OPERATION(FORM_B) + r)
#define BEGIN_MMA(c) FETCH_MMA(c) STEP_MMA(c, b)
#define FETCH_MMA(c)                                                                                                   \
    PTX(".reg " OPERAND(PTX_TYPE_) " a" #c "_<8>, b" #c "_<8>, e" #c "_<8>; .reg " OF_SUM(PTX_TYPE_) " d" #c "_<8>;"); \
    EACH(FORM_A, FETCH_A, c) EACH(FORM_B, FETCH_B, c) EACH(FORM_B, FETCH_C, c) EACH(FORM_D, ZERO_D, c)
#define STEP_MMA(c, b) PTX(MULTIPLY_ADD_TEXT("a" #c "_", #b #c "_", "d" #c "_") ";");
#define PREPARE_MMA
#define TRIP_BEGIN_MMA
#define TRIP_END_MMA
#define FINISH_MMA

#define LANES_MMA_RENEWED 32u
#define MORE_MMA_RENEWED 0
// each byte where it is, which no compiler knows
#define PREPARE_MMA_RENEWED PTX(".reg .b32 same; mov.u32 same, %0;" : : "r"(0x3210u + args.pad));
#define RENEW(name) PTX("prmt.b32 " name ", " name ", " name ", same;");
#define RENEW_a(c, r) RENEW("a" #c "_" #r)
#define RENEW_b(c, r) RENEW("b" #c "_" #r)
#define RENEW_e(c, r) RENEW("e" #c "_" #r)
#define BEGIN_MMA_RENEWED(c) BEGIN_MMA(c)
#define STEP_MMA_RENEWED(c, b) EACH(FORM_A, RENEW_a, c) EACH(FORM_B, RENEW_##b, c) STEP_MMA(c, b)
#define TRIP_BEGIN_MMA_RENEWED
#define TRIP_END_MMA_RENEWED
#define FINISH_MMA_RENEWED

// mma.sp: one more register holds the metadata, of lanes 0 and 1 of each four, or of all of them.
#define LANES_MMA_SP 32u
#define MORE_MMA_SP 1
#define PREPARE_MMA_SP
#define BEGIN_MMA_SP(c)                                                                                                \
    PTX(".reg .b32 m" #c ";");                                                                                         \
    LOAD_OPERAND("m" #c, c, OPERATION(FORM_A) + 2 * OPERATION(FORM_B))                                                 \
    FETCH_MMA(c) STEP_MMA_SP(c, b)
#define STEP_MMA_SP(c, b) PTX(MULTIPLY_ADD_TEXT("a" #c "_", #b #c "_", "d" #c "_") ", m" #c ", 0x0;");
#define TRIP_BEGIN_MMA_SP
#define TRIP_END_MMA_SP
#define FINISH_MMA_SP

// wgmma: four subgroups together, one tile for all of a workgroup: 64 rows of A of 32 bytes, behind them 256 of B and
// of C side by side, of 32 bytes each, or of 64 where A is sparse.
// Descriptors: address >> 4, 128 bytes from one column of 16 bytes to the next, and from 8 rows to the next 256 (A) or
// 16 rows of B.
#define LANES_WGMMA 128u
#define B_ROW_WGMMA 32
#define TILE_WORDS (512u + 128u * UNIT(B_ROW_))
#define OF_B ((long)UNIT(B_ROW_) << 32 | 0x80080)
#define BEGIN_WGMMA(c)                                                                                                 \
    for (uint word = LOCAL_ID; word < TILE_WORDS; word += GROUP_SIZE) scratchpad[word] = a[word];                      \
    PTX("fence.proxy.async.shared::cta;" : : : "memory");                                                              \
    BARRIER                                                                                                            \
    PTX(".reg " OF_SUM(PTX_TYPE_) " d0_<128>; .reg .b64 base, of_a, of_b, of_e; .reg .pred yes;");                     \
    PTX("cvta.to.shared.u64 base, %0; shr.u64 base, base, 4; setp.eq.u64 yes, base, base;" : : "l"(scratchpad));       \
    PTX("add.u64 of_a, base, 0x0000001000080000; add.u64 of_b, base, %0; add.u64 of_e, base, %1;"                      \
        : : "n"(OF_B), "n"(OF_B + UNIT(B_ROW_) / 2));                                                                  \
    EACH(FORM_D, ZERO_D, c)                                                                                            \
    TRIP_BEGIN_WGMMA STEP_B(c, c)                                                                                      \
    TRIP_END_WGMMA WAIT("0")
#define METADATA_WGMMA ""
#define STEP_WGMMA(c, b)                                                                                               \
    PTX(OPERATION(FORM_INSTRUCTION) " {" LIST(FORM_D, "d0_") "}, of_a, of_" #b UNIT(METADATA_)                         \
            OPERATION(FORM_TAIL) ";");
#define WAIT(groups) PTX("wgmma.wait_group.sync.aligned " groups ";");
#define PREPARE_WGMMA
#define FINISH_WGMMA WAIT("0")
#define TRIP_BEGIN_WGMMA PTX("wgmma.fence.sync.aligned;");
#define TRIP_END_WGMMA PTX("wgmma.commit_group.sync.aligned;"); WAIT("1")

#define LANES_WGMMA_SP 128u
#define B_ROW_WGMMA_SP 64
#define BEGIN_WGMMA_SP(c)                                                                                              \
    PTX(".reg .b32 metadata; ld.global.b32 metadata, [%0];" : : "l"(a + TILE_WORDS + LOCAL_ID % LANES));               \
    BEGIN_WGMMA(c)
#define METADATA_WGMMA_SP ", metadata, 0"
#define STEP_WGMMA_SP(c, b) STEP_WGMMA(c, b)
#define PREPARE_WGMMA_SP
#define FINISH_WGMMA_SP FINISH_WGMMA
#define TRIP_BEGIN_WGMMA_SP TRIP_BEGIN_WGMMA
#define TRIP_END_WGMMA_SP TRIP_END_WGMMA
#endif

KERNEL(matrix) {
    PREPARE
    EACH_CHAIN(BEGIN)
    uint first = LOCAL_ID;
    CLOCK_READ(begin, first)
    NOT_UNROLLED
    for (uint n = 0u; n < args.rounds; n += 1u) {
        TRIP_BEGIN
        REPEATED(KEEP, EACH_CHAIN(STEP_B) EACH_CHAIN(STEP_C))
        TRIP_END
    }
    FINISH_UNIT
    BARRIER // the slowest subgroup's time
    uint last = first;
    CLOCK_READ(end, last)
    uint block = GROUP_ID * (4u + TEAMS * CHAINS * D_WORDS);
    EACH_CHAIN(END)
    if (LOCAL_ID == 0u) {
        CLOCK_STORE(block, begin)
        CLOCK_STORE(block + 2u, end)
    }
}
