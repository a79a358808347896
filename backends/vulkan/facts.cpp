// Asks a physical device for every property struct it has; what it lacks of what kernels need; and its facts, each with
// the query that gave it.
#include <fmt/format.h>

#include "backends/vulkan/memory.h"
#include "core/base/text.h"

namespace sonde::vulkan {

namespace {

void add_memory(PhysicalDevice& physical) {
    const auto add = [&](std::string name, std::string value, const char* source) {
        physical.info.facts.push_back({std::move(name), std::move(value), source});
    };
    const VkPhysicalDeviceMemoryProperties& memory = physical.memory;
    const char* const of_memory = "vkGetPhysicalDeviceMemoryProperties";
    for (std::uint32_t heap = 0; heap < memory.memoryHeapCount; ++heap) {
        add(fmt::format("memory heap {}", heap), heap_text(memory, heap), of_memory);
        if (physical.has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME))
            add(fmt::format("memory heap {}, budget", heap), format_bytes(physical.budget.heapBudget[heap]),
                "VK_EXT_memory_budget");
    }
    for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type)
        add(fmt::format("memory type {}", type),
            fmt::format("heap {}, {}", memory.memoryTypes[type].heapIndex, type_flags_text(memory, type)), of_memory);
}

} // namespace

PhysicalDevice::PhysicalDevice(VkPhysicalDevice device) : handle(device) {
    const auto found = list_of<VkExtensionProperties>([&](std::uint32_t* count, VkExtensionProperties* items) {
        VK(vkEnumerateDeviceExtensionProperties(device, nullptr, count, items));
    });
    for (const VkExtensionProperties& extension : found) extensions.insert(extension.extensionName);

    VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    link(all.pNext, id);
    link(all.pNext, subgroup);
    link(all.pNext, maintenance);
    const auto link_where = [&](void*& head, const char* extension, auto& next) {
        if (!extension || has(extension)) link(head, next);
    };
    std::apply([&](const auto&... rows) { (link_where(all.pNext, rows.second, this->*rows.first), ...); },
        kExtensionProperties);
    vkGetPhysicalDeviceProperties2(device, &all);
    properties = all.properties;

    VkPhysicalDeviceFeatures2 able{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    features.each([&](auto& feature, const char* extension, auto&...) { link_where(able.pNext, extension, feature); });
    vkGetPhysicalDeviceFeatures2(device, &able);
    features.numbers = able.features;
    if (features.matrices.matrices) matrices = listed_matrices(device);
    if (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) features.subgroups = subgroup.supportedOperations;
    features.dots_lowered =
        properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU && !dots.integerDotProduct4x8BitPackedUnsignedAccelerated;

    VkPhysicalDeviceMemoryProperties2 heaps{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
    link_where(heaps.pNext, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, budget);
    vkGetPhysicalDeviceMemoryProperties2(device, &heaps);
    memory = heaps.memoryProperties;

    families = queue_families(device);
}

std::set<std::string> used_extensions() {
    std::set<std::string> names{VK_EXT_MEMORY_BUDGET_EXTENSION_NAME};
    Features().each([&](auto&, const char* extension, auto&...) {
        if (extension) names.insert(extension);
    });
    std::apply([&](const auto&... rows) { (names.insert(rows.second), ...); }, kExtensionProperties);
    return names;
}

std::optional<std::string> Features::why_lacking(Feature feature, bool in_scratchpad) const {
    enum class Memory { either, buffer, scratchpad };
    struct Row {
        Feature feature;
        Memory memory;
        VkBool32 there;
        const char *name, *extension;
    };
    constexpr const char* kNumbers = "Vulkan 1.0";
    constexpr const char* kIntegers = VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME;
    constexpr const char* kFloats = VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME;
#define SONDE_ROW(feature, memory, of, member, extension)                                                              \
    Row { Feature::feature, Memory::memory, of.member, #member, extension }
    constexpr const char* kSubgroups = "VkPhysicalDeviceSubgroupProperties";
    const auto lanes = [&](Feature of, VkSubgroupFeatureFlagBits bit, const char* name) {
        return Row{of, Memory::either, (subgroups & bit) != 0, name, kSubgroups};
    };
    const Row rows[] = {lanes(Feature::shuffle, VK_SUBGROUP_FEATURE_SHUFFLE_BIT, "VK_SUBGROUP_FEATURE_SHUFFLE_BIT"),
        lanes(Feature::ballot, VK_SUBGROUP_FEATURE_BALLOT_BIT, "VK_SUBGROUP_FEATURE_BALLOT_BIT"),
        lanes(Feature::reduce, VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT"),
        SONDE_ROW(float64, either, numbers, shaderFloat64, kNumbers),
        SONDE_ROW(int64, either, numbers, shaderInt64, kNumbers),
        SONDE_ROW(int16, either, numbers, shaderInt16, kNumbers),
        SONDE_ROW(float16, either, narrow, shaderFloat16, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME),
        SONDE_ROW(dot_product, either, dots, shaderIntegerDotProduct, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME),
        SONDE_ROW(acquire_release, either, memory_model, vulkanMemoryModel, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME),
        SONDE_ROW(acquire_release, either, memory_model, vulkanMemoryModelDeviceScope,
            VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME),
        SONDE_ROW(
            cooperative_matrix, either, memory_model, vulkanMemoryModel, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME),
        {Feature::cooperative_matrix, Memory::either, matrices.matrices, "cooperativeMatrix",
            "VK_KHR_cooperative_matrix"},
        SONDE_ROW(atomic_int64, either, numbers, shaderInt64, kNumbers),
        SONDE_ROW(atomic_int64, buffer, atomic_integers, shaderBufferInt64Atomics, kIntegers),
        SONDE_ROW(atomic_int64, scratchpad, atomic_integers, shaderSharedInt64Atomics, kIntegers),
        SONDE_ROW(atomic_add_float32, buffer, atomic_floats, shaderBufferFloat32AtomicAdd, kFloats),
        SONDE_ROW(atomic_add_float32, scratchpad, atomic_floats, shaderSharedFloat32AtomicAdd, kFloats),
        SONDE_ROW(atomic_add_float64, either, numbers, shaderFloat64, kNumbers),
        SONDE_ROW(atomic_add_float64, buffer, atomic_floats, shaderBufferFloat64AtomicAdd, kFloats),
        SONDE_ROW(atomic_add_float64, scratchpad, atomic_floats, shaderSharedFloat64AtomicAdd, kFloats)};
#undef SONDE_ROW
    if (feature == Feature::repeated_text || feature == Feature::funnel_shift) return std::nullopt; // of the language
    if (feature == Feature::bfloat16_fma || feature == Feature::bfloat16_add) return "GLSL has no bfloat16";
    if (feature == Feature::system_scope) return "Vulkan's memory model has no scope beyond the device";
    if (is_of_matrices(feature) && feature != Feature::cooperative_matrix)
        return "mma.sync and wgmma are PTX, mfma, wmma and dpas builtins of AMD's and Intel's OpenCL compilers";
    if (is_copy_to_scratchpad(feature)) return kNoCopyToScratchpad;
    if (feature == Feature::work_group_copy) return kNoWorkGroupCopy;
    bool known = false;
    for (const Row& row : rows) {
        if (row.feature != feature) continue;
        known = true;
        if (row.memory == (in_scratchpad ? Memory::buffer : Memory::scratchpad)) continue;
        if (!row.there) return fmt::format("the device has no {} ({})", row.name, row.extension);
    }
    if (feature == Feature::dot_product && dots_lowered)
        return "the driver makes other instructions of a packed dot product "
               "(integerDotProduct4x8BitPackedUnsignedAccelerated is false)";
    return known ? std::nullopt : std::optional<std::string>(kUnknownNeed);
}

void add_facts(PhysicalDevice& physical) {
    const auto add = [&](const char* name, std::string value, const char* source) {
        physical.info.facts.push_back({name, std::move(value), source});
    };
    const VkPhysicalDeviceProperties& properties = physical.properties;
    const std::uint32_t version = properties.apiVersion;
    const char* const of_properties = "vkGetPhysicalDeviceProperties";
    add("Vulkan version",
        fmt::format(
            "{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version)),
        of_properties);
    constexpr const char* kTypes[] = {
        "other", "integrated GPU", "discrete GPU", "virtual GPU", "CPU"}; // VkPhysicalDeviceType, from 0
    const auto type = static_cast<std::size_t>(properties.deviceType);
    add("device type", type < std::size(kTypes) ? kTypes[type] : "other", of_properties);
    add("vendor and device id", fmt::format("{:04x}:{:04x}", properties.vendorID, properties.deviceID), of_properties);
    if (physical.has(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME)) {
        const VkConformanceVersion& tests = physical.driver.conformanceVersion;
        add("driver id", std::to_string(physical.driver.driverID), "VK_KHR_driver_properties");
        add("conformance version", fmt::format("{}.{}.{}.{}", tests.major, tests.minor, tests.subminor, tests.patch),
            "VK_KHR_driver_properties");
    }

    add("subgroup size", std::to_string(physical.subgroup.subgroupSize), "VkPhysicalDeviceSubgroupProperties");
    if (physical.has(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME))
        add("subgroup size range",
            fmt::format("{}-{}", physical.subgroup_sizes.minSubgroupSize, physical.subgroup_sizes.maxSubgroupSize),
            "VK_EXT_subgroup_size_control");
    const VkQueueFlags flags = physical.families.at(physical.queue_family).queueFlags;
    add("queue family", fmt::format("{} of {}, flags {:#x}", physical.queue_family, physical.families.size(), flags),
        "vkGetPhysicalDeviceQueueFamilyProperties");
    const std::string ticks =
        fmt::format("{} ns per tick, {} bits", physical.limits().timestampPeriod, physical.timestamp_bits);
    add("timestamps", physical.timestamp_bits ? ticks : "none", "timestampPeriod, timestampValidBits");
    const bool subgroup = physical.features.clocks.shaderSubgroupClock,
               device = physical.features.clocks.shaderDeviceClock;
    add("shader clocks",
        subgroup && device ? "subgroup, device"
        : subgroup         ? "subgroup"
        : device           ? "device"
                           : "none",
        "VK_KHR_shader_clock");
    add("pipeline executable properties", physical.features.executables.pipelineExecutableInfo ? "yes" : "no",
        "VK_KHR_pipeline_executable_properties");

    add("cooperative matrices, m x n x k", matrices_text(physical.matrices),
        "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");

    const VkPhysicalDeviceLimits& limits = physical.limits();
#define SONDE_LIMIT(name) add(#name, std::to_string(limits.name), "VkPhysicalDeviceLimits");
    SONDE_LIMIT(maxStorageBufferRange)
    SONDE_LIMIT(maxUniformBufferRange)
    SONDE_LIMIT(maxTexelBufferElements)
    SONDE_LIMIT(maxImageDimension2D)
    SONDE_LIMIT(maxPushConstantsSize)
    SONDE_LIMIT(maxComputeSharedMemorySize)
    SONDE_LIMIT(maxComputeWorkGroupInvocations)
    SONDE_LIMIT(maxComputeWorkGroupCount[0])
#undef SONDE_LIMIT
    add("maxMemoryAllocationSize", std::to_string(physical.largest_allocation()),
        "VkPhysicalDeviceMaintenance3Properties");
    add_memory(physical);
}

} // namespace sonde::vulkan
