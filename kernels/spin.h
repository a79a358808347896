// Arithmetic and nothing else, to bring the clocks up before a measurement and to read them. Not foldable: the shift
// makes each round nonlinear. out: the clocks of work-item 0 (two words each), then every work-item's result.
// BUILD global
#include "vocabulary.h"

ARGS(uint rounds; uint seed;)

KERNEL(spin) {
    uint x = args.seed + GLOBAL_ID;
    CLOCK_READ(begin, x)
    for (uint n = 0u; n < args.rounds; n += 1u) {
        TIMES64(x = (x * 1664525u) ^ (x >> 9);)
    }
    CLOCK_READ(end, x)
    if (GLOBAL_ID == 0u) {
        CLOCK_STORE(0u, begin)
        CLOCK_STORE(2u, end)
    }
    STORE(4u + GLOBAL_ID, x);
}
