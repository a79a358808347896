// Whether loads on one path drive out what another path keeps: in each round all work-items touch `touched` lines of the second source, and
// then walk `steps` hops of the chain, which is one round of it.
// out: per work-item the link reached and the sum of the words it touched.
#include "vocabulary.h"

ARGS(uint start; uint pad; uint rounds; uint steps; uint touched; uint stage; uint base_low; uint base_high;)

KERNEL(share) {
    STAGE(args.stage)
    STAGE_B(args.touched * 32u)
    INDEX i = LINK_OF(args.start + LANE_SPREAD(args.pad));
    uint seen = 0u;
    for (uint round = 0u; round < args.rounds; round += 1u) {
        uint line = LOCAL_ID;
        while (line < args.touched) {
            TIMES16(seen += LOAD_B(LOWER(line, args.touched - 1u) * 32u); line += GROUP_SIZE;)
        }
        for (uint n = 0u; n < args.steps; n += 64u) {
            TIMES64(i = LINK(i);)
        }
    }
    FINISH
    STORE(2u * LOCAL_ID, NUMBER_OF(i));
    STORE(2u * LOCAL_ID + 1u, seen);
}
