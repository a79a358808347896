// From the driver's answers to DeviceInfo: what the probes need, and the facts worth recording.
#include "backends/vulkan/physical.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>

#include <fmt/format.h>

#include "backends/host_link.h"
#include "backends/vulkan/answers.h"
#include "backends/vulkan/facts.h"
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

void fill_identity(DeviceInfo& info, const Answers& answers, std::size_t index) {
    info.id = fmt::format("vulkan:{}", index);
    info.api = "vulkan";
    info.name = answers.properties.deviceName;
    const bool named = answers.has(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
    info.driver = named ? fmt::format("{} {}", answers.driver.driverName, answers.driver.driverInfo)
                        : fmt::format("version {:#x}", answers.properties.driverVersion);
    info.cpu = info.software = answers.is_cpu();
    if (!info.cpu) // llvmpipe's UUID is its version: the same on every machine
        for (const std::uint8_t byte : answers.id.deviceUUID) info.uuid += fmt::format("{:02x}", byte);
    if (answers.has(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME))
        info.pci = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", answers.pci.pciDomain, answers.pci.pciBus, answers.pci.pciDevice,
                               answers.pci.pciFunction);
    add_host_link(info);
}

void fill_memory(DeviceInfo& info, const PhysicalDevice& physical) {
    const VkPhysicalDeviceMemoryProperties& memory = physical.memory;
    if (const auto type = best_memory_type(memory, ~0u, Space::global))
        info.memory_bytes = memory.memoryHeaps[memory.memoryTypes[*type].heapIndex].size;
    const std::pair<std::uint64_t, const char*> limits[] = {{physical.limits.maxStorageBufferRange, "maxStorageBufferRange"},
                                                            {physical.largest_allocation, "maxMemoryAllocationSize"},
                                                            {info.memory_bytes, "the memory heap's size"}};
    const auto& [bytes, name] = *std::min_element(std::begin(limits), std::end(limits));
    info.largest_buffer = bytes;
    info.largest_buffer_limit = name;
}

/// Multiprocessors, compute units, threads: no core query, so every vendor's extension. 1 where none tells.
void fill_cores(DeviceInfo& info, const Answers& answers) {
    const VkPhysicalDeviceShaderCorePropertiesAMD& amd = answers.amd_cores;
    // NVIDIA's and ARM's warps, AMD's waves.
    info.threads_per_core = std::max({answers.nvidia_cores.shaderWarpsPerSM, answers.arm_cores.shaderWarpsPerCore, amd.wavefrontsPerSimd * amd.simdPerComputeUnit}) *
                            std::max(answers.subgroup.subgroupSize, amd.wavefrontSize);
    const std::pair<std::uint32_t, const char*> sources[] = {
        {answers.is_cpu() ? std::thread::hardware_concurrency() : 0u, "std::thread::hardware_concurrency"},
        {answers.nvidia_cores.shaderSMCount, "VK_NV_shader_sm_builtins"},
        {answers.amd_cores_2.activeComputeUnitCount, "VK_AMD_shader_core_properties2"},
        {amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray, "VK_AMD_shader_core_properties"},
        {answers.arm_cores.shaderCoreCount, "VK_ARM_shader_core_builtins"}};
    for (const auto& [count, source] : sources) {
        if (count == 0) continue;
        info.cores = count;
        info.facts.push_back({"cores", fmt::format("{}", count), source});
        return;
    }
    info.cores = 1;
    info.facts.push_back({"cores", "unknown", "no extension of this device tells"});
}

/// Where each memory space ends. A uniform block of a megabyte is past any constant cache; a driver may allow gigabytes.
void fill_reach(DeviceInfo& info, const PhysicalDevice& physical) {
    constexpr std::uint64_t kLongestConstant = 1 << 20, kHostBytes = 1ull << 30;
    const VkPhysicalDeviceLimits& limits = physical.limits;
    const std::uint64_t allocation = physical.largest_allocation;
    const Reach built = limits.maxStorageBufferRange < allocation ? Reach{limits.maxStorageBufferRange, "maxStorageBufferRange, through which kernels write"}
                                                                  : Reach{allocation, "maxMemoryAllocationSize"};
    const auto limit = [&](Space space, std::uint64_t bytes, const char* name) { info.reach[space] = bytes < built.bytes ? Reach{bytes, name} : built; };
    limit(Space::address, allocation, "maxMemoryAllocationSize");
    limit(Space::host, kHostBytes, "host memory of 1 GiB");
    limit(Space::texel, std::uint64_t{limits.maxTexelBufferElements} * 4, "maxTexelBufferElements");
    limit(Space::image2d, std::uint64_t{limits.maxImageDimension2D} * kImageRow * 4, "maxImageDimension2D");
    if (limits.maxUniformBufferRange < kLongestConstant)
        limit(Space::constant, limits.maxUniformBufferRange / 16 * 16, "maxUniformBufferRange");
    else
        limit(Space::constant, kLongestConstant, "a uniform block of 1 MiB");
    limit(Space::push, (limits.maxPushConstantsSize - kArgumentBytes) / 4 * 4, "maxPushConstantsSize less the arguments");
}

