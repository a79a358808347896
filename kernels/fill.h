// Fills words 0..words-1 with random data (hardware compresses zeros) whose sum over any range the host knows: word w is
// scramble(w mod period, seed), period a power of two. With SLOTS_2D `w` numbers the texels of an image block by block.
// BUILD global
// BUILD global: SLOTS_2D=1
#include "vocabulary.h"
#include "permutation.h"

ARGS(uint words; uint period; uint seed;)

KERNEL(fill) {
    for (uint word = GLOBAL_ID; word < args.words; word += GLOBAL_SIZE) {
        STORE(ELEMENT(word), scramble(word & (args.period - 1u), args.seed));
    }
}
