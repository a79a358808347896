// Dependent loads of many lines, one line after the other, by the workgroups on one core, with the clock read around
// each line's: what a load of every line takes from there. Warm-up is here, since others may have driven the line out.
// With BY_CORE a workgroup asks for its core; else its number stands for that.
// A: the first word of every line, `apart` words from one to the next, holds its own number, so that each load's
// address is what the load before it gave.
// Lanes begin at one address, `pad` being 0 at run time. out: per workgroup its core, and per line the clock's
// difference, by 32 bits, and the last link (NOT_WALKED on other cores).
// BUILD global global.cg
// BUILD global global.cg: BY_CORE=1
#include "vocabulary.h"

ARGS(uint core; uint lines; uint apart; uint steps; uint pad;)

#define NOT_WALKED 0xFFFFFFFFu

KERNEL(line_times) {
    uint at = GROUP_ID * (1u + 2u * args.lines);
#ifdef BY_CORE
    uint core = CORE_ID;
#else
    uint core = GROUP_ID;
#endif
    for (uint line = 0u; line < args.lines; line += 1u) {
        uint took = 0u;
        uint reached = NOT_WALKED;
        if (core == args.core) {
            INDEX i = LINK_OF(line * args.apart + LANE_SPREAD(args.pad));
            TIMES8(i = LINK(i);)
            CLOCK_READ(begin, i)
            for (uint n = 0u; n < args.steps; n += 16u) {
                TIMES16(i = LINK(i);)
            }
            CLOCK_READ(end, i)
            took = CLOCK_LOW(end) - CLOCK_LOW(begin);
            reached = NUMBER_OF(i);
        }
        if (LOCAL_ID == 0u) {
            STORE(at + 1u + 2u * line, took);
            STORE(at + 2u + 2u * line, reached);
        }
    }
    if (LOCAL_ID == 0u) {
        STORE(at, core);
    }
}
