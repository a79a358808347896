// The operations: OP_<name>(DO, x, y, c, d) says DO(number, step) with the type of its numbers and a step of a chain,
// which no compiler can shorten, as the next step needs what it leaves. A square plus a constant never settles;
// additions in turn, or a product of two that both change, have no closed form that is cheaper. What of a step has no
// word in a language is said here, too. DIALECT_CUDA, DIALECT_OPENCL or DIALECT_GLSL is set by the dialect.
#ifndef SONDE_OPERATIONS
#define SONDE_OPERATIONS

#define ONLY_NUMBER(number, step) number
#define ONLY_STEP(number, step) step
#define KIND_OF(operation) operation(ONLY_NUMBER, x, y, c, d)

// Of a chain's numbers. NUMBER_: their type; REGISTER_: it in inline PTX; VALUE_: of the words of its bits; SEEDED_:
// one between a quarter and one, or odd; FOLD_: takes a chain's last two into `word`. NEAR32, NEAR64: f32 and f64 of
// chains that all go to one number, of which the sum tells; of NEAR64 that of its words, as units of the last place.
// bf16x2: as words.
#define NUMBER_U32 uint
#define REGISTER_U32 "+r"
#define VALUE_U32(low, high) (low)
#define SEEDED_U32(seed) (seed)
#define FOLD_U32(word, x, y) word = (word * 5u + (x)) * 5u + (y);
#define NUMBER_BF16X2 uint
#define REGISTER_BF16X2 "+r"
#define VALUE_BF16X2(low, high) (low)
#define SEEDED_BF16X2(seed) (seed)
#define FOLD_BF16X2(word, x, y) FOLD_U32(word, x, y)
#define NUMBER_F16X2 HALVES
#define REGISTER_F16X2 "+r"
#define VALUE_F16X2(low, high) HALVES_OF(low)
#define SEEDED_F16X2(seed) HALVES_OF(seed)
#define FOLD_F16X2(word, x, y) FOLD_U32(word, BITS_OF_HALVES(x), BITS_OF_HALVES(y))
#define NUMBER_U16 USHORT_T
#define REGISTER_U16 "+h"
#define VALUE_U16(low, high) USHORT(low)
#define SEEDED_U16(seed) USHORT(seed)
#define FOLD_U16(word, x, y) FOLD_U32(word, TO_UINT(x), TO_UINT(y))
#define NUMBER_U64 ULONG_T
#define REGISTER_U64 "+l"
#define VALUE_U64(low, high) (ULONG(low) | ULONG(high) << 32)
#define SEEDED_U64(seed) VALUE_U64(seed, seed)
#define FOLD_U64(word, x, y)                                                                                           \
    FOLD_U32(word, TO_UINT(x), TO_UINT((x) >> 32)) FOLD_U32(word, TO_UINT(y), TO_UINT((y) >> 32))
#define NUMBER_F32 float
#define REGISTER_F32 "+f"
#define VALUE_F32(low, high) FLOAT_OF(low)
#define SEEDED_F32(seed) FLOAT_OF(seed)
#define FOLD_F32(word, x, y) FOLD_U32(word, BITS_OF(x), BITS_OF(y))
#define NUMBER_F64 double
#define REGISTER_F64 "+d"
#define VALUE_F64(low, high) DOUBLE_OF(low, high)
#define SEEDED_F64(seed) DOUBLE_OF(0u, seed)
#define FOLD_F64(word, x, y) FOLD_U32(word, LOW_BITS(x), HIGH_BITS(x)) FOLD_U32(word, LOW_BITS(y), HIGH_BITS(y))
#define NUMBER_NEAR32 float
#define REGISTER_NEAR32 "+f"
#define VALUE_NEAR32(low, high) FLOAT_OF(low)
#define SEEDED_NEAR32(seed) FLOAT_OF(seed)
#define FOLD_NEAR32(word, x, y) word = BITS_OF(FLOAT_OF(word) + TO_FLOAT(x));
#define NUMBER_NEAR64 double
#define REGISTER_NEAR64 "+d"
#define VALUE_NEAR64(low, high) DOUBLE_OF(low, high)
#define SEEDED_NEAR64(seed) DOUBLE_OF(0u, seed)
#define FOLD_NEAR64(word, x, y) word = word + LOW_BITS(x) + HIGH_BITS(x) * 2654435761u;

