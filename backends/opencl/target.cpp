// The chips of all vendors as targets of OpenCL.
#include <algorithm>
#include <vector>

#include "backends/backends.h"
#include "backends/opencl/target.h"

namespace sonde {

std::span<const std::string_view> opencl_targets() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> all;
        for (const auto chips : {opencl::amd_chips(), opencl::intel_chips()})
            all.insert(all.end(), chips.begin(), chips.end());
        return all;
    }();
    return names;
}

Opened open_opencl_target(std::string_view target) {
    const auto amd = opencl::amd_chips();
    return std::ranges::find(amd, target) != amd.end() ? opencl::open_amd_chip(target)
                                                       : opencl::open_intel_chip(target);
}

} // namespace sonde
