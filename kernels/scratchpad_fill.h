// Copies of `elements` elements (a power of two) from the source to the scratchpad, FLIGHT of them under way at a time:
// when the oldest has arrived, each work-item reads an element of it, and the next copy into its place begins. Copy n
// of workgroup g is of tile (first + g * apart + n * step) % tiles. Who copies:
//   (no define)   every work-item by loads, up to eight of them under way, and stores.
//   BY_CP_ASYNC   every work-item by cp.async of 16 bytes.
//   BY_WORK_GROUP_COPY  all of them together by OpenCL C's async_work_group_copy; with SPREAD by its strided form every
//                       SPREADth element of a tile so many times as long.
//   BY_BULK       the first one by one cp.async.bulk, which the copy engine of the core carries out; an mbarrier behind
//                 the stages tells of its arrival.
// `pad` is 0 at run time: where a copy comes from depends on a word of the one before, and no compiler begins it
// earlier.
// out: the clock at begin and end (two words each), then of each work-item the sum of what it read, and of its share of
// the last FLIGHT copies.
// BUILD scratchpad: FLIGHT=1 WIDTH=4
// BUILD scratchpad: BY_CP_ASYNC=1 FLIGHT=1|2|4|8 WIDTH=4
// BUILD scratchpad: BY_BULK=1 FLIGHT=1|2|4|8 WIDTH=4
#include "vocabulary.h"

ARGS(uint elements; uint tiles; uint first; uint step; uint count; uint pad; uint apart;)

#if defined BY_CP_ASYNC && defined DIALECT_CUDA
#define PREPARE uint base = shared_address(scratchpad);
#define START(stage, from)                                                                                             \
    for (uint e = LOCAL_ID; e < args.elements; e += GROUP_SIZE)                                                        \
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"                                                       \
                     : : "r"(base + ((stage) * args.elements + e) * 16u), "l"(a + (from) + e)                          \
                     : "memory");                                                                                      \
    asm volatile("cp.async.commit_group;" : : : "memory");
#define ARRIVED(stage, turn) asm volatile("cp.async.wait_group %0;" : : "n"(FLIGHT - 1) : "memory"); BARRIER
#define ALL_ARRIVED asm volatile("cp.async.wait_all;" : : : "memory"); BARRIER
#elif defined BY_BULK && defined DIALECT_CUDA
#define BELL(stage) (base + (FLIGHT * args.elements + (stage)) * 16u)
#define PREPARE                                                                                                        \
    uint base = shared_address(scratchpad);                                                                            \
    if (LOCAL_ID == 0u) {                                                                                              \
        for (uint n = 0u; n < FLIGHT; n += 1u)                                                                         \
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(BELL(n)) : "memory");                        \
        asm volatile("fence.proxy.async.shared::cta;" : : : "memory");                                                 \
    }                                                                                                                  \
    BARRIER
#define START(stage, from)                                                                                             \
    if (LOCAL_ID == 0u) {                                                                                              \
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"                                          \
                     : : "r"(BELL(stage)), "r"(args.elements * 16u)                                                    \
                     : "memory");                                                                                      \
        asm volatile(                                                                                                  \
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"                  \
            : : "r"(base + (stage) * args.elements * 16u), "l"(a + (from)), "r"(args.elements * 16u), "r"(BELL(stage)) \
            : "memory");                                                                                               \
    }
#define ARRIVED(stage, turn) while (!has_arrived(BELL(stage), turn)) {}
#define ALL_ARRIVED                                \
    for (uint n = 0u; n < FLIGHT; n += 1u) {       \
        ARRIVED(stage, turn)                       \
        NEXT_STAGE                                 \
    }
