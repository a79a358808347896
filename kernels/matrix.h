// Chains of multiply-adds of whole matrices, D = A x B + D: CHAINS independent ones in every subgroup, each with operands of its own and each step needing the one before it. A step is
// two of them, with B and with C, so that sums stay where they are exact. A trip of the loop holds as many steps as the build's `repeat` says.
// PTX names the registers of matrices itself: the C compiler neither counts nor moves them.
// a: of each chain A, B and C, and of sparse ones metadata, as the form's unit wants them (core/measure/matrix_units.cpp). out: per workgroup, the clock at begin and end (two words each), then of every subgroup (wgmma: of four)
// the sums of each chain: one product with B before the loop, and what the loop adds.
// BUILD PTX global: CHAINS=1|2|4|8 OPERATION=OP_MMA_F16_F32_M16N8K16|OP_MMA_F16_F16_M16N8K16|OP_MMA_BF16_F32_M16N8K16|OP_MMA_TF32_F32_M16N8K8|OP_MMA_E4M3_F32_M16N8K32|OP_MMA_E5M2_F32_M16N8K32|OP_MMA_S8_S32_M16N8K32|OP_MMA_U8_S32_M16N8K32|OP_MMA_B1_S32_M16N8K256|OP_MMA_F64_F64_M8N8K4|OP_MMA_F64_F64_M16N8K4|OP_MMA_F64_F64_M16N8K8|OP_MMA_F64_F64_M16N8K16|OP_MMA_F16_F32_M16N8K8|OP_MMA_TF32_F32_M16N8K4|OP_MMA_S8_S32_M16N8K16|OP_MMA_SP_F16_F32_M16N8K32|OP_MMA_SP_BF16_F32_M16N8K32|OP_MMA_SP_TF32_F32_M16N8K16|OP_MMA_SP_S8_S32_M16N8K64
// BUILD PTX global: CHAINS=1 OPERATION=OP_WGMMA_F16_F32_M64N256K16|OP_WGMMA_BF16_F32_M64N256K16|OP_WGMMA_TF32_F32_M64N256K8|OP_WGMMA_E4M3_F32_M64N256K32|OP_WGMMA_E5M2_F32_M64N256K32|OP_WGMMA_S8_S32_M64N256K32
#include "vocabulary.h"
#include "chains.h"

ARGS(uint rounds; uint pad;)

#if defined DIALECT_GLSL // of Build::matrix: MATRIX_M, _N, _K, words of a row of A and of D, and which integers are signed; INPUT and SUM are marks for their types
#define INPUT 1u
#define SUM 2u
const uint SCOPE = 3u, M = MATRIX_M, N = MATRIX_N, K = MATRIX_K, USE_A = 0u, USE_B = 1u, USE_D = 2u;
#define COOPERATIVE extensions = ["SPV_KHR_cooperative_matrix"], capabilities = [6022]
#define MATRIX_A spirv_type(COOPERATIVE, id = 4456, INPUT, SCOPE, M, K, USE_A)
#define MATRIX_B spirv_type(COOPERATIVE, id = 4456, INPUT, SCOPE, K, N, USE_B)
#define MATRIX_D spirv_type(COOPERATIVE, id = 4456, SUM, SCOPE, M, N, USE_D)
#define BY_ROWS 0u
#define BY_COLUMNS 1u
spirv_instruction(COOPERATIVE, id = 4457) MATRIX_A load_a(spirv_by_reference uint at, uint order, uint stride);
spirv_instruction(COOPERATIVE, id = 4457) MATRIX_B load_b(spirv_by_reference uint at, uint order, uint stride);
spirv_instruction(COOPERATIVE, id = 4457) MATRIX_D load_d(spirv_by_reference uint at, uint order, uint stride);
spirv_instruction(COOPERATIVE, id = 4459) MATRIX_D multiply_add(MATRIX_A x, MATRIX_B y, MATRIX_D z, spirv_literal int signs);
spirv_instruction(COOPERATIVE, id = 4458) void store_d(spirv_by_reference uint at, MATRIX_D v, uint order, uint stride);
#define A_WORDS (MATRIX_M * ROW_WORDS)
#define B_WORDS (MATRIX_N * ROW_WORDS)
#define D_WORDS (MATRIX_M * SUM_ROW_WORDS)
#define CHAIN_WORDS (A_WORDS + 2u * B_WORDS)
#define TEAM (LOCAL_ID / gl_SubgroupSize)
#define TEAMS gl_NumSubgroups
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
#define KEEP

