// What a hop takes while other waves want the same memory: every work-item follows links of its own.
// result: behind four words the word at which each work-item begins before, the link reached after; the four are the first
// wave's clock at begin and end (two words each).
#include "vocabulary.h"

ARGS(uint warm; uint steps; uint stage; uint base_low; uint base_high;)

KERNEL(loaded) {
    STAGE(args.stage)
    INDEX i = LINK_OF(RESULT(4u + GLOBAL_ID));
    for (uint n = 0u; n < args.warm; n += 8u) {
        TIMES8(i = LINK(i);)
    }
    BARRIER
    CLOCK_READ(begin, i)
    for (uint n = 0u; n < args.steps; n += 64u) {
        TIMES64(i = LINK(i);)
    }
    BARRIER // the slowest wave's time
    CLOCK_READ(end, i)
    FINISH
    if (GLOBAL_ID == 0u) {
        CLOCK_STORE(0u, begin)
        CLOCK_STORE(2u, end)
    }
    STORE(4u + GLOBAL_ID, NUMBER_OF(i));
}
