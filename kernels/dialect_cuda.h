// The CUDA dialect, for clang without a toolkit: portable PTX for sm_30 and later
// (sm_35 for ld.global.nc, sm_90 for clusters). Also read by NVRTC and nvcc.
// Defined outside: WIDTH and the path of A (A_...). The workgroup's size is the launch's.
typedef unsigned int uint;
#if defined __clang__
#define DEVICE __attribute__((device))
#define ENTRY extern "C" __attribute__((global))
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))
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
#define CONSTANT __constant__
#define LOCAL_ID threadIdx.x
#define GROUP_ID blockIdx.x
#define GROUP_SIZE blockDim.x
#define GROUP_COUNT gridDim.x
#define BARRIER __syncthreads();
#endif

// Aligned, or a wide load is split in four.
struct alignas(8) Uint2 { uint x, y; };
struct alignas(16) Uint4 {
    uint x, y, z, w;
    DEVICE explicit operator uint() const { return x; }
    DEVICE explicit operator Uint2() const { return {x, y}; }
};
DEVICE static inline void operator+=(Uint2& a, Uint2 b) { a.x += b.x; a.y += b.y; }
DEVICE static inline void operator+=(Uint4& a, Uint4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
DEVICE static inline Uint2 operator+(Uint2 a, Uint2 b) { a += b; return a; }
DEVICE static inline Uint4 operator+(Uint4 a, Uint4 b) { a += b; return a; }
#if defined TYPE_U64
typedef unsigned long long T;
#define SPLAT_T(v) T(v)
#elif defined TYPE_F32
typedef float T;
#define SPLAT_T(v) T(v)
#define PTX_LOAD(opcode, v, address) asm volatile(opcode ".f32 %0, [%1];" : "=f"(v) : address)
#define PTX_STORE(opcode, v, address) asm volatile(opcode ".f32 [%0], %1;" : : address, "f"(v) : "memory")
#elif defined TYPE_F64
typedef double T;
#define SPLAT_T(v) T(v)
#define PTX_LOAD(opcode, v, address) asm volatile(opcode ".f64 %0, [%1];" : "=d"(v) : address)
#define PTX_STORE(opcode, v, address) asm volatile(opcode ".f64 [%0], %1;" : : address, "d"(v) : "memory")
#elif WIDTH == 1
typedef uint T;
#define SPLAT_T(v) (v)
#define PTX_LOAD(opcode, v, address) asm volatile(opcode ".u32 %0, [%1];" : "=r"(v) : address)
#define PTX_STORE(opcode, v, address) asm volatile(opcode ".u32 [%0], %1;" : : address, "r"(v) : "memory")
#elif WIDTH == 2
typedef Uint2 T;
#define SPLAT_T(v) splat(v)
DEVICE static inline Uint2 splat(uint v) { return Uint2{v, v}; }
#define PTX_LOAD(opcode, v, address) asm volatile(opcode ".v2.u32 {%0, %1}, [%2];" : "=r"((v).x), "=r"((v).y) : address)
#define PTX_STORE(opcode, v, address)                                                                                  \
    asm volatile(opcode ".v2.u32 [%0], {%1, %2};" : : address, "r"((v).x), "r"((v).y) : "memory")
#elif WIDTH == 4
typedef Uint4 T;
#define SPLAT_T(v) splat(v)
DEVICE static inline Uint4 splat(uint v) { return Uint4{v, v, v, v}; }
#define PTX_LOAD(opcode, v, address)                                                                                   \
    asm volatile(opcode ".v4.u32 {%0, %1, %2, %3}, [%4];"                                                              \
                 : "=r"((v).x), "=r"((v).y), "=r"((v).z), "=r"((v).w)                                                  \
                 : address)
#define PTX_STORE(opcode, v, address)                                                                                  \
    asm volatile(opcode ".v4.u32 [%0], {%1, %2, %3, %4};"                                                              \
                 : : address, "r"((v).x), "r"((v).y), "r"((v).z), "r"((v).w)                                           \
                 : "memory")
#else
#error "WIDTH must be 1, 2 or 4"
#endif
#define ZERO_T T{}
#define KEEP_APART asm volatile("");
#define FUNCTION DEVICE static inline
#define ADDRESS unsigned long long

// Paths. Inline PTX where C has no word for the instruction; volatile, or equal loads become one.
// Neither const nor __restrict__ on `global`: both would allow ld.global.nc.
#if (defined BITS || defined PACKED) && !defined A_GLOBAL && !defined A_GLOBAL_POINTER
#error "only paths global and global.pointer have words of fewer bits, or at any byte"
#elif defined PACKED // -> ld.global.u8, st.global.u8, many of them
#ifdef BITS // 16
typedef unsigned short Packed;
#else
typedef T Packed;
#endif
DEVICE static inline T unpacked(const T* a, uint byte) {
    Packed v;
    __builtin_memcpy(&v, (const char*)a + byte, sizeof v);
    return (T)v;
}
DEVICE static inline void put_packed(T* a, uint byte, T v) {
    Packed packed = (Packed)v;
    __builtin_memcpy((char*)a + byte, &packed, sizeof packed);
}
#define LOAD(i) unpacked(a, i)
#define STORE_A(i, v) put_packed(a, i, v)
#elif defined BITS // -> ld.global.u8, ld.global.u16
#if BITS == 8
#define SOURCE_A unsigned char* a
#else
#define SOURCE_A unsigned short* a
#endif
#define LOAD(i) ((uint)a[i])
#elif defined A_GLOBAL || defined A_HOST || defined A_PEER // -> ld.global, st.global
#elif defined A_GLOBAL_CA
#define OPCODE "ld.global.ca"
#elif defined A_GLOBAL_CG || defined A_PEER_CG
#define OPCODE "ld.global.cg"
#elif defined A_GLOBAL_CS
#define OPCODE "ld.global.cs"
DEVICE static inline void stream_to(T* at, T v) { PTX_STORE("st.global.cs", v, "l"(at)); }
#define STORE_A(i, v) stream_to(a + (i), v)
#elif defined A_GLOBAL_READONLY
#define OPCODE "ld.global.nc"
#elif defined A_GLOBAL_UNIFORM // -> ld.global from an address that is the same in all lanes, and known to be
#elif defined A_GLOBAL_POINTER // -> ld.global.u64, its result the next address
DEVICE static inline ADDRESS linked(ADDRESS at) {
    ADDRESS v;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(v) : "l"(at));
    return v;
}
#define LINK(i) linked(i)
#elif defined A_PRIVATE // -> ld.local: an array too long for registers and indexed by data
#elif defined A_TEXEL // -> tex.1d of a texture object over linear memory
#define SOURCE_A unsigned long long a
#define LOAD(i) T(fetched(a, i))
#elif defined A_IMAGE2D // -> tex.2d of a texture object over an array
#define SOURCE_A unsigned long long a
DEVICE static inline uint fetched(unsigned long long texture, uint x, uint y) {
    Uint4 v;
    asm volatile("tex.2d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(texture), "r"(x), "r"(y));
    return v.x;
}
#define LOAD(i) fetched(a, (i) & (IMAGE_ROW - 1u), (i) >> IMAGE_ROW_BITS)
#elif defined A_CONSTANT || defined A_CONSTANT_UNIFORM // -> ld.const; the backend fills the symbol before the launch
extern "C" { CONSTANT T constants[CONSTANT_BYTES / (4 * WIDTH)]; }
#define LOAD(i) constants[i]
#elif defined A_PUSH // -> ld.param
#elif defined A_SCRATCHPAD // -> ld.shared
#elif defined A_CLUSTER // -> ld.shared::cluster, from the scratchpad of another workgroup of the cluster, which waits
#define CLUSTER_BARRIER asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" : : : "memory");
#define CLUSTER_SIZE cluster_size()
DEVICE static inline uint cluster_size() { uint n; asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(n)); return n; }
#define POINT_TO(rank)                                                                                                 \
    asm volatile("{ .reg .u64 mine; .reg .u32 here; cvta.to.shared.u64 mine, %1; cvt.u32.u64 here, mine; "             \
                 "mapa.shared::cluster.u32 %0, here, %2; }"                                                            \
                 : "=r"(peer) : "l"(scratchpad), "r"(rank));
