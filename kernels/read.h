// Independent loads, as many bytes at a time as T is wide: the bandwidth of a path.
//
// The footprint is cut into tiles of LANES * LOADS * TURNS elements. Workgroup g begins at tile (g * start_factor) %
// tiles, reads `count` tiles and goes step_base + (g * step_factor) % step_range tiles on each time, wrapping round:
// with these numbers a probe makes the workgroups share a footprint in orders of their own, or shares the footprint out
// among them.
// A footprint smaller than a tile is read round and round: `elements` is then less than the tile, and TURNS must be 1.
// Sums go into LOADS accumulators, so that as many loads are in flight before the first add waits.
// With ONCE there are as many workgroups as tiles, or times as many, and each reads one; what a word of each work-item
// would cost shows, so lane `shown` alone leaves one. With ALL_TO_ALL a workgroup of a cluster reads each tile from the
// next one of the others.
// out: per work-item the sum of every word it read; with ONCE per workgroup that of lane `shown`; behind these with
// SHOWS_CORE per workgroup the core that it ran on.
// BUILD global global.ca global.cg global.readonly global.pointer texel constant scratchpad cluster host peer
//       peer.cg: LOADS=2|4|8 TURNS=1 WIDTH=1|2|4
// BUILD scratchpad cluster: ALL_TO_ALL=1 LOADS=4|8 TURNS=1 WIDTH=1|2|4
// BUILD global global.cg global.pointer: LOADS=2|4|8 SHOWS_CORE=1 TURNS=1 WIDTH=4
// BUILD global global.pointer: LOADS=4 SHOWS_CORE=1 TURNS=16 WIDTH=4
// BUILD global global.ca global.cg global.readonly global.pointer: LOADS=4 ONCE=1 TURNS=1 WIDTH=1|2|4
// BUILD image2d: LOADS=2|4|8 TURNS=1
// BUILD global global.pointer scratchpad: LOADS=4 TURNS=16 WIDTH=1|2|4
// BUILD private: LOADS=4 PRIVATE_WORDS=1024 TURNS=1
// BUILD private: LOADS=4 PRIVATE_WORDS=512 TURNS=1 WIDTH=2
// BUILD private: LOADS=4 PRIVATE_WORDS=256 TURNS=1 WIDTH=4
#define EVERY_WORKGROUP_LOADS
#include "vocabulary.h"

ARGS(uint elements; uint tiles; uint start_factor; uint step_base; uint step_factor; uint step_range; uint count;
     uint stage; uint pad; uint shown; uint base_low; uint base_high;)

#ifdef ONCE // a division for each load would be most of what a workgroup does
#define BEGIN_AT(k, number) uint at##k = LANE + number * LANES; T sum##k = ZERO_T;
#else
#define BEGIN_AT(k, number) uint at##k = (LANE + number * LANES) % args.elements; T sum##k = ZERO_T;
#endif
#define READ(k, number) sum##k += LOAD(ELEMENT(base + at##k));

KERNEL(read) {
    STAGE(args.stage)
    EACH_LOAD(BEGIN_AT)
    uint tile = (GROUP_ID * args.start_factor) % args.tiles;
    uint step = args.step_base + (GROUP_ID * args.step_factor) % args.step_range; // at most `tiles`
    for (uint n = 0u; n < args.count; n += 1u) {
        for (uint turn = 0u; turn < TURNS; turn += 1u) {
            uint base = tile * TILE_ELEMENTS + turn * LOADS * LANES;
            EACH_LOAD(READ)
        }
#if defined ALL_TO_ALL && defined NEXT_PEER
        NEXT_PEER
#endif
        tile += step;
        tile = tile >= args.tiles ? tile - args.tiles : tile;
    }
    uint sum = 0u;
    EACH_LOAD(ADD_SUM)
    FINISH
#ifdef ONCE
    if (LOCAL_ID == args.shown) {
        STORE(GROUP_ID, sum);
    }
#else
    STORE(GLOBAL_ID, sum);
#endif
#ifdef SHOWS_CORE
    if (LOCAL_ID == 0u) {
        STORE(GLOBAL_SIZE + GROUP_ID, CORE_ID);
    }
#endif
}
