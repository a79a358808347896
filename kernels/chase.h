// Dependent loads: the address of each load is the value that the load before it returned. One walk, and who goes on
// it:
//   (no define)    All lanes of a workgroup walk one chain, from word `start` + GROUP_ID * `slice` on.
//   BY_CORE        The same, but only workgroups on core `core` walk, and those on core `other` `slice` words behind
//                  them.
//   OWN_STARTS     Each work-item walks from a word of its own, which the result holds where its link will stand;
//                  `rounds` times.
//   OWN_CLOCKS     With OWN_STARTS: beside its link each lane leaves the time from the begin to the end of its own
//                  walk, by 32 bits of the clock.
//   SOME_LANES     The first `lanes` lanes of a workgroup walk, each from a word `pad` words behind its neighbour's on:
//                  one chain, or one each.
//   SECOND_SOURCE  `rounds` times all lanes touch the first `touch_end` lines of the second source, and then walk.
//
// Lanes of one chain begin at `start + GLOBAL_ID * pad` with pad = 0 at run time, so that no compiler can prove the
// address uniform (AMD's would then take the scalar path without telling anyone).
// Warm-up happens here and not in a dispatch of its own, because GPUs drop their L1 caches between dispatches:
// either `warm` loads of the chain itself, or a touch of the slots touch_begin..touch_end by all lanes at once.
// out: per workgroup, and per round of OWN_STARTS, the clock at begin and end (two words each), then per lane the link
// reached (NOT_WALKED by those that did not walk) and the sum of what it touched (BY_CORE: the core).
// BUILD global global.ca global.cg global.cs global.readonly global.uniform global.pointer texel image2d scratchpad
//       cluster host peer peer.cg
// BUILD constant constant.uniform: WIDTH=4
// BUILD private: PRIVATE_WORDS=4096
// BUILD push: PUSH_WORDS=1000
// BUILD global: HELD=1
// BUILD global: SLOTS_2D=1
// BUILD global: WIDTH=4
// BUILD global global.ca global.cg global.cs global.readonly global.uniform global.pointer texel image2d scratchpad
//       host peer peer.cg: OWN_STARTS=1
// BUILD constant: OWN_STARTS=1 WIDTH=4
// BUILD global: OWN_STARTS=1 SLOTS_2D=1
// BUILD global global.ca global.cg scratchpad: OWN_CLOCKS=1 OWN_STARTS=1
// BUILD global: OWN_STARTS=1 WIDTH=4
// BUILD global global.ca global.cg global.cs global.readonly global.pointer texel scratchpad host
//       peer peer.cg: SOME_LANES=1
// BUILD global constant: SOME_LANES=1 WIDTH=4
// BUILD global global.cg global.uniform texel: BY_CORE=1
// BUILD global constant: BY_CORE=1 WIDTH=4
// BUILD global global.ca global.readonly global.uniform global.pointer texel + global global.readonly texel constant
//       scratchpad
// BUILD constant + global global.readonly texel scratchpad: WIDTH=4
// BUILD global + global: WIDTH=4
#include "vocabulary.h"

#ifdef A_PUSH // the table behind the arguments has the rest of their room
#define UNLESS_PUSH(fields)
#else
#define UNLESS_PUSH(fields) fields
#endif
ARGS(uint steps; uint pad; uint start; uint slice; uint warm; uint touch_begin; uint touch_end; uint shift; uint stage;
     UNLESS_PUSH(uint base_low; uint base_high; uint rounds; uint core; uint other; uint lanes;))

#define BLOCK_WORDS (4u + 2u * GROUP_SIZE)
#define NOT_WALKED 0xFFFFFFFFu
#define TOUCH(TIMES, link)                          \
    uint slot = args.touch_begin + LOCAL_ID;        \
    while (slot < args.touch_end) {                 \
        TIMES(seen += (link); slot += GROUP_SIZE;)  \
    }
#define WALK                                            \
    for (uint n = 0u; n < args.steps; n += 64u) {       \
        TIMES64(i = LINK(i);)                           \
    }
#ifdef OWN_STARTS // the slowest subgroup's time
#define TOGETHER BARRIER
#else
#define TOGETHER
#endif

KERNEL(chase) {
    STAGE(args.stage)
    STAGE_B(args.touch_end * 32u)
    HOLD
    uint block = GROUP_ID * BLOCK_WORDS;
    uint own = block + 4u + 2u * LOCAL_ID;
    uint seen = 0u;
#if defined OWN_STARTS
    for (uint round = 0u; round < args.rounds; round += 1u) {
        INDEX i = LINK_OF(RESULT(own));
#elif defined BY_CORE
    seen = CORE_ID;
    STORE(own, NOT_WALKED);
    STORE(own + 1u, seen);
    if (seen == args.core || seen == args.other) {
        INDEX i = LINK_OF(args.start + (seen == args.core ? 0u : args.slice) + LANE_SPREAD(args.pad));
#elif defined SOME_LANES
    STORE(own, NOT_WALKED);
    STORE(own + 1u, seen);
    if (LOCAL_ID < args.lanes) {
        INDEX i = LINK_OF(args.start + LANE_SPREAD(args.pad));
#else
    {
        INDEX i = LINK_OF(args.start + GROUP_ID * args.slice + LANE_SPREAD(args.pad));
#ifndef SECOND_SOURCE
        TOUCH(TIMES64, NUMBER_OF(LINK(LINK_OF(SLOT_WORD(LOWER(slot, args.touch_end - 1u), args.shift)))))
#endif
#endif
        for (uint n = 0u; n < args.warm; n += 8u) {
            TIMES8(i = LINK(i);)
        }
        TOGETHER
        CLOCK_READ(begin, i)
#ifdef SECOND_SOURCE
        for (uint round = 0u; round < args.rounds; round += 1u) {
            TOUCH(TIMES16, LOAD_B(LOWER(slot, args.touch_end - 1u) * 32u))
            WALK
        }
#else
        WALK
#endif
#ifdef OWN_CLOCKS
        CLOCK_READ(alone, i)
        seen = CLOCK_LOW(alone) - CLOCK_LOW(begin);
#endif
        TOGETHER
        CLOCK_READ(end, i)
        FINISH
        if (LOCAL_ID == 0u) {
            CLOCK_STORE(block, begin)
            CLOCK_STORE(block + 2u, end)
        }
        STORE(own, NUMBER_OF(i));
        STORE(own + 1u, seen + HELD_WORD(args.steps));
        block += GROUP_COUNT * BLOCK_WORDS;
        own += GROUP_COUNT * BLOCK_WORDS;
    }
}
