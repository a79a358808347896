// Reads of the clock, each after what the one before it gave. A trip of the loop holds as many as the build's `repeat`
// says: REPEATED is the dialect's.
// With BETWEEN so many operations of a chain stand between two reads; the first of them takes what the read gave, a bit
// that is none, as no compiler knows.
// With READS_CLOCK, READS_GLOBALTIMER or READS_DEVICE_CLOCK it is not the API's usual counter that is read: %clock,
// %globaltimer, or Vulkan's of the device.
// out: of every work-item the clock at begin and end (two words each), what passed from begin to each read, all of it
// or-ed: its top bit is 0 where the clock never went back; and what the chain between arrives at.
// BUILD PTX global
// BUILD PTX global: BETWEEN=0|1|4|16
// BUILD PTX global: READS_CLOCK=1
// BUILD PTX global: READS_GLOBALTIMER=1
// BUILD PTX global: BETWEEN=0|1|4|16 READS_CLOCK=1
// BUILD PTX global: BETWEEN=0|1|4|16 READS_GLOBALTIMER=1
#include "vocabulary.h"

#if defined DIALECT_CUDA
#define COUNTER_T unsigned long long
#else
#define COUNTER_T ulong
#endif
#if defined READS_CLOCK
#undef CLOCK_READ
#define CLOCK_READ(name, after)                                                                                        \
    uint name##_low;                                                                                                   \
    asm volatile("mov.u32 %0, %%clock;" : "=r"(name##_low), INDEX_REGISTER(after) : : "memory");                       \
    COUNTER_T name = name##_low;
#elif defined READS_GLOBALTIMER
#undef CLOCK_READ
#define CLOCK_READ(name, after)                                                                                        \
    COUNTER_T name;                                                                                                    \
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(name), INDEX_REGISTER(after) : : "memory");
#endif

#ifndef REGISTER_OF
#define REGISTER_OF "+r"
#endif

#define CHAIN_STEP number = number * number + 1013904223u;
#if !defined BETWEEN || BETWEEN == 0
#define CHAIN_STEPS
#elif BETWEEN == 1
#define CHAIN_STEPS CHAIN_STEP
#elif BETWEEN == 4
#define CHAIN_STEPS TIMES4(CHAIN_STEP)
#elif BETWEEN == 16
#define CHAIN_STEPS TIMES16(CHAIN_STEP)
#else
#error "BETWEEN must be 0, 1, 4 or 16"
#endif
#ifdef BETWEEN
#define KEPT_REGISTERS KEEP_PAIR(REGISTER_OF, first, passed) KEEP_PAIR(REGISTER_OF, number, passed)
#define NEXT_READ { CLOCK_READ(now, number) passed |= CLOCK_LOW(now) - first; number += passed >> 31; CHAIN_STEPS }
#else
#define KEPT_REGISTERS KEEP_PAIR(REGISTER_OF, first, passed)
#define NEXT_READ { CLOCK_READ(now, passed) passed |= CLOCK_LOW(now) - first; }
#endif

ARGS(uint rounds; uint pad;)

KERNEL(clock_read) {
    uint passed = LOCAL_ID * args.pad, number = passed + 1u;
    CLOCK_READ(begin, passed)
    uint first = CLOCK_LOW(begin);
    NOT_UNROLLED
    for (uint n = 0u; n < args.rounds; n += 1u) {
        REPEATED(KEPT_REGISTERS, NEXT_READ)
    }
    CLOCK_READ(end, passed)
    uint own = GLOBAL_ID * 6u;
    CLOCK_STORE(own, begin)
    CLOCK_STORE(own + 2u, end)
    STORE(own + 4u, passed);
    STORE(own + 5u, number);
}
