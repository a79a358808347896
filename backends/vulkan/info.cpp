// From the driver's answers to DeviceInfo: what the probes need, and the facts worth recording.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>

#include "backends/amd_memory.h"
#include "backends/vulkan/memory.h"

namespace sonde::vulkan {

namespace {

constexpr std::uint32_t kVendorAmd = 0x1002;

std::optional<std::uint32_t> compute_family(const std::vector<VkQueueFamilyProperties>& families) {
    std::optional<std::uint32_t> untimed;
    for (std::uint32_t family = 0; family < families.size(); ++family) {
        if (!(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) || families[family].queueCount == 0) continue;
        if (families[family].timestampValidBits > 0) return family;
        if (!untimed) untimed = family;
    }
    return untimed;
}

void fill_identity(PhysicalDevice& physical, std::size_t index) {
    DeviceInfo& info = physical.info;
    info.id = fmt::format("vulkan:{}", index);
    info.api = "vulkan";
    info.name = physical.properties.deviceName;
    const bool named = physical.has(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
    info.driver = named ? fmt::format("{} {}", physical.driver.driverName, physical.driver.driverInfo)
                        : fmt::format("version {:#x}", physical.properties.driverVersion);
    info.cpu = info.software = physical.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    if (!info.cpu) // llvmpipe's UUID is its version: the same on every machine
        info.uuid = fmt::format("{:02x}", fmt::join(physical.id.deviceUUID, ""));
    if (physical.has(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME))
        info.pci = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", physical.pci.pciDomain, physical.pci.pciBus,
            physical.pci.pciDevice, physical.pci.pciFunction);
    if (constexpr std::uint32_t kLargestPci = 0xffff; physical.properties.vendorID <= kLargestPci) // above: Khronos's
        info.pci_id = fmt::format("{:04x}:{:04x}", physical.properties.vendorID, physical.properties.deviceID);
    add_slot(info);
    add_amd_memory(info);
}

void fill_memory(PhysicalDevice& physical) {
    DeviceInfo& info = physical.info;
    const VkPhysicalDeviceMemoryProperties& memory = physical.memory;
    if (const auto type = best_memory_type(memory, ~0u, Space::global))
        info.memory_bytes = memory.memoryHeaps[memory.memoryTypes[*type].heapIndex].size;
    const std::pair<std::uint64_t, const char*> limits[] = {
        {physical.limits().maxStorageBufferRange, "maxStorageBufferRange"},
        {physical.largest_allocation(), "maxMemoryAllocationSize"}, {info.memory_bytes, "the memory heap's size"}};
    const auto& [bytes, name] = *std::min_element(std::begin(limits), std::end(limits));
    info.largest_buffer = bytes;
    info.largest_buffer_limit = name;
}

/// Multiprocessors, compute units, threads: no core query, so every vendor's extension.
void fill_cores(PhysicalDevice& physical) {
    DeviceInfo& info = physical.info;
    const VkPhysicalDeviceShaderCorePropertiesAMD& amd = physical.amd_cores;
    // NVIDIA's and ARM's warps, AMD's waves.
    info.threads_per_core = std::max({physical.nvidia_cores.shaderWarpsPerSM, physical.arm_cores.shaderWarpsPerCore,
                                amd.wavefrontsPerSimd * amd.simdPerComputeUnit}) *
                            std::max(physical.subgroup.subgroupSize, amd.wavefrontSize);
    const std::pair<std::uint32_t, const char*> sources[] = {
        {info.cpu ? std::thread::hardware_concurrency() : 0u, "std::thread::hardware_concurrency"},
        {physical.nvidia_cores.shaderSMCount, "VK_NV_shader_sm_builtins"},
        {physical.amd_cores_2.activeComputeUnitCount, "VK_AMD_shader_core_properties2"},
        {amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray,
            "VK_AMD_shader_core_properties"},
        {physical.arm_cores.shaderCoreCount, "VK_ARM_shader_core_builtins"}};
    const auto told = std::ranges::find_if(sources, [](const auto& source) { return source.first != 0; });
    info.cores = told == std::end(sources) ? 0 : told->first;
    if (info.cores) info.facts.push_back({"cores", std::to_string(info.cores), told->second});
}

/// Where each memory space ends. A uniform block of a megabyte is past any constant cache; a driver may allow
/// gigabytes.
void fill_reach(PhysicalDevice& physical) {
    constexpr std::uint64_t kLongestConstant = 1 << 20, kHostBytes = 1ull << 30;
    const VkPhysicalDeviceLimits& limits = physical.limits();
    const std::uint64_t allocation = physical.largest_allocation();
    const Reach built = limits.maxStorageBufferRange < allocation
                            ? Reach{limits.maxStorageBufferRange, "maxStorageBufferRange, through which kernels write"}
                            : Reach{allocation, "maxMemoryAllocationSize"};
    const auto limit = [&](Space space, std::uint64_t bytes, const char* name) {
        physical.info.reach[space] = bytes < built.bytes ? Reach{bytes, name} : built;
    };
    limit(Space::address, allocation, "maxMemoryAllocationSize");
    limit(Space::host, kHostBytes, "host memory of 1 GiB");
    limit(Space::texel, std::uint64_t{limits.maxTexelBufferElements} * 4, "maxTexelBufferElements");
    limit(Space::image2d, std::uint64_t{limits.maxImageDimension2D} * kImageRow * 4, "maxImageDimension2D");
    if (limits.maxUniformBufferRange < kLongestConstant)
        limit(Space::constant, limits.maxUniformBufferRange / 16 * 16, "maxUniformBufferRange");
    else limit(Space::constant, kLongestConstant, "a uniform block of 1 MiB");
    limit(
        Space::push, (limits.maxPushConstantsSize - kArgumentBytes) / 4 * 4, "maxPushConstantsSize less the arguments");
}

/// RDNA2 and later read a counter of 20 bits (`s_getreg SHADER_CYCLES`), which wraps every half millisecond. Wave32
/// tells RDNA from GCN; RDNA1, whose `s_memtime` has 64 bits, only Mesa tells by name. Where in doubt the counter is
/// taken for the short one.
bool has_short_clock(const PhysicalDevice& physical) {
    if (physical.properties.vendorID != kVendorAmd || physical.subgroup_sizes.minSubgroupSize != 32) return false;
    const std::string_view name = physical.properties.deviceName;
    const auto is = [&](std::string_view chip) { return name.find(chip) != name.npos; };
    return !is("NAVI10") && !is("NAVI12") && !is("NAVI14");
}

void fill_clock(PhysicalDevice& physical) {
    DeviceInfo& info = physical.info;
    if (physical.features.core_numbers.shaderSMBuiltins) info.core_name = "VK_NV_shader_sm_builtins, gl_SMIDNV";
    if (physical.features.clocks.shaderDeviceClock) info.other_clocks = {OtherClock::shader_device};
    if (!physical.features.clocks.shaderSubgroupClock) return;
    if (has_short_clock(physical)) {
        info.facts.push_back({"kernel clock", "not used: 20 bits wide on RDNA2 and later", "VK_KHR_shader_clock"});
        return;
    }
    info.clock = "VK_KHR_shader_clock, subgroup";
    info.core_cycles = !info.cpu; // llvmpipe's counts nanoseconds
}

std::uint32_t loop_trips(const PhysicalDevice& physical) {
    constexpr std::string_view kMesa = "Mesa ";
    const std::string_view version = physical.driver.driverInfo;
    return physical.driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE
               ? llvmpipe_loop_trips(version.starts_with(kMesa) ? version.substr(kMesa.size()) : version)
               : 0;
}

} // namespace

std::optional<std::uint64_t> memory_left(const PhysicalDevice& physical) {
    const auto type = best_memory_type(physical.memory, ~0u, Space::global);
    if (!type || !physical.has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME)) return std::nullopt;
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 heaps{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &budget};
    vkGetPhysicalDeviceMemoryProperties2(physical.handle, &heaps);
    const std::uint32_t heap = physical.memory.memoryTypes[*type].heapIndex;
    return budget.heapBudget[heap] - std::min(budget.heapBudget[heap], budget.heapUsage[heap]);
}

