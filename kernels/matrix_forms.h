// The matrix forms that are PTX, or builtins: OP_<name>(DO) says DO(unit, instruction, registers of A, of B, of D, type
// of these, of D's, what follows the operands).
// MMA: mma.sync. MMA_RENEWED: the same with operands that no compiler knows to be the last step's: a chip without the
// instruction adds D to a product, which would be taken out of the loop.
// MMA_SP: mma.sp, whose metadata say where in a row of A the stored numbers stand.
// WGMMA: wgmma, its operands in the scratchpad. WGMMA_SP: the same with metadata. What other languages have no words
// for is Build::matrix.
#define OP_MMA_F16_F32_M16N8K16(DO) DO(MMA, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, B32, F32, "")
#define OP_MMA_F16_F16_M16N8K16(DO) DO(MMA, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, B32, B32, "")
#define OP_MMA_BF16_F32_M16N8K16(DO)                                                                                   \
    DO(MMA, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, B32, F32, "")
#define OP_MMA_TF32_F32_M16N8K8(DO) DO(MMA, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, B32, F32, "")
#define OP_MMA_E4M3_F32_M16N8K32(DO)                                                                                   \
    DO(MMA_RENEWED, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, B32, F32, "")
#define OP_MMA_E5M2_F32_M16N8K32(DO)                                                                                   \
    DO(MMA_RENEWED, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, 2, 4, B32, F32, "")
#define OP_MMA_S8_S32_M16N8K32(DO) DO(MMA, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, B32, B32, "")
#define OP_MMA_U8_S32_M16N8K32(DO) DO(MMA, "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", 4, 2, 4, B32, B32, "")
#define OP_MMA_B1_S32_M16N8K256(DO)                                                                                    \
    DO(MMA, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4, B32, B32, "")
