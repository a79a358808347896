// Linux: files name the drivers, sysfs the cards.
#include "backends/checks/checks.h"
#include "backends/checks/system.h"

namespace sonde {

std::span<const Check> checks_here() {
    static constexpr Check kChecks[] = {
        check_process, check_cards, check_cuda, check_opencl, check_vulkan, check_nodes, check_nvidia};
    return kChecks;
}

std::span<const ApiDrivers> drivers_here() {
    static constexpr ApiDrivers kDrivers[] = {
        {"opencl", opencl_drivers, choose_opencl_driver}, {"vulkan", vulkan_drivers, choose_vulkan_driver}};
    return kDrivers;
}

} // namespace sonde
