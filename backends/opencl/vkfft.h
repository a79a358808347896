// VkFFT as this backend uses it: by a module of its own, opened at run time; and its transforms as kernels.
#pragma once
#include <memory>
#include <string>

#include "backends/opencl/context.h"
#include "backends/opencl/vkfft_module.h"

namespace sonde::opencl {

/// Values of VkFFTResult (vkFFT.h).
inline constexpr int kVkfftSuccess = 0, kVkfftNoHostMemory = 1, kVkfftUnsupportedLength = 3002, kVkfftNoMemory = 4001,
                     kVkfftNotCompiled = 4031;

/// The module of this machine. Throws Unsupported (one line) when there is none, or one that lacks a function.
struct Vkfft {
    Vkfft();
#define SONDE_DECLARE(result, name, parameters) decltype(&::name) name = nullptr;
    SONDE_VKFFT_ENTRY_POINTS(SONDE_DECLARE)
#undef SONDE_DECLARE
    std::string version{}, file{};
    void check(int result, const char* call) const;
};

LibraryKernel library_transform(const Context&, const std::shared_ptr<const Vkfft>&, const TransformShape&);

} // namespace sonde::opencl
