// The host dialect (g++ and clang++): a workgroup is one work-item, so every kernel must be right for a group of one.
// Defined outside: WIDTH, the path of A (A_...), HOST_KERNEL (a function name of its own for every variant).
// Of the library only <cstdint>, and for the rest what the compilers have built in: <atomic> and <bit> would be most of
// what compiling a small kernel costs, of which there are hundreds.
#include <cstdint>

#include <core/base/processor.h> // in brackets: not part of the text that is embedded

using uint = std::uint32_t;
#if defined TYPE_U64
using T = std::uint64_t;
#define SPLAT_T(v) T(v)
#elif defined TYPE_F32
using T = float;
#define SPLAT_T(v) T(v)
#elif defined TYPE_F64
using T = double;
#define SPLAT_T(v) T(v)
#elif WIDTH == 1
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
// By reference, or g++ 12 makes other instructions of it than of std::bit_cast.
template <class To, class From> constexpr To bits_as(const From& v) { return __builtin_bit_cast(To, v); }
#define LOCAL_ID 0u
#define GROUP_ID group
#define GROUP_SIZE 1u
#define GROUP_COUNT groups
#define BARRIER
#define ADDRESS std::uint64_t

#if (defined BITS || defined PACKED) && !defined A_GLOBAL && !defined A_GLOBAL_POINTER
#error "only paths global and global.pointer have words of fewer bits, or at any byte"
#elif defined PACKED
#ifdef BITS // 16
using Packed = std::uint16_t;
#else
using Packed = T;
#endif
FUNCTION T unpacked(const T* a, uint byte) {
    Packed v;
    __builtin_memcpy(&v, reinterpret_cast<const char*>(a) + byte, sizeof v);
    return static_cast<T>(v);
}
FUNCTION void put_packed(T* a, uint byte, T v) {
    const auto packed = static_cast<Packed>(v);
    __builtin_memcpy(reinterpret_cast<char*>(a) + byte, &packed, sizeof packed);
}
#define LOAD(i) unpacked(a, i)
#define STORE_A(i, v) put_packed(a, i, v)
#elif defined BITS
#if BITS == 8
using ElementA = std::uint8_t;
#else
using ElementA = std::uint16_t;
#endif
#define LOAD(i) uint{reinterpret_cast<const ElementA*>(a)[i]}
#define STORE_A(i, v) reinterpret_cast<ElementA*>(a)[i] = static_cast<ElementA>(v)
#elif defined A_GLOBAL_POINTER
#define LINK(i) (*reinterpret_cast<const std::uint64_t*>(i))
#elif !defined A_GLOBAL && !defined A_SCRATCHPAD
#error "this path has no host form"
#endif
#ifdef WIDE_B // elements like A's in place of words
using TB = T;
#else
using TB = uint;
#endif
#if defined B_SCRATCHPAD
#define SCRATCHPAD_B(i) reinterpret_cast<TB*>(scratchpad)[i]
#elif defined SECOND_SOURCE && !defined B_GLOBAL
#error "this path has no host form for a second source"
#endif

// Atomic operations on elements of the path's memory. No processor adds floating-point numbers atomically: that is a
// loop of compare-and-swap.
template <class Word> FUNCTION Word compared(Word& at, Word expected, Word desired) {
    __atomic_compare_exchange(&at, &expected, &desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected; // what was there
}
template <class Word> FUNCTION Word exchanged(Word& at, Word v) {
    __atomic_exchange(&at, &v, &v, __ATOMIC_RELAXED);
    return v;
}
template <int order, class Word> FUNCTION Word loaded(Word& at) {
    Word v;
    __atomic_load(&at, &v, order);
    return v;
}
FUNCTION uint added(uint& at, uint v) { return __atomic_fetch_add(&at, v, __ATOMIC_RELAXED); }
FUNCTION std::uint64_t added(std::uint64_t& at, std::uint64_t v) {
    return __atomic_fetch_add(&at, v, __ATOMIC_RELAXED);
}
template <class Real> FUNCTION Real added(Real& at, Real v) {
    Real was = loaded<__ATOMIC_RELAXED>(at), sum = was + v;
    while (!__atomic_compare_exchange(&at, &was, &sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) sum = was + v;
    return was;
}
#define ATOMIC_CAS(i, expected, desired) compared(LOAD(i), T(expected), T(desired))
#define ATOMIC_ADD(i, v) added(LOAD(i), T(v))
#define ATOMIC_EXCHANGE(i, v) exchanged(LOAD(i), T(v))
#define FRESH(i) loaded<__ATOMIC_RELAXED>(LOAD(i))
#define SCOPED_CAS(i, expected, desired) ATOMIC_CAS(i, expected, desired) // likewise
#define FLAG_LOAD(i) loaded<__ATOMIC_ACQUIRE>(LOAD(i)) // whoever is to see it
#define FLAG_STORE(i, v) __atomic_store_n(&LOAD(i), v, __ATOMIC_RELEASE)
#if defined TYPE_F32
#define WORD_OF(v, n) bits_as<uint>(v)
#elif defined TYPE_U64 || defined TYPE_F64
#define WORD_OF(v, n) uint(bits_as<std::uint64_t>(v) >> (32 * (n)))
#endif

// One of the four words of an element as a floating-point number, and the word of such a number.
enum : uint { PART_x, PART_y, PART_z, PART_w };
#define FLOAT_PART(v, part) bits_as<float>(uint{(v)[PART_##part]})
#define FLOAT_BITS(v) bits_as<uint>(v)
// An element of two words.
#define PAIR(first, second) T{first, second}

// Of a kernel whose workgroups have `count` work-items elsewhere: one does what all of them do.
#define ONE_ITEM
#define EACH_ITEM_OF(count) for (uint item = 0u; item < (count); item += 1u)

#define CORE_ID processor_core()

#define CLOCK_READ(name, after) const std::uint64_t name = processor_clock(after);
#define CLOCK_ALONE(name, after) const std::uint64_t name = processor_clock_alone(after);

#define ARGS(fields) namespace { struct Args { fields }; }
#define BODY                                                                                                           \
    static void body([[maybe_unused]] T* a, [[maybe_unused]] TB* b, uint* result, const Args& args,                    \
        [[maybe_unused]] T* scratchpad, [[maybe_unused]] uint group, [[maybe_unused]] uint groups)
#define KERNEL(name)                                                                                                   \
    BODY;                                                                                                              \
    extern "C" void HOST_KERNEL(                                                                                       \
        const void* a, const void* b, void* result, const void* args, void* scratchpad, uint group, uint groups) {     \
        body(static_cast<T*>(const_cast<void*>(a)), static_cast<TB*>(const_cast<void*>(b)),                            \
            static_cast<uint*>(result), *static_cast<const Args*>(args), static_cast<T*>(scratchpad), group, groups);  \
    }                                                                                                                  \
    BODY
