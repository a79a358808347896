// Independent stores, alone or behind loads. Each workgroup has `own` tiles of LANES * LOADS * TURNS elements, the
// first at tile GROUP_ID * first, `step` tiles apart, and goes through them round and round until it has done `count`:
// no element has two writers.
// OPERATION 1, write: element e becomes e + salt + n, n being the tile's number among those done; 2, copy: the element
// `array_elements` behind e becomes e's + salt + n; 3, modify: e's words each grow by one. So what stands there
// afterwards tells which rounds ran, and how many.
// Operations 4 to 7 are BabelStream's on numbers (TYPE_F64, TYPE_F32), in arrays of `array_elements` each, with the
// scalar 3: 4, scale: the second array's element becomes 3 times the first's; 5, add: the third's becomes the first's
// and the second's; 6, triad: the first's and 3 times the second's; 7, dot: the products of the first's and the
// second's are summed up.
// FACTOR 1: the scalar of 4 is the argument `factor`; 2: it stands in each of the second source's first 64 words, one
// of which is loaded for each tile.
// With ONCE there are as many workgroups as tiles (`own`), or times as many, and each does one, as if n were 0.
// out: with ONCE per workgroup its number and the salt; else per work-item the sum of the scratchpad's words that are
// its own to count where the path is `scratchpad`; of operations 4 to 6 besides how often it has gone through its
// tiles; of 7 the words of its sum of products; else nothing of interest.
// BUILD global global.cs scratchpad host peer: LOADS=1|4 OPERATION=1|2|3 TURNS=1 WIDTH=1|2|4
// BUILD global global.cs scratchpad: LOADS=4 OPERATION=1|2|3 TURNS=16 WIDTH=1|2|4
// BUILD scratchpad: LOADS=8 OPERATION=1|2|3 ROW=128|256 TURNS=1 WIDTH=1|2|4
// BUILD global global.cs scratchpad host peer: LOADS=1|4 OPERATION=4|5|6|7 TURNS=1 TYPE_F64=1 WIDTH=2
// BUILD global global.cs scratchpad host peer: LOADS=1|4 OPERATION=4|5|6|7 TURNS=1 TYPE_F32=1
// BUILD global global.cs scratchpad: LOADS=4 OPERATION=4|5|6|7 TURNS=16 TYPE_F64=1 WIDTH=2
// BUILD global global.cs scratchpad: LOADS=4 OPERATION=4|5|6|7 TURNS=16 TYPE_F32=1
// BUILD scratchpad: LOADS=8 OPERATION=4|5|6|7 ROW=128|256 TURNS=1 TYPE_F64=1 WIDTH=2
// BUILD scratchpad: LOADS=8 OPERATION=4|5|6|7 ROW=128|256 TURNS=1 TYPE_F32=1
// BUILD global: FACTOR=1 LOADS=1|4 OPERATION=4 TURNS=1|16 TYPE_F64=1 WIDTH=2
// BUILD global: FACTOR=1 LOADS=1|4 OPERATION=4 TURNS=1|16 TYPE_F32=1
// BUILD global + global constant: FACTOR=2 LOADS=1|4 OPERATION=4 TURNS=1 TYPE_F64=1 WIDTH=2
// BUILD global + global constant: FACTOR=2 LOADS=1|4 OPERATION=4 TURNS=1 TYPE_F32=1
// BUILD global global.cs: LOADS=1 ONCE=1 OPERATION=1|2 TURNS=1 WIDTH=1|2|4
// BUILD global global.cs: LOADS=1 ONCE=1 OPERATION=4|5|6 TURNS=1 TYPE_F64=1 WIDTH=2
// BUILD global global.cs: LOADS=1 ONCE=1 OPERATION=4|5|6 TURNS=1 TYPE_F32=1
// BUILD global: FACTOR=1 LOADS=1 ONCE=1 OPERATION=4 TURNS=1 TYPE_F64=1 WIDTH=2
// BUILD global: FACTOR=1 LOADS=1 ONCE=1 OPERATION=4 TURNS=1 TYPE_F32=1
// BUILD global + global constant: FACTOR=2 LOADS=1 ONCE=1 OPERATION=4 TURNS=1 TYPE_F64=1 WIDTH=2
// BUILD global + global constant: FACTOR=2 LOADS=1 ONCE=1 OPERATION=4 TURNS=1 TYPE_F32=1
#include "vocabulary.h"

ARGS(uint own; uint first; uint step; uint count; uint array_elements; uint salt; uint stage; uint factor;)