#else
#include "matrix_forms.h"
#define UNIT(part) JOINED(part, OPERATION(FORM_UNIT))
#define EACH(count, DO, c) JOINED(EACH_, OPERATION(count))(DO, c)
#define LANES UNIT(LANES_)
#define TEAM (LOCAL_ID / LANES)
#define TEAMS (GROUP_SIZE / LANES)

#if !defined DIALECT_CUDA && !defined VENDOR_NVIDIA // builtins of AMD's and Intel's compilers
#define BEGIN(i, number)                                                                                                              \
    OPERATION(FORM_A) a##i = UNIT(ROWS_OF_A_)(number);                                                                                \
    UNIT(TYPE_OF_B_) b##i = UNIT(COLUMN_OF_B_)(number, M), c##i = UNIT(COLUMN_OF_B_)(number, M + N);                                  \
    OPERATION(FORM_SUM) d##i = (OPERATION(FORM_SUM))(0);                                                                              \
    STEP_B(i, number)
#define STEP_B(i, number) d##i = UNIT(CALL_)(a##i, b##i, d##i);
#define STEP_C(i, number) d##i = UNIT(CALL_)(a##i, c##i, d##i);
#define D_WORDS (M * N)
#define STORE_D(c, r) result[block + 4u + (TEAM * CHAINS + c) * D_WORDS + UNIT(ROW_)(r) * N + LOCAL_ID % N] = as_uint(d##c.s##r);
#define END(i, number) EACH(FORM_D, STORE_D, i)
#define PREPARE
#define TRIP_BEGIN
#define TRIP_END
#define FINISH_UNIT
#define KEEP

#if defined VENDOR_AMD // a lane holds numbers of row lane % 16 of A and of B, and sums of column lane % 16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define M 16u
#define N 16u
#define ROW_WORDS OPERATION(FORM_B)
#define OF_LANE(number, row) *(const __global OPERATION(FORM_A)*)(a + (number * (M + 2u * N) + row + LOCAL_ID % 16u) * ROW_WORDS + LOCAL_ID % LANES / 16u * OPERATION(FORM_OPERAND))
#define LANES_MFMA 64u
#define TYPE_OF_B_MFMA OPERATION(FORM_A)
#define ROWS_OF_A_MFMA(number) OF_LANE(number, 0u)
#define COLUMN_OF_B_MFMA(number, row) OF_LANE(number, row)
#define CALL_MFMA(x, y, z) OPERATION(FORM_INSTRUCTION)(x, y, z, 0, 0, 0)
#define ROW_MFMA(r) (LOCAL_ID % LANES / 16u * 4u + r)
#define LANES_WMMA 32u
#define TYPE_OF_B_WMMA OPERATION(FORM_A)
#define ROWS_OF_A_WMMA(number) OF_LANE(number, 0u)
#define COLUMN_OF_B_WMMA(number, row) OF_LANE(number, row)
#define CALL_WMMA(x, y, z) OPERATION(FORM_INSTRUCTION)(x, y, z)
#define ROW_WMMA(r) (r * 2u + LOCAL_ID % LANES / 16u)
#define LANES_WMMA_INT 32u
#define TYPE_OF_B_WMMA_INT OPERATION(FORM_A)
#define ROWS_OF_A_WMMA_INT(number) OF_LANE(number, 0u)
#define COLUMN_OF_B_WMMA_INT(number, row) OF_LANE(number, row)
#define CALL_WMMA_INT(x, y, z) OPERATION(FORM_INSTRUCTION)(1, x, 1, y, z, 0) // both signed, sums that wrap
#define ROW_WMMA_INT(r) ROW_WMMA(r)
#else // Intel: rows of 8 words
#define M 8u
#define N LANES
#undef SUBGROUP_SIZE
#define SUBGROUP_SIZE __attribute__((intel_reqd_sub_group_size(LANES)))
#define OF_ROW(number, row) ((const __global OPERATION(FORM_B)*)(a + number * (M + 2u * N) * 8u))[row * N + LOCAL_ID % N]
#define ALL_ROWS(number) (OF_ROW(number, 0u), OF_ROW(number, 1u), OF_ROW(number, 2u), OF_ROW(number, 3u), OF_ROW(number, 4u), OF_ROW(number, 5u), OF_ROW(number, 6u), OF_ROW(number, 7u))
#define OF_COLUMN(number, row) *(const __global int8*)(a + (number * (M + 2u * N) + row + LOCAL_ID % N) * 8u)
#define LANES_DPAS8 8u
#define TYPE_OF_B_DPAS8 int8
#define ROWS_OF_A_DPAS8(number) (int8)ALL_ROWS(number)
#define COLUMN_OF_B_DPAS8(number, row) OF_COLUMN(number, row)
#define CALL_DPAS8(x, y, z) OPERATION(FORM_INSTRUCTION)(x, y, z)
#define ROW_DPAS8(r) r
#define LANES_DPAS16 16u
#define TYPE_OF_B_DPAS16 int8
#define ROWS_OF_A_DPAS16(number) (short8)ALL_ROWS(number)
#define COLUMN_OF_B_DPAS16(number, row) OF_COLUMN(number, row)
#define CALL_DPAS16(x, y, z) OPERATION(FORM_INSTRUCTION)(x, y, z)
#define ROW_DPAS16(r) r
#endif