DEVICE static inline bool has_arrived(uint bell, uint parity) {
    uint yes;
    asm volatile("{ .reg .pred yes; mbarrier.try_wait.parity.shared::cta.b64 yes, [%1], %2; selp.u32 %0, 1, 0, yes; }"
                 : "=r"(yes)
                 : "r"(bell), "r"(parity)
                 : "memory");
    return yes != 0u;
}
#elif defined BY_WORK_GROUP_COPY && defined DIALECT_OPENCL
#ifdef SPREAD
#define COPIED(to, from) async_work_group_strided_copy(to, from, args.elements, SPREAD, 0)
#else
#define COPIED(to, from) async_work_group_copy(to, from, args.elements, 0)
#endif
#define PREPARE event_t copies[FLIGHT];
#define START(stage, from) copies[stage] = COPIED(scratchpad + (stage) * args.elements, a + (from));
#define ARRIVED(stage, turn) wait_group_events(1, copies + (stage));
#define ALL_ARRIVED wait_group_events(FLIGHT, copies);
#else
#define FETCH(k, number) T v##k = WORDS_T(a[from + e + number * GROUP_SIZE]);
#define PUT(k, number) scratchpad[to + e + number * GROUP_SIZE] = v##k;
#define FIRST_TWO(DO) DO(0, 0u) DO(1, 1u)
#define FIRST_FOUR(DO) FIRST_TWO(DO) DO(2, 2u) DO(3, 3u)
#define ALL_EIGHT(DO) FIRST_FOUR(DO) DO(4, 4u) DO(5, 5u) DO(6, 6u) DO(7, 7u)
#define PREPARE
// As many loads at a time as the copy has for a work-item, up to eight.
#define START(stage, begin)                                                                                            \
    {                                                                                                                  \
        uint from = begin, to = (stage) * args.elements, e = LOCAL_ID;                                                 \
        for (; e + 7u * GROUP_SIZE < args.elements; e += 8u * GROUP_SIZE) {                                            \
            ALL_EIGHT(FETCH) ALL_EIGHT(PUT)                                                                            \
        }                                                                                                              \
        if (e + 3u * GROUP_SIZE < args.elements) {                                                                     \
            FIRST_FOUR(FETCH) FIRST_FOUR(PUT) e += 4u * GROUP_SIZE;                                                    \
        }                                                                                                              \
        if (e + GROUP_SIZE < args.elements) {                                                                          \
            FIRST_TWO(FETCH) FIRST_TWO(PUT) e += 2u * GROUP_SIZE;                                                      \
        }                                                                                                              \
        if (e < args.elements) {                                                                                       \
            FETCH(0, 0u) PUT(0, 0u)                                                                                    \
        }                                                                                                              \
    }
#define ARRIVED(stage, turn) BARRIER
#define ALL_ARRIVED BARRIER
#endif
#ifndef SPREAD
#define SPREAD 1
#endif
#define TILE_BEGIN (tile * args.elements * (SPREAD * 1u))
#define NEXT_TILE tile += args.step; tile = tile >= args.tiles ? tile - args.tiles : tile;
#define NEXT_STAGE stage += 1u; if (stage == FLIGHT) { stage = 0u; turn ^= 1u; }

KERNEL(scratchpad_fill) {
    PREPARE
    uint tile = (args.first + GROUP_ID * args.apart) % args.tiles;
    for (uint n = 0u; n < FLIGHT; n += 1u) {
        START(n, TILE_BEGIN)
        NEXT_TILE
    }
    uint sum = 0u, stage = 0u, turn = 0u;
    CLOCK_READ(begin, sum)
    for (uint n = 0u; n < args.count; n += 1u) {
        ARRIVED(stage, turn)
        uint seen = SUM_T(scratchpad[stage * args.elements + ((LOCAL_ID + n) & (args.elements - 1u))]);
        sum += seen;
        BARRIER
        START(stage, TILE_BEGIN + (seen & args.pad))
        NEXT_TILE
        NEXT_STAGE
    }
    CLOCK_READ(end, sum)
    ALL_ARRIVED
    uint rest = 0u;
    for (uint e = LOCAL_ID; e < FLIGHT * args.elements; e += GROUP_SIZE) {
        rest += SUM_T(scratchpad[e]);
    }
    uint block = GROUP_ID * (4u + 2u * GROUP_SIZE);
    if (LOCAL_ID == 0u) {
        CLOCK_STORE(block, begin)
        CLOCK_STORE(block + 2u, end)
    }
    STORE(block + 4u + 2u * LOCAL_ID, sum);
    STORE(block + 5u + 2u * LOCAL_ID, rest);
}
