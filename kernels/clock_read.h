// Reads of the clock, each after what the one before it gave. A trip of the loop holds as many as the build's `repeat` says: REPEATED is the dialect's.
// out: of every work-item the clock at begin and end (two words each), and what passed from begin to each read, all of it or-ed: its top bit is 0 where
// the clock never went back.
// BUILD PTX global
#include "vocabulary.h"

#ifndef REGISTER_OF
#define REGISTER_OF "+r"
#endif

ARGS(uint rounds; uint pad;)

KERNEL(clock_read) {
    uint passed = LOCAL_ID * args.pad;
    CLOCK_READ(begin, passed)
    uint first = CLOCK_LOW(begin);
    NOT_UNROLLED
    for (uint n = 0u; n < args.rounds; n += 1u) {
        REPEATED(KEEP_PAIR(REGISTER_OF, first, passed), { CLOCK_READ(now, passed) passed |= CLOCK_LOW(now) - first; })
    }
    CLOCK_READ(end, passed)
    uint own = GLOBAL_ID * 5u;
    CLOCK_STORE(own, begin)
    CLOCK_STORE(own + 2u, end)
    STORE(own + 4u, passed);
}
