// Atomic operations on elements of a memory, as fast as they go: words, or with TYPE_U64, TYPE_F32 or TYPE_F64 numbers
// of that type.
// A work-item's cell is LOCAL_ID * lane_stride + GROUP_ID * group_stride: one for all, one each side by side, or one
// each on a line of its own. The operand is 1 + LOCAL_ID * pad, with pad = 0 at run time: a compiler that knew it to be
// one, or the cell to be the same for all lanes, would add once per subgroup. OPERATION: 0 adds and drops the result, 1
// adds and keeps it, 2 exchanges, 3 compares with 0 and with the operand in turn and puts the other there; 4 and 5
// exchange and compare like 2 and 3, and drop the result. Of a result that is kept one word is summed up, so that no
// sum of doubles is what takes the time.
// In a scratchpad the cells are staged before and stored to the result after, word by word, those of each workgroup
// behind the ones before.
// BUILD global scratchpad peer: OPERATION=0|1|2|3|4|5
// BUILD global scratchpad peer: OPERATION=0|1|2|3|4|5 TYPE_U64=1 WIDTH=2
// BUILD global scratchpad peer: OPERATION=0|1 TYPE_F32=1
// BUILD global scratchpad peer: OPERATION=0|1 TYPE_F64=1 WIDTH=2
#include "vocabulary.h"

ARGS(uint lane_stride; uint group_stride; uint trips; uint stage; uint pad;)

#if OPERATION == 0
#define OPERATE ATOMIC_REDUCE(cell, amount);
#elif OPERATION == 1
#define OPERATE kept += WORD_OF(ATOMIC_ADD(cell, amount), 0);
#elif OPERATION == 2
#define OPERATE kept += WORD_OF(ATOMIC_EXCHANGE(cell, amount), 0);
#elif OPERATION == 4
#define OPERATE ATOMIC_EXCHANGE(cell, amount);
#endif

KERNEL(atomics) {
    STAGE(args.stage)
    uint cell = LOCAL_ID * args.lane_stride + GROUP_ID * args.group_stride;
    T amount = SPLAT_T(1u + LOCAL_ID * args.pad);
    uint kept = 0u;
    for (uint n = 0u; n < args.trips; n += 1u) {
#if OPERATION == 3
        TIMES8(kept += WORD_OF(ATOMIC_CAS(cell, ZERO_T, amount), 0);
               kept += WORD_OF(ATOMIC_CAS(cell, amount, ZERO_T), 0);)
#elif OPERATION == 5
        TIMES8(ATOMIC_CAS(cell, ZERO_T, amount); ATOMIC_CAS(cell, amount, ZERO_T);)
#else
        TIMES16(OPERATE)
#endif
    }
    if (kept == 0xfffffffeu - args.pad) STORE(LOCAL_ID, kept); // hardly ever, which no compiler knows
    BARRIER
    for (uint at = LOCAL_ID; at < args.stage; at += GROUP_SIZE) {
        uint place = (WIDTH * 1u) * (GROUP_ID * args.stage + at);
        STORE(place, WORD_OF(LOAD(at), 0));
#if WIDTH == 2
        STORE(place + 1u, WORD_OF(LOAD(at), 1));
#endif
    }
}
