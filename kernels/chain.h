// Builds a chain: the first words of every slot become the link to the next slot of one random cycle over all slots.
// LINK_WORDS: 1, words are numbered; 4, elements of four words are; 2, the link is the word's address, of 64 bits.
#include "vocabulary.h"
#include "permutation.h"

ARGS(uint slots; uint shift; uint low; uint high; uint seed; uint base_low; uint base_high;) // shift: log2 of the words of a slot

#if LINK_WORDS == 2
#define STORE_LINK(at, word) STORE_ADDRESS(at, word)
#else
#define STORE_LINK(at, word) STORE(at, (word) / LINK_WORDS);
#endif

KERNEL(chain) {
    for (uint slot = GLOBAL_ID; slot < args.slots; slot += GLOBAL_SIZE) {
        uint next = position_of(slot, args.slots, args.low, args.high, args.seed) + 1u;
        next = permuted(next == args.slots ? 0u : next, args.slots, args.low, args.high, args.seed);
        STORE_LINK(SLOT_WORD(slot, args.shift), SLOT_WORD(next, args.shift))
    }
}
