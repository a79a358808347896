// Workgroups that keep values in registers and wait for memory most of the time: how many of them a core takes at once.
// All lanes of a workgroup walk the chain in A from slot GROUP_ID % slots on, slots being of 2^shift words. Each of a
// work-item's VALUES values is squared once a round, with a constant to which the low bits of the last link are added:
// they are 0, which no compiler knows, so that all values live while the loads are under way.
// out: every work-item's last link, and a word made of its values as kernels/arithmetic.h makes one of x = x * x + c.
// BUILD global: VALUES=16|32|48|64|96|128|160|192|224
#include "vocabulary.h"

#define SEEDS 32u // lanes that differ
#define SIXTEEN(DO, v)                                                                                                 \
    DO(v##0) DO(v##1) DO(v##2) DO(v##3) DO(v##4) DO(v##5) DO(v##6) DO(v##7)                                            \
    DO(v##8) DO(v##9) DO(v##a) DO(v##b) DO(v##c) DO(v##d) DO(v##e) DO(v##f)
#define VALUES_16(DO) SIXTEEN(DO, v0)
#define VALUES_32(DO) VALUES_16(DO) SIXTEEN(DO, v1)
#define VALUES_48(DO) VALUES_32(DO) SIXTEEN(DO, v2)
#define VALUES_64(DO) VALUES_48(DO) SIXTEEN(DO, v3)
#define VALUES_96(DO) VALUES_64(DO) SIXTEEN(DO, v4) SIXTEEN(DO, v5)
#define VALUES_128(DO) VALUES_96(DO) SIXTEEN(DO, v6) SIXTEEN(DO, v7)
#define VALUES_160(DO) VALUES_128(DO) SIXTEEN(DO, v8) SIXTEEN(DO, v9)
#define VALUES_192(DO) VALUES_160(DO) SIXTEEN(DO, va) SIXTEEN(DO, vb)
#define VALUES_224(DO) VALUES_192(DO) SIXTEEN(DO, vc) SIXTEEN(DO, vd)
#define VALUES_TEXT(count, DO) VALUES_##count(DO)
#define VALUES_OF(count, DO) VALUES_TEXT(count, DO)
#define BEGIN(v) uint v = seed; seed += args.spacing;
#define SQUARE(v) v = v * v + c;
#define FOLD(v) word = (word * 5u + v) * 5u + args.c;

ARGS(uint rounds; uint slots; uint shift; uint seed; uint spacing; uint c;)

KERNEL(held_registers) {
    uint at = GROUP_ID % args.slots << args.shift;
    uint seed = args.seed + LOCAL_ID % SEEDS * 8u * args.spacing;
    VALUES_OF(VALUES, BEGIN)
    NOT_UNROLLED
    for (uint n = 0u; n < args.rounds; n += 1u) {
        TIMES64(at = LOAD(at);)
        uint c = args.c + (at & ((1u << args.shift) - 1u));
        VALUES_OF(VALUES, SQUARE)
    }
    uint word = 0u;
    VALUES_OF(VALUES, FOLD)
    STORE(2u * GLOBAL_ID, at);
    STORE(2u * GLOBAL_ID + 1u, word);
}