#define NEXT_PEER                                                                                                      \
    distance = distance + 1u == CLUSTER_SIZE ? 1u : distance + 1u;                                                     \
    POINT_TO((GROUP_ID + distance) % CLUSTER_SIZE)
#define STAGE(n)                                                                                       \
    for (uint staged = LOCAL_ID; staged < (n); staged += GROUP_SIZE) scratchpad[staged] = a[staged];   \
    CLUSTER_BARRIER CLUSTER_ONLOOKERS uint distance = 1u, peer; POINT_TO(CLUSTER_PEER)
#define FINISH CLUSTER_BARRIER
DEVICE static inline T loaded(uint at) { T v; PTX_LOAD("ld.shared::cluster", v, "r"(at)); return v; }
#define LOAD(i) loaded(peer + (i) * (uint)sizeof(T))
#else
#error "this path has no CUDA form"
#endif
#ifdef OPCODE
DEVICE static inline T loaded(const T* at) { T v; PTX_LOAD(OPCODE, v, "l"(at)); return v; }
#define LOAD(i) loaded(a + (i))
#endif
#ifndef SOURCE_A
#define SOURCE_A T* a
#endif
DEVICE static inline Uint4 fetched(unsigned long long texture, uint at) {
    Uint4 v;
    asm volatile("tex.1d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(texture), "r"(at));
    return v;
}

// The second source: words of 32 bits, or with WIDE_B elements like A's.
#ifdef WIDE_B
typedef T TB;
#else
typedef uint TB;
#endif
#if defined B_GLOBAL
#elif defined B_GLOBAL_READONLY
#ifdef WIDE_B
DEVICE static inline T loaded_b(const T* at) { T v; PTX_LOAD("ld.global.nc", v, "l"(at)); return v; }
#else
DEVICE static inline uint loaded_b(const uint* at) {
    uint v;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(at));
    return v;
}
#endif
#define LOAD_B(i) loaded_b(b + (i))
#elif defined B_TEXEL
#define SOURCE_B unsigned long long b
#define LOAD_B(i) TB(fetched(b, i))
#elif defined B_CONSTANT // the backend fills this symbol, too
extern "C" { CONSTANT TB constants_b[CONSTANT_BYTES / sizeof(TB)]; }
#define LOAD_B(i) constants_b[i]
#elif defined B_SCRATCHPAD
#define SCRATCHPAD_B(i) ((TB*)scratchpad)[i]
#elif defined SECOND_SOURCE
#error "this path has no CUDA form for a second source"
#endif
#ifndef SOURCE_B
#define SOURCE_B TB* b
#endif

