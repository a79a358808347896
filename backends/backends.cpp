// The list of backends, in the order in which tables show them.
#include "backends/backends.h"

#include <array>

namespace sonde {

std::span<const Backend> all_backends() {
    static constexpr std::array kBackends{
        Backend{"cuda", open_cuda},
        Backend{"opencl", open_opencl},
        Backend{"vulkan", open_vulkan},
        Backend{"host", open_host},
    };
    return kBackends;
}

} // namespace sonde
