// Workgroups that hold scratchpad and wait for it most of the time: how many of them a core takes at once. Each lane's loads depend on
// each other, `stage` words (a power of two) being what they go through.
// out: every work-item's last word.
#include "vocabulary.h"

ARGS(uint rounds; uint stage;)

KERNEL(hold) {
    STAGE(args.stage)
    uint x = LOCAL_ID;
    for (uint n = 0u; n < args.rounds; n += 1u) {
        TIMES16(x = LOAD((x * 1664525u + 1013904223u) & (args.stage - 1u));)
    }
    STORE(GLOBAL_ID, x);
}
