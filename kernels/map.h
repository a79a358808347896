// A walk on one core: all workgroups begin, and those that find themselves on the core asked for walk.
// out: per workgroup eight words: the core that it ran on, the link that its first lane reached (0xFFFFFFFF: it did not walk), and the
// clock at begin and end (two words each).
#include "vocabulary.h"

ARGS(uint start; uint pad; uint core; uint warm; uint steps; uint stage; uint base_low; uint base_high;)

KERNEL(map) {
    STAGE(args.stage)
    uint core = CORE_ID;
    if (LOCAL_ID == 0u) {
        STORE(8u * GROUP_ID, core);
        STORE(8u * GROUP_ID + 1u, 0xFFFFFFFFu);
    }
    if (core == args.core) {
        INDEX i = LINK_OF(args.start + LANE_SPREAD(args.pad));
        for (uint n = 0u; n < args.warm; n += 8u) {
            TIMES8(i = LINK(i);)
        }
        CLOCK_READ(begin, i)
        for (uint n = 0u; n < args.steps; n += 64u) {
            TIMES64(i = LINK(i);)
        }
        CLOCK_READ(end, i)
        if (LOCAL_ID == 0u) {
            STORE(8u * GROUP_ID + 1u, NUMBER_OF(i));
            CLOCK_STORE(8u * GROUP_ID + 2u, begin)
            CLOCK_STORE(8u * GROUP_ID + 4u, end)
        }
    }
}
