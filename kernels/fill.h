// Fills words begin..end-1 with random data (hardware compresses zeros) whose sum over any range the host knows: word w
// is scramble(w mod period, seed), period a power of two. With SLOTS_2D `w` numbers the texels of an image block by
// block.
// `rare` is a mask: a word whose number has one of its bits is zero instead. Words of even and of odd number keep the
// bits of their mask and get those of another, so that they are floating-point numbers of one or two words.
// BUILD global
// BUILD global: SLOTS_2D=1
#include "vocabulary.h"
#include "permutation.h"

ARGS(uint begin; uint end; uint period; uint seed; uint rare; uint keep_even; uint keep_odd; uint set_even;
     uint set_odd;)

KERNEL(fill) {
    for (uint word = args.begin + GLOBAL_ID; word < args.end; word += GLOBAL_SIZE) {
        uint random = (word & args.rare) == 0u ? scramble(word & (args.period - 1u), args.seed) : 0u;
        STORE(ELEMENT(word),
            (word & 1u) == 0u ? (random & args.keep_even) | args.set_even : (random & args.keep_odd) | args.set_odd);
    }
}
