// Additions to words of a memory by atomic instructions, as fast as they go.
// A work-item's cell is LOCAL_ID * lane_stride + GROUP_ID * group_stride: one for all, one each side by side, or one each on a line of its
// own. What is added is 1 + LOCAL_ID * pad, with pad = 0 at run time: a compiler that knew it to be one, or the cell to be the same for all
// lanes, would add once per subgroup.
// In a scratchpad the cells are staged before and stored to the result after, those of each workgroup behind the ones before.
// BUILD global scratchpad
#include "vocabulary.h"

ARGS(uint lane_stride; uint group_stride; uint trips; uint stage; uint pad;)

KERNEL(atomics) {
    STAGE(args.stage)
    uint cell = LOCAL_ID * args.lane_stride + GROUP_ID * args.group_stride;
    uint amount = 1u + LOCAL_ID * args.pad;
    for (uint n = 0u; n < args.trips; n += 1u) {
        TIMES16(ATOMIC_ADD(cell, amount);)
    }
    BARRIER
    for (uint at = LOCAL_ID; at < args.stage; at += GROUP_SIZE) {
        STORE(GROUP_ID * args.stage + at, LOAD(at));
    }
}