// Of a number that takes another one's result: BITS_: a word of it, MERGED_: the number with bits of a word set. On
// NVIDIA's chips `v | bits & zero` is one instruction.
#define BITS_U32(v) (v)
#define MERGED_U32(v, word) ((v) | (word))
#define BITS_F32(v) BITS_OF(v)
#define MERGED_F32(v, word) FLOAT_OF(BITS_OF(v) | (word))
#define BITS_NEAR32(v) BITS_OF(v)
#define MERGED_NEAR32(v, word) MERGED_F32(v, word)
#define BITS_F64(v) HIGH_BITS(v)
#define MERGED_F64(v, word) DOUBLE_OF(LOW_BITS(v), HIGH_BITS(v) | (word))
#define BITS_F16X2(v) BITS_OF_HALVES(v)
#define MERGED_F16X2(v, word) HALVES_OF(BITS_OF_HALVES(v) | (word))

#if defined DIALECT_CUDA || defined DIALECT_OPENCL && defined VENDOR_NVIDIA
#if defined DIALECT_CUDA
#define PTX_FUNCTION DEVICE static inline
#define PTX_ASM asm
#else
#define PTX_FUNCTION static inline
#define PTX_ASM __asm__
#endif
#if defined DIALECT_CUDA || defined PTX_WITHOUT_SYNC // before PTX 6.0: a shuffle or a vote is of all lanes that run
#define ALL_LANES
#define SYNC
#else
#define ALL_LANES ", 0xffffffff"
#define SYNC ".sync"
#endif
#define PTX_OF_TWO(name, opcode)                                                                                       \
    PTX_FUNCTION uint name(uint u, uint v) {                                                                           \
        uint r;                                                                                                        \
        PTX_ASM(opcode " %0, %1, %2;" : "=r"(r) : "r"(u), "r"(v));                                                     \
        return r;                                                                                                      \
    }
#define PTX_OF_THREE(name, opcode)                                                                                     \
    PTX_FUNCTION uint name(uint u, uint v, uint w) {                                                                   \
        uint r;                                                                                                        \
        PTX_ASM(opcode " %0, %1, %2, %3;" : "=r"(r) : "r"(u), "r"(v), "r"(w));                                         \
        return r;                                                                                                      \
    }
