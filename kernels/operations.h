// The operations, each as a step of a chain: STEP(x, y) with constants c and d, which no compiler can shorten, as the next step needs what it leaves. A
// square plus a constant never settles; additions in turn, or a product of two that both change, have no closed form that is cheaper. What of a
// step has no word in a language is said here, too. DIALECT_CUDA, DIALECT_OPENCL or DIALECT_GLSL is set by the dialect.
#ifndef SONDE_OPERATIONS
#define SONDE_OPERATIONS

// GLSL lets a compiler rearrange sums and products, and lavapipe makes y - (x + y) to -x; KEPT_ORDER forbids it, and to fuse a product and a sum.
#if defined DIALECT_GLSL && (defined OP_ADD_F32 || defined OP_ADD_F64 || defined OP_ADD_F16X2 || defined OP_MUL_F32 || defined OP_MUL_F64 || defined OP_MUL_F16X2)
#define KEPT_ORDER precise
#else
#define KEPT_ORDER
#endif
// NUMBER: the type of a chain's values; REGISTER_OF it in inline PTX; VALUE_OF: of the words of its bits; SEEDED: one between a quarter and one, or odd; ADD_BITS: folds it into `word`.
#if defined OP_FMA_F64 || defined OP_ADD_F64 || defined OP_MUL_F64 || defined OP_DIVIDE_F64
#define NUMBER KEPT_ORDER double
#define REGISTER_OF "+d"
#define VALUE_OF(low, high) DOUBLE_OF(low, high)
#define SEEDED(seed) DOUBLE_OF(0u, seed)
#define ADD_BITS(v) word = word * 5u + LOW_BITS(v); word = word * 5u + HIGH_BITS(v);
#elif defined OP_MAD_U64
#define NUMBER ULONG_T
#define REGISTER_OF "+l"
#define VALUE_OF(low, high) (ULONG(low) | ULONG(high) << 32)
#define SEEDED(seed) VALUE_OF(seed, seed)
#define ADD_BITS(v) word = word * 5u + TO_UINT(v); word = word * 5u + TO_UINT((v) >> 32);
#elif defined OP_MAD_U16
#define NUMBER USHORT_T
#define REGISTER_OF "+h"
#define VALUE_OF(low, high) USHORT(low)
#define SEEDED(seed) USHORT(seed)
#define ADD_BITS(v) word = word * 5u + TO_UINT(v);
#elif defined OP_FMA_F16X2 || defined OP_ADD_F16X2 || defined OP_MUL_F16X2
#define NUMBER KEPT_ORDER HALVES
#define REGISTER_OF "+r"
#define VALUE_OF(low, high) HALVES_OF(low)
#define SEEDED(seed) HALVES_OF(seed)
#define ADD_BITS(v) word = word * 5u + BITS_OF_HALVES(v);
#elif defined OP_FMA_F32 || defined OP_MAD_F32 || defined OP_ADD_F32 || defined OP_MUL_F32 || defined OP_DIVIDE_F32 || defined OP_RCP_F32 || defined OP_SQRT_F32 || defined OP_RSQRT_F32 || defined OP_EXP2_F32 || defined OP_LOG2_F32 || defined OP_SINE_F32
#define NUMBER KEPT_ORDER float
#define REGISTER_OF "+f"
#define VALUE_OF(low, high) FLOAT_OF(low)
#define SEEDED(seed) FLOAT_OF(seed)
#define ADD_BITS(v) word = word * 5u + BITS_OF(v);
#else // words, also of two bfloat16
#define NUMBER uint
#define REGISTER_OF "+r"
#define VALUE_OF(low, high) (low)
#define SEEDED(seed) (seed)
#define ADD_BITS(v) word = word * 5u + (v);
#endif
#if defined OP_DIVIDE_F32 || defined OP_DIVIDE_F64 || defined OP_RCP_F32 || defined OP_SQRT_F32 || defined OP_RSQRT_F32 || defined OP_EXP2_F32 || defined OP_LOG2_F32 || defined OP_SINE_F32
#define NEAR // all chains go to one number: their sum tells
#endif

