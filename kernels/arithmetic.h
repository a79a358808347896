// Chains of one operation: CHAINS independent ones in every work-item, each step needing the one before it. A trip of the loop holds as many steps of
// each as the build's `repeat` says: REPEATED is the dialect's.
// The constants lie in registers of a lane's own: `pad` is 0 at run time and no compiler knows it, so that none is an operand that all lanes share.
// With SECOND_... a work-item's other chains, of eight together, are of a second operation.
// out: per workgroup, the clock at begin and end (two words each), then of every work-item one word made of all that its chains carry, and with a second
// operation behind all of these one word each of its chains.
// BUILD PTX global: CHAINS=1|2|4|8 OP_*=1
// BUILD PTX global: CHAINS=1|2|3|4|5|6|7 OP_FMA_F32=1 SECOND_MAD_U32=1
// BUILD PTX global: CHAINS=1|2|3|4|5|6|7 OP_FMA_F32=1 SECOND_LOGIC_U32=1
// BUILD PTX global: CHAINS=1|2|3|4|5|6|7 OP_FMA_F32=1 SECOND_FMA_F64=1
// BUILD PTX global: CHAINS=1|2|3|4|5|6|7 OP_FMA_F32=1 SECOND_RCP_F32=1
// BUILD PTX global: CHAINS=1|2|3|4|5|6|7 OP_MAD_U32=1 SECOND_FMA_F16X2=1
#include "vocabulary.h"
#include "operations.h"

#define CHAINS_1(DO) DO(0, 0u)
#define CHAINS_2(DO) CHAINS_1(DO) DO(1, 1u)
#define CHAINS_3(DO) CHAINS_2(DO) DO(2, 2u)
#define CHAINS_4(DO) CHAINS_3(DO) DO(3, 3u)
#define CHAINS_5(DO) CHAINS_4(DO) DO(4, 4u)
#define CHAINS_6(DO) CHAINS_5(DO) DO(5, 5u)
#define CHAINS_7(DO) CHAINS_6(DO) DO(6, 6u)
#if CHAINS == 1
#define EACH_CHAIN(DO) CHAINS_1(DO)
#define EACH_SECOND(DO) CHAINS_7(DO)
#elif CHAINS == 2
#define EACH_CHAIN(DO) CHAINS_2(DO)
#define EACH_SECOND(DO) CHAINS_6(DO)
#elif CHAINS == 3
#define EACH_CHAIN(DO) CHAINS_3(DO)
#define EACH_SECOND(DO) CHAINS_5(DO)
#elif CHAINS == 4
#define EACH_CHAIN(DO) CHAINS_4(DO)
#define EACH_SECOND(DO) CHAINS_4(DO)
#elif CHAINS == 5
#define EACH_CHAIN(DO) CHAINS_5(DO)
#define EACH_SECOND(DO) CHAINS_3(DO)
#elif CHAINS == 6
#define EACH_CHAIN(DO) CHAINS_6(DO)
#define EACH_SECOND(DO) CHAINS_2(DO)
#elif CHAINS == 7
#define EACH_CHAIN(DO) CHAINS_7(DO)
#define EACH_SECOND(DO) CHAINS_1(DO)
#else
#define EACH_CHAIN(DO) CHAINS_7(DO) DO(7, 7u)
#endif
#ifndef SECOND_STEP
#undef EACH_SECOND
#define EACH_SECOND(DO)
#define GROUP_WORDS (4u + GROUP_SIZE)
#else
#define GROUP_WORDS (4u + GROUP_SIZE * 2u)
#endif
#define SEEDS 32u // lanes that differ
#define BEGIN(k, number) NUMBER x##k = SEEDED(first + number * args.spacing), y##k = c;
#define ADVANCE(k, number) STEP(x##k, y##k)
#define KEEP(k, number) KEEP_PAIR(REGISTER_OF, x##k, y##k)
#ifdef NEAR
#define END(k, number) total += TO_FLOAT(x##k);
#else
#define END(k, number) ADD_BITS(x##k) ADD_BITS(y##k)
#endif
#define BEGIN_SECOND(k, number) SECOND_NUMBER u##k = SECOND_SEEDED(second_first + number * args.second_spacing), v##k = second_c;
#define ADVANCE_SECOND(k, number) SECOND_STEP(u##k, v##k)
#define KEEP_SECOND(k, number) KEEP_PAIR(SECOND_REGISTER_OF, u##k, v##k)
#ifdef SECOND_NEAR
#define END_SECOND(k, number) second_total += TO_FLOAT(u##k);
#else
#define END_SECOND(k, number) SECOND_ADD_BITS(u##k) SECOND_ADD_BITS(v##k)
#endif

ARGS(uint rounds; uint seed; uint spacing; uint c_low; uint c_high; uint d_low; uint d_high; uint second_seed; uint second_spacing; uint second_c_low; uint second_c_high; uint second_d_low; uint second_d_high; uint pad;)

KERNEL(arithmetic) {
    uint first = args.seed + LOCAL_ID % SEEDS * 8u * args.spacing;
    NUMBER c = VALUE_OF(args.c_low + LOCAL_ID * args.pad, args.c_high);
    NUMBER d = VALUE_OF(args.d_low + LOCAL_ID * args.pad, args.d_high);
#ifdef SECOND_STEP
    uint second_first = args.second_seed + LOCAL_ID % SEEDS * 8u * args.second_spacing;
    SECOND_NUMBER second_c = SECOND_VALUE_OF(args.second_c_low + LOCAL_ID * args.pad, args.second_c_high);
    SECOND_NUMBER second_d = SECOND_VALUE_OF(args.second_d_low + LOCAL_ID * args.pad, args.second_d_high);
#endif
    CLOCK_READ(begin, first)
    EACH_CHAIN(BEGIN)
    EACH_SECOND(BEGIN_SECOND)
    NOT_UNROLLED
    for (uint n = 0u; n < args.rounds; n += 1u) {
        REPEATED(EACH_CHAIN(KEEP) EACH_SECOND(KEEP_SECOND), EACH_CHAIN(ADVANCE) EACH_SECOND(ADVANCE_SECOND))
    }
#ifdef NEAR
    float total = 0.0f;
    EACH_CHAIN(END)
    uint word = BITS_OF(total);
#else
    uint word = 0u;
    EACH_CHAIN(END)
#endif
#ifdef SECOND_STEP
    uint first_word = word;
#ifdef SECOND_NEAR
    float second_total = 0.0f;
    EACH_SECOND(END_SECOND)
    word = BITS_OF(second_total);
#else
    word = 0u;
    EACH_SECOND(END_SECOND)
#endif
    word += first_word;
#endif
    CLOCK_READ(end, word)
    uint block = GROUP_ID * GROUP_WORDS;
    if (LOCAL_ID == 0u) {
        CLOCK_STORE(block, begin)
        CLOCK_STORE(block + 2u, end)
    }
#ifdef SECOND_STEP // the clock is read once both are known: by their sum
    STORE(block + 4u + GROUP_SIZE + LOCAL_ID, word - first_word);
    word = first_word;
#endif
    STORE(block + 4u + LOCAL_ID, word);
}