/// RDNA2 and later read a counter of 20 bits (`s_getreg SHADER_CYCLES`), which wraps every half millisecond. Wave32 tells RDNA from
/// GCN; RDNA1, whose `s_memtime` has 64 bits, only Mesa tells by name. Where in doubt the counter is taken for the short one.
bool has_short_clock(const Answers& answers) {
    if (answers.properties.vendorID != kVendorAmd || answers.subgroup_sizes.minSubgroupSize != 32) return false;
    const std::string_view name = answers.properties.deviceName;
    const auto is = [&](std::string_view chip) { return name.find(chip) != name.npos; };
    return !is("NAVI10") && !is("NAVI12") && !is("NAVI14");
}

void fill_clock(PhysicalDevice& physical, const Answers& answers) {
    DeviceInfo& info = physical.info;
    physical.core_number = answers.core_numbers.shaderSMBuiltins;
    if (physical.core_number) info.core_name = "VK_NV_shader_sm_builtins, gl_SMIDNV";
    if (!answers.clocks.shaderSubgroupClock) return;
    if (has_short_clock(answers)) {
        info.facts.push_back({"kernel clock", "not used: 20 bits wide on RDNA2 and later", "VK_KHR_shader_clock"});
        return;
    }
    physical.subgroup_clock = true;
    info.clock = info.cpu ? KernelClock::timer : KernelClock::core_cycles; // llvmpipe's counts nanoseconds
    info.clock_name = "VK_KHR_shader_clock, subgroup";
}

/// llvmpipe ends a shader invocation silently after 65,535 loop trips: so seen in Mesa 22.3.6 and no longer in 25.0.7. A version
/// between the two, or one that cannot be read, is taken for capped.
std::uint32_t loop_trips(const Answers& answers) {
    if (answers.driver.driverID != VK_DRIVER_ID_MESA_LLVMPIPE) return 0;
    int major = 0;
    if (std::sscanf(answers.driver.driverInfo, "Mesa %d.", &major) == 1 && major >= 25) return 0;
    return 65535;
}

} // namespace

std::optional<std::string> why_skipped(VkPhysicalDevice handle) {
    // Only 1.0 queries here: what follows needs 1.1 answers.
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(handle, &properties);
    const auto skipped = [&](std::string_view reason) { return fmt::format("{}: {}", properties.deviceName, reason); };
    if (properties.apiVersion < VK_API_VERSION_1_1) return skipped("knows only Vulkan 1.0");
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(handle, &memory);
    if (memory.memoryHeapCount == 0) return skipped("null hardware without memory, compiles only");
    std::uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(handle, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(handle, &count, families.data());
    if (!compute_family(families)) return skipped("no queue that computes");
    return std::nullopt;
}

std::array<QueuePlace, kCopyQueues> copy_queues(std::span<const VkQueueFamilyProperties> families, std::uint32_t compute) {
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
    const Answers answers(handle);
    PhysicalDevice physical;
    physical.handle = handle;
    physical.limits = answers.properties.limits;
    physical.memory = answers.memory;
    physical.largest_allocation = answers.maintenance.maxMemoryAllocationSize;
    physical.driver_id = answers.driver.driverID;
    physical.queue_family = compute_family(answers.families).value_or(0);
    physical.queues = copy_queues(answers.families, physical.queue_family);
    const float period = physical.limits.timestampPeriod;
    if (std::isfinite(period) && period > 0) physical.timestamp_bits = answers.families.at(physical.queue_family).timestampValidBits;
    physical.buffer_address = answers.addresses.bufferDeviceAddress;
    physical.bytes_in_storage = answers.bytes.storageBuffer8BitAccess;
    physical.halves_in_storage = answers.halves.storageBuffer16BitAccess;
    physical.executable_properties = answers.executables.pipelineExecutableInfo;

    DeviceInfo& info = physical.info;
    fill_identity(info, answers, index);
    fill_memory(info, physical);
    fill_reach(info, physical);
    fill_cores(info, answers);
    fill_clock(physical, answers);
    info.subgroup = std::max(1u, answers.subgroup.subgroupSize);
    info.largest_group = std::min(physical.limits.maxComputeWorkGroupInvocations, physical.limits.maxComputeWorkGroupSize[0]);
    info.scratchpad_bytes = physical.limits.maxComputeSharedMemorySize;
    info.loop_trips = loop_trips(answers);
    add_facts(info.facts, answers, physical);
    return physical;
}

} // namespace sonde::vulkan
