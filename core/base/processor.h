// What only one kind of processor has, for kernels on the host (kernels/dialect_host.h): a counter of time that a
// program may read, and the number of the core that it runs on.
#pragma once
#include <cstdint>
#ifdef _WIN32
extern "C" __declspec(dllimport) unsigned long GetCurrentProcessorNumber(); // windows.h is long, and has macros
#else
#include <sched.h>
#endif

/// Does not wait for the loads before it, nor is moved before what `after` hangs on.
#if defined __x86_64__
#define PROCESSOR_CLOCK_NAME "rdtsc (time stamp counter)"
template <class Word> inline std::uint64_t processor_clock(Word& after) {
    asm volatile("" : "+r"(after) : : "memory");
    return __builtin_ia32_rdtsc();
}
/// Once `after` is known, and before what follows.
template <class Word> inline std::uint64_t processor_clock_alone(Word& after) {
    asm volatile("lfence" : "+r"(after) : : "memory");
    const std::uint64_t now = __builtin_ia32_rdtsc();
    asm volatile("lfence" : "+r"(after) : : "memory");
    return now;
}
#elif defined __aarch64__
#define PROCESSOR_CLOCK_NAME "cntvct_el0 (virtual counter)"
template <class Word> inline std::uint64_t processor_clock(Word& after) {
    std::uint64_t now;
    asm volatile("mrs %0, cntvct_el0" : "=r"(now), "+r"(after) : : "memory");
    return now;
}
/// Once `after` is known, and before what follows.
template <class Word> inline std::uint64_t processor_clock_alone(Word& after) {
    std::uint64_t now;
    asm volatile("dsb sy\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(now), "+r"(after) : : "memory");
    return now;
}
#else
#error "which counter may a program read on this processor?"
#endif

/// At this moment: threads move.
inline std::uint32_t processor_core() {
#ifdef _WIN32
    return static_cast<std::uint32_t>(GetCurrentProcessorNumber());
#else
    return static_cast<std::uint32_t>(sched_getcpu());
#endif
}
