// The warm-up of a long chain, in the chain's own order: each work-item walks one piece of it, side by side with the others, then one of
// the pieces that follow theirs. So what was walked longest ago is what a walk that goes on comes to next, as if one had walked it all.
// Longer stretches would not do: their ends are walked last, and a long walk from the begin of one would find them in the cache; slots
// touched in the order in which they lie would not either: of a footprint of twice the cache every second one would be found.
// result: word of the first slot of each piece before, the link that its walk ends at after.
#include "vocabulary.h"

ARGS(uint steps; uint rounds; uint base_low; uint base_high;)

KERNEL(warm_chain) {
    for (uint round = 0u; round < args.rounds; round += 1u) {
        INDEX i = LINK_OF(RESULT(GLOBAL_ID + round * GLOBAL_SIZE));
        for (uint n = 0u; n < args.steps; n += 64u) {
            TIMES64(i = LINK(i);)
        }
        STORE(GLOBAL_ID + round * GLOBAL_SIZE, NUMBER_OF(i));
    }
}
