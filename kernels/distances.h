// How far the numbers of two arrays are apart: the check of what should be as it was.
// out: of each work-item, the largest difference of its numbers, without its sign.
// BUILD global + global: TYPE_F32=1 WIDE_B=1
#include "vocabulary.h"

ARGS(uint words;)

KERNEL(distances) {
    float largest = 0.0f;
    for (uint i = GLOBAL_ID; i < args.words; i += GLOBAL_SIZE) {
        float apart = LOAD(i) - LOAD_B(i);
        float distance = apart < 0.0f ? -apart : apart;
        distance = distance < 1e30f ? distance : 1e30f; // also of what is no number
        largest = distance <= largest ? largest : distance;
    }
    STORE(GLOBAL_ID, WORD_OF(largest, 0));
}
