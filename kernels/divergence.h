// A subgroup whose lanes take different branches: lane % paths chooses one of 32, or with `lone` each lane below paths
// - 1 takes one of its own and all others the first. Every branch is a loop of the same length over a recurrence with a
// constant of its own: no compiler makes one loop of two.
// out: per workgroup, the clock at begin and end (two words each), then every work-item's number.
// BUILD PTX global
#include "vocabulary.h"

#define TRIPS 16u // of 16 steps
#define PATH(number)                                                      \
    if (path == (number)) {                                               \
        for (uint trip = 0u; trip < TRIPS; trip += 1u) {                  \
            TIMES16(x = x * x + ((number) * 2654435761u + 1013904223u);)  \
        }                                                                 \
    }
#define FOUR_PATHS(first) PATH(first) else PATH(first + 1u) else PATH(first + 2u) else PATH(first + 3u)

ARGS(uint rounds; uint paths; uint lone;)

KERNEL(divergence) {
    uint path = LOCAL_ID % args.paths;
    if (args.lone != 0u) {
        path = LOCAL_ID + 1u < args.paths ? LOCAL_ID + 1u : 0u;
    }
    uint x = LOCAL_ID;
    CLOCK_READ(begin, x)
    for (uint n = 0u; n < args.rounds; n += 1u) {
        FOUR_PATHS(0u) else FOUR_PATHS(4u) else FOUR_PATHS(8u) else FOUR_PATHS(12u)
        else FOUR_PATHS(16u) else FOUR_PATHS(20u) else FOUR_PATHS(24u) else FOUR_PATHS(28u)
    }
    CLOCK_READ(end, x)
    uint block = GROUP_ID * (4u + GROUP_SIZE);
    if (LOCAL_ID == 0u) {
        CLOCK_STORE(block, begin)
        CLOCK_STORE(block + 2u, end)
    }
    STORE(block + 4u + LOCAL_ID, x);
}