#define OP_MMA_F64_F64_M8N8K4(DO) DO(MMA, "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, F64, F64, "")
#define OP_MMA_F64_F64_M16N8K4(DO) DO(MMA, "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 2, 1, 4, F64, F64, "")
#define OP_MMA_F64_F64_M16N8K8(DO) DO(MMA, "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4, F64, F64, "")
#define OP_MMA_F64_F64_M16N8K16(DO) DO(MMA, "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4, F64, F64, "")
#define OP_MMA_F16_F32_M16N8K8(DO) DO(MMA, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, B32, F32, "")
#define OP_MMA_TF32_F32_M16N8K4(DO) DO(MMA, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, B32, F32, "")
#define OP_MMA_S8_S32_M16N8K16(DO) DO(MMA, "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 2, 1, 4, B32, B32, "")
#define OP_MMA_F16_F16_M16N8K8(DO) DO(MMA, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, B32, B32, "")
#define OP_MMA_BF16_F32_M16N8K8(DO) DO(MMA, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, B32, F32, "")
#define OP_MMA_S8_S32_M8N8K16(DO) DO(MMA, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 1, 1, 2, B32, B32, "")
#define OP_MMA_U8_S32_M16N8K16(DO) DO(MMA, "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32", 2, 1, 4, B32, B32, "")
#define OP_MMA_B1_S32_M8N8K128(DO)                                                                                     \
    DO(MMA, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", 1, 1, 2, B32, B32, "")
#define OP_MMA_B1_S32_M16N8K128(DO)                                                                                    \
    DO(MMA, "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", 2, 1, 4, B32, B32, "")
#define OP_MMA_SP_F16_F32_M16N8K32(DO)                                                                                 \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4, B32, F32, "")
#define OP_MMA_SP_BF16_F32_M16N8K32(DO)                                                                                \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", 4, 4, 4, B32, F32, "")
#define OP_MMA_SP_TF32_F32_M16N8K16(DO)                                                                                \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", 4, 4, 4, B32, F32, "")
#define OP_MMA_SP_S8_S32_M16N8K64(DO)                                                                                  \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32", 4, 4, 4, B32, B32, "")
#define OP_MMA_U8_S32_M8N8K16(DO) DO(MMA, "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32", 1, 1, 2, B32, B32, "")
#define OP_MMA_S4_S32_M8N8K32(DO) DO(MMA, "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", 1, 1, 2, B32, B32, "")
#define OP_MMA_S4_S32_M16N8K32(DO) DO(MMA, "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32", 2, 1, 4, B32, B32, "")
#define OP_MMA_S4_S32_M16N8K64(DO) DO(MMA, "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 4, 2, 4, B32, B32, "")
#define OP_MMA_U4_S32_M8N8K32(DO) DO(MMA, "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32", 1, 1, 2, B32, B32, "")
#define OP_MMA_U4_S32_M16N8K32(DO) DO(MMA, "mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32", 2, 1, 4, B32, B32, "")
#define OP_MMA_U4_S32_M16N8K64(DO) DO(MMA, "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32", 4, 2, 4, B32, B32, "")
#define OP_MMA_XOR_B1_S32_M8N8K128(DO)                                                                                 \
    DO(MMA, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 1, 1, 2, B32, B32, "")
#define OP_MMA_XOR_B1_S32_M16N8K128(DO)                                                                                \
    DO(MMA, "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 2, 1, 4, B32, B32, "")
#define OP_MMA_XOR_B1_S32_M16N8K256(DO)                                                                                \
    DO(MMA, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 4, B32, B32, "")
#define OP_MMA_E4M3_F16_M16N8K16(DO)                                                                                   \
    DO(MMA_RENEWED, "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f16", 2, 1, 2, B32, B32, "")
#define OP_MMA_E4M3_F16_M16N8K32(DO)                                                                                   \
    DO(MMA_RENEWED, "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16", 4, 2, 2, B32, B32, "")
#define OP_MMA_E5M2_F16_M16N8K16(DO)                                                                                   \
    DO(MMA_RENEWED, "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e5m2.f16", 2, 1, 2, B32, B32, "")
#define OP_MMA_E5M2_F16_M16N8K32(DO)                                                                                   \
    DO(MMA_RENEWED, "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16", 4, 2, 2, B32, B32, "")
#define OP_MMA_E4M3_F32_M16N8K16(DO)                                                                                   \
    DO(MMA_RENEWED, "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32", 2, 1, 4, B32, F32, "")
#define OP_MMA_E5M2_F32_M16N8K16(DO)                                                                                   \
    DO(MMA_RENEWED, "mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32", 2, 1, 4, B32, F32, "")
#define OP_MMA_SP_F16_F16_M16N8K32(DO)                                                                                 \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16", 4, 4, 2, B32, B32, "")
#define OP_MMA_SP_F16_F32_M16N8K16(DO)                                                                                 \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 2, 2, 4, B32, F32, "")
#define OP_MMA_SP_F16_F16_M16N8K16(DO)                                                                                 \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 2, 2, 2, B32, B32, "")
#define OP_MMA_SP_BF16_F32_M16N8K16(DO)                                                                                \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 2, 2, 4, B32, F32, "")
#define OP_MMA_SP_TF32_F32_M16N8K8(DO)                                                                                 \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 2, 2, 4, B32, F32, "")
#define OP_MMA_SP_U8_S32_M16N8K64(DO)                                                                                  \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.u8.u8.s32", 4, 4, 4, B32, B32, "")
#define OP_MMA_SP_S8_S32_M16N8K32(DO)                                                                                  \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 2, 2, 4, B32, B32, "")
#define OP_MMA_SP_U8_S32_M16N8K32(DO)                                                                                  \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", 2, 2, 4, B32, B32, "")
#define OP_MMA_SP_S4_S32_M16N8K64(DO)                                                                                  \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 2, 2, 4, B32, B32, "")
#define OP_MMA_SP_S4_S32_M16N8K128(DO)                                                                                 \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.s32.s4.s4.s32", 4, 4, 4, B32, B32, "")
#define OP_MMA_SP_U4_S32_M16N8K64(DO)                                                                                  \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32", 2, 2, 4, B32, B32, "")
#define OP_MMA_SP_U4_S32_M16N8K128(DO)                                                                                 \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.s32.u4.u4.s32", 4, 4, 4, B32, B32, "")
#define OP_MMA_SP_E4M3_F32_M16N8K64(DO)                                                                                \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32", 4, 4, 4, B32, F32, "")
#define OP_MMA_SP_E5M2_F32_M16N8K64(DO)                                                                                \
    DO(MMA_SP, "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e5m2.e5m2.f32", 4, 4, 4, B32, F32, "")
#define OP_WGMMA_F16_F32_M64N256K16(DO)                                                                                \
    DO(WGMMA, "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", 0, 0, 128, B32, F32, ", yes, 1, 1, 0, 0")
#define OP_WGMMA_BF16_F32_M64N256K16(DO)                                                                               \
    DO(WGMMA, "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16", 0, 0, 128, B32, F32, ", yes, 1, 1, 0, 0")
#define OP_WGMMA_TF32_F32_M64N256K8(DO)                                                                                \
    DO(WGMMA, "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32", 0, 0, 128, B32, F32, ", yes, 1, 1")
#define OP_WGMMA_E4M3_F32_M64N256K32(DO)                                                                               \
    DO(WGMMA, "wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3", 0, 0, 128, B32, F32, ", yes, 1, 1")
#define OP_WGMMA_E5M2_F32_M64N256K32(DO)                                                                               \
    DO(WGMMA, "wgmma.mma_async.sync.aligned.m64n256k32.f32.e5m2.e5m2", 0, 0, 128, B32, F32, ", yes, 1, 1")
#define OP_WGMMA_S8_S32_M64N256K32(DO)                                                                                 \
    DO(WGMMA, "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8", 0, 0, 128, B32, B32, ", yes")
#define OP_WGMMA_SP_F16_F32_M64N256K32(DO)                                                                             \
    DO(WGMMA_SP, "wgmma.mma_async.sp.sync.aligned.m64n256k32.f32.f16.f16", 0, 0, 128, B32, F32, ", yes, 1, 1, 0, 0")
#define OP_WGMMA_SP_BF16_F32_M64N256K32(DO)                                                                            \
    DO(WGMMA_SP, "wgmma.mma_async.sp.sync.aligned.m64n256k32.f32.bf16.bf16", 0, 0, 128, B32, F32, ", yes, 1, 1, 0, 0")
#define OP_WGMMA_SP_TF32_F32_M64N256K16(DO)                                                                            \
    DO(WGMMA_SP, "wgmma.mma_async.sp.sync.aligned.m64n256k16.f32.tf32.tf32", 0, 0, 128, B32, F32, ", yes, 1, 1")
#define OP_WGMMA_SP_E4M3_F32_M64N256K64(DO)                                                                            \
    DO(WGMMA_SP, "wgmma.mma_async.sp.sync.aligned.m64n256k64.f32.e4m3.e4m3", 0, 0, 128, B32, F32, ", yes, 1, 1")
#define OP_WGMMA_SP_E5M2_F32_M64N256K64(DO)                                                                            \
    DO(WGMMA_SP, "wgmma.mma_async.sp.sync.aligned.m64n256k64.f32.e5m2.e5m2", 0, 0, 128, B32, F32, ", yes, 1, 1")
#define OP_WGMMA_SP_S8_S32_M64N256K64(DO)                                                                              \
    DO(WGMMA_SP, "wgmma.mma_async.sp.sync.aligned.m64n256k64.s32.s8.s8", 0, 0, 128, B32, B32, ", yes")

// Those that are builtins of AMD's compiler: DO(unit, builtin, vector of a lane's numbers of A or B, words of a row of
// these, numbers of D of a lane, words of a row from one 16 lanes to the next, type of D's vector, "").
#define OP_MFMA_F16_F32_M16N16K16(DO) DO(MFMA, __builtin_amdgcn_mfma_f32_16x16x16f16, half4, 8, 4, 2, float4, "")
#define OP_MFMA_BF16_F32_M16N16K16(DO) DO(MFMA, __builtin_amdgcn_mfma_f32_16x16x16bf16_1k, short4, 8, 4, 2, float4, "")
#define OP_MFMA_F32_F32_M16N16K4(DO) DO(MFMA, __builtin_amdgcn_mfma_f32_16x16x4f32, float, 4, 4, 1, float4, "")
#define OP_WMMA_F16_F32_M16N16K16(DO) DO(WMMA, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32, half16, 8, 8, 0, float8, "")
#define OP_WMMA_BF16_F32_M16N16K16(DO)                                                                                 \
    DO(WMMA, __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32, short16, 8, 8, 0, float8, "")
#define OP_WMMA_S8_S32_M16N16K16(DO) DO(WMMA_INT, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32, int4, 4, 8, 0, int8, "")
// Those of Intel's: DO(unit, builtin, vector of a lane's numbers of A, the type of one, sums of a lane, "", type of D's
// vector, ""). A lane holds the numbers of every row of A that stand at its place, all of a column of B, and a column
// of D.
#define OP_DPAS_F16_F32_M8N8K16(DO) DO(DPAS8, intel_sub_group_f16_f16_matrix_mad_k16, int8, int, 8, "", float8, "")
#define OP_DPAS_BF16_F32_M8N8K16(DO) DO(DPAS8, intel_sub_group_bf16_bf16_matrix_mad_k16, int8, int, 8, "", float8, "")
#define OP_DPAS_S8_S32_M8N8K32(DO) DO(DPAS8, intel_sub_group_i8_i8_matrix_mad_k32, int8, int, 8, "", int8, "")
#define OP_DPAS_F16_F32_M8N16K16(DO)                                                                                   \
    DO(DPAS16, intel_sub_group_f16_f16_matrix_mad_k16, short8, short, 8, "", float8, "")
#define OP_DPAS_BF16_F32_M8N16K16(DO)                                                                                  \
    DO(DPAS16, intel_sub_group_bf16_bf16_matrix_mad_k16, short8, short, 8, "", float8, "")
#define OP_DPAS_S8_S32_M8N16K32(DO) DO(DPAS16, intel_sub_group_i8_i8_matrix_mad_k32, short8, short, 8, "", int8, "")

#define FORM_UNIT(unit, instruction, a, b, d, operand, sum, tail) unit
#define FORM_INSTRUCTION(unit, instruction, a, b, d, operand, sum, tail) instruction
#define FORM_A(unit, instruction, a, b, d, operand, sum, tail) a
#define FORM_B(unit, instruction, a, b, d, operand, sum, tail) b
#define FORM_D(unit, instruction, a, b, d, operand, sum, tail) d
#define FORM_OPERAND(unit, instruction, a, b, d, operand, sum, tail) operand
#define FORM_SUM(unit, instruction, a, b, d, operand, sum, tail) sum
#define FORM_TAIL(unit, instruction, a, b, d, operand, sum, tail) tail

// Of a register: its type in PTX, zero, its words.
#define PTX_TYPE_B32 ".b32"
#define PTX_TYPE_F32 ".f32"
#define PTX_TYPE_F64 ".f64"
#define PTX_ZERO_B32 "0"
#define PTX_ZERO_F32 "0f00000000"
#define PTX_ZERO_F64 "0d0000000000000000"
#define PTX_WORDS_B32 1u
#define PTX_WORDS_F32 1u
#define PTX_WORDS_F64 2u

// Lists of registers, and DO(c, r) for each of them.
#define LIST_1(p) p "0"
#define LIST_2(p) LIST_1(p) ", " p "1"
#define LIST_4(p) LIST_2(p) ", " p "2, " p "3"
#define LIST_8(p) LIST_4(p) ", " p "4, " p "5, " p "6, " p "7"
#define LIST_10(p) LIST_8(p) ", " p "8, " p "9, "
#define LIST_128(p)                                                                                                    \
    LIST_10(p)                                                                                                         \
    LIST_10(p "1") LIST_10(p "2") LIST_10(p "3") LIST_10(p "4") LIST_10(p "5") LIST_10(p "6") LIST_10(p "7")           \
        LIST_10(p "8") LIST_10(p "9") LIST_10(p "10") LIST_10(p "11") LIST_8(p "12")
#define EACH_1(DO, c) DO(c, 0)
#define EACH_2(DO, c) EACH_1(DO, c) DO(c, 1)
#define EACH_4(DO, c) EACH_2(DO, c) DO(c, 2) DO(c, 3)
#define EACH_8(DO, c) EACH_4(DO, c) DO(c, 4) DO(c, 5) DO(c, 6) DO(c, 7)
#define EACH_TEN(DO, c, t)                                                                                             \
    DO(c, t##0)                                                                                                        \
    DO(c, t##1) DO(c, t##2) DO(c, t##3) DO(c, t##4) DO(c, t##5) DO(c, t##6) DO(c, t##7) DO(c, t##8) DO(c, t##9)
#define EACH_128(DO, c)                                                                                                \
    EACH_8(DO, c)                                                                                                      \
    DO(c, 8) DO(c, 9) EACH_TEN(DO, c, 1) EACH_TEN(DO, c, 2) EACH_TEN(DO, c, 3) EACH_TEN(DO, c, 4) EACH_TEN(DO, c, 5)   \
        EACH_TEN(DO, c, 6) EACH_TEN(DO, c, 7) EACH_TEN(DO, c, 8) EACH_TEN(DO, c, 9) EACH_TEN(DO, c, 10)                \
            EACH_TEN(DO, c, 11) DO(c, 120) DO(c, 121) DO(c, 122) DO(c, 123) DO(c, 124) DO(c, 125) DO(c, 126)           \
                DO(c, 127)
