// Atomic operations on words of a memory, as fast as they go.
// A work-item's cell is LOCAL_ID * lane_stride + GROUP_ID * group_stride: one for all, one each side by side, or one each on a line of its
// own. The operand is 1 + LOCAL_ID * pad, with pad = 0 at run time: a compiler that knew it to be one, or the cell to be the same for all
// lanes, would add once per subgroup. OPERATION: 0 adds and drops the result, 1 adds and keeps it, 2 exchanges, 3 compares with 0 and with the
// operand in turn and puts the other there.
// In a scratchpad the cells are staged before and stored to the result after, those of each workgroup behind the ones before.
// BUILD global scratchpad: OPERATION=0|1|2|3
#include "vocabulary.h"

ARGS(uint lane_stride; uint group_stride; uint trips; uint stage; uint pad;)

#if OPERATION == 0
#define OPERATE ATOMIC_ADD(cell, amount);
#elif OPERATION == 1
#define OPERATE kept += ATOMIC_ADD(cell, amount);
#elif OPERATION == 2
#define OPERATE kept += ATOMIC_EXCHANGE(cell, amount);
#endif

KERNEL(atomics) {
    STAGE(args.stage)
    uint cell = LOCAL_ID * args.lane_stride + GROUP_ID * args.group_stride;
    uint amount = 1u + LOCAL_ID * args.pad;
    uint kept = 0u;
    for (uint n = 0u; n < args.trips; n += 1u) {
#if OPERATION == 3
        TIMES8(kept += ATOMIC_CAS(cell, 0u, amount); kept += ATOMIC_CAS(cell, amount, 0u);)
#else
        TIMES16(OPERATE)
#endif
    }
    if (kept == 0xfffffffeu - args.pad) STORE(LOCAL_ID, kept); // hardly ever, which no compiler knows
    BARRIER
    for (uint at = LOCAL_ID; at < args.stage; at += GROUP_SIZE) {
        STORE(GROUP_ID * args.stage + at, LOAD(at));
    }
}
