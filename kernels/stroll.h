// The warm-up of a long chain: each work-item walks a stretch of it of its own, so that what the caches keep is what a walk in the chain's
// own order would have left there. Touching the slots in the order in which they lie leaves the last of them behind, and a walk that
// follows finds those: a footprint of twice the cache then hits every second time, which it never does in truth.
// result: word of the first slot of each stretch before, the link that its walk ends at after.
#include "vocabulary.h"

ARGS(uint steps; uint unused; uint base_low; uint base_high;)

KERNEL(stroll) {
    INDEX i = LINK_OF(RESULT(GLOBAL_ID));
    for (uint n = 0u; n < args.steps; n += 64u) {
        TIMES64(i = LINK(i);)
    }
    STORE(GLOBAL_ID, NUMBER_OF(i));
}
