// Opens libcuda.so.1, fills the table of entry points, and gives the driver's codes their names.
#include "backends/cuda/driver_api.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/library.h"

namespace sonde::cuda {

Driver::Driver() {
    const Library library{"libcuda.so.1", "nvcuda.dll"};
    if (!library) throw Error(library.error());
    const auto load = [&](auto& function, Need need, const char* symbol, const char* older) {
        if (library.load(function, symbol) || library.load(function, older) || need == optional) return;
        throw Error(
            fmt::format("{} has no {}: a driver older than CUDA 7", name_here("libcuda.so.1", "nvcuda.dll"), older));
    };
#define SONDE_LOAD(need, name, suffix, older_suffix, parameters) load(name, need, #name #suffix, #name #older_suffix);
    SONDE_CUDA_ENTRY_POINTS(SONDE_LOAD)
#undef SONDE_LOAD
}

std::string Driver::describe(Result code) const {
    const char* name = nullptr;
    const char* text = nullptr;
    if (cuGetErrorName(code, &name) != kSuccess || !name) return fmt::format("unknown CUDA error {}", code);
    if (cuGetErrorString(code, &text) != kSuccess || !text) return name;
    return fmt::format("{} ({})", name, text);
}

void Driver::check(Result result, const char* call) const {
    if (result == kSuccess) return;
    const std::string text = fmt::format("{}: {}", call, describe(result));
    if (result == kOutOfMemory || result == kLaunchOutOfResources) throw DoesNotFit(text);
    if (result == kUnsupportedPtxVersion)
        throw Unsupported(text + ": the kernel needs a newer driver, which knows its PTX");
    throw Error(text);
}

} // namespace sonde::cuda