std::vector<VkQueueFamilyProperties> queue_families(VkPhysicalDevice device) {
    return list_of<VkQueueFamilyProperties>([&](std::uint32_t* count, VkQueueFamilyProperties* found) {
        vkGetPhysicalDeviceQueueFamilyProperties(device, count, found);
    });
}

std::optional<std::string> why_skipped(VkPhysicalDevice handle) {
    // Only 1.0 queries here: what follows needs 1.1 physical.
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(handle, &properties);
    const auto skipped = [&](std::string_view reason) { return fmt::format("{}: {}", properties.deviceName, reason); };
    if (properties.apiVersion < VK_API_VERSION_1_1) return skipped("knows only Vulkan 1.0");
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(handle, &memory);
    if (memory.memoryHeapCount == 0) return skipped("null hardware without memory, compiles only");
    if (!compute_family(queue_families(handle))) return skipped("no queue that computes");
    return std::nullopt;
}

std::array<QueuePlace, kCopyQueues> copy_queues(
    std::span<const VkQueueFamilyProperties> families, std::uint32_t compute) {
    constexpr VkQueueFlags kCopies = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT;
    std::vector<QueuePlace> queues;
    for (std::uint32_t family = 0; family < families.size(); ++family) {
        const VkQueueFlags flags = families[family].queueFlags;
        if (!(flags & VK_QUEUE_TRANSFER_BIT) || (flags & ~kCopies)) continue; // video engines copy, too
        for (std::uint32_t index = 0; index < families[family].queueCount; ++index) queues.push_back({family, index});
    }
    for (std::uint32_t index = 1; index < families[compute].queueCount; ++index) queues.push_back({compute, index});
    queues.resize(std::max<std::size_t>(queues.size(), kCopyQueues - 1), {compute, 0});
    return {QueuePlace{compute, 0}, queues[0], queues[1]};
}