// With ROW places are signed, which do not wrap: the constant between two of them then is a part of the instruction.
#ifdef ROW
#ifndef SIGNED
#define SIGNED(word) ((int)(word))
#endif
#define PLACE(array, number) (SIGNED(array * args.array_elements + at) + SIGNED(number) * ROW)
#else
#define PLACE(array, number) (array * args.array_elements + at + number * LANES)
#endif
#define FIRST(number) LOAD(PLACE(0u, number))
#define SECOND(number) LOAD(PLACE(1u, number))
#ifndef FACTOR
#define SCALAR SPLAT_T(3)
#elif FACTOR == 1
#define SCALAR SPLAT_T(args.factor)
#else
#define SCALAR SPLAT_T(LOAD_B(n & 63u))
#endif
#if OPERATION == 1
#define MOVE(k, number) STORE_A(PLACE(0u, number), SPLAT_T(at + number * LANES + args.salt + n));
#define ARRAYS 1u
#elif OPERATION == 2
#define MOVE(k, number) STORE_A(PLACE(1u, number), FIRST(number) + SPLAT_T(args.salt + n));
#define ARRAYS 2u
#elif OPERATION == 3
#define MOVE(k, number) STORE_A(PLACE(0u, number), FIRST(number) + SPLAT_T(1u));
#define ARRAYS 1u
#elif OPERATION == 4
#define MOVE(k, number) STORE_A(PLACE(1u, number), SCALAR * FIRST(number));
#define ARRAYS 2u
#elif OPERATION == 5
#define MOVE(k, number) STORE_A(PLACE(2u, number), FIRST(number) + SECOND(number));
#define ARRAYS 3u
#elif OPERATION == 6
#define MOVE(k, number) STORE_A(PLACE(2u, number), FIRST(number) + SCALAR * SECOND(number));
#define ARRAYS 3u
#elif OPERATION == 7
#define MOVE(k, number) sum##k += FIRST(number) * SECOND(number);
#define ADD_NUMBER(k, number) sum += sum##k;
#else
#error "OPERATION must be 1 (write), 2 (copy), 3 (modify), 4 (scale), 5 (add), 6 (triad) or 7 (dot)"
#endif
#define ALL_ELEMENTS ((ARRAYS - 1u) * args.array_elements + args.own * TILE_ELEMENTS)
// That a loop has run to its end shows in what it has counted, which no compiler knows beforehand.
#if OPERATION < 4 || OPERATION == 7
#define BEGIN_PASSES
#define COUNT_PASS
#define PASSES 0u
#else
#define BEGIN_PASSES uint passes = 0u;
#define PASSES passes
#define COUNT_PASS passes += turn_of_own == 0u ? 1u : 0u;
#endif

KERNEL(write) {
#ifdef ONCE
    const uint n = 0u;
    uint at = GROUP_ID % args.own * TILE_ELEMENTS + LANE;
    EACH_LOAD(MOVE)
    if (LOCAL_ID == 0u) {
        STORE(GROUP_ID, GROUP_ID + args.salt + n);
    }
#else
    STAGE(args.stage)
    uint turn_of_own = 0u;
    BEGIN_PASSES
#if OPERATION == 7
    EACH_LOAD(BEGIN_SUM)
#endif
    for (uint n = 0u; n < args.count; n += 1u) {
        uint tile = GROUP_ID * args.first + turn_of_own * args.step;
        for (uint turn = 0u; turn < TURNS; turn += 1u) {
            uint at = tile * TILE_ELEMENTS + turn * LOADS * LANES + LANE;
            EACH_LOAD(MOVE)
        }
        turn_of_own = turn_of_own + 1u == args.own ? 0u : turn_of_own + 1u;
        COUNT_PASS
    }
#if OPERATION == 7
    T sum = ZERO_T;
    EACH_LOAD(ADD_NUMBER)
    STORE(GLOBAL_ID * (WIDTH * 1u), WORD_OF(sum, 0));
#if WIDTH == 2
    STORE(GLOBAL_ID * (WIDTH * 1u) + 1u, WORD_OF(sum, 1));
#endif
#elif defined A_SCRATCHPAD
    BARRIER
    uint sum = PASSES;
    for (uint i = LANE; i < ALL_ELEMENTS; i += LANES) {
        sum += SUM_T(LOAD(i));
    }
    STORE(GLOBAL_ID, sum);
#elif OPERATION < 4
    STORE(GLOBAL_ID, turn_of_own);
#else
    STORE(GLOBAL_ID, PASSES);
#endif
#endif
}
