// Two buffers at once: with `together` workgroups of even number work on A and those of odd number on B, without it all of them on A. A
// buffer is read, or written: element e becomes e + salt. Each side's workgroups sweep over its tiles of LANES * LOADS elements side by
// side, `count` tiles each.
// out: per work-item the sum of every word it read; of those that wrote, how many tiles they did.
// BUILD global + global: LOADS=4 TURNS=1
#include "vocabulary.h"

ARGS(uint together; uint tiles_a; uint count_a; uint write_a; uint salt_a; uint tiles_b; uint count_b; uint write_b; uint salt_b;)

#define READ_OF_A(k, number) sum##k += LOAD(at + number * LANES);
#define READ_OF_B(k, number) sum##k += LOAD_B(at + number * LANES);
#define WRITE_OF_A(k, number) STORE_A(at + number * LANES, at + number * LANES + args.salt_a);
#define WRITE_OF_B(k, number) STORE_B(at + number * LANES, at + number * LANES + args.salt_b);
#define SWEEP(count, tiles, MOVE)                            \
    {                                                        \
        uint tile = member % tiles;                          \
        uint step = members % tiles;                         \
        for (uint n = 0u; n < count; n += 1u) {              \
            uint at = tile * TILE_ELEMENTS + LANE;           \
            EACH_LOAD(MOVE)                                  \
            tile += step;                                    \
            tile = tile >= tiles ? tile - tiles : tile;      \
        }                                                    \
    }

KERNEL(two_buffers) {
    uint member = args.together != 0u ? GROUP_ID / 2u : GROUP_ID;
    uint members = args.together != 0u ? GROUP_COUNT / 2u : GROUP_COUNT;
    uint sum = 0u;
    EACH_LOAD(BEGIN_SUM)
    if (args.together != 0u && GROUP_ID % 2u == 1u) {
        if (args.write_b != 0u) {
            SWEEP(args.count_b, args.tiles_b, WRITE_OF_B)
            sum = args.count_b;
        } else {
            SWEEP(args.count_b, args.tiles_b, READ_OF_B)
        }
    } else {
        if (args.write_a != 0u) {
            SWEEP(args.count_a, args.tiles_a, WRITE_OF_A)
            sum = args.count_a;
        } else {
            SWEEP(args.count_a, args.tiles_a, READ_OF_A)
        }
    }
    EACH_LOAD(ADD_SUM)
    STORE(GLOBAL_ID, sum);
}
