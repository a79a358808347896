// Why CUDA is absent. Its driver is one library, which the kernel module's version must match
// (backends/checks/nvidia.cpp).
#include "backends/checks/checks.h"
#include "core/base/library.h"

namespace sonde {

namespace {
constexpr KnownReason kCudaReasons[] = {
    {"CUDA_ERROR_NO_DEVICE",
        "what the kernel module sees: nvidia-smi -L; why it refuses a card: sudo dmesg | grep NVRM"},
    {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "sudo reboot (the driver was updated while its older kernel module runs)"},
    {"CUDA_ERROR_SYSTEM_NOT_READY", "sudo systemctl start nvidia-fabricmanager"},
    {"CUDA_ERROR_COMPAT_NOT_SUPPORTED", "take CUDA's 'compat' folder out of LD_LIBRARY_PATH"},
    {"CUDA_ERROR_STUB_LIBRARY", "take the toolkit's 'stubs' folder out of LD_LIBRARY_PATH"},
    {"CUDA_ERROR_UNKNOWN", "sudo modprobe nvidia-uvm && sudo nvidia-modprobe -c 0 -u"},
    {"CUDA_ERROR_DEVICE_UNAVAILABLE",
        "another process keeps the card for itself: nvidia-smi; sudo nvidia-smi -c DEFAULT"},
    {"older than CUDA 7", "install a newer driver of NVIDIA's"},
    {"the driver has no CUDA device", "what the kernel module sees: nvidia-smi -L"},
};
constexpr Variable kCudaVariables[] = {
    {"CUDA_VISIBLE_DEVICES", "CUDA shows these alone, and what follows a wrong one not", true},
    {"NVIDIA_VISIBLE_DEVICES", "the cards that the container was given", true, "all"},
    {"NVIDIA_DRIVER_CAPABILITIES", "what the container got of NVIDIA's driver; CUDA needs 'compute' or 'all'", true,
        "compute all"},
    {"CUDA_DISABLE_PTX_JIT", "kernels cannot be compiled from PTX", false, "0"},
    {"CUDA_MPS_PIPE_DIRECTORY", "CUDA goes through an MPS server, which has to run"},
    {"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "limits the cores that a kernel gets"},
    {"CUDA_LAUNCH_BLOCKING", "every launch waits for its end", false, "0"},
    {"CUDA_INJECTION64_PATH", "a profiler's library is loaded along"},
};
} // namespace

const ApiTables& cuda_tables() {
    static constexpr ApiTables kTables{"cuda", kCudaReasons, kCudaVariables,
        "none needed: no card of NVIDIA's is on the PCI bus", false, "cuDevicePrimaryCtxRetain"};
    return kTables;
}

std::vector<CheckRow> check_cuda(const Surroundings& surroundings) {
    return api_rows(surroundings, cuda_tables(), "cuda driver", name_here("libcuda.so.1", "nvcuda.dll"));
}

} // namespace sonde