PhysicalDevice inspect(VkPhysicalDevice handle, std::size_t index) {
    PhysicalDevice physical(handle);
    const VkPhysicalDeviceLimits& limits = physical.limits();
    physical.queue_family = compute_family(physical.families).value_or(0);
    physical.queues = copy_queues(physical.families, physical.queue_family);
    if (std::isfinite(limits.timestampPeriod) && limits.timestampPeriod > 0)
        physical.timestamp_bits = physical.families.at(physical.queue_family).timestampValidBits;
    fill_identity(physical, index);
    fill_memory(physical);
    fill_reach(physical);
    fill_cores(physical);
    fill_clock(physical);
    DeviceInfo& info = physical.info;
    info.subgroup = std::max(1u, physical.subgroup.subgroupSize);
    if (physical.features.sizes.subgroupSizeControl &&
        (physical.subgroup_sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT))
        for (std::uint32_t lanes = physical.subgroup_sizes.minSubgroupSize;
             lanes && lanes <= physical.subgroup_sizes.maxSubgroupSize; lanes *= 2)
            info.subgroup_sizes.push_back(lanes);
    info.largest_group = std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
    info.most_groups = limits.maxComputeWorkGroupCount[0];
    info.scratchpad_bytes = limits.maxComputeSharedMemorySize;
    info.loop_trips = loop_trips(physical);
    add_facts(physical);
    if (info.clock.empty()) physical.features.clocks.shaderSubgroupClock = VK_FALSE;
    return physical;
}

} // namespace sonde::vulkan
