// The lists: backends in the order in which tables show them, instruments in that in which they are tried.
#include "backends/backends.h"

#include "backends/checks/checks.h"
#include "backends/checks/libraries.h"
#include "backends/checks/system.h"

namespace sonde {

std::span<const Backend> all_backends() {
    static constexpr Backend kBackends[] = {
        {"cuda", [] { return naming_variables(open_cuda(), cuda_tables()); }, cuda_targets, open_cuda_target},
        {"opencl", [] { return naming_variables(open_opencl(), opencl_tables()); }, opencl_targets, open_opencl_target},
        {"vulkan", [] { return naming_variables(open_vulkan(), vulkan_tables()); }, vulkan_targets, open_vulkan_target},
        {"host", open_host}};
    return kBackends;
}

std::span<const OpenTelemetry> all_telemetry() {
    static constexpr OpenTelemetry kSources[] = {open_nvml, open_sysfs};
    return kSources;
}

Checkup checkup() {
    static constexpr DriverQuestion kQuestions[] = {{"library", open_library}, {"exports", open_exporting},
        {"opencl driver", open_opencl_driver}, {"vulkan driver", open_vulkan_driver}, {"null family", open_null_family},
        {"nvml", nvml_settings}};
    return {checks_here(), kQuestions, drivers_here()};
}

} // namespace sonde
