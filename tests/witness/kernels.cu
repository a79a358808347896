// The kernels in CUDA C, without any header; compiled to PTX by clang, which the driver takes.
using u32 = unsigned;
using u64 = unsigned long long;
typedef u32 u32x4 __attribute__((ext_vector_type(4)));

#define KERNEL extern "C" __attribute__((global)) void
#define SIGNATURE (u32* a, u32* out, u32 x, u32 y, u32 z, u32 w)
#define SHARED static __attribute__((shared))
#define LANE __nvvm_read_ptx_sreg_tid_x()
#define GROUP __nvvm_read_ptx_sreg_ctaid_x()
#define SIZE __nvvm_read_ptx_sreg_ntid_x()
#define GROUPS (u32) __nvvm_read_ptx_sreg_nctaid_x()

static __attribute__((device)) inline u64 now(u32 after) { // once `after` is there
    u64 t;
    asm volatile("{ .reg .u32 t; mov.u32 t, %1; mov.u64 %0, %%clock64; }" : "=l"(t) : "r"(after) : "memory");
    return t;
}

// x: where to begin, y: loads that warm, z: loads that are timed. out: where it ended, cycles.
#define WALK(STEP)                                                                                                                                             \
    u32 i = x;                                                                                                                                                 \
    for (u32 n = 0; n < y; n++) { STEP; }                                                                                                                      \
    u64 begin = now(i);                                                                                                                                        \
    for (u32 n = 0; n < z; n += 8) { STEP; STEP; STEP; STEP; STEP; STEP; STEP; STEP; }                                                                         \
    out[1] = (u32)(now(i) - begin);                                                                                                                            \
    out[0] = i;

KERNEL chase SIGNATURE { WALK(i = a[i]) }
KERNEL chase_held SIGNATURE { WALK(i = a[i]) } // the launch gives it dynamic shared memory
KERNEL chase_readonly SIGNATURE { WALK(asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(i) : "l"(a + i))) }
// w: words. A load that a comparison of the index with the size allows, and one at the lesser of index and last word.
KERNEL chase_predicate SIGNATURE {
    WALK(asm volatile("{ .reg .pred p; .reg .u32 t; setp.lt.u32 p, %0, %2; mov.u32 t, 0; @p ld.global.u32 t, [%1]; mov.u32 %0, t; }" : "+r"(i) : "l"(a + i), "r"(w)))
}
KERNEL chase_clamp SIGNATURE { WALK(i = a[i < w ? i : w]) }
KERNEL chase_masked SIGNATURE { WALK(i = a[i & 0xfffff]) }

#define CHASE_STATIC(BYTES)                                                                                                                                    \
    KERNEL chase_static_##BYTES SIGNATURE {                                                                                                                    \
        SHARED volatile u32 pad[BYTES / 4];                                                                                                                    \
        pad[w % (BYTES / 4)] = x;                                                                                                                              \
        WALK(i = a[i])                                                                                                                                         \
        out[2] = pad[i % (BYTES / 4)];                                                                                                                         \
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
#define SWEEP(ACCESS)                                                                                                                                          \
    u32 at = z ? LANE : GROUP * SIZE + LANE, step = z ? SIZE : GROUPS * SIZE;                                                                                  \
    for (u32 n = 0; n < y; n++) {                                                                                                                              \
        _Pragma("unroll") for (u32 k = 0; k < 8; k++) { ACCESS(k) }                                                                                            \
        at += 8 * step;                                                                                                                                        \
    }
#define READ(k) sum[k] ^= ((const u32x4*)a)[(at + k * step) & x];
#define READ_CG(k)                                                                                                                                             \
    u32x4 v;                                                                                                                                                   \
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"((const u32x4*)a + ((at + k * step) & x)));      \
    sum[k] ^= v;
#define WRITE(k) ((u32x4*)a)[(at + k * step) & x] = (u32x4){n, n, n, n};
#define READER(NAME, ACCESS)                                                                                                                                   \
    KERNEL NAME SIGNATURE {                                                                                                                                    \
        u32x4 sum[8] = {};                                                                                                                                     \
        SWEEP(ACCESS)                                                                                                                                          \
        u32x4 all = sum[0] | sum[1] | sum[2] | sum[3] | sum[4] | sum[5] | sum[6] | sum[7];                                                                     \
        if (all.x | all.y | all.z | all.w) out[0] = all.x; /* never: all is zero */                                                                            \
    }
READER(read, READ)
READER(read_cg, READ_CG)
KERNEL write SIGNATURE { SWEEP(WRITE) }

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
#define OCCUPY                                                                                                                                                 \
    if (LANE != 0) return;                                                                                                                                     \
    u32 in, old;                                                                                                                                               \
    asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(in) : "l"(a) : "memory");                                                                           \
    asm volatile("red.global.max.u32 [%0], %1;" ::"l"(a + 1), "r"(in + 1) : "memory");                                                                         \
    for (u32 n = 0; n < x; n++) asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(old) : "l"(a + 2) : "memory");                                          \
    if (old == 0) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(a), "r"(0xffffffffu) : "memory");
KERNEL occupy SIGNATURE { OCCUPY }
KERNEL occupy_held SIGNATURE { OCCUPY }

KERNEL empty SIGNATURE {}

// Cores x and y pass a count to and fro by compare-and-swap at a[0], 8 times and then z times, for which out[0] has the cycles (0: given up).
// out[1 + core]: there was a workgroup on that core.
KERNEL exchange SIGNATURE {
    u32 core, old, tries = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(core));
    out[1 + core] = 1;
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(a + 32) : "memory"); // all are there at once: each on a core of its own
    do asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(old) : "l"(a + 32) : "memory");
    while (old != GROUPS && ++tries < 1 << 18);
    if (core != x && core != y) return;
    u32 mine = core == y;
    u64 begin = 0;
    for (u32 n = 0; n < z + 8; n++) {
        u32 wanted = 2 * n + mine;
        do asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(a), "r"(wanted), "r"(wanted + 1) : "memory");
        while (old != wanted && ++tries < 1 << 20);
        if (n == 7) begin = now(old);
    }
    if (mine == 0) out[0] = tries < 1 << 20 ? (u32)(now(old) - begin) : 0;
}
