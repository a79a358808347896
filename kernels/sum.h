// What the words of the first `elements` of the source add up to: the check of what other kernels wrote.
// out: per work-item its share of the sum.
// BUILD global global.cs host peer: WIDTH=4
#include "vocabulary.h"

ARGS(uint elements;)

KERNEL(sum) {
    uint sum = 0u;
    for (uint i = GLOBAL_ID; i < args.elements; i += GLOBAL_SIZE) {
        sum += SUM_T(LOAD(i));
    }
    STORE(GLOBAL_ID, sum);
}