#else
#if defined DIALECT_CUDA
#define PTX asm volatile
#else
#define PTX __asm__ volatile
#endif
#define OPERAND(what) JOINED(what, OPERATION(FORM_OPERAND))
#define OF_SUM(what) JOINED(what, OPERATION(FORM_SUM))
#define LIST(count, name) JOINED(LIST_, OPERATION(count))(name)
#define D_WORDS (OPERATION(FORM_D) * LANES * OF_SUM(PTX_WORDS_))
#define BEGIN(c, number) UNIT(BEGIN_)(c)
#define STEP_B(c, number) UNIT(STEP_)(c, b)
#define STEP_C(c, number) UNIT(STEP_)(c, e)
#define TRIP_BEGIN UNIT(TRIP_BEGIN_)
#define TRIP_END UNIT(TRIP_END_)
#define PREPARE UNIT(PREPARE_)
#define FINISH_UNIT UNIT(FINISH_)
#define KEEP PTX("// KEEP matrix");

#define ZERO_D(c, r) PTX("mov" OF_SUM(PTX_TYPE_) " d" #c "_" #r ", " OF_SUM(PTX_ZERO_) ";");
#define STORE_D(c, r) PTX("st.global" OF_SUM(PTX_TYPE_) " [%0], d" #c "_" #r ";" : : "l"(result + block + 4u + (TEAM * CHAINS + c) * D_WORDS + (r * LANES + LOCAL_ID % LANES) * OF_SUM(PTX_WORDS_)) : "memory");
#define END(c, number) EACH(FORM_D, STORE_D, c)