#define HALVES uint
#define HALVES_OF(word) (word)
#define BITS_OF_HALVES(v) (v)
PTX_OF_THREE(fma_halves, "fma.rn.f16x2")
PTX_OF_TWO(add_halves, "add.f16x2")
PTX_OF_TWO(subtract_halves, "sub.f16x2")
PTX_OF_TWO(multiply_halves, "mul.f16x2")
PTX_OF_THREE(fma_bfloats, "fma.rn.bf16x2")
PTX_OF_TWO(add_bfloats, "add.bf16x2")
PTX_OF_TWO(subtract_bfloats, "sub.bf16x2")
PTX_OF_TWO(multiply_bfloats, "mul.bf16x2")
PTX_OF_THREE(dot_of_bytes, "dp4a.u32.u32")
PTX_FUNCTION uint neighbours(uint u) {
    uint r;
    PTX_ASM volatile("shfl" SYNC ".bfly.b32 %0, %1, 1, 31" ALL_LANES ";" : "=r"(r) : "r"(u));
    return r;
}
PTX_FUNCTION uint ballot_of(uint u) {
    uint r;
    PTX_ASM volatile("{ .reg .pred odd; setp.ne.u32 odd, %1, 0; vote" SYNC ".ballot.b32 %0, odd" ALL_LANES "; }"
                     : "=r"(r)
                     : "r"(u & 1u));
    return r;
}
PTX_FUNCTION float as_half_of(float u, uint bits) {
    float r;
    PTX_ASM("{ .reg .b16 half, changed; cvt.rn.f16.f32 half, %1; cvt.u16.u32 changed, %2; "
            "xor.b16 half, half, changed; cvt.f32.f16 %0, half; }"
            : "=f"(r) : "f"(u), "r"(bits));
    return r;
}
PTX_FUNCTION uint sum_of_lanes(uint u) {
    uint r;
    PTX_ASM volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(u));
    return r;
}
#define FMA_HALVES(u, v, w) fma_halves(u, v, w)
#define ADD_HALVES(u, v) add_halves(u, v)
#define SUBTRACT_HALVES(u, v) subtract_halves(u, v)
#define MULTIPLY_HALVES(u, v) multiply_halves(u, v)
#define DOT(u, v, w) dot_of_bytes(u, v, w)
#define NEIGHBOURS(u) neighbours(u)
#define BALLOT(u) ballot_of(u)
#define SUM_OF_LANES(u) sum_of_lanes(u)
#define AS_HALF(u, bits) as_half_of(u, bits)
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
#define TO_INT(v) ((int)(v))
#define TO_DOUBLE(v) ((double)(v))
#define FLOAT_OF(word) __builtin_bit_cast(float, (uint)(word))
#define BITS_OF(v) __builtin_bit_cast(uint, v)
#define DOUBLE_OF(low, high) __builtin_bit_cast(double, (unsigned long long)(low) | (unsigned long long)(high) << 32)
#define LOW_BITS(v) ((uint)__builtin_bit_cast(unsigned long long, v))
#define HIGH_BITS(v) ((uint)(__builtin_bit_cast(unsigned long long, v) >> 32))
#define PTX_OF_FLOAT(name, opcode)                                                                                     \
    DEVICE static inline float name(float u) {                                                                         \
        float r;                                                                                                       \
        asm(opcode " %0, %1;" : "=f"(r) : "f"(u));                                                                     \
        return r;                                                                                                      \
    }
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
// of the C expression clang 14 makes shifts by 32 for sm_30
PTX_FUNCTION uint rotated(uint u, uint by) {
    uint r;
    asm("shf.l.wrap.b32 %0, %1, %1, %2;" : "=r"(r) : "r"(u), "r"(by));
    return r;
}
#define ROTATED(u, v) rotated(u, v)
#define COUNT_ONES(u) (uint)__builtin_popcount(u)
#define LEADING_ZEROS(u) (uint)__builtin_clz(u)
PTX_FUNCTION uint inserted(uint into, uint bits, uint from, uint count) {
    uint r;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(bits), "r"(into), "r"(from), "r"(count));
    return r;
}
#define INSERT(into, bits, from, count) inserted(into, bits, from, count)
#elif defined DIALECT_OPENCL
#define ULONG_T ulong
#define USHORT_T ushort
#define ULONG(v) ((ulong)(v))
#define USHORT(v) ((ushort)(v))
#define TO_UINT(v) ((uint)(v))
#define TO_FLOAT(v) ((float)(v))
#define TO_INT(v) ((int)(v))
#define TO_DOUBLE(v) ((double)(v))
#define FLOAT_OF(word) as_float(word)
#define BITS_OF(v) as_uint(v)
#define DOUBLE_OF(low, high) as_double((uint2)(low, high))
#define LOW_BITS(v) as_uint2(v).x
#define HIGH_BITS(v) as_uint2(v).y
#ifndef HALVES
#define HALVES half2
#define HALVES_OF(word) as_half2(word)
#define BITS_OF_HALVES(v) as_uint(v)
#define DOT(u, v, w) (dot_4x8packed_uu_uint(u, v) + (w))
#define NEIGHBOURS(u) sub_group_shuffle_xor(u, 1u)
#define BALLOT(u) sub_group_ballot((int)((u) & 1u)).x
#define SUM_OF_LANES(u) sub_group_reduce_add(u)
#define AS_HALF(u, bits) (float)as_half((ushort)(as_ushort((half)(u)) ^ (bits)))
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
#define INSERT(into, bits, from, count)                                                                                \
    (((into) & ~(((1u << (count)) - 1u) << (from))) | ((bits) & ((1u << (count)) - 1u)) << (from))
#else
#define ULONG_T uint64_t
#define USHORT_T uint16_t
#define ULONG(v) uint64_t(v)
#define USHORT(v) uint16_t(v)
#define TO_UINT(v) uint(v)
#define TO_FLOAT(v) float(v)
#define TO_INT(v) int(v)
#define TO_DOUBLE(v) double(v)
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
#define OP_DOT_U8X4 1 // the declaration itself asks for capabilities: only for that operation
#if OPERATION
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4451) uint
    dot_of_bytes(uint u, uint v, spirv_literal int format);
