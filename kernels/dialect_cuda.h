// The CUDA dialect, for clang without a toolkit: portable PTX for sm_30 and later. Also read by NVRTC and nvcc.
// Defined outside: WIDTH and the path of A (A_...). The workgroup's size is the launch's.
typedef unsigned int uint;
#if defined __clang__
#define DEVICE __attribute__((device))
#define ENTRY extern "C" __attribute__((global))
#define SHARED __attribute__((shared))
#define READ_REGISTER(name) __nvvm_read_ptx_sreg_##name()
#define LOCAL_ID ((uint)READ_REGISTER(tid_x))
#define GROUP_ID ((uint)READ_REGISTER(ctaid_x))
#define GROUP_SIZE ((uint)READ_REGISTER(ntid_x))
#define GROUP_COUNT ((uint)READ_REGISTER(nctaid_x))
#define BARRIER __syncthreads_();
DEVICE static inline void __syncthreads_() { __nvvm_bar_sync(0); }
#else
#define DEVICE __device__
#define ENTRY extern "C" __global__
#define SHARED __shared__
#define LOCAL_ID threadIdx.x
#define GROUP_ID blockIdx.x
#define GROUP_SIZE blockDim.x
#define GROUP_COUNT gridDim.x
#define BARRIER __syncthreads();
#endif

// Aligned, or a wide load is split in four.
struct alignas(8) Uint2 { uint x, y; };
struct alignas(16) Uint4 { uint x, y, z, w; };
DEVICE static inline void operator+=(Uint2& a, Uint2 b) { a.x += b.x; a.y += b.y; }
DEVICE static inline void operator+=(Uint4& a, Uint4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
#if WIDTH == 1
typedef uint T;
#define SUM_T(v) (v)
#elif WIDTH == 2
typedef Uint2 T;
#define SUM_T(v) ((v).x + (v).y)
#elif WIDTH == 4
typedef Uint4 T;
#define SUM_T(v) ((v).x + (v).y + (v).z + (v).w)
#else
#error "WIDTH must be 1, 2 or 4"
#endif
#define ZERO_T T{}
#define FUNCTION DEVICE static inline
#define STORE(i, v) result[i] = (v)

extern SHARED T scratchpad[];

// Paths. Neither const nor __restrict__ on `global`: both would allow ld.global.nc.
#if defined A_GLOBAL // -> ld.global
#define SOURCE_A T* a
#define STAGE(n)
#define LOAD(i) a[i]
#elif defined A_LOCAL // -> ld.shared
#define SOURCE_A T* a
#define STAGE(n) for (uint staged = LOCAL_ID; staged < (n); staged += GROUP_SIZE) scratchpad[staged] = a[staged]; BARRIER
#define LOAD(i) scratchpad[i]
#else
#error "this path has no CUDA form"
#endif
#define LOAD_B(i) b[i]

#define CLOCK_READ(name, after)                                                                                    \
    unsigned long long name;                                                                                       \
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(name), "+r"(after) : : "memory");
#define CLOCK_STORE(at, name) STORE(at, (uint)(name)); STORE((at) + 1u, (uint)((name) >> 32));

#define ARGS(fields) struct Args { fields };
#define KERNEL(name) ENTRY void name(SOURCE_A, uint* b, uint* result, const Args args)