extern SHARED T scratchpad[];
// For instructions that take an address of 32 bits in the scratchpad.
DEVICE static inline uint shared_address(const void* generic) {
    uint at;
    asm("{ .reg .u64 shared; cvta.to.shared.u64 shared, %1; cvt.u32.u64 %0, shared; }" : "=r"(at) : "l"(generic));
    return at;
}

// Atomic instructions on elements of the path's memory -> atom: ATOMG or ATOMS.
#if defined __clang__
DEVICE static inline uint atomicCAS(uint* at, uint expected, uint desired) {
    return (uint)__nvvm_atom_cas_gen_i((int*)at, (int)expected, (int)desired);
}
DEVICE static inline uint atomicAdd(uint* at, uint v) { return (uint)__nvvm_atom_add_gen_i((int*)at, (int)v); }
DEVICE static inline uint atomicExch(uint* at, uint v) { return (uint)__nvvm_atom_xchg_gen_i((int*)at, (int)v); }
#if defined TYPE_U64
DEVICE static inline T atomicCAS(T* at, T expected, T desired) {
    return (T)__nvvm_atom_cas_gen_ll((long long*)at, (long long)expected, (long long)desired);
}
DEVICE static inline T atomicAdd(T* at, T v) { return (T)__nvvm_atom_add_gen_ll((long long*)at, (long long)v); }
DEVICE static inline T atomicExch(T* at, T v) { return (T)__nvvm_atom_xchg_gen_ll((long long*)at, (long long)v); }
#elif defined TYPE_F32
DEVICE static inline T atomicAdd(T* at, T v) { return __nvvm_atom_add_gen_f(at, v); }
#elif defined TYPE_F64 // sm_60
DEVICE static inline T atomicAdd(T* at, T v) { return __nvvm_atom_add_gen_d(at, v); }
#endif
#endif
#define ATOMIC_CAS(i, expected, desired) atomicCAS(&LOAD(i), expected, desired)
#define ATOMIC_ADD(i, v) atomicAdd(&LOAD(i), v)
// -> red: REDG or ATOMS. Of an atom whose result nobody takes ptxas does not make one.
#ifdef A_SCRATCHPAD
#define PTX_RED(type, at, v)                                                                                           \
    asm volatile("red.shared.add." type " [%0], %1;" : : "r"(shared_address(at)), v : "memory")
#else
#define PTX_RED(type, at, v) asm volatile("red.global.add." type " [%0], %1;" : : "l"(at), v : "memory")
#endif
DEVICE static inline void reduced(uint* at, uint v) { PTX_RED("u32", at, "r"(v)); }
#if defined TYPE_U64
DEVICE static inline void reduced(T* at, T v) { PTX_RED("u64", at, "l"(v)); }
#elif defined TYPE_F32
DEVICE static inline void reduced(T* at, T v) { PTX_RED("f32", at, "f"(v)); }
#elif defined TYPE_F64 // sm_60
DEVICE static inline void reduced(T* at, T v) { PTX_RED("f64", at, "d"(v)); }
#endif
#define ATOMIC_REDUCE(i, v) reduced(&LOAD(i), v)
#define ATOMIC_EXCHANGE(i, v) atomicExch(&LOAD(i), v)
#define FRESH(i) (*(volatile T*)&LOAD(i)) // -> ld.volatile, past L1: what other cores' atomic instructions have left