#endif
#undef OP_DOT_U8X4
#define DOT(u, v, w) (dot_of_bytes(u, v, 0) + (w))
#define NEIGHBOURS(u) subgroupShuffleXor(u, 1u)
#define BALLOT(u) subgroupBallot(((u) & 1u) != 0u).x
#define SUM_OF_LANES(u) subgroupAdd(u)
#define AS_HALF(u, bits) unpackHalf2x16(packHalf2x16(vec2(u, 0.0)) ^ (bits)).x
#endif

// GLSL lets a compiler rearrange sums and products, and lavapipe makes y - (x + y) to -x; KEPT forbids it, and to fuse
// a product and a sum.
#if defined DIALECT_GLSL
#define KEPT precise
#else
#define KEPT
#endif
#define ADD_AND_SUBTRACT(type, add, subtract, x, y)                                                                    \
    {                                                                                                                  \
        KEPT type sum = add(x, y);                                                                                     \
        KEPT type rest = subtract(y, sum);                                                                             \
        x = sum;                                                                                                       \
        y = rest;                                                                                                      \
    }
#define TWO_PRODUCTS(type, multiply, x, c, d)                                                                          \
    {                                                                                                                  \
        KEPT type product = multiply(x, c);                                                                            \
        KEPT type next = multiply(product, d);                                                                         \
        x = next;                                                                                                      \
    }
#define PLUS(u, v) ((u) + (v))
#define MINUS(u, v) ((u) - (v))
#define PRODUCT(u, v) ((u) * (v))

#define OP_FMA_F32(DO, x, y, c, d) DO(F32, x = FMA(x, x, c);)
#define OP_FMA_F64(DO, x, y, c, d) DO(F64, x = FMA(x, x, c);)
#define OP_FMA_F16X2(DO, x, y, c, d) DO(F16X2, x = FMA_HALVES(x, x, c);)
#define OP_FMA_BF16X2(DO, x, y, c, d) DO(BF16X2, x = fma_bfloats(x, x, c);)
#define OP_MAD_F32(DO, x, y, c, d) DO(F32, x = x * x + c;)
#define OP_MAD_U32(DO, x, y, c, d) DO(U32, x = x * x + c;)
#define OP_MAD_U64(DO, x, y, c, d) DO(U64, x = x * x + c;)
#define OP_MAD_U16(DO, x, y, c, d) DO(U16, x = USHORT(x * x + c);)
#define OP_ADD_F32(DO, x, y, c, d) DO(F32, ADD_AND_SUBTRACT(float, PLUS, MINUS, x, y))
#define OP_ADD_F64(DO, x, y, c, d) DO(F64, ADD_AND_SUBTRACT(double, PLUS, MINUS, x, y))
#define OP_ADD_F16X2(DO, x, y, c, d) DO(F16X2, ADD_AND_SUBTRACT(HALVES, ADD_HALVES, SUBTRACT_HALVES, x, y))
#define OP_ADD_BF16X2(DO, x, y, c, d) DO(BF16X2, ADD_AND_SUBTRACT(uint, add_bfloats, subtract_bfloats, x, y))
#define OP_MUL_F32(DO, x, y, c, d) DO(F32, TWO_PRODUCTS(float, PRODUCT, x, c, d))
#define OP_MUL_F64(DO, x, y, c, d) DO(F64, TWO_PRODUCTS(double, PRODUCT, x, c, d))
#define OP_MUL_F16X2(DO, x, y, c, d) DO(F16X2, TWO_PRODUCTS(HALVES, MULTIPLY_HALVES, x, c, d))
#define OP_MUL_BF16X2(DO, x, y, c, d) DO(BF16X2, TWO_PRODUCTS(uint, multiply_bfloats, x, c, d))
#define OP_ADD_U32(DO, x, y, c, d) DO(U32, x = x + y; y = y + x;)
#define OP_MUL_U32(DO, x, y, c, d) DO(U32, x = x * y; y = y * x;)
#define OP_ROTATE_U32(DO, x, y, c, d) DO(U32, x = ROTATED(x, y); y = ROTATED(y, x);)
// Each result is the next one's operand twice removed as well, so that no two steps become one function of three
// numbers.
#define OP_LOGIC_U32(DO, x, y, c, d) DO(U32, x = x ^ (y & c); y = y ^ (x & d);)
#define OP_INSERT_U32(DO, x, y, c, d) DO(U32, x = INSERT(x, y, 8, 16); y = y + x;)
#define OP_POPCOUNT_U32(DO, x, y, c, d) DO(U32, x = COUNT_ONES(x) + c;)
#define OP_LEADING_ZEROS_U32(DO, x, y, c, d) DO(U32, x = LEADING_ZEROS(x) + c;)
#define OP_DOT_U8X4(DO, x, y, c, d) DO(U32, x = DOT(x, x, c);)
#define OP_DIVIDE_U32(DO, x, y, c, d) DO(U32, x = c / x + d;)
#define OP_REMAINDER_U32(DO, x, y, c, d) DO(U32, x = c % x + d;)
#define OP_DIVIDE_F32(DO, x, y, c, d) DO(NEAR32, x = c / x + d;)
#define OP_DIVIDE_F64(DO, x, y, c, d) DO(NEAR64, x = c / x + d;)
#define OP_RCP_F32(DO, x, y, c, d) DO(NEAR32, x = RCP(x) + c;)
#define OP_SQRT_F32(DO, x, y, c, d) DO(NEAR32, x = SQRT(x) + c;)
#define OP_RSQRT_F32(DO, x, y, c, d) DO(NEAR32, x = RSQRT(x) + c;)
#define OP_EXP2_F32(DO, x, y, c, d) DO(NEAR32, x = EXP2(-x);)
#define OP_LOG2_F32(DO, x, y, c, d) DO(NEAR32, x = LOG2(x) + c;)
#define OP_SINE_F32(DO, x, y, c, d) DO(NEAR32, x = SINE(x) + c;)
// The sum keeps lavapipe from taking a conversion there and back for nothing.
#define OP_CONVERT_U32(DO, x, y, c, d) DO(U32, { KEPT float real = TO_FLOAT(x) + 0.25f; x = TO_UINT(real) ^ c; })
// Integers change the mantissa: GCN would take a conversion and a multiply-add for one instruction.
#define WITH_OTHER_MANTISSA(v, low, high) DOUBLE_OF(LOW_BITS(v) ^ (low), HIGH_BITS(v) ^ ((high) & 0xfffffu))
#define OP_CONVERT_F32_F64(DO, x, y, c, d)                                                                             \
    DO(F64, {                                                                                                          \
        double wide = TO_DOUBLE(TO_FLOAT(x));                                                                          \
        x = WITH_OTHER_MANTISSA(wide, LOW_BITS(c), HIGH_BITS(c));                                                      \
    })
