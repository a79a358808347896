// The OpenCL C dialect (1.2, and 1.1 where it compiles). The backend defines GROUP_SIZE, WIDTH, the path of A (A_...),
// where the device has them a clock (CLOCK_...) and a core's number (CORE_...; backends/opencl/registers.cpp), and
// VENDOR_NVIDIA where inline PTX is taken or VENDOR_AMD.
#if defined TYPE_U64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef ulong T;
#elif defined TYPE_F32
typedef float T;
#define PTX_LOAD(opcode, v, at) __asm__ volatile(opcode ".f32 %0, [%1];" : "=f"(v) : "l"(at))
#define PTX_STORE(opcode, v, at) __asm__ volatile(opcode ".f32 [%0], %1;" : : "l"(at), "f"(v) : "memory")
#elif defined TYPE_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double T;
#define PTX_LOAD(opcode, v, at) __asm__ volatile(opcode ".f64 %0, [%1];" : "=d"(v) : "l"(at))
#define PTX_STORE(opcode, v, at) __asm__ volatile(opcode ".f64 [%0], %1;" : : "l"(at), "d"(v) : "memory")
#elif WIDTH == 1
typedef uint T;
#define PTX_LOAD(opcode, v, at) __asm__ volatile(opcode ".u32 %0, [%1];" : "=r"(v) : "l"(at))
#define PTX_STORE(opcode, v, at) __asm__ volatile(opcode ".u32 [%0], %1;" : : "l"(at), "r"(v) : "memory")
#elif WIDTH == 2
typedef uint2 T;
#define PTX_LOAD(opcode, v, at) __asm__ volatile(opcode ".v2.u32 {%0, %1}, [%2];" : "=r"((v).x), "=r"((v).y) : "l"(at))
#define PTX_STORE(opcode, v, at)                                                                                       \
    __asm__ volatile(opcode ".v2.u32 [%0], {%1, %2};" : : "l"(at), "r"((v).x), "r"((v).y) : "memory")
#elif WIDTH == 4
typedef uint4 T;
#define PTX_LOAD(opcode, v, at)                                                                                        \
    __asm__ volatile(opcode ".v4.u32 {%0, %1, %2, %3}, [%4];"                                                          \
                     : "=r"((v).x), "=r"((v).y), "=r"((v).z), "=r"((v).w)                                              \
                     : "l"(at))
#define PTX_STORE(opcode, v, at)                                                                                       \
    __asm__ volatile(opcode ".v4.u32 [%0], {%1, %2, %3, %4};"                                                          \
                     : : "l"(at), "r"((v).x), "r"((v).y), "r"((v).z), "r"((v).w)                                       \
                     : "memory")
#else
#error "WIDTH must be 1, 2 or 4"
#endif
#define ZERO_T ((T)(0u))
#define SPLAT_T(v) ((T)(v))
#define FUNCTION
#define LOCAL_ID ((uint)get_local_id(0))
#define GROUP_ID ((uint)get_group_id(0))
#define GROUP_COUNT ((uint)get_num_groups(0))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE);
#define ADDRESS ulong

