// A pretended module of VkFFT: transforms on the host, by the machine's OpenCL. SONDE_FAKE_VKFFT: a result that it
// returns.
#include <cstdlib>
#include <dlfcn.h>

#include "backends/opencl/vkfft_module.h"
#include "tests/host_fft.h"

struct sonde_vkfft_plan {
    cl_ulong points, transforms;
};

namespace {
template <class Function> Function* opencl(const char* name) {
    return reinterpret_cast<Function*>(dlsym(dlopen("libOpenCL.so.1", RTLD_NOW), name));
}
int asked_result() {
    const char* result = std::getenv("SONDE_FAKE_VKFFT");
    return result ? std::atoi(result) : 0;
}
} // namespace

int sonde_vkfft_version() { return 90807; }

int sonde_vkfft_make(
    cl_device_id device, cl_context context, cl_ulong points, cl_ulong transforms, sonde_vkfft_plan** made) {
    if (asked_result()) return asked_result();
    if (!device || !context || !points || points & (points - 1)) return 3001; // a length that needs another radix
    *made = new sonde_vkfft_plan{points, transforms};
    return 0;
}

int sonde_vkfft_passes(const sonde_vkfft_plan*) { return 1; }

#if !defined SONDE_FAKE_VKFFT_INCOMPLETE
int sonde_vkfft_append(sonde_vkfft_plan* plan, cl_command_queue queue, cl_mem points, int back) {
    if (asked_result()) return asked_result();
    std::vector<std::complex<float>> numbers(plan->points * plan->transforms);
    if (opencl<decltype(clEnqueueReadBuffer)>("clEnqueueReadBuffer")(
            queue, points, CL_TRUE, 0, numbers.size() * 8, numbers.data(), 0, nullptr, nullptr))
        return 4029;
    for (cl_ulong each = 0; each < plan->transforms; ++each)
        sonde::host_transform(numbers.data() + each * plan->points, plan->points, back != 0);
    return opencl<decltype(clEnqueueWriteBuffer)>("clEnqueueWriteBuffer")(
               queue, points, CL_TRUE, 0, numbers.size() * 8, numbers.data(), 0, nullptr, nullptr)
               ? 4029
               : 0;
}
#endif

void sonde_vkfft_free(sonde_vkfft_plan* plan) { delete plan; }
