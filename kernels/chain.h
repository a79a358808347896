// Builds a chain: the first word of every slot becomes the word index of the next slot of one random cycle over all slots.
#include "vocabulary.h"
#include "permutation.h"

ARGS(uint slots; uint shift; uint low; uint high; uint seed;) // shift: log2 of the words of a slot

KERNEL(chain) {
    for (uint slot = GLOBAL_ID; slot < args.slots; slot += GLOBAL_SIZE) {
        uint next = position_of(slot, args.slots, args.low, args.high, args.seed) + 1u;
        next = permuted(next == args.slots ? 0u : next, args.slots, args.low, args.high, args.seed);
        STORE(slot << args.shift, next << args.shift);
    }
}