// Paths. Neither const nor restrict on `global`: both would allow the read-only path.
#if (defined BITS || defined PACKED) && !defined A_GLOBAL && !defined A_GLOBAL_POINTER
#error "only paths global and global.pointer have words of fewer bits, or at any byte"
#elif defined PACKED
#define SOURCE_A __global uchar* a
#ifdef BITS // 16
#define LOAD(i) ((uint)as_ushort(vload2(0, a + (i))))
#define STORE_A(i, v) vstore2(as_uchar2((ushort)(v)), 0, a + (i))
#elif WIDTH == 1
#define LOAD(i) as_uint(vload4(0, a + (i)))
#define STORE_A(i, v) vstore4(as_uchar4(v), 0, a + (i))
#elif WIDTH == 2
#define LOAD(i) as_uint2(vload8(0, a + (i)))
#define STORE_A(i, v) vstore8(as_uchar8(v), 0, a + (i))
#else
#define LOAD(i) as_uint4(vload16(0, a + (i)))
#define STORE_A(i, v) vstore16(as_uchar16(v), 0, a + (i))
#endif
#elif defined BITS
#if BITS == 8
#define SOURCE_A __global uchar* a
#define STORE_A(i, v) a[i] = (uchar)(v)
#else
#define SOURCE_A __global ushort* a
#define STORE_A(i, v) a[i] = (ushort)(v)
#endif
#define LOAD(i) ((uint)a[i])
#elif defined A_GLOBAL || defined A_HOST || defined A_PRIVATE || defined A_SCRATCHPAD
#elif defined A_GLOBAL_CA && defined VENDOR_NVIDIA
#define OPCODE "ld.global.ca"
#elif defined A_GLOBAL_CG && defined VENDOR_NVIDIA
#define OPCODE "ld.global.cg"
#elif defined A_GLOBAL_CG && defined VENDOR_AMD // volatile loads carry glc: past L1
#define SOURCE_A volatile __global T* a
#elif defined A_GLOBAL_CS && defined VENDOR_NVIDIA
#define OPCODE "ld.global.cs"
void stored_by_ptx(__global T* at, T v) { PTX_STORE("st.global.cs", v, at); }
#define STORE_A(i, v) stored_by_ptx(a + (i), v)
#elif defined A_GLOBAL_CS // clang's
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if !__has_builtin(__builtin_nontemporal_store)
#error "unsupported: the driver's compiler has no __builtin_nontemporal_store"
#endif
#define LOAD(i) __builtin_nontemporal_load(a + (i))
#define STORE_A(i, v) __builtin_nontemporal_store(v, a + (i))
#elif defined A_GLOBAL_READONLY || defined A_GLOBAL_UNIFORM
// AMD's compiler takes the scalar path only for what nobody writes
#define SOURCE_A __global const T* restrict a
#elif defined A_GLOBAL_POINTER
#define LINK(i) (*(__global ulong*)(i))
#elif defined A_TEXEL
#define SOURCE_A __read_only image1d_buffer_t a
#define LOAD(i) OF_FOUR(read_imageui(a, (int)(i)))
#elif defined A_IMAGE2D
#define SOURCE_A __read_only image2d_t a
__constant sampler_t plain = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
#define LOAD(i) read_imageui(a, plain, (int2)((int)((i) & (IMAGE_ROW - 1u)), (int)((i) >> IMAGE_ROW_BITS))).x
#elif defined A_CONSTANT || defined A_CONSTANT_UNIFORM
#define SOURCE_A __constant T* a
#else
#error "this path has no OpenCL form here"
#endif
#ifdef OPCODE
T loaded_by_ptx(__global T* at) { T v; PTX_LOAD(OPCODE, v, at); return v; }
#define LOAD(i) loaded_by_ptx(a + (i))
#endif
#ifndef SOURCE_A
#define SOURCE_A __global T* a
#endif

// The second source: words of 32 bits, or with WIDE_B elements like A's.
#ifdef WIDE_B
typedef T TB;
#else
typedef uint TB;
#endif
#if defined B_GLOBAL
#elif defined B_GLOBAL_READONLY
#define SOURCE_B __global const TB* restrict b
#elif defined B_TEXEL
#define SOURCE_B __read_only image1d_buffer_t b
#define LOAD_B(i) OF_FOUR_B(read_imageui(b, (int)(i)))
#elif defined B_CONSTANT
#define SOURCE_B __constant TB* b
#elif defined B_SCRATCHPAD
#define SCRATCHPAD_B(i) ((__local TB*)scratchpad)[i]
#elif defined SECOND_SOURCE
#error "this path has no OpenCL form for a second source"
#endif
#ifndef SOURCE_B
#define SOURCE_B __global TB* b
#endif

