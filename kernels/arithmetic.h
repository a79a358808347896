// Chains of one operation: CHAINS independent ones in every work-item, each step needing the one before it. A trip of
// the loop holds as many steps of each as the build's `repeat` says: REPEATED is the dialect's.
// The constants lie in registers of a lane's own: `pad` is 0 at run time and no compiler knows it, so that none is an
// operand that all lanes share.
// With SECOND_... a work-item's other chains, of eight together, are of a second operation.
// With DEPENDENT there is one chain of each operation, and each step takes the other one's last result: bits of it that
// are none, as no compiler knows.
// out: per workgroup, the clock at begin and end (two words each), then of every work-item one word made of all that
// its chains carry, and with a second operation behind all of these one word each of its chains.
// BUILD PTX global: CHAINS=1|2|4|8 OPERATION=OP_*
// BUILD PTX global + global: CHAINS=1|2|4|8 OPERATION=OP_LOAD_GLOBAL_U32
// BUILD PTX global + scratchpad: CHAINS=1|2|4|8 OPERATION=OP_LOAD_SCRATCHPAD_U32
// BUILD PTX global: CHAINS=1|2|3|4|5|6|7 OPERATION=OP_FMA_F32 SECOND_OPERATION=OP_MAD_U32|OP_LOGIC_U32|OP_FMA_F64|
//       OP_RCP_F32
// BUILD PTX global: CHAINS=1|2|3|4|5|6|7 OPERATION=OP_MAD_U32 SECOND_OPERATION=OP_FMA_F16X2
// BUILD PTX global: CHAINS=1 DEPENDENT=1 OPERATION=OP_FMA_F32 SECOND_OPERATION=OP_FMA_F32|OP_MAD_U32|OP_FMA_F64|
//       OP_RCP_F32
// BUILD PTX global: CHAINS=1 DEPENDENT=1 OPERATION=OP_MAD_U32 SECOND_OPERATION=OP_MAD_U32|OP_FMA_F16X2
// BUILD PTX global: CHAINS=1 DEPENDENT=1 OPERATION=OP_FMA_F64 SECOND_OPERATION=OP_FMA_F64
// BUILD PTX global: CHAINS=1 DEPENDENT=1 OPERATION=OP_RCP_F32 SECOND_OPERATION=OP_RCP_F32
// BUILD PTX global: CHAINS=1 DEPENDENT=1 OPERATION=OP_FMA_F16X2 SECOND_OPERATION=OP_FMA_F16X2
// BUILD PTX global + global: CHAINS=1 DEPENDENT=1 OPERATION=OP_FMA_F32|OP_MAD_U32|OP_LOAD_GLOBAL_U32
//       SECOND_OPERATION=OP_LOAD_GLOBAL_U32
// BUILD PTX global + scratchpad: CHAINS=1 DEPENDENT=1 OPERATION=OP_FMA_F32|OP_LOAD_SCRATCHPAD_U32
//       SECOND_OPERATION=OP_LOAD_SCRATCHPAD_U32
// BUILD PTX global + global: CHAINS=1|2|3|4|5|6|7 OPERATION=OP_FMA_F32|OP_MAD_U32 SECOND_OPERATION=OP_LOAD_GLOBAL_U32
// BUILD PTX global + scratchpad: CHAINS=1|2|3|4|5|6|7 OPERATION=OP_FMA_F32 SECOND_OPERATION=OP_LOAD_SCRATCHPAD_U32
#include "vocabulary.h"
#include "chains.h"
#include "operations.h"

