// Cores that walk chains of their own at once: whether what one keeps in its first level is in another's way.
// With BY_CORE two cores, by their numbers, else the first `walkers` workgroups; walker `w` begins `w * slice` words behind the first.
// out: per workgroup eight words: the core that it ran on (0: nothing tells), the link that its first lane reached (0xFFFFFFFF: it did not
// walk), and the clock at begin and end (two words each).
#include "vocabulary.h"

ARGS(uint pad; uint slice; uint walkers; uint core; uint other; uint warm; uint steps; uint base_low; uint base_high;)

KERNEL(neighbours) {
#ifdef BY_CORE
    uint core = CORE_ID;
    uint walker = core == args.core ? 0u : core == args.other ? 1u : 2u;
#else
    uint core = 0u;
    uint walker = GROUP_ID;
#endif
    if (LOCAL_ID == 0u) {
        STORE(8u * GROUP_ID, core);
        STORE(8u * GROUP_ID + 1u, 0xFFFFFFFFu);
    }
    if (walker < args.walkers) {
        INDEX i = LINK_OF(walker * args.slice + LANE_SPREAD(args.pad));
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
