// Two buffers at once: of each `of` workgroups the last `on_b` work on B and the others on A. A buffer is read, or
// written: element e becomes e + salt. Each side's workgroups sweep over its tiles of LANES * LOADS elements side by
// side, `count` tiles each.
// out: per work-item the sum of every word it read; of those that wrote, how many tiles they did.
// BUILD global + global: LOADS=4 TURNS=1
#include "vocabulary.h"

ARGS(uint of; uint on_b; uint tiles_a; uint count_a; uint write_a; uint salt_a; uint tiles_b; uint count_b;
     uint write_b; uint salt_b;)

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
    uint on_a = args.of - args.on_b;
    uint place = GROUP_ID % args.of;
    uint on_this = place < on_a ? on_a : args.on_b;
    uint member = GROUP_ID / args.of * on_this + (place < on_a ? place : place - on_a);
    uint members = GROUP_COUNT / args.of * on_this;
    uint sum = 0u;
    EACH_LOAD(BEGIN_SUM)
    if (place >= on_a) {
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
