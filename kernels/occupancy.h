// Workgroups that hold scratchpad and wait for memory most of the time: how many of them a core takes at once. All
// lanes of a workgroup walk the chain in B (whose links are words) from slot GROUP_ID % slots on, slots being 2^shift
// words.
// out: every work-item's last link, and a word of the scratchpad (0 or not, nobody knows) that keeps it from being
// dropped.
// BUILD scratchpad + global
#include "vocabulary.h"

ARGS(uint rounds; uint slots; uint shift; uint stage;)

KERNEL(occupancy) {
    STAGE(args.stage)
    uint at = GROUP_ID % args.slots << args.shift;
    for (uint n = 0u; n < args.rounds; n += 1u) {
        TIMES16(at = LOAD_B(at);)
    }
    STORE(2u * GLOBAL_ID, at);
    STORE(2u * GLOBAL_ID + 1u, LOAD(LOCAL_ID % args.stage));
}
