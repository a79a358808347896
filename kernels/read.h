// Independent loads, as many bytes at a time as T is wide: the bandwidth of a path.
//
// The footprint is cut into tiles of GROUP_SIZE * 4 * QUADS elements. Workgroup g begins at tile (g * start_factor) % tiles,
// reads `count` tiles and goes step_base + (g * step_factor) % step_range tiles on each time, wrapping round: with these
// numbers a probe makes the workgroups share a footprint in orders of their own, or shares the footprint out among them.
// A footprint smaller than a tile is read round and round: `elements` is then less than the tile, and QUADS must be 1.
// Sums go into four accumulators, so four loads are in flight before the first add waits.
// out: per work-item the sum of every word it read.
#include "vocabulary.h"

ARGS(uint elements; uint tiles; uint start_factor; uint step_base; uint step_factor; uint step_range; uint count; uint stage;)

#define TILE_ELEMENTS (GROUP_SIZE * 4u * QUADS)

KERNEL(read) {
    STAGE(args.stage)
    uint at0 = LOCAL_ID % args.elements;
    uint at1 = (LOCAL_ID + GROUP_SIZE) % args.elements;
    uint at2 = (LOCAL_ID + 2u * GROUP_SIZE) % args.elements;
    uint at3 = (LOCAL_ID + 3u * GROUP_SIZE) % args.elements;
    T sum0 = ZERO_T;
    T sum1 = ZERO_T;
    T sum2 = ZERO_T;
    T sum3 = ZERO_T;
    uint tile = (GROUP_ID * args.start_factor) % args.tiles;
    uint step = args.step_base + (GROUP_ID * args.step_factor) % args.step_range; // at most `tiles`
    for (uint n = 0u; n < args.count; n += 1u) {
        for (uint quad = 0u; quad < QUADS; quad += 1u) {
            uint base = tile * TILE_ELEMENTS + quad * 4u * GROUP_SIZE;
            sum0 += LOAD(base + at0);
            sum1 += LOAD(base + at1);
            sum2 += LOAD(base + at2);
            sum3 += LOAD(base + at3);
        }
        tile += step;
        tile = tile >= args.tiles ? tile - args.tiles : tile;
    }
    sum0 += sum1;
    sum2 += sum3;
    sum0 += sum2;
    uint sum = SUM_T(sum0);
    STORE(GLOBAL_ID, sum);
}
