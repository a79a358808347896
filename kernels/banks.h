// Independent loads from a scratchpad by lanes that stand `stride` elements apart, LOADS neighbours at a time, which
// begin round and round in `elements` (a power of two) and may end behind them: `stage` is so much larger.
// out: the clock of the first work-item's subgroup at begin and end (two words each), then every work-item's sum of the
// words it read.
// BUILD scratchpad: LOADS=4 WIDTH=1|2|4
#include "vocabulary.h"

ARGS(uint elements; uint stride; uint count; uint stage;)

#define READ(k, number) sum##k += LOAD(begin_at + number);

KERNEL(banks) {
    STAGE(args.stage)
    uint at = LOCAL_ID * args.stride;
    EACH_LOAD(BEGIN_SUM)
    BARRIER
    CLOCK_READ(begin, at)
    uint place = at;
    for (uint n = 0u; n < args.count; n += 1u) {
        uint begin_at = place & (args.elements - 1u);
        EACH_LOAD(READ)
        place += LOADS;
    }
    uint sum = 0u;
    EACH_LOAD(ADD_SUM)
    BARRIER // the slowest subgroup's time
    CLOCK_READ(end, sum)
    if (GLOBAL_ID == 0u) {
        CLOCK_STORE(0u, begin)
        CLOCK_STORE(2u, end)
    }
    STORE(4u + GLOBAL_ID, sum);
}