#if defined DIALECT_CUDA || defined DIALECT_OPENCL && defined VENDOR_NVIDIA
#if defined DIALECT_CUDA
#define PTX_FUNCTION DEVICE static inline
#define PTX_ASM asm
#define ALL_LANES // in front of PTX 6.0 a shuffle or a vote is of all lanes that run
#define SYNC
#else
#define PTX_FUNCTION static inline
#define PTX_ASM __asm__
#define ALL_LANES ", 0xffffffff"
#define SYNC ".sync"
#endif
#define PTX_OF_TWO(name, opcode) PTX_FUNCTION uint name(uint u, uint v) { uint r; PTX_ASM(opcode " %0, %1, %2;" : "=r"(r) : "r"(u), "r"(v)); return r; }
#define PTX_OF_THREE(name, opcode) PTX_FUNCTION uint name(uint u, uint v, uint w) { uint r; PTX_ASM(opcode " %0, %1, %2, %3;" : "=r"(r) : "r"(u), "r"(v), "r"(w)); return r; }
#define HALVES uint
#define HALVES_OF(word) (word)
#define BITS_OF_HALVES(v) (v)
#if defined OP_FMA_F16X2 || defined SECOND_FMA_F16X2
PTX_OF_THREE(fma_halves, "fma.rn.f16x2")
#define FMA_HALVES(u, v, w) fma_halves(u, v, w)
#elif defined OP_FMA_BF16X2
PTX_OF_THREE(fma_halves, "fma.rn.bf16x2")
#define FMA_HALVES(u, v, w) fma_halves(u, v, w)
#elif defined OP_ADD_F16X2
PTX_OF_TWO(add_halves, "add.f16x2")
PTX_OF_TWO(subtract_halves, "sub.f16x2")
#elif defined OP_ADD_BF16X2
PTX_OF_TWO(add_halves, "add.bf16x2")
PTX_OF_TWO(subtract_halves, "sub.bf16x2")
#elif defined OP_MUL_F16X2
PTX_OF_TWO(multiply_halves, "mul.f16x2")
#elif defined OP_MUL_BF16X2
PTX_OF_TWO(multiply_halves, "mul.bf16x2")
#elif defined OP_DOT_U8X4
PTX_OF_THREE(dot_of_bytes, "dp4a.u32.u32")
#define DOT(u, v, w) dot_of_bytes(u, v, w)
#elif defined OP_SHUFFLE_U32
PTX_FUNCTION uint neighbours(uint u) { uint r; PTX_ASM volatile("shfl" SYNC ".bfly.b32 %0, %1, 1, 31" ALL_LANES ";" : "=r"(r) : "r"(u)); return r; }
#define NEIGHBOURS(u) neighbours(u)
#elif defined OP_BALLOT_U32
PTX_FUNCTION uint ballot_of(uint u) {
    uint r;
    PTX_ASM volatile("{ .reg .pred odd; setp.ne.u32 odd, %1, 0; vote" SYNC ".ballot.b32 %0, odd" ALL_LANES "; }" : "=r"(r) : "r"(u & 1u));
    return r;
}
#define BALLOT(u) ballot_of(u)
#elif defined OP_REDUCE_U32
PTX_FUNCTION uint sum_of_lanes(uint u) { uint r; PTX_ASM volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(u)); return r; }
#define SUM_OF_LANES(u) sum_of_lanes(u)
#endif
#define ADD_HALVES(u, v) add_halves(u, v)
#define SUBTRACT_HALVES(u, v) subtract_halves(u, v)
#define MULTIPLY_HALVES(u, v) multiply_halves(u, v)
#else
#define FMA_HALVES(u, v, w) fma(u, v, w)
#define ADD_HALVES(u, v) ((u) + (v))
#define SUBTRACT_HALVES(u, v) ((u) - (v))
#define MULTIPLY_HALVES(u, v) ((u) * (v))
#endif

