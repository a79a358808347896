// Loads on two paths at once: every subgroup reads rows of LOADS elements a lane, in each round of args.rows_a +
// args.rows_b of them so many through A and so many through B. Waves begin at different places of the round, so that at
// any time some are at the one and some at the other.
// A row begins `step` elements behind the path's last one, within `span`; both sources hold span + LOADS * GROUP_SIZE
// elements.
// out: per work-item the sum of every word it read.
// BUILD global texel + global texel constant scratchpad: LOADS=4 WIDE_B=1 WIDTH=4
#include "vocabulary.h"

ARGS(uint rounds; uint rows_a; uint rows_b; uint span; uint step; uint subgroup; uint stage;)

#define READ_A(k, number) sum##k += LOAD(at_a + number * LANES);
#define READ_B(k, number) sum##k += LOAD_B(at_b + number * LANES);
#define ADVANCE(at) at += args.step; at = at >= end ? at - args.span : at;

KERNEL(mix_paths) {
    STAGE(args.stage)
    STAGE_B(args.stage)
    EACH_LOAD(BEGIN_SUM)
    uint at_a = LOCAL_ID;
    uint at_b = LOCAL_ID;
    uint end = LOCAL_ID + args.span;
    uint all = args.rows_a + args.rows_b;
    uint place = GLOBAL_ID / args.subgroup * 7u % all;
    for (uint n = 0u; n < args.rounds * all; n += 1u) {
        if (place < args.rows_a) {
            EACH_LOAD(READ_A)
            ADVANCE(at_a)
            KEEP_APART
        } else {
            EACH_LOAD(READ_B)
            ADVANCE(at_b)
        }
        place = place + 1u == all ? 0u : place + 1u;
    }
    uint sum = 0u;
    EACH_LOAD(ADD_SUM)
    STORE(GLOBAL_ID, sum);
}
