// Independent loads, as many bytes at a time as T is wide: the bandwidth of a path.
//
// The footprint is cut into tiles of GROUP_SIZE * 4 * QUADS elements. Workgroup g starts at tile (g * stride) % tiles and
// reads `count` tiles, wrapping round, so small footprints are read by every workgroup (its own first level) and large
// ones are shared out. A footprint smaller than a tile is read round and round: `elements` is
// then less than the tile, and QUADS must be 1.
// Sums go into four accumulators, so four loads are in flight before the first add waits.
// out: the clocks of workgroup 0 (two words each), then per work-item the sum of every word it read.
#include "vocabulary.h"

ARGS(uint elements; uint tiles; uint stride; uint count; uint stage;)

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
    uint tile = (GROUP_ID * args.stride) % args.tiles;
    CLOCK_READ(begin, tile)
    for (uint n = 0u; n < args.count; n += 1u) {
        for (uint quad = 0u; quad < QUADS; quad += 1u) {
            uint base = tile * TILE_ELEMENTS + quad * 4u * GROUP_SIZE;
            sum0 += LOAD(base + at0);
            sum1 += LOAD(base + at1);
            sum2 += LOAD(base + at2);
            sum3 += LOAD(base + at3);
        }
        tile = tile + 1u == args.tiles ? 0u : tile + 1u;
    }
    sum0 += sum1;
    sum2 += sum3;
    sum0 += sum2;
    uint sum = SUM_T(sum0);
    CLOCK_READ(end, sum)
    if (GLOBAL_ID == 0u) {
        CLOCK_STORE(0u, begin)
        CLOCK_STORE(2u, end)
    }
    STORE(4u + GLOBAL_ID, sum);
}
