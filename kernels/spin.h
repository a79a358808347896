// Arithmetic and nothing else, to bring the clocks up before a measurement. Not foldable: the shift makes each round nonlinear.
#include "vocabulary.h"

ARGS(uint rounds; uint seed;)

KERNEL(spin) {
    uint x = args.seed + GLOBAL_ID;
    for (uint n = 0u; n < args.rounds; n += 1u) {
        TIMES64(x = (x * 1664525u) ^ (x >> 9);)
    }
    STORE(GLOBAL_ID, x);
}