#define OP_CONVERT_I32_F64(DO, x, y, c, d)                                                                             \
    DO(U32, {                                                                                                          \
        double real = TO_DOUBLE(TO_INT(x) >> 1);                                                                       \
        x = TO_UINT(TO_INT(WITH_OTHER_MANTISSA(real, 0u, d))) ^ c;                                                     \
    })
// Bits change between the two conversions as well: NVIDIA's Vulkan compiler takes f32 of f16 of x for x.
#define OP_CONVERT_F32_F16(DO, x, y, c, d)                                                                             \
    DO(F32, x = FLOAT_OF(((BITS_OF(AS_HALF(x, BITS_OF(c) & 0x3ffu)) ^ BITS_OF(c)) & 0x7fffffu) | 0x3e800000u);)
#define OP_SELECT_U32(DO, x, y, c, d) DO(U32, x = (x > y ? c : d) + y; y = (y > x ? d : c) + x;)
#define OP_SHUFFLE_U32(DO, x, y, c, d) DO(U32, x = NEIGHBOURS(x) + c;)
#define OP_BALLOT_U32(DO, x, y, c, d) DO(U32, x = (BALLOT(x) ^ x) * 5u + c;)
#define OP_REDUCE_U32(DO, x, y, c, d) DO(U32, x = SUM_OF_LANES(x) + LOCAL_ID;)
#define OP_BARRIER_U32(DO, x, y, c, d) DO(U32, BARRIER x = x * x + c;)
// Of a table of 32 words for each of 32 rows: all lanes load from one row, each from a column of its own.
#define OP_LOAD_GLOBAL_U32(DO, x, y, c, d) DO(U32, x = LOAD_B((x % 32u) * 32u + LOCAL_ID % 32u);)
#define OP_LOAD_SCRATCHPAD_U32(DO, x, y, c, d) OP_LOAD_GLOBAL_U32(DO, x, y, c, d)
#endif
