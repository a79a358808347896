// A histogram of words: the bin is word & (word >> shift) & mask. A workgroup has `own` words that follow each other.
// a: bins that all workgroups count in, or the scratchpad, where each workgroup counts in its own. b: words. out: from
// a scratchpad the counts of each workgroup, behind those of the one before.
// BUILD global scratchpad + global
#include "vocabulary.h"

ARGS(uint own; uint shift; uint mask; uint bins;)

KERNEL(histogram) {
#ifdef A_SCRATCHPAD
    for (uint bin = LOCAL_ID; bin < args.bins; bin += GROUP_SIZE) STORE_A(bin, 0u);
    BARRIER
#endif
    for (uint at = GROUP_ID * args.own + LOCAL_ID; at < GROUP_ID * args.own + args.own; at += GROUP_SIZE) {
        uint word = LOAD_B(at);
        ATOMIC_REDUCE(word & (word >> args.shift) & args.mask, 1u);
    }
#ifdef A_SCRATCHPAD
    BARRIER
    for (uint bin = LOCAL_ID; bin < args.bins; bin += GROUP_SIZE) STORE(GROUP_ID * args.bins + bin, LOAD(bin));
#endif
}
