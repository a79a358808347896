// The kernels in CUDA C, without any header; compiled to PTX by clang, which the driver takes.
#include "common.cuh"

// x: where to begin, y: loads that warm, z: loads that are timed. out: where it ended, cycles.
#define WALK(STEP)                                                                                                     \
    u32 i = x;                                                                                                         \
    for (u32 n = 0; n < y; n++) { STEP; }                                                                              \
    u64 begin = now(i);                                                                                                \
    for (u32 n = 0; n < z; n += 8) { STEP; STEP; STEP; STEP; STEP; STEP; STEP; STEP; }                                 \
    out[1] = (u32)(now(i) - begin);                                                                                    \
    out[0] = i;

KERNEL chase SIGNATURE { WALK(i = a[i]) }
// x: where to begin, y: loads that warm, z: loads that are timed, each alone. out: where it ended, then from out[1] on
// the cycles of each. A volatile store of the value stands before each read of the clock: issue in order waits for the
// value there.
KERNEL load_times SIGNATURE {
    SHARED volatile u32 seen[1];
    u32 i = x;
    for (u32 n = 0; n < y; n++) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(i) : "l"(a + i) : "memory");
    for (u32 n = 0; n < z; n++) {
        u64 begin, end;
        seen[0] = i;
        asm volatile("mov.u64 %0, %%clock64;" : "=l"(begin)::"memory");
        i += (u32)(begin >> 63); // 0: the load waits for the clock, and both reads are the same instruction
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(i) : "l"(a + i) : "memory");
        seen[0] = i;
        asm volatile("mov.u64 %0, %%clock64;" : "=l"(end)::"memory");
        i += (u32)(end >> 63);
        out[1 + n] = (u32)(end - begin);
    }
    out[0] = i;
}
KERNEL chase_held SIGNATURE { WALK(i = a[i]) } // the launch gives it dynamic shared memory
KERNEL chase_readonly SIGNATURE { WALK(asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(i) : "l"(a + i))) }
// w: words. A load that a comparison of the index with the size allows, and one at the lesser of index and last word.
KERNEL chase_predicate SIGNATURE {
    WALK(asm volatile("{ .reg .pred p; .reg .u32 t; setp.lt.u32 p, %0, %2; mov.u32 t, 0; "
                      "@p ld.global.u32 t, [%1]; mov.u32 %0, t; }"
                      : "+r"(i) : "l"(a + i), "r"(w)))
}
KERNEL chase_clamp SIGNATURE { WALK(i = a[i < w ? i : w]) }
KERNEL chase_masked SIGNATURE { WALK(i = a[i & 0xfffff]) }

#define CHASE_STATIC(BYTES)                                                                                            \
    KERNEL chase_static_##BYTES SIGNATURE {                                                                            \
        SHARED volatile u32 pad[BYTES / 4];                                                                            \
        pad[w % (BYTES / 4)] = x;                                                                                      \
        WALK(i = a[i])                                                                                                 \
        out[2] = pad[i % (BYTES / 4)];                                                                                 \
    }
CHASE_STATIC(16)
CHASE_STATIC(4096)
CHASE_STATIC(12288)
CHASE_STATIC(49152)

KERNEL chase_scratchpad SIGNATURE {
    SHARED volatile u32 pad[2048];
    for (u32 n = 0; n < 2048; n++) pad[n] = a[n];
    WALK(i = pad[i])
}

extern "C" __attribute__((constant)) u32 bank[16384] = {0};
KERNEL chase_constant SIGNATURE { WALK(i = ((volatile const u32*)bank)[i]) }

// x, y: the address to begin at, z: loads. Each word of 8 bytes is the next address; past L1.
KERNEL chase_address SIGNATURE {
    u64 at = (u64)y << 32 | x;
    for (u32 n = 0; n < z; n++) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at));
    out[0] = (u32)at;
}
// a: x addresses; each is made to lead to the next one.
KERNEL link SIGNATURE {
    const u64* list = (const u64*)a;
    u32 n = GROUP * SIZE + LANE;
    if (n < x) *(u64*)list[n] = list[n + 1 < x ? n + 1 : 0];
}

// x: 16-byte words less one, y: times eight accesses, z: 1 = each workgroup reads the whole
#define SWEEP(ACCESS)                                                                                                  \
    u32 at = z ? LANE : GROUP * SIZE + LANE, step = z ? SIZE : GROUPS * SIZE;                                          \
    for (u32 n = 0; n < y; n++) {                                                                                      \
        _Pragma("unroll") for (u32 k = 0; k < 8; k++) { ACCESS(k) }                                                    \
        at += 8 * step;                                                                                                \
    }
#define READ(k) sum[k] ^= ((const u32x4*)a)[(at + k * step) & x];
#define READ_CG(k)                                                                                                     \
    u32x4 v;                                                                                                           \
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"                                                            \
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"((const u32x4*)a + ((at + k * step) & x)));                  \
    sum[k] ^= v;