// Atomic functions on elements of the path's memory: of OpenCL 1.1, of cl_khr_int64_base_atomics, and of
// cl_ext_float_atomics, in whose place NVIDIA's driver takes inline PTX.
#ifdef A_SCRATCHPAD
#define SPACE_A __local
#define PTX_SPACE "shared"
#else
#define SPACE_A __global
#define PTX_SPACE "global"
#endif
#if defined TYPE_U64
#define ATOMIC_CAS(i, expected, desired) atom_cmpxchg(&LOAD(i), expected, desired)
#define ATOMIC_ADD(i, v) atom_add(&LOAD(i), v)
#define ATOMIC_EXCHANGE(i, v) atom_xchg(&LOAD(i), v)
#elif (defined TYPE_F32 || defined TYPE_F64) && defined VENDOR_NVIDIA
#ifdef TYPE_F32
#define PTX_TYPE "f32"
#define PTX_REGISTER "f"
#else
#define PTX_TYPE "f64"
#define PTX_REGISTER "d"
#endif
static inline T added_by_ptx(SPACE_A T* at, T v) {
    T old;
    __asm__ volatile("atom." PTX_SPACE ".add." PTX_TYPE " %0, [%1], %2;"
                     : "=" PTX_REGISTER(old) : "l"(at), PTX_REGISTER(v) : "memory");
    return old;
}
static inline void reduced_by_ptx(SPACE_A T* at, T v) {
    __asm__ volatile("red." PTX_SPACE ".add." PTX_TYPE " [%0], %1;" : : "l"(at), PTX_REGISTER(v) : "memory");
}
#define ATOMIC_ADD(i, v) added_by_ptx(&LOAD(i), v)
#define ATOMIC_REDUCE(i, v) reduced_by_ptx(&LOAD(i), v)
#elif defined TYPE_F32
#define ATOMIC_ADD(i, v) atomic_fetch_add_explicit((volatile SPACE_A atomic_float*)&LOAD(i), v, memory_order_relaxed)
#elif defined TYPE_F64
#define ATOMIC_ADD(i, v) atomic_fetch_add_explicit((volatile SPACE_A atomic_double*)&LOAD(i), v, memory_order_relaxed)
#else
#define ATOMIC_CAS(i, expected, desired) atomic_cmpxchg(&LOAD(i), expected, desired)
#define ATOMIC_ADD(i, v) atomic_add(&LOAD(i), v)
#define ATOMIC_EXCHANGE(i, v) atomic_xchg(&LOAD(i), v)
#endif
#define FRESH(i) (*(volatile SPACE_A T*)&LOAD(i)) // past L1: what other cores' atomic functions have left

