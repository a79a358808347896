// Independent stores, alone or behind loads. Each workgroup has `own` tiles of LANES * LOADS * TURNS elements, the first at tile
// GROUP_ID * first, `step` tiles apart, and goes through them round and round until it has done `count`: no element has two writers.
// OPERATION 1, write: element e becomes e + salt + n, n being the tile's number among those done; 2, copy: the element `half` behind e
// becomes e's + salt + n; 3, modify: e's words each grow by one. So what stands there afterwards tells which rounds ran, and how many.
// out: per work-item the sum of the scratchpad's words that are its own to count where the path is `scratchpad`, else nothing of interest.
// BUILD global scratchpad host: LOADS=1|4 OPERATION=1|2|3 TURNS=1 WIDTH=1|2|4
// BUILD global scratchpad: LOADS=4 OPERATION=1|2|3 TURNS=16 WIDTH=1|2|4
// BUILD scratchpad: LOADS=8 OPERATION=1|2|3 ROW=128|256 TURNS=1 WIDTH=1|2|4
#include "vocabulary.h"

ARGS(uint own; uint first; uint step; uint count; uint half_elements; uint salt; uint stage;)

// With ROW places are signed, which do not wrap: the constant between two of them then is a part of the instruction.
#ifdef ROW
#ifndef SIGNED
#define SIGNED(word) ((int)(word))
#endif
#define PLACE(number) (SIGNED(at) + SIGNED(number) * ROW)
#define PLACE_OF_COPY(number) (SIGNED(args.half_elements + at) + SIGNED(number) * ROW)
#else
#define PLACE(number) (at + number * LANES)
#define PLACE_OF_COPY(number) (args.half_elements + at + number * LANES)
#endif
#if OPERATION == 1
#define MOVE(k, number) STORE_A(PLACE(number), SPLAT_T(at + number * LANES + args.salt + n));
#define ALL_ELEMENTS (args.own * TILE_ELEMENTS)
#elif OPERATION == 2
#define MOVE(k, number) STORE_A(PLACE_OF_COPY(number), LOAD(PLACE(number)) + SPLAT_T(args.salt + n));
#define ALL_ELEMENTS (args.half_elements + args.own * TILE_ELEMENTS)
#elif OPERATION == 3
#define MOVE(k, number) STORE_A(PLACE(number), LOAD(PLACE(number)) + SPLAT_T(1u));
#define ALL_ELEMENTS (args.own * TILE_ELEMENTS)
#else
#error "OPERATION must be 1 (write), 2 (copy) or 3 (modify)"
#endif

KERNEL(write) {
    STAGE(args.stage)
    uint turn_of_own = 0u;
    for (uint n = 0u; n < args.count; n += 1u) {
        uint tile = GROUP_ID * args.first + turn_of_own * args.step;
        for (uint turn = 0u; turn < TURNS; turn += 1u) {
            uint at = tile * TILE_ELEMENTS + turn * LOADS * LANES + LANE;
            EACH_LOAD(MOVE)
        }
        turn_of_own = turn_of_own + 1u == args.own ? 0u : turn_of_own + 1u;
    }
#ifdef A_SCRATCHPAD
    BARRIER
    uint sum = 0u;
    for (uint i = LANE; i < ALL_ELEMENTS; i += LANES) {
        sum += SUM_T(LOAD(i));
    }
    STORE(GLOBAL_ID, sum);
#else
    STORE(GLOBAL_ID, turn_of_own);
#endif
}