#define WRITE(k) ((u32x4*)a)[(at + k * step) & x] = (u32x4){n, n, n, n};
#define READER(NAME, ACCESS)                                                                                           \
    KERNEL NAME SIGNATURE {                                                                                            \
        u32x4 sum[8] = {};                                                                                             \
        SWEEP(ACCESS)                                                                                                  \
        u32x4 all = sum[0] | sum[1] | sum[2] | sum[3] | sum[4] | sum[5] | sum[6] | sum[7];                             \
        if (all.x | all.y | all.z | all.w) out[0] = all.x; /* never: all is zero */                                    \
    }
READER(read, READ)
READER(read_cg, READ_CG)
KERNEL write SIGNATURE { SWEEP(WRITE) }
// A workgroup takes one tile and ends: four loads of 16 bytes; a triad of doubles, one of each array (of x).
KERNEL read_once SIGNATURE {
    const u32x4* tile = (const u32x4*)a + (u64)GROUP * SIZE * 4 + LANE;
    u32x4 all = tile[0] | tile[SIZE] | tile[2 * SIZE] | tile[3 * SIZE];
    if (all.x | all.y | all.z | all.w) out[0] = all.x; /* never: all is zero */
}
KERNEL triad_f64 SIGNATURE {
    double* d = (double*)a;
    u64 at = (u64)GROUP * SIZE + LANE;
    d[2 * (u64)x + at] = d[at] + 3 * d[x + at];
}

// Each work-item adds 3 to one word x times: a reduction, an atomic with result, and one for all 32 lanes.
KERNEL add_dropped SIGNATURE {
    for (u32 n = 0; n < x; n++) asm volatile("red.global.add.u32 [%0], 3;" ::"l"(a) : "memory");
}
KERNEL add_kept SIGNATURE {
    u32 sum = 0;
    for (u32 n = 0; n < x; n++) {
        u32 old;
        asm volatile("atom.global.add.u32 %0, [%1], 3;" : "=r"(old) : "l"(a) : "memory");
        sum |= old + 1;
    }
    if (sum == 0) out[0] = sum;
}
KERNEL add_aggregated SIGNATURE {
    if (LANE % 32 != 0) return;
    for (u32 n = 0; n < x; n++) asm volatile("red.global.add.u32 [%0], 96;" ::"l"(a) : "memory");
}

// a[0]: workgroups that are in, a[1]: the most at once. x: loads to wait by.
#define OCCUPY                                                                                                         \
    if (LANE != 0) return;                                                                                             \
    u32 in, old;                                                                                                       \
    asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(in) : "l"(a) : "memory");                                   \
    asm volatile("red.global.max.u32 [%0], %1;" ::"l"(a + 1), "r"(in + 1) : "memory");                                 \
    for (u32 n = 0; n < x; n++) asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(old) : "l"(a + 2) : "memory");  \
    if (old == 0) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(a), "r"(0xffffffffu) : "memory");
KERNEL occupy SIGNATURE { OCCUPY }
KERNEL occupy_held SIGNATURE { OCCUPY }

KERNEL empty SIGNATURE {}

// Cores x and y pass a count to and fro by compare-and-swap at a[0], 8 times and then z times, for which out[0] has the
// cycles (0: given up).
// out[1 + core]: there was a workgroup on that core.
KERNEL exchange SIGNATURE {
    u32 core, old, tries = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(core));
    out[1 + core] = 1;
    // all are there at once: each on a core of its own
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(a + 32) : "memory");
    do asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(old) : "l"(a + 32) : "memory");
    while (old != GROUPS && ++tries < 1 << 18);
    if (core != x && core != y) return;
    u32 mine = core == y;
    u64 begin = 0;
    for (u32 n = 0; n < z + 8; n++) {
        u32 wanted = 2 * n + mine;
        do asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], %2, %3;"
                        : "=r"(old) : "l"(a), "r"(wanted), "r"(wanted + 1) : "memory");
        while (old != wanted && ++tries < 1 << 20);
        if (n == 7) begin = now(old);
    }
    if (mine == 0) out[0] = tries < 1 << 20 ? (u32)(now(old) - begin) : 0;
}

// x: the first seed, y and w: constants, z: trips. A step stands in `asm volatile`, which clang neither joins nor
// drops; u: a second number, of sums that feed each other.
// out[1]: cycles of work-item 0, out[4 + item]: the ends of its chains.
DEVICE void begin_at(u32 seed, u32& v) { v = seed; }
DEVICE void begin_at(u32 seed, float& v) { v = (float)seed / 1024; }
DEVICE void begin_at(u32 seed, double& v) { v = (double)seed / 1024; }
DEVICE void constant_of(u32 bits, u32& v) { v = bits; }
DEVICE void constant_of(u32 bits, float& v) { v = __builtin_bit_cast(float, bits); }
DEVICE void constant_of(u32 bits, double& v) { v = __builtin_bit_cast(float, bits); }
DEVICE u32 bits_of(u32 v) { return v; }
DEVICE u32 bits_of(float v) { return __builtin_bit_cast(u32, v); }
DEVICE u32 bits_of(double v) { return (u32)(__builtin_bit_cast(u64, v) ^ __builtin_bit_cast(u64, v) >> 32); }