// mma.sync: registers of a subgroup's lanes.
#define LANES_MMA 32u
#define REGISTERS (OPERATION(FORM_A) + 2 * OPERATION(FORM_B) + UNIT(MORE_)) // of a chain's operands
#define MORE_MMA 0
#define LOAD_OPERAND(name, c, at) PTX("ld.global" OPERAND(PTX_TYPE_) " " name ", [%0];" : : "l"(a + ((c * REGISTERS + at) * 32u + LOCAL_ID % 32u) * OPERAND(PTX_WORDS_)));
#define FETCH_A(c, r) LOAD_OPERAND("a" #c "_" #r, c, r)
#define FETCH_B(c, r) LOAD_OPERAND("b" #c "_" #r, c, OPERATION(FORM_A) + r)
#define FETCH_C(c, r) LOAD_OPERAND("e" #c "_" #r, c, OPERATION(FORM_A) + OPERATION(FORM_B) + r)
#define BEGIN_MMA(c) FETCH_MMA(c) STEP_MMA(c, b)
#define FETCH_MMA(c)                                                                                                               \
    PTX(".reg " OPERAND(PTX_TYPE_) " a" #c "_<8>, b" #c "_<8>, e" #c "_<8>; .reg " OF_SUM(PTX_TYPE_) " d" #c "_<8>;");             \
    EACH(FORM_A, FETCH_A, c) EACH(FORM_B, FETCH_B, c) EACH(FORM_B, FETCH_C, c) EACH(FORM_D, ZERO_D, c)
#define STEP_MMA(c, b)                                                                                                             \
    PTX(OPERATION(FORM_INSTRUCTION) " {" LIST(FORM_D, "d" #c "_") "}, {" LIST(FORM_A, "a" #c "_") "}, {" LIST(FORM_B, #b #c "_")   \
        "}, {" LIST(FORM_D, "d" #c "_") "};");
#define PREPARE_MMA
#define TRIP_BEGIN_MMA
#define TRIP_END_MMA
#define FINISH_MMA

#define LANES_MMA_RENEWED 32u
#define MORE_MMA_RENEWED 0
#define PREPARE_MMA_RENEWED PTX(".reg .b32 same; mov.u32 same, %0;" : : "r"(0x3210u + args.pad)); // each byte where it is, which no compiler knows
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
#define BEGIN_MMA_SP(c)                                                                                                            \
    PTX(".reg .b32 m" #c ";");                                                                                                     \
    LOAD_OPERAND("m" #c, c, OPERATION(FORM_A) + 2 * OPERATION(FORM_B))                                                             \
    FETCH_MMA(c) STEP_MMA_SP(c, b)
#define STEP_MMA_SP(c, b)                                                                                                          \
    PTX(OPERATION(FORM_INSTRUCTION) " {" LIST(FORM_D, "d" #c "_") "}, {" LIST(FORM_A, "a" #c "_") "}, {" LIST(FORM_B, #b #c "_")   \
        "}, {" LIST(FORM_D, "d" #c "_") "}, m" #c ", 0x0;");
#define TRIP_BEGIN_MMA_SP
#define TRIP_END_MMA_SP
#define FINISH_MMA_SP

// wgmma: four subgroups together, one tile for all of a workgroup: 64 rows of A of 32 bytes, behind them 256 of B, 32 bytes of B and 32 of C in each. Descriptors: address >> 4,
// 128 bytes from one column of 16 bytes to the next, and from 8 rows to the next 256 (A) or 512.
#define LANES_WGMMA 128u
#define TILE_WORDS 4608u
#define BEGIN_WGMMA(c)                                                                                                             \
    for (uint word = LOCAL_ID; word < TILE_WORDS; word += GROUP_SIZE) scratchpad[word] = a[word];                                  \
    PTX("fence.proxy.async.shared::cta;" : : : "memory");                                                                          \
    BARRIER                                                                                                                        \
    PTX(".reg " OF_SUM(PTX_TYPE_) " d0_<128>; .reg .b64 base, of_a, of_b, of_e; .reg .pred yes;");                                 \
    PTX("cvta.to.shared.u64 base, %0; shr.u64 base, base, 4; setp.eq.u64 yes, base, base;" : : "l"(scratchpad));                   \
    PTX("add.u64 of_a, base, 0x0000001000080000; add.u64 of_b, base, 0x0000002000080080; add.u64 of_e, base, 0x0000002000080090;"); \
    EACH(FORM_D, ZERO_D, c)                                                                                                        \
    TRIP_BEGIN_WGMMA STEP_WGMMA(c, b) TRIP_END_WGMMA WAIT("0")
#define STEP_WGMMA(c, b) PTX(OPERATION(FORM_INSTRUCTION) " {" LIST(FORM_D, "d0_") "}, of_a, of_" #b OPERATION(FORM_TAIL) ";");
#define WAIT(groups) PTX("wgmma.wait_group.sync.aligned " groups ";");
#define PREPARE_WGMMA
#define FINISH_WGMMA WAIT("0")
#define TRIP_BEGIN_WGMMA PTX("wgmma.fence.sync.aligned;");
#define TRIP_END_WGMMA PTX("wgmma.commit_group.sync.aligned;"); WAIT("1")
#endif
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
    uint last = first;
    CLOCK_READ(end, last)
    uint block = GROUP_ID * (4u + TEAMS * CHAINS * D_WORDS);
    EACH_CHAIN(END)
    if (LOCAL_ID == 0u) {
        CLOCK_STORE(block, begin)
        CLOCK_STORE(block + 2u, end)
    }
}