// A flag's load that acquires and its store that releases, and a compare-and-swap, as seen by the workgroup (VISIBLE
// 0), the device (1), or the processor as well (2).
#if defined VISIBLE && defined VENDOR_NVIDIA
#if VISIBLE == 0
#define FLAG_SCOPE ".cta."
#elif VISIBLE == 1
#define FLAG_SCOPE ".gpu."
#else
#define FLAG_SCOPE ".sys."
#endif
static inline uint flag_loaded(SPACE_A uint* at) {
    uint v;
    __asm__ volatile("ld.acquire" FLAG_SCOPE PTX_SPACE ".u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    return v;
}
static inline void flag_stored(SPACE_A uint* at, uint v) {
    __asm__ volatile("st.release" FLAG_SCOPE PTX_SPACE ".u32 [%0], %1;" : : "l"(at), "r"(v) : "memory");
}
static inline uint swapped(SPACE_A uint* at, uint expected, uint desired) {
    uint v;
    __asm__ volatile("atom.relaxed" FLAG_SCOPE PTX_SPACE ".cas.b32 %0, [%1], %2, %3;"
                     : "=r"(v)
                     : "l"(at), "r"(expected), "r"(desired)
                     : "memory");
    return v;
}
#define SCOPED_CAS(i, expected, desired) swapped(&LOAD(i), expected, desired)
#define FLAG_LOAD(i) flag_loaded(&LOAD(i))
#define FLAG_STORE(i, v) flag_stored(&LOAD(i), v)
#elif defined VISIBLE
#if VISIBLE == 0
#define FLAG_SCOPE memory_scope_work_group
#elif VISIBLE == 1
#define FLAG_SCOPE memory_scope_device
#elif defined __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES
// clang's number of it: PoCL's compiler does not declare the name, though its devices have the scope
#define FLAG_SCOPE ((memory_scope)__OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES)
#else
#define FLAG_SCOPE memory_scope_all_svm_devices
#endif
#ifdef SWAPS
static inline uint swapped(volatile SPACE_A atomic_uint* at, uint expected, uint desired) {
    atomic_compare_exchange_strong_explicit(
        at, &expected, desired, memory_order_relaxed, memory_order_relaxed, FLAG_SCOPE);
    return expected; // what was there
}
#define SCOPED_CAS(i, expected, desired) swapped((volatile SPACE_A atomic_uint*)&LOAD(i), expected, desired)
#endif
#define FLAG_LOAD(i) atomic_load_explicit((volatile SPACE_A atomic_uint*)&LOAD(i), memory_order_acquire, FLAG_SCOPE)
#define FLAG_STORE(i, v)                                                                                               \
    atomic_store_explicit((volatile SPACE_A atomic_uint*)&LOAD(i), v, memory_order_release, FLAG_SCOPE)
#endif
#if defined TYPE_F32
#define WORD_OF(v, n) as_uint(v)
#elif defined TYPE_U64 || defined TYPE_F64
#define WORD_OF(v, n) as_uint2(v).s##n
#endif

// One of the four words of an element as a floating-point number, and the word of such a number.
#define FLOAT_PART(v, part) as_float((v).part)
#define FLOAT_BITS(v) as_uint(v)
// An element of two words.
#define PAIR(first, second) (uint2)(first, second)

// Compilers of a language between refuse inline assembly, or end the process on it.
#if !defined __AMDGCN__ && (defined CLOCK_AMD_ASSEMBLY || defined CORE_AMD_HW_ID || defined CORE_AMD_HW_ID1 ||         \
                            defined CORE_AMD_XCC_ID)
#error "unsupported: the driver's compiler does not say that it makes GCN's instructions (__AMDGCN__)"
#endif
#if defined CORE_PTX
static inline uint core_id(void) { uint id; __asm__ volatile("mov.u32 %0, %%smid;" : "=r"(id)); return id; }
#define CORE_ID core_id()
#elif defined CORE_AMD_HW_ID || defined CORE_AMD_HW_ID1 || defined CORE_AMD_XCC_ID
static inline uint core_id(void) {
    uint id;
#ifdef CORE_AMD_HW_ID1 // of RDNA: dual compute unit (4 bits), shader array (1), shader engine (3)
    __asm__ volatile("s_getreg_b32 %0, hwreg(HW_REG_HW_ID1)" : "=s"(id));
    return (id >> 10 & 15u) | (id >> 16 & 1u) << 4 | (id >> 18 & 7u) << 5;
#else // of GCN and CDNA: compute unit (4 bits), shader array (1), shader engine (3)
    __asm__ volatile("s_getreg_b32 %0, hwreg(HW_REG_HW_ID)" : "=s"(id));
    id = id >> 8 & 255u;
#ifdef CORE_AMD_XCC_ID
    uint die;
    __asm__ volatile("s_getreg_b32 %0, hwreg(HW_REG_XCC_ID)" : "=s"(die));
    id |= (die & 15u) << 8;
#endif
    return id;
#endif
}
#define CORE_ID core_id()
#endif