#ifdef DEPENDENT
#undef EACH_SECOND
#define EACH_SECOND(DO) CHAINS_1(DO)
#endif
#ifdef SECOND_OPERATION
#define GROUP_WORDS (4u + GROUP_SIZE * 2u)
#else
#undef EACH_SECOND
#define EACH_SECOND(DO)
#define GROUP_WORDS (4u + GROUP_SIZE)
#endif
#define SEEDS 32u        // lanes that differ
#define TABLE_WORDS 1024u // that loads are of
#define FIRST(what) JOINED(what, KIND_OF(OPERATION))
#define SECOND(what) JOINED(what, KIND_OF(SECOND_OPERATION))
#define BEGIN(k, number) FIRST(NUMBER_) x##k = FIRST(SEEDED_)(first + number * args.spacing), y##k = c;
#ifdef DEPENDENT
#define ADVANCE(k, number)                                                                                             \
    x##k = FIRST(MERGED_)(x##k, SECOND(BITS_)(u##k) & zero);                                                           \
    OPERATION(ONLY_STEP, x##k, y##k, c, d)
#define ADVANCE_SECOND(k, number)                                                                                      \
    u##k = SECOND(MERGED_)(u##k, FIRST(BITS_)(x##k) & zero);                                                           \
    SECOND_OPERATION(ONLY_STEP, u##k, v##k, second_c, second_d)
#else
#define ADVANCE(k, number) OPERATION(ONLY_STEP, x##k, y##k, c, d)
#define ADVANCE_SECOND(k, number) SECOND_OPERATION(ONLY_STEP, u##k, v##k, second_c, second_d)
#endif
#define KEEP(k, number) KEEP_PAIR(FIRST(REGISTER_), x##k, y##k)
#define END(k, number) FIRST(FOLD_)(word, x##k, y##k)
#define BEGIN_SECOND(k, number)                                                                                        \
    SECOND(NUMBER_) u##k = SECOND(SEEDED_)(second_first + number * args.second_spacing), v##k = second_c;
#define KEEP_SECOND(k, number) KEEP_PAIR(SECOND(REGISTER_), u##k, v##k)
#define END_SECOND(k, number) SECOND(FOLD_)(second_word, u##k, v##k)

ARGS(uint rounds; uint seed; uint spacing; uint c_low; uint c_high; uint d_low; uint d_high; uint second_seed;
     uint second_spacing; uint second_c_low; uint second_c_high; uint second_d_low; uint second_d_high; uint pad;)

KERNEL(arithmetic) {
    STAGE_B(TABLE_WORDS)
    uint first = args.seed + LOCAL_ID % SEEDS * 8u * args.spacing;
    FIRST(NUMBER_) c = FIRST(VALUE_)(args.c_low + LOCAL_ID * args.pad, args.c_high);
    FIRST(NUMBER_) d = FIRST(VALUE_)(args.d_low + LOCAL_ID * args.pad, args.d_high);
#ifdef SECOND_OPERATION
    uint second_first = args.second_seed + LOCAL_ID % SEEDS * 8u * args.second_spacing;
    SECOND(NUMBER_) second_c = SECOND(VALUE_)(args.second_c_low + LOCAL_ID * args.pad, args.second_c_high);
    SECOND(NUMBER_) second_d = SECOND(VALUE_)(args.second_d_low + LOCAL_ID * args.pad, args.second_d_high);
#endif
#ifdef DEPENDENT
    uint zero = LOCAL_ID * args.pad;
#endif
    CLOCK_READ(begin, first)
    EACH_CHAIN(BEGIN)
    EACH_SECOND(BEGIN_SECOND)
    NOT_UNROLLED
    for (uint n = 0u; n < args.rounds; n += 1u) {
        REPEATED(EACH_CHAIN(KEEP) EACH_SECOND(KEEP_SECOND), EACH_CHAIN(ADVANCE) EACH_SECOND(ADVANCE_SECOND))
    }
    uint word = 0u;
    EACH_CHAIN(END)
    uint second_word = 0u;
    EACH_SECOND(END_SECOND)
    uint both = word + second_word;
    BARRIER // the slowest subgroup's time
    CLOCK_READ(end, both) // once all is known
    uint block = GROUP_ID * GROUP_WORDS;
    if (LOCAL_ID == 0u) {
        CLOCK_STORE(block, begin)
        CLOCK_STORE(block + 2u, end)
    }
    STORE(block + 4u + LOCAL_ID, both - second_word);
#ifdef SECOND_OPERATION
    STORE(block + 4u + GROUP_SIZE + LOCAL_ID, second_word);
#endif
}
