// One chain is walked while all other cores stream. The first `lanes` work-items of workgroup 0 walk it, all at one
// address, and then raise the flags: word `flag` and every 32nd behind it is one workgroup's. The work-items of the
// others read, write or add, tile by tile, until their workgroup's flag is no longer what it was before (`raised`), or
// `most` tiles are done.
// Streaming workgroup g begins at tile g * start_factor % tiles of LANES * LOADS words, from the memory's begin on, and
// goes step_base + g * step_factor % step_range tiles on each time. Between two tiles stand `wait` dependent steps of
// arithmetic.
// OPERATION 1 reads and sums up; 2 writes into each word its number and `salt`; 3 adds one to it, by an atomic
// instruction without result.
// out: the clocks of work-item 0 (two words each), then per work-item the link reached or how many tiles it did, and
// the sum of what it read.
// BUILD global host: FLAGS=1 LOADS=8 OPERATION=1|2|3 TURNS=1
#include "vocabulary.h"

ARGS(uint steps; uint start; uint warm; uint lanes; uint flag; uint raised; uint tiles; uint start_factor;
     uint step_base; uint step_factor; uint step_range; uint most; uint wait; uint salt; uint pad;)

#if OPERATION == 1
#define MOVE(k, number) sum##k += LOAD(at + number * LANES);
#elif OPERATION == 2
#define MOVE(k, number) STORE_A(at + number * LANES, at + number * LANES + args.salt);
#else
#define MOVE(k, number) ATOMIC_REDUCE(at + number * LANES, 1u);
#endif

KERNEL(bandwidth_latency) {
    uint own = 4u + 2u * GLOBAL_ID;
    uint done = 0u;
    uint sum = 0u;
    if (GROUP_ID == 0u) {
        uint i = args.start + LOCAL_ID * args.pad;
        if (LOCAL_ID < args.lanes) {
            for (uint n = 0u; n < args.warm; n += 8u) {
                TIMES8(i = LOAD(i);)
            }
            CLOCK_READ(begin, i)
            for (uint n = 0u; n < args.steps; n += 64u) {
                TIMES64(i = LOAD(i);)
            }
            CLOCK_READ(end, i)
            for (uint each = LOCAL_ID; each < GROUP_COUNT; each += args.lanes) {
                ATOMIC_REDUCE(args.flag + each * 32u, 1u + i * args.pad); // which waits for the walk's end
            }
            if (LOCAL_ID == 0u) {
                CLOCK_STORE(0u, begin)
                CLOCK_STORE(2u, end)
            }
        }
        done = i;
    } else {
        uint member = GROUP_ID - 1u;
        uint tile = member * args.start_factor % args.tiles;
        uint step = args.step_base + member * args.step_factor % args.step_range; // at most `tiles`
        uint idle = args.pad;
        EACH_LOAD(BEGIN_SUM)
        uint flag = args.raised;
        while (done < args.most && flag == args.raised) {
            uint at = tile * TILE_ELEMENTS + LANE;
            flag = FRESH(args.flag + GROUP_ID * 32u);
            EACH_LOAD(MOVE)
            for (uint n = 0u; n < args.wait; n += 1u) {
                idle = (idle * 1664525u) ^ (idle >> 9); // stays 0, which no compiler knows
            }
            tile += step;
            tile = tile >= args.tiles ? tile - args.tiles : tile;
            done += 1u;
        }
        EACH_LOAD(ADD_SUM)
        sum += idle;
    }
    STORE(own, done);
    STORE(own + 1u, sum);
}
