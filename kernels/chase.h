// Dependent loads: the address of each load is the value that the load before it returned.
//
// Every lane of the one workgroup walks the same chain. The start is `start + GLOBAL_ID * pad` with pad = 0 at run time, so
// that no compiler can prove the address uniform (AMD's would then take the scalar path without telling anyone).
// Warm-up happens here and not in a dispatch of its own, because GPUs drop their first-level caches between dispatches:
// either `warm` hops of the chain itself, or a touch of the slots touch_begin..touch_end by all lanes at once.
// out: clock at begin and end (two words each), then per lane the link reached and the sum of the links it touched.
#include "vocabulary.h"

ARGS(uint start; uint pad; uint warm; uint steps; uint touch_begin; uint touch_end; uint shift; uint stage; uint base_low; uint base_high;)

KERNEL(chase) {
    STAGE(args.stage)
    HOLD
    INDEX i = LINK_OF(args.start + LANE_SPREAD(args.pad));
    uint seen = 0u;
    uint slot = args.touch_begin + LOCAL_ID;
    while (slot < args.touch_end) {
        TIMES64(seen += NUMBER_OF(LINK(LINK_OF(SLOT_WORD(LOWER(slot, args.touch_end - 1u), args.shift)))); slot += GROUP_SIZE;)
    }
    for (uint n = 0u; n < args.warm; n += 8u) {
        TIMES8(i = LINK(i);)
    }
    CLOCK_READ(begin, i)
    for (uint n = 0u; n < args.steps; n += 64u) {
        TIMES64(i = LINK(i);)
    }
    CLOCK_READ(end, i)
    FINISH
    if (LOCAL_ID == 0u) {
        CLOCK_STORE(0u, begin)
        CLOCK_STORE(2u, end)
    }
    STORE(4u + 2u * LOCAL_ID, NUMBER_OF(i));
    STORE(5u + 2u * LOCAL_ID, seen + HELD_WORD(args.steps));
}
