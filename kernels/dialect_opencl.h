// The OpenCL C dialect (1.2, and 1.1 where it compiles). The backend defines GROUP_SIZE, WIDTH, the path of A (A_...) and, where
// the device has one, a clock: CLOCK_PTX, CLOCK_AMD or CLOCK_CYCLE_COUNTER.
#if WIDTH == 1
typedef uint T;
#define SUM_T(v) (v)
#elif WIDTH == 2
typedef uint2 T;
#define SUM_T(v) ((v).x + (v).y)
#elif WIDTH == 4
typedef uint4 T;
#define SUM_T(v) ((v).x + (v).y + (v).z + (v).w)
#else
#error "WIDTH must be 1, 2 or 4"
#endif
#define ZERO_T ((T)(0u))
#define FUNCTION
#define LOCAL_ID ((uint)get_local_id(0))
#define GROUP_ID ((uint)get_group_id(0))
#define GROUP_COUNT ((uint)get_num_groups(0))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE);
#define STORE(i, v) result[i] = (v)

// Paths. Neither const nor restrict on `global`: both would allow the read-only path.
#if defined A_GLOBAL
#define SOURCE_A __global T* a
#define STAGE(n)
#define LOAD(i) a[i]
#elif defined A_LOCAL
#define SOURCE_A __global T* a
#define STAGE(n) for (uint staged = LOCAL_ID; staged < (n); staged += GROUP_SIZE) scratchpad[staged] = a[staged]; BARRIER
#define LOAD(i) scratchpad[i]
#else
#error "this path has no OpenCL form"
#endif
#define LOAD_B(i) b[i]

// A clock is read after `after` is known: the clock's own instruction does not wait for the loads before it.
#if defined CLOCK_PTX // clock64 of one SM counts core cycles; seen as S2UR/CS2R SR_CLOCKLO in SASS
#define CLOCK_READ(name, after) ulong name; asm volatile("mov.u64 %0, %%clock64;" : "=l"(name), "+r"(after) : : "memory");
#elif defined CLOCK_AMD // s_memtime counts core cycles; gfx11 and later have none, and the compiler then refuses it
#define CLOCK_READ(name, after)                          \
    __asm__ volatile("" : : "v"(after) : "memory");           \
    ulong name = __builtin_amdgcn_s_memtime();            \
    __asm__ volatile("" : : : "memory");
#elif defined CLOCK_CYCLE_COUNTER // the TSC
#if !defined __x86_64__ && !defined __i386__
#error "elsewhere a user program may not read the counter"
#endif
// No lfence in front, though rdtsc alone does not wait for the chase: PoCL 5 aborts on any inline assembly, and the error, the same in
// short and long walks, drops out of the slope.
#define CLOCK_READ(name, after) ulong name = __builtin_readcyclecounter();
#else
#define CLOCK_READ(name, after)
#define CLOCK_STORE(at, name) STORE(at, 0u); STORE((at) + 1u, 0u);
#endif
#ifndef CLOCK_STORE
#define CLOCK_STORE(at, name) STORE(at, (uint)(name)); STORE((at) + 1u, (uint)((name) >> 32));
#endif

#define ARGS(fields) typedef struct { fields } Args;
#define KERNEL(name)                                                                                                            \
    __kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void name(SOURCE_A, __global uint* b, __global uint* result, \
                                                                               const Args args, __local T* scratchpad)
