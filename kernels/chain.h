// Builds a chain: one random cycle over all slots. A slot's link stands in its first word or, where slots are pages, on
// a line of it that differs from slot to slot (`spread`: the words of a slot less one, whole sectors of 32 bytes; 0:
// the first), `first` words into the memory.
// With `second` not 0 each slot has two stops, `second` words apart: the first leads to the second, the second to the
// next slot.
// LINK_WORDS: 1, words are numbered; 4, elements of four words are; 2, the link is the word's address, of 64 bits, and
// words may stand for 2^scale words each, where the dialect has indices of 64 bits.
// BUILD global: LINK_WORDS=1|2|4
// BUILD global: LINK_WORDS=1 SLOTS_2D=1
#include "vocabulary.h"
#include "permutation.h"

// begin, end: the slots whose links are stored; shift: log2 of the words of a slot
ARGS(uint begin; uint end; uint slots; uint shift; uint low; uint high; uint seed; uint base_low; uint base_high;
     uint first; uint spread; uint second; uint scale;)

#if LINK_WORDS == 2
#define STORE_LINK(at, word) STORE_ADDRESS(FAR(at, args.scale), FAR(word, args.scale))
#else
#define STORE_LINK(at, word) STORE(at, (word) / LINK_WORDS);
#endif
#define STOP_WORD(slot) (args.first + SLOT_WORD(slot, args.shift) + spread_of(slot, args.spread))

KERNEL(chain) {
    for (uint slot = args.begin + GLOBAL_ID; slot < args.end; slot += GLOBAL_SIZE) {
        uint next = position_of(slot, args.slots, args.low, args.high, args.seed) + 1u;
        next = permuted(next == args.slots ? 0u : next, args.slots, args.low, args.high, args.seed);
        uint stop = STOP_WORD(slot);
        uint last = stop + args.second;
        STORE_LINK(last, STOP_WORD(next))
        if (args.second != 0u) {
            STORE_LINK(stop, last)
        }
    }
}
