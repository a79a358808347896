// The facts of a Vulkan device, each with the query that gave it.
#include "backends/vulkan/facts.h"

#include <fmt/format.h>

#include "backends/vulkan/memory.h"
#include "core/base/text.h"

namespace sonde::vulkan {

namespace {

const char* type_name(VkPhysicalDeviceType type) {
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return "integrated GPU";
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return "discrete GPU";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return "virtual GPU";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return "CPU";
    default:
        return "other";
    }
}

void add_identity(std::vector<Fact>& facts, const Answers& answers) {
    const VkPhysicalDeviceProperties& properties = answers.properties;
    const std::uint32_t version = properties.apiVersion;
    const char* source = "vkGetPhysicalDeviceProperties";
    facts.push_back({"Vulkan version",
                     fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version)),
                     source});
    facts.push_back({"device type", type_name(properties.deviceType), source});
    facts.push_back({"vendor and device id", fmt::format("{:04x}:{:04x}", properties.vendorID, properties.deviceID), source});
    if (answers.has(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME)) {
        const VkConformanceVersion& tests = answers.driver.conformanceVersion;
        facts.push_back({"driver id", fmt::format("{}", static_cast<int>(answers.driver.driverID)), "VK_KHR_driver_properties"});
        facts.push_back({"conformance version", fmt::format("{}.{}.{}.{}", tests.major, tests.minor, tests.subminor, tests.patch),
                         "VK_KHR_driver_properties"});
    }
}

void add_limits(std::vector<Fact>& facts, const Answers& answers) {
    const VkPhysicalDeviceLimits& limits = answers.properties.limits;
    const std::pair<const char*, std::uint64_t> rows[] = {
        {"maxStorageBufferRange", limits.maxStorageBufferRange},
        {"maxUniformBufferRange", limits.maxUniformBufferRange},
        {"maxTexelBufferElements", limits.maxTexelBufferElements},
        {"maxImageDimension2D", limits.maxImageDimension2D},
        {"maxPushConstantsSize", limits.maxPushConstantsSize},
        {"maxComputeSharedMemorySize", limits.maxComputeSharedMemorySize},
        {"maxComputeWorkGroupInvocations", limits.maxComputeWorkGroupInvocations},
        {"maxComputeWorkGroupCount[0]", limits.maxComputeWorkGroupCount[0]},
    };
    for (const auto& [name, value] : rows) facts.push_back({name, fmt::format("{}", value), "VkPhysicalDeviceLimits"});
    facts.push_back({"maxMemoryAllocationSize", fmt::format("{}", answers.maintenance.maxMemoryAllocationSize),
                     "VkPhysicalDeviceMaintenance3Properties"});
}

void add_execution(std::vector<Fact>& facts, const Answers& answers, const PhysicalDevice& physical) {
    facts.push_back({"subgroup size", fmt::format("{}", answers.subgroup.subgroupSize), "VkPhysicalDeviceSubgroupProperties"});
    if (answers.has(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME))
        facts.push_back({"subgroup size range",
                         fmt::format("{}-{}", answers.subgroup_sizes.minSubgroupSize, answers.subgroup_sizes.maxSubgroupSize),
                         "VK_EXT_subgroup_size_control"});
    facts.push_back({"queue family",
                     fmt::format("{} of {}, flags {:#x}", physical.queue_family, answers.families.size(),
                                 answers.families.at(physical.queue_family).queueFlags),
                     "vkGetPhysicalDeviceQueueFamilyProperties"});
    facts.push_back({"timestamps",
                     physical.timestamp_bits
                         ? fmt::format("{} ns per tick, {} bits", physical.limits.timestampPeriod, physical.timestamp_bits)
                         : "none",
                     "timestampPeriod, timestampValidBits"});
    const bool subgroup = answers.clocks.shaderSubgroupClock, device = answers.clocks.shaderDeviceClock;
    facts.push_back({"shader clocks",
                     subgroup && device ? "subgroup, device"
                     : subgroup         ? "subgroup"
                     : device           ? "device"
                                        : "none",
                     "VK_KHR_shader_clock"});
    facts.push_back({"pipeline executable properties", answers.executables.pipelineExecutableInfo ? "yes" : "no",
                     "VK_KHR_pipeline_executable_properties"});
}

void add_memory(std::vector<Fact>& facts, const Answers& answers) {
    const VkPhysicalDeviceMemoryProperties& memory = answers.memory;
    for (std::uint32_t heap = 0; heap < memory.memoryHeapCount; ++heap) {
        facts.push_back({fmt::format("memory heap {}", heap), heap_text(memory, heap), "vkGetPhysicalDeviceMemoryProperties"});
        if (answers.has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME))
            facts.push_back({fmt::format("memory heap {}, budget", heap),
                             format_bytes(static_cast<double>(answers.budget.heapBudget[heap])), "VK_EXT_memory_budget"});
    }
    for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type)
        facts.push_back({fmt::format("memory type {}", type),
                         fmt::format("heap {}, {}", memory.memoryTypes[type].heapIndex, type_flags_text(memory, type)),
                         "vkGetPhysicalDeviceMemoryProperties"});
}

} // namespace

void add_facts(std::vector<Fact>& facts, const Answers& answers, const PhysicalDevice& physical) {
    add_identity(facts, answers);
    add_execution(facts, answers, physical);
    add_limits(facts, answers);
    add_memory(facts, answers);
}

} // namespace sonde::vulkan
