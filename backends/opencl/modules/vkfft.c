// VkFFT through OpenCL as a module that the OpenCL backend opens at run time.
#define CL_TARGET_OPENCL_VERSION 120
#define VKFFT_BACKEND 3
#include <stdio.h>
#define printf(...) fprintf(stderr, __VA_ARGS__) // a worker's messages are on the standard output
#include <vkFFT.h>
#undef printf

#include "backends/opencl/vkfft_module.h"

#ifdef __x86_64__ // those of an older glibc (scripts/check-symbols)
__asm__(".symver pow, pow@GLIBC_2.2.5");
__asm__(".symver log2, log2@GLIBC_2.2.5");
#endif

struct sonde_vkfft_plan {
    cl_device_id device;
    cl_context context;
    cl_ulong bytes;
    VkFFTApplication application;
};

int sonde_vkfft_version(void) { return VkFFTGetVersion(); }

int sonde_vkfft_make(
    cl_device_id device, cl_context context, cl_ulong points, cl_ulong transforms, struct sonde_vkfft_plan** made) {
    struct sonde_vkfft_plan* plan = calloc(1, sizeof *plan);
    if (!plan) return VKFFT_ERROR_MALLOC_FAILED;
    plan->device = device, plan->context = context, plan->bytes = points * transforms * 8;
    VkFFTConfiguration wanted = {.FFTdim = 1,
        .size = {points},
        .numberBatches = transforms,
        .device = &plan->device,
        .context = &plan->context,
        .bufferSize = &plan->bytes,
        .normalize = 1};
    const VkFFTResult result = initializeVkFFT(&plan->application, wanted); // which frees what it made where it fails
    if (result != VKFFT_SUCCESS) free(plan);
    else *made = plan;
    return result;
}

int sonde_vkfft_passes(const struct sonde_vkfft_plan* plan) {
    return (int)plan->application.localFFTPlan->numAxisUploads[0];
}

int sonde_vkfft_append(struct sonde_vkfft_plan* plan, cl_command_queue queue, cl_mem points, int back) {
    VkFFTLaunchParams launch = {.commandQueue = &queue, .buffer = &points};
    return VkFFTAppend(&plan->application, back ? 1 : -1, &launch);
}

void sonde_vkfft_free(struct sonde_vkfft_plan* plan) {
    deleteVkFFT(&plan->application);
    free(plan);
}
