// What numbers from 0 to 128 add up to, in steps of 2^-16 and modulo 2^16: of `arrays` arrays, `stride` words from one
// to the next, the first `cells` of each.
// out: per work-item its share of the sum.
// BUILD global: TYPE_F32=1
#include "vocabulary.h"

ARGS(uint arrays; uint stride; uint cells;)

KERNEL(mass) {
    uint sum = 0u;
    for (uint array = 0u; array < args.arrays; array += 1u) {
        for (uint cell = GLOBAL_ID; cell < args.cells; cell += GLOBAL_SIZE) {
            float raised = LOAD(array * args.stride + cell) + 128.0f; // whose last bit is 2^-16
            sum += WORD_OF(raised, 0) & 0x7fffffu;
        }
    }
    STORE(GLOBAL_ID, sum);
}
