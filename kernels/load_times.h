// Dependent loads along a chain, each timed by itself: the clock is read when the address is known and again when the
// loaded value is. Between two timed loads lies one that is not, by which the stored time has left the core. Then a
// plain walk, whose mean the single times can be held against.
// One subgroup; its lanes begin at one address, `pad` being 0 at run time.
// out: the clock at begin and end of the plain walk (two words each), the least of `timed` times of nothing, by 32 bits
// of the clock (all ones: there is none), the times of `timed` loads likewise, and per lane the link reached.
// BUILD global global.cg
#include "vocabulary.h"

ARGS(uint steps; uint timed; uint start; uint warm; uint pad;)

KERNEL(load_times) {
    INDEX i = LINK_OF(args.start + LANE_SPREAD(args.pad));
    for (uint n = 0u; n < args.warm; n += 8u) {
        TIMES8(i = LINK(i);)
    }
    uint nothing = 0xFFFFFFFFu;
    for (uint n = 0u; n < args.timed; n += 1u) {
        CLOCK_ALONE(begin, i)
        CLOCK_ALONE(end, i)
        uint took = CLOCK_LOW(end) - CLOCK_LOW(begin);
        nothing = LOWER(nothing, took);
    }
    for (uint n = 0u; n < args.timed; n += 1u) {
        i = LINK(i);
        CLOCK_ALONE(begin, i)
        i = LINK(i);
        CLOCK_ALONE(end, i)
        uint took = CLOCK_LOW(end) - CLOCK_LOW(begin);
        if (LOCAL_ID == 0u) {
            STORE(5u + n, took);
        }
    }
    CLOCK_READ(first, i)
    for (uint n = 0u; n < args.steps; n += 64u) {
        TIMES64(i = LINK(i);)
    }
    CLOCK_READ(last, i)
    if (LOCAL_ID == 0u) {
        CLOCK_STORE(0u, first)
        CLOCK_STORE(2u, last)
        STORE(4u, nothing);
    }
    STORE(5u + args.timed + LOCAL_ID, NUMBER_OF(i));
}