#if defined DIALECT_CUDA
#define ULONG_T unsigned long long
#define USHORT_T unsigned short
#define ULONG(v) ((unsigned long long)(v))
#define USHORT(v) ((unsigned short)(v))
#define TO_UINT(v) ((uint)(v))
#define TO_FLOAT(v) ((float)(v))
#define FLOAT_OF(word) __builtin_bit_cast(float, (uint)(word))
#define BITS_OF(v) __builtin_bit_cast(uint, v)
#define DOUBLE_OF(low, high) __builtin_bit_cast(double, (unsigned long long)(low) | (unsigned long long)(high) << 32)
#define LOW_BITS(v) ((uint)__builtin_bit_cast(unsigned long long, v))
#define HIGH_BITS(v) ((uint)(__builtin_bit_cast(unsigned long long, v) >> 32))
#define PTX_OF_FLOAT(name, opcode) DEVICE static inline float name(float u) { float r; asm(opcode " %0, %1;" : "=f"(r) : "f"(u)); return r; }
PTX_OF_FLOAT(rcp_of, "rcp.approx.ftz.f32")
PTX_OF_FLOAT(sqrt_of, "sqrt.rn.f32")
PTX_OF_FLOAT(rsqrt_of, "rsqrt.approx.ftz.f32")
PTX_OF_FLOAT(exp2_of, "ex2.approx.ftz.f32")
PTX_OF_FLOAT(log2_of, "lg2.approx.ftz.f32")
PTX_OF_FLOAT(sine_of, "sin.approx.ftz.f32")
DEVICE static inline float fma_of(float u, float v, float w) { return __builtin_fmaf(u, v, w); }
DEVICE static inline double fma_of(double u, double v, double w) { return __builtin_fma(u, v, w); }
#define FMA(u, v, w) fma_of(u, v, w)
#define RCP(u) rcp_of(u)
#define SQRT(u) sqrt_of(u)
#define RSQRT(u) rsqrt_of(u)
#define EXP2(u) exp2_of(u)
#define LOG2(u) log2_of(u)
#define SINE(u) sine_of(u)
#ifdef OP_ROTATE_U32
PTX_FUNCTION uint rotated(uint u, uint by) { uint r; asm("shf.l.wrap.b32 %0, %1, %1, %2;" : "=r"(r) : "r"(u), "r"(by)); return r; } // of the C expression clang 14 makes shifts by 32 for sm_30
#endif
#define ROTATED(u, v) rotated(u, v)
#define COUNT_ONES(u) (uint)__builtin_popcount(u)
#define LEADING_ZEROS(u) (uint)__builtin_clz(u)
PTX_FUNCTION uint inserted(uint into, uint bits, uint from, uint count) { uint r; asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(bits), "r"(into), "r"(from), "r"(count)); return r; }
#define INSERT(into, bits, from, count) inserted(into, bits, from, count)
#elif defined DIALECT_OPENCL
#define ULONG_T ulong
#define USHORT_T ushort
#define ULONG(v) ((ulong)(v))
#define USHORT(v) ((ushort)(v))
#define TO_UINT(v) ((uint)(v))
#define TO_FLOAT(v) ((float)(v))
#define FLOAT_OF(word) as_float(word)
#define BITS_OF(v) as_uint(v)
#define DOUBLE_OF(low, high) as_double((uint2)(low, high))
#define LOW_BITS(v) as_uint2(v).x
#define HIGH_BITS(v) as_uint2(v).y
#ifndef HALVES
#define HALVES half2
#define HALVES_OF(word) as_half2(word)
#define BITS_OF_HALVES(v) as_uint(v)
#endif
#define FMA(u, v, w) fma(u, v, w)
#define RCP(u) native_recip(u)
#define SQRT(u) sqrt(u)
#define RSQRT(u) native_rsqrt(u)
#define EXP2(u) native_exp2(u)
#define LOG2(u) native_log2(u)
#define SINE(u) native_sin(u)
#define ROTATED(u, v) rotate(u, v)
#define COUNT_ONES(u) popcount(u)
#define LEADING_ZEROS(u) clz(u)
#define INSERT(into, bits, from, count) (((into) & ~(((1u << (count)) - 1u) << (from))) | ((bits) & ((1u << (count)) - 1u)) << (from))
#ifndef DOT
#define DOT(u, v, w) (dot_4x8packed_uu_uint(u, v) + (w))
#endif
#ifndef NEIGHBOURS
#define NEIGHBOURS(u) sub_group_shuffle_xor(u, 1u)
#endif
#ifndef BALLOT
#define BALLOT(u) sub_group_ballot((int)((u) & 1u)).x
#endif
#ifndef SUM_OF_LANES
#define SUM_OF_LANES(u) sub_group_reduce_add(u)
#endif
#else
#define ULONG_T uint64_t
#define USHORT_T uint16_t
#define ULONG(v) uint64_t(v)
#define USHORT(v) uint16_t(v)
#define TO_UINT(v) uint(v)
#define TO_FLOAT(v) float(v)
#define FLOAT_OF(word) uintBitsToFloat(word)
#define BITS_OF(v) floatBitsToUint(v)
#define DOUBLE_OF(low, high) packDouble2x32(uvec2(low, high))
#define LOW_BITS(v) unpackDouble2x32(v).x
#define HIGH_BITS(v) unpackDouble2x32(v).y
#define HALVES f16vec2
#define HALVES_OF(word) unpackFloat2x16(word)
#define BITS_OF_HALVES(v) packFloat2x16(v)
#define FMA(u, v, w) fma(u, v, w)
#define RCP(u) (1.0 / (u))
#define SQRT(u) sqrt(u)
#define RSQRT(u) inversesqrt(u)
#define EXP2(u) exp2(u)
#define LOG2(u) log2(u)
#define SINE(u) sin(u)
#define ROTATED(u, v) ((u) << ((v) & 31u) | (u) >> ((0u - (v)) & 31u))
#define COUNT_ONES(u) uint(bitCount(u))
#define LEADING_ZEROS(u) (31u - uint(findMSB(u)))
#define INSERT(into, bits, from, count) bitfieldInsert(into, bits, from, count)
#ifdef OP_DOT_U8X4
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4451) uint dot_of_bytes(uint u, uint v, spirv_literal int format);
#define DOT(u, v, w) (dot_of_bytes(u, v, 0) + (w))
#endif
#define NEIGHBOURS(u) subgroupShuffleXor(u, 1u)
#define BALLOT(u) subgroupBallot(((u) & 1u) != 0u).x
#define SUM_OF_LANES(u) subgroupAdd(u)
#endif