// A flag's load that acquires and its store that releases, and a compare-and-swap, as seen by the workgroup (VISIBLE
// 0), the device (1), or the processor as well (2).
#ifdef VISIBLE
#if VISIBLE == 0
#define FLAG_SCOPE ".cta"
#elif VISIBLE == 1
#define FLAG_SCOPE ".gpu"
#else
#define FLAG_SCOPE ".sys"
#endif
#ifdef A_SCRATCHPAD
#define FLAG_SPACE ".shared"
#else
#define FLAG_SPACE ".global"
#endif
DEVICE static inline unsigned long long flag_at(const uint* flag) {
    unsigned long long at;
    asm("cvta.to" FLAG_SPACE ".u64 %0, %1;" : "=l"(at) : "l"(flag));
    return at;
}
DEVICE static inline uint flag_loaded(const uint* flag) {
    uint v;
    asm volatile("ld.acquire" FLAG_SCOPE FLAG_SPACE ".u32 %0, [%1];" : "=r"(v) : "l"(flag_at(flag)) : "memory");
    return v;
}
DEVICE static inline void flag_stored(uint* flag, uint v) {
    asm volatile("st.release" FLAG_SCOPE FLAG_SPACE ".u32 [%0], %1;" : : "l"(flag_at(flag)), "r"(v) : "memory");
}
DEVICE static inline uint swapped(uint* flag, uint expected, uint desired) {
    uint v;
    asm volatile("atom.relaxed" FLAG_SCOPE FLAG_SPACE ".cas.b32 %0, [%1], %2, %3;"
                 : "=r"(v)
                 : "l"(flag_at(flag)), "r"(expected), "r"(desired)
                 : "memory");
    return v;
}
#define SCOPED_CAS(i, expected, desired) swapped(&LOAD(i), expected, desired)
#define FLAG_LOAD(i) flag_loaded(&LOAD(i))
#define FLAG_STORE(i, v) flag_stored(&LOAD(i), v)
#endif
#if defined TYPE_F32
#define WORD_OF(v, n) __builtin_bit_cast(uint, v)
#elif defined TYPE_U64 || defined TYPE_F64
#define WORD_OF(v, n) ((uint)(__builtin_bit_cast(unsigned long long, v) >> (32 * (n))))
#endif

#if WIDTH == 4
#define WORDS_T(v) words_of(v)
// clang moves a structure as words of 64 bits
DEVICE static inline Uint4 words_of(const Uint4& v) { return {v.x, v.y, v.z, v.w}; }
#endif
// One of the four words of an element as a floating-point number, and the word of such a number.
#define FLOAT_PART(v, part) __builtin_bit_cast(float, (v).part)
#define FLOAT_BITS(v) __builtin_bit_cast(uint, v)
// An element of two words.
#define PAIR(first, second) Uint2{first, second}

DEVICE static inline uint core_id() { uint id; asm volatile("mov.u32 %0, %%smid;" : "=r"(id)); return id; }
#define CORE_ID core_id()
#define CLOCK_READ(name, after)                                                                                        \
    unsigned long long name;                                                                                           \
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(name), INDEX_REGISTER(after) : : "memory");
// The branch is always taken, but hangs on `after` -> @P CS2R. (A predicate in the PTX does not do: ptxas reads the
// clock without it, and then selects.) The clock's top bit is always 0, but no compiler knows that.
#define CLOCK_ALONE(name, after)                                                                                       \
    unsigned long long name = 0;                                                                                       \
    if ((after) != 0xFFFFFFFFu) asm volatile("mov.u64 %0, %%clock64;" : "=l"(name) : : "memory");                      \
    after += (uint)(name >> 63);

// A repeated text stands once in the PTX, between lines that name the registers of what it changes: the backend repeats
// it (cuda/kernel.cpp).
#define DIALECT_CUDA
#define NOT_UNROLLED _Pragma("clang loop unroll(disable)")
#define KEEP_PAIR(registers, x, y) asm volatile("// KEEP %0 %1" : registers(x), registers(y));
#define REPEATED(keep, text) keep text keep

#if defined A_PUSH
#define ARGS(fields) struct Args { fields uint table[PUSH_WORDS]; };
#else
#define ARGS(fields) struct Args { fields };
#endif
#define KERNEL(name) ENTRY void name(SOURCE_A, SOURCE_B, uint* result, const Args args)
