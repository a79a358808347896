// Several waves of one workgroup, each walking a chain of its own: how many of them find room in what the first one finds room in.
// Wave `w` begins `w * slice` words behind the first; `lanes` work-items make a wave.
// out: the first wave's clock at begin and end (two words each), then per work-item the link reached.
#include "vocabulary.h"

ARGS(uint start; uint lanes; uint slice; uint warm; uint steps; uint stage; uint base_low; uint base_high;)

KERNEL(waves) {
    STAGE(args.stage)
    INDEX i = LINK_OF(args.start + LOCAL_ID / args.lanes * args.slice);
    for (uint n = 0u; n < args.warm; n += 8u) {
        TIMES8(i = LINK(i);)
    }
    BARRIER
    CLOCK_READ(begin, i)
    for (uint n = 0u; n < args.steps; n += 64u) {
        TIMES64(i = LINK(i);)
    }
    BARRIER // the slowest wave's time, as the device's timer sees it
    CLOCK_READ(end, i)
    FINISH
    if (LOCAL_ID == 0u) {
        CLOCK_STORE(0u, begin)
        CLOCK_STORE(2u, end)
    }
    STORE(4u + LOCAL_ID, NUMBER_OF(i));
}