#if defined OP_FMA_F32 || defined OP_FMA_F64
#define STEP(x, y) x = FMA(x, x, c);
#elif defined OP_MAD_F32 || defined OP_MAD_U32 || defined OP_MAD_U64
#define STEP(x, y) x = x * x + c;
#elif defined OP_MAD_U16
#define STEP(x, y) x = USHORT(x * x + c);
#elif defined OP_ADD_F32 || defined OP_ADD_F64
#define STEP(x, y) x = x + y; y = y - x;
#elif defined OP_MUL_F32 || defined OP_MUL_F64
#define STEP(x, y) x = x * c; x = x * d;
#elif defined OP_FMA_F16X2 || defined OP_FMA_BF16X2
#define STEP(x, y) x = FMA_HALVES(x, x, c);
#elif defined OP_ADD_F16X2 || defined OP_ADD_BF16X2
#define STEP(x, y) x = ADD_HALVES(x, y); y = SUBTRACT_HALVES(y, x);
#elif defined OP_MUL_F16X2 || defined OP_MUL_BF16X2
#define STEP(x, y) x = MULTIPLY_HALVES(x, c); x = MULTIPLY_HALVES(x, d);
#elif defined OP_ADD_U32
#define STEP(x, y) x = x + y; y = y + x;
#elif defined OP_MUL_U32
#define STEP(x, y) x = x * y; y = y * x;
#elif defined OP_ROTATE_U32
#define STEP(x, y) x = ROTATED(x, y); y = ROTATED(y, x);
#elif defined OP_LOGIC_U32
#define STEP(x, y) x = (x & y) ^ c; y = (y | x) ^ d;
#elif defined OP_INSERT_U32
#define STEP(x, y) x = INSERT(x, y, 8, 16); y = y + x;
#elif defined OP_POPCOUNT_U32
#define STEP(x, y) x = COUNT_ONES(x) + c;
#elif defined OP_LEADING_ZEROS_U32
#define STEP(x, y) x = LEADING_ZEROS(x) + c;
#elif defined OP_DOT_U8X4
#define STEP(x, y) x = DOT(x, x, c);
#elif defined OP_DIVIDE_U32 || defined OP_DIVIDE_F32 || defined OP_DIVIDE_F64
#define STEP(x, y) x = c / x + d;
#elif defined OP_REMAINDER_U32
#define STEP(x, y) x = c % x + d;
#elif defined OP_RCP_F32
#define STEP(x, y) x = RCP(x) + c;
#elif defined OP_SQRT_F32
#define STEP(x, y) x = SQRT(x) + c;
#elif defined OP_RSQRT_F32
#define STEP(x, y) x = RSQRT(x) + c;
#elif defined OP_EXP2_F32
#define STEP(x, y) x = EXP2(-x);
#elif defined OP_LOG2_F32
#define STEP(x, y) x = LOG2(x) + c;
#elif defined OP_SINE_F32
#define STEP(x, y) x = SINE(x) + c;
#elif defined OP_CONVERT_U32
#define STEP(x, y) x = TO_UINT(TO_FLOAT(x)) ^ c;
#elif defined OP_SELECT_U32
#define STEP(x, y) x = (x > y ? c : d) + y; y = (y > x ? d : c) + x;
#elif defined OP_SHUFFLE_U32
#define STEP(x, y) x = NEIGHBOURS(x) + c;
#elif defined OP_BALLOT_U32
#define STEP(x, y) x = (BALLOT(x) ^ x) * 5u + c;
#elif defined OP_REDUCE_U32
#define STEP(x, y) x = SUM_OF_LANES(x) + LOCAL_ID;
#endif