#if defined CLOCK_PTX // clock64 of one SM counts core cycles; seen as S2UR/CS2R SR_CLOCKLO in SASS
#define CLOCK_READ(name, after)                                                                                        \
    ulong name;                                                                                                        \
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(name), INDEX_REGISTER(after) : : "memory");
#define CLOCK_ALONE(name, after) /* as in dialect_cuda.h */                                     \
    ulong name = 0;                                                                             \
    if ((after) != 0xFFFFFFFFu) asm volatile("mov.u64 %0, %%clock64;" : "=l"(name) : : "memory"); \
    after += (uint)(name >> 63);
#elif defined CLOCK_AMD // s_memtime counts core cycles; gfx11 and later have none, and the compiler then refuses it
#define CLOCK_READ(name, after)                          \
    __asm__ volatile("" : : "v"(after) : "memory");           \
    ulong name = __builtin_amdgcn_s_memtime();            \
    __asm__ volatile("" : : : "memory");
#define CLOCK_ALONE(name, after) CLOCK_READ(name, after) after += (uint)(name >> 63);
#elif defined CLOCK_AMD_ASSEMBLY // of compilers without the builtin
#define CLOCK_READ(name, after)                                                       \
    ulong name;                                                                       \
    __asm__ volatile("s_memtime %0\n\ts_waitcnt lgkmcnt(0)" : "=s"(name) : "v"(after) : "memory");
#define CLOCK_ALONE(name, after) CLOCK_READ(name, after) after += (uint)(name >> 63);
#elif defined CLOCK_AMD_COUNTER // of compilers without inline assembly
#if defined __clang_major__ && __clang_major__ > 8
#error "unsupported: the compiler knows RDNA, on which the builtin may read another counter, of 20 bits"
#endif
#define CLOCK_READ(name, after) ulong name = __builtin_readcyclecounter();
#elif defined CLOCK_CYCLE_COUNTER // the TSC
#if !defined __x86_64__ && !defined __i386__
#error "elsewhere a user program may not read the counter"
#endif
// No lfence in front, though rdtsc alone does not wait for the chase: PoCL 5 aborts on any inline assembly, and the
// error, the same in short and long walks, drops out of the slope.
#define CLOCK_READ(name, after) ulong name = __builtin_readcyclecounter();
#endif

#define DIALECT_OPENCL
#if defined __clang__ || defined VENDOR_NVIDIA
#define NOT_UNROLLED _Pragma("unroll 1") // NVIDIA's compiler unrolls short loops again
#else
#define NOT_UNROLLED // OpenCL C has no operator _Pragma
#endif
#define ARGS(fields) typedef struct { fields } Args;
// Only kernels that use a scratchpad have one: holding as little as 16 bytes makes NVIDIA's driver leave a kernel a
// smaller L1. With STATIC_WORDS it is an array of the kernel's own, of so many words, instead of an argument.
#if defined STATIC_WORDS
#define SCRATCHPAD_ARGUMENT
#elif defined A_SCRATCHPAD || defined B_SCRATCHPAD || defined HELD
#define SCRATCHPAD_ARGUMENT , __local T* scratchpad
#else
#define SCRATCHPAD_ARGUMENT
#endif
#ifndef SUBGROUP_SIZE
#define SUBGROUP_SIZE
#endif
#define KERNEL_HEAD(name)                                                                                              \
    __kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) SUBGROUP_SIZE void name(                          \
        SOURCE_A, SOURCE_B, __global uint* result, const Args args SCRATCHPAD_ARGUMENT)
#ifdef STATIC_WORDS
#define BODY_HEAD(name)                                                                                                \
    void name##_body(SOURCE_A, SOURCE_B, __global uint* result, const Args args, __local T* scratchpad)
#define KERNEL(name)                                \
    BODY_HEAD(name);                                \
    KERNEL_HEAD(name) {                             \
        __local T held[STATIC_WORDS * 4 / sizeof(T)]; \
        name##_body(a, b, result, args, held);      \
    }                                               \
    BODY_HEAD(name)
#else
#define KERNEL(name) KERNEL_HEAD(name)
#endif
