// The host dialect (g++ and clang++): a workgroup is one work-item, so every kernel must be right for a group of one.
// Defined outside: WIDTH, the path of A (A_...), HOST_KERNEL (a function name of its own for every variant).
#include <cstdint>

#include <core/base/processor.h> // in brackets: not part of the text that is embedded

using uint = std::uint32_t;
#if WIDTH == 1
using T = uint;
#define SUM_T(v) (v)
#define SPLAT_T(v) (v)
#define FIRST_T(v) (v)
#elif WIDTH == 2
typedef uint T __attribute__((vector_size(8)));
#define SUM_T(v) ((v)[0] + (v)[1])
#define SPLAT_T(v) (T{} + (v))
#define FIRST_T(v) (v)[0]
#elif WIDTH == 4
typedef uint T __attribute__((vector_size(16)));
#define SUM_T(v) ((v)[0] + (v)[1] + (v)[2] + (v)[3])
#define SPLAT_T(v) (T{} + (v))
#define FIRST_T(v) (v)[0]
#else
#error "WIDTH must be 1, 2 or 4"
#endif
#define ZERO_T T{}
#define FUNCTION static inline
#define LOCAL_ID 0u
#define GROUP_ID group
#define GROUP_SIZE 1u
#define GROUP_COUNT groups
#define BARRIER
#define STORE(i, v) result[i] = (v)
#define RESULT(i) result[i]

#define FAR_INDEX std::uint64_t
#define STORE_ADDRESS(at, word)                                                  \
    {                                                                            \
        const auto address = reinterpret_cast<std::uintptr_t>(result + (word));  \
        STORE(at, static_cast<uint>(address));                                   \
        STORE((at) + 1u, static_cast<uint>(std::uint64_t{address} >> 32));       \
    }

#if defined A_GLOBAL && defined BITS
#define STAGE(n)
#if BITS == 8
#define LOAD(i) uint{reinterpret_cast<const std::uint8_t*>(a)[i]}
#else
#define LOAD(i) uint{reinterpret_cast<const std::uint16_t*>(a)[i]}
#endif
#elif defined BITS
#error "only path global has loads of fewer bits than a word"
#elif defined A_GLOBAL
#define STAGE(n)
#define LOAD(i) a[i]
#define STORE_A(i, v) a[i] = (v)
#elif defined A_GLOBAL_POINTER
#define STAGE(n)
#define INDEX std::uint64_t
#define LINK_OF(word) (reinterpret_cast<std::uint64_t>(a) + std::uint64_t{word} * 4u)
#define LINK(i) (*reinterpret_cast<const std::uint64_t*>(i))
#define NUMBER_OF(i) static_cast<uint>(((i) - reinterpret_cast<std::uint64_t>(a)) >> 2)
#elif defined A_SCRATCHPAD
#define STAGE(n) for (uint staged = 0u; staged < (n); ++staged) scratchpad[staged] = a[staged];
#define LOAD(i) scratchpad[i]
#define STORE_A(i, v) scratchpad[i] = (v)
#else
#error "this path has no host form"
#endif
#ifdef WIDE_B // elements like A's in place of words
using TB = T;
#else
using TB = uint;
#endif
#if defined B_GLOBAL
#define LOAD_B(i) b[i]
#define STORE_B(i, v) const_cast<TB*>(b)[i] = (v)
#elif defined B_SCRATCHPAD
#define STAGE_B(n) for (uint staged = 0u; staged < (n); ++staged) reinterpret_cast<TB*>(scratchpad)[staged] = b[staged];
#define LOAD_B(i) reinterpret_cast<TB*>(scratchpad)[i]
#elif defined SECOND_SOURCE
#error "this path has no host form for a second source"
#endif

// Atomic operations on words of the path's memory.
#if WIDTH == 1
FUNCTION uint compared(uint* at, uint expected, uint desired) {
    __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected; // what was there
}
#endif
#if defined A_SCRATCHPAD
#define CELL(i) (scratchpad + (i))
#else
#define CELL(i) (a + (i))
#endif
#define ATOMIC_CAS(i, expected, desired) compared(CELL(i), expected, desired)
#define ATOMIC_ADD(i, v) __atomic_fetch_add(CELL(i), v, __ATOMIC_RELAXED)

#define CORE_ID processor_core()

#define CLOCK_READ(name, after) const std::uint64_t name = processor_clock(after);
#define CLOCK_STORE(at, name) STORE(at, static_cast<uint>(name)); STORE((at) + 1u, static_cast<uint>((name) >> 32));

#define ARGS(fields) namespace { struct Args { fields }; }
#define KERNEL(name)                                                                                                     \
    static void body([[maybe_unused]] T* a, [[maybe_unused]] const TB* b, uint* result, const Args& args,              \
                     [[maybe_unused]] T* scratchpad, [[maybe_unused]] uint group, [[maybe_unused]] uint groups);               \
    void HOST_KERNEL(const void* a, const void* b, void* result, const void* args, void* scratchpad, uint group, uint groups) { \
        body(static_cast<T*>(const_cast<void*>(a)), static_cast<const TB*>(b), static_cast<uint*>(result),             \
             *static_cast<const Args*>(args), static_cast<T*>(scratchpad), group, groups);                                     \
    }                                                                                                                    \
    static void body([[maybe_unused]] T* a, [[maybe_unused]] const TB* b, uint* result, const Args& args,              \
                     [[maybe_unused]] T* scratchpad, [[maybe_unused]] uint group, [[maybe_unused]] uint groups)
