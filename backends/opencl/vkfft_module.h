// What the module of VkFFT (modules/vkfft.c) gives this backend and what a test pretends, in C: VkFFT is C in one
// header, which compiles against one loader.
#pragma once
#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_vkfft_plan;

/// Every function: X(result, name, parameters). An int is a VkFFTResult, or what its caller asked for.
// clang-format off
#define SONDE_VKFFT_ENTRY_POINTS(X)                                                                                    \
    X(int, sonde_vkfft_version, (void)) /* X.XX.XX, as VkFFTGetVersion() */                                            \
    /* Transforms of so many complex numbers in single precision, side by side, in place, both ways; back,             \
      they are divided by their length. */                                                                             \
    X(int, sonde_vkfft_make, (cl_device_id device, cl_context context, cl_ulong points, cl_ulong transforms,           \
      struct sonde_vkfft_plan** made))                                                                                 \
    X(int, sonde_vkfft_passes, (const struct sonde_vkfft_plan* plan)) /* over memory */                                \
    X(int, sonde_vkfft_append, (struct sonde_vkfft_plan* plan, cl_command_queue queue, cl_mem points, int back))       \
    X(void, sonde_vkfft_free, (struct sonde_vkfft_plan* plan))
// clang-format on

#define SONDE_DECLARE(result, name, parameters) __attribute__((visibility("default"))) result name parameters;
SONDE_VKFFT_ENTRY_POINTS(SONDE_DECLARE)
#undef SONDE_DECLARE

#ifdef __cplusplus
}
#endif
