// Two work-items hand a cell to and fro: side 0 makes an even count odd, side 1 an odd one even, so the count cannot
// rise unless they alternate.
// They do it by compare-and-swap, or with VISIBLE by a plain flag: a load that acquires, and where it is one's turn a
// store that releases. With VISIBLE and SWAPS it is a compare-and-swap of that scope.
//
// Nobody waits inside a branch: a try is one compare-and-swap or load and a selection, the same for all lanes, since
// where a subgroup has one program counter a lane that spins keeps the other from running. And nobody waits for ever:
// after `trips` times 16 tries a side gives up, as it must where work-items run one after another.
// The sides are the first work-items of workgroups 0 and 1, and the one numbered `second`. With BY_CORE they are the
// first workgroups that meet the cores asked for, of however many there are. Where side 1 is the processor, one
// workgroup runs.
// A: the count, and with BY_CORE the claims of the sides, a line apart. out: by side, eight words each: the count that
// it would wait for next, its tries, the core (BY_CORE), nothing, and the clock at begin and end (two words each);
// behind them the count, where it is in the scratchpad.
// BUILD global scratchpad
// BUILD global: BY_CORE=1
// BUILD global scratchpad host: VISIBLE=0|1|2
// BUILD peer: VISIBLE=2
// BUILD peer: SWAPS=1 VISIBLE=2
// BUILD global: BY_CORE=1 VISIBLE=1|2
// BUILD global scratchpad: SWAPS=1 VISIBLE=0|1|2
// BUILD global: BY_CORE=1 SWAPS=1 VISIBLE=1|2
#include "vocabulary.h"

ARGS(uint exchanges; uint trips; uint second; uint first_core; uint second_core; uint stage;)

#define NOBODY 0xFFFFFFFFu
#ifdef SWAPS
#define SWAPPED SCOPED_CAS
#else
#define SWAPPED ATOMIC_CAS
#endif
#if defined VISIBLE && !defined SWAPS
#define TRY                                                  \
    turn = FLAG_LOAD(0u);                                    \
    if (waited < args.exchanges && turn == waited) {         \
        FLAG_STORE(0u, turn + 1u);                           \
        waited += 2u;                                        \
    }
#else
#define TRY turn = waited < args.exchanges ? waited : NOBODY; waited += SWAPPED(0u, turn, turn + 1u) == turn ? 2u : 0u;
#endif

KERNEL(core_to_core) {
    STAGE(args.stage)
    uint party = NOBODY;
    uint core = 0u;
#ifdef BY_CORE
    core = CORE_ID;
    if (LOCAL_ID == 0u && core == args.first_core) {
        party = ATOMIC_CAS(32u, 0u, 1u) == 0u ? 0u : NOBODY;
    }
    if (LOCAL_ID == 0u && core == args.second_core && party == NOBODY) {
        party = ATOMIC_CAS(64u, 0u, 1u) == 0u ? 1u : NOBODY;
    }
#else
    if (LOCAL_ID == 0u) {
        party = GROUP_ID;
    }
    if (LOCAL_ID == args.second) {
        party = 1u;
    }
#endif
    uint waited = party;
    uint turn = 0u;
    uint tries = 0u;
    CLOCK_READ(begin, waited)
    for (uint n = 0u; n < args.trips && waited < args.exchanges; n += 1u) {
        TIMES16(TRY)
        tries += 16u;
    }
    CLOCK_READ(end, waited)
    BARRIER
    if (party != NOBODY) {
        STORE(8u * party, waited);
        STORE(8u * party + 1u, tries);
        STORE(8u * party + 2u, core);
        CLOCK_STORE(8u * party + 4u, begin)
        CLOCK_STORE(8u * party + 6u, end)
    }
    if (party == 0u && args.stage != 0u) { // a count in memory the host reads, when nobody tries any more
        STORE(16u, LOAD(0u));
    }
}