template <class Operation, u32 kChains> DEVICE void chains(u32* out, u32 x, u32 y, u32 z, u32 w) {
    typename Operation::Number v[kChains], u[kChains], m, c;
    constant_of(y, m), constant_of(w, c);
    u32 word = 0;
    for (u32 k = 0; k < kChains; k++) begin_at(x + LANE % 32 * 8 + k, v[k]), u[k] = c, word += bits_of(v[k]);
    u64 begin = now(word);
    for (u32 n = 0; n < z; n++) {
        _Pragma("unroll") for (u32 step = 0; step < 512 / kChains; step++)
            _Pragma("unroll") for (u32 k = 0; k < kChains; k++) Operation::step(v[k], u[k], m, c);
    }
    word = 0;
    for (u32 k = 0; k < kChains; k++) word = word * 5 + bits_of(v[k]);
    u64 end = now(word);
    if (GROUP * SIZE + LANE == 0) out[1] = (u32)(end - begin);
    out[4 + GROUP * SIZE + LANE] = word;
}
#define OPERATION(NAME, NUMBER, REGISTER, PTX)                                                                         \
    struct NAME {                                                                                                      \
        using Number = NUMBER;                                                                                         \
        DEVICE void step(NUMBER& v, NUMBER& u, NUMBER m, NUMBER c) {                                                   \
            asm volatile(PTX : "+" REGISTER(v), "+" REGISTER(u) : REGISTER(m), REGISTER(c));                           \
        }                                                                                                              \
    };                                                                                                                 \
    KERNEL chain_##NAME SIGNATURE { chains<NAME, 1>(out, x, y, z, w); }                                                \
    KERNEL rate_##NAME SIGNATURE { chains<NAME, 8>(out, x, y, z, w); }
OPERATION(fma_f32, float, "f", "fma.rn.f32 %0, %0, %2, %3;")
OPERATION(fma_f64, double, "d", "fma.rn.f64 %0, %0, %2, %3;")
OPERATION(mad_u32, u32, "r", "mad.lo.u32 %0, %0, %2, %3;")
OPERATION(add_u32, u32, "r", "add.u32 %0, %0, %1; add.u32 %1, %1, %0;")
OPERATION(rcp_f32, float, "f", "rcp.approx.ftz.f32 %0, %0; add.rn.f32 %0, %0, %3;")
OPERATION(rcp_denormal_f32, float, "f", "rcp.approx.f32 %0, %0; add.rn.f32 %0, %0, %3;")
OPERATION(popcount_u32, u32, "r", "popc.b32 %0, %0; add.u32 %0, %0, %3;")

// A periodic box. x: the bits of its sides, of a byte each, y: those of a workgroup's tile, z: cells along the third
// side that each work-item walks over.
#define STENCIL(NAME) KERNEL NAME(const float* __restrict a, float* __restrict out, u32 x, u32 y, u32 z, u32 w)
#define PLACE                                                                                                          \
    u32 first = x & 255, second = x >> 8 & 255, third = x >> 16, wide = y & 255, high = y >> 8;                        \
    u32 row = 1 << first, plane = row << second, cells = plane << third, across = first - wide, down = second - high;  \
    u32 i = (GROUP << wide | (LANE & ((1 << wide) - 1))) & (row - 1);                                                  \
    u32 j = ((GROUP >> across << high | LANE >> wide) << first) & (plane - 1);                                         \
    u32 k = (GROUP >> across >> down) * z * plane;                                                                     \
    u32 west = (i - 1) & (row - 1), east = (i + 1) & (row - 1);                                                        \
    u32 south = (j - row) & (plane - 1), north = (j + row) & (plane - 1);
STENCIL(stencil) {
    PLACE
    out[k + j + i] = 0.25f * a[k + j + i]
            + 0.125f * (a[k + j + west] + a[k + j + east] + a[k + south + i] + a[k + north + i]
                + a[((k - plane) & (cells - 1)) + j + i] + a[((k + plane) & (cells - 1)) + j + i]);
}
STENCIL(stencil_column) { // three cells of the column stay in registers
    PLACE
    float below = a[((k - plane) & (cells - 1)) + j + i], cell = a[k + j + i];
    _Pragma("unroll 4") for (u32 n = 0; n < z; n++) {
        float above = a[((k + plane) & (cells - 1)) + j + i];
        out[k + j + i] = 0.25f * cell
            + 0.125f * (a[k + j + west] + a[k + j + east] + a[k + south + i] + a[k + north + i] + below + above);
        below = cell, cell = above, k += plane;
    }
}
