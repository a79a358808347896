// The list of backends, in the order in which tables show them.
#include "backends/backends.h"

#include <array>

namespace sonde {

std::span<const Backend> all_backends() {
    static constexpr std::array kBackends{
        Backend{"cuda", open_cuda, cuda_targets, open_cuda_target},
        Backend{"opencl", open_opencl, opencl_targets, open_opencl_target},
        Backend{"vulkan", open_vulkan, vulkan_targets, open_vulkan_target},
        Backend{"host", open_host},
    };
    return kBackends;
}

} // namespace sonde
