// A keyed bijection of 0..slots-1, so that a random single cycle over any number of slots can be built by as many lanes
// as there are, and walked on the host without memory: slot `permuted(p)` is the p-th of the cycle.
// An unbalanced Feistel network over low + high bits, restricted to 0..slots-1 by cycle walking (Black and Rogaway,
// "Ciphers with Arbitrary Finite Domains", 2002). Needs 2^(low+high) >= slots; the walk is short when it is below 2 *
// slots. The host includes this very file, so both sides agree by construction.
#ifndef SONDE_PERMUTATION
#define SONDE_PERMUTATION

FUNCTION uint scramble(uint value, uint key) {
    uint v = (value ^ key) * 0x9E3779B1u;
    v = (v ^ (v >> 15)) * 0x85EBCA77u;
    return v ^ (v >> 13);
}

FUNCTION uint feistel(uint x, uint low, uint high, uint seed) {
    uint low_mask = (1u << low) - 1u;
    uint high_mask = (1u << high) - 1u;
    uint l = x & low_mask;
    uint h = x >> low;
    l = l ^ (scramble(h, seed) & low_mask);
    h = h ^ (scramble(l, seed + 1u) & high_mask);
    l = l ^ (scramble(h, seed + 2u) & low_mask);
    h = h ^ (scramble(l, seed + 3u) & high_mask);
    return (h << low) | l;
}

FUNCTION uint feistel_inverse(uint x, uint low, uint high, uint seed) {
    uint low_mask = (1u << low) - 1u;
    uint high_mask = (1u << high) - 1u;
    uint l = x & low_mask;
    uint h = x >> low;
    h = h ^ (scramble(l, seed + 3u) & high_mask);
    l = l ^ (scramble(h, seed + 2u) & low_mask);
    h = h ^ (scramble(l, seed + 1u) & high_mask);
    l = l ^ (scramble(h, seed) & low_mask);
    return (h << low) | l;
}

FUNCTION uint permuted(uint position, uint slots, uint low, uint high, uint seed) {
    uint x = feistel(position, low, high, seed);
    while (x >= slots) x = feistel(x, low, high, seed);
    return x;
}

FUNCTION uint position_of(uint slot, uint slots, uint low, uint high, uint seed) {
    uint x = feistel_inverse(slot, low, high, seed);
    while (x >= slots) x = feistel_inverse(x, low, high, seed);
    return x;
}

// Words from a slot's begin to its stop: a sector of 8 words that no pattern of slots has in common.
FUNCTION uint spread_of(uint slot, uint spread) { return scramble(slot, 0u) & spread & 0xFFFFFFF8u; }

#endif