// The second operation of a kernel that has two: the same words for those that may be one.
#if defined SECOND_FMA_F64
#define SECOND_NUMBER double
#define SECOND_REGISTER_OF "+d"
#define SECOND_VALUE_OF(low, high) DOUBLE_OF(low, high)
#define SECOND_SEEDED(seed) DOUBLE_OF(0u, seed)
#define SECOND_ADD_BITS(v) word = word * 5u + LOW_BITS(v); word = word * 5u + HIGH_BITS(v);
#define SECOND_STEP(x, y) x = FMA(x, x, second_c);
#elif defined SECOND_FMA_F16X2
#define SECOND_NUMBER HALVES
#define SECOND_REGISTER_OF "+r"
#define SECOND_VALUE_OF(low, high) HALVES_OF(low)
#define SECOND_SEEDED(seed) HALVES_OF(seed)
#define SECOND_ADD_BITS(v) word = word * 5u + BITS_OF_HALVES(v);
#define SECOND_STEP(x, y) x = FMA_HALVES(x, x, second_c);
#elif defined SECOND_RCP_F32
#define SECOND_NUMBER float
#define SECOND_REGISTER_OF "+f"
#define SECOND_VALUE_OF(low, high) FLOAT_OF(low)
#define SECOND_SEEDED(seed) FLOAT_OF(seed)
#define SECOND_STEP(x, y) x = RCP(x) + second_c;
#define SECOND_NEAR
#elif defined SECOND_MAD_U32 || defined SECOND_LOGIC_U32
#define SECOND_NUMBER uint
#define SECOND_REGISTER_OF "+r"
#define SECOND_VALUE_OF(low, high) (low)
#define SECOND_SEEDED(seed) (seed)
#define SECOND_ADD_BITS(v) word = word * 5u + (v);
#ifdef SECOND_MAD_U32
#define SECOND_STEP(x, y) x = x * x + second_c;
#else
#define SECOND_STEP(x, y) x = (x & y) ^ second_c; y = (y | x) ^ second_d;
#endif
#endif
#endif
