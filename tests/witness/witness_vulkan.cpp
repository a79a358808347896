// The kinds over Vulkan, opened at run time; kernels.comp travels as SPIR-V.
#define VK_NO_PROTOTYPES
#include <dlfcn.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>

#include "kernels_spirv.h" // generated: kSpirv, {name, words, count}
#include "witness.h"

static void* symbol(const char* name) {
    static void* const library = dlopen("libvulkan.so.1", RTLD_NOW);
    if (!library) throw std::runtime_error(dlerror());
    void* const found = dlsym(library, name);
    if (!found) throw std::runtime_error(std::string(name) + ": not in this library");
    return found;
}
#define VK(function) reinterpret_cast<PFN_##function>(symbol(#function))

static void check(VkResult code, const char* what) {
    if (code != VK_SUCCESS) throw std::runtime_error(std::string(what) + ": error " + std::to_string(code));
}

namespace {
struct Memory {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    std::uint64_t bytes = 0;
    void* mapped = nullptr;
    VkDeviceAddress address = 0;
};

struct Vulkan final : Card {
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties properties{};
    VkPhysicalDeviceMemoryProperties memories{};
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    std::uint32_t family = 0;
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
    VkQueryPool stamps = VK_NULL_HANDLE;
    std::map<std::string, VkPipeline> pipelines;
    Memory staging, constants;
    VkBool32 doubles = VK_FALSE;
    static constexpr std::uint64_t kStaging = 64 << 20, kConstants = 64 << 10;

    explicit Vulkan(bool robust = false) {
        api = "vulkan";
        open_instance();
        open_device(robust);
        make_objects();
        staging = make(kStaging, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
            VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
        check(VK(vkMapMemory)(device, staging.memory, 0, VK_WHOLE_SIZE, 0, &staging.mapped), "vkMapMemory");
        constants = make(kConstants, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
    }

    /// The first discrete GPU, else the first device.
    void open_instance() {
        const VkApplicationInfo application{
            .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
        const VkInstanceCreateInfo info{
            .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
        check(VK(vkCreateInstance)(&info, nullptr, &instance), "vkCreateInstance");
        VkPhysicalDevice devices[16];
        std::uint32_t count = 16;
        const VkResult listed = VK(vkEnumeratePhysicalDevices)(instance, &count, devices);
        if (listed != VK_INCOMPLETE) check(listed, "vkEnumeratePhysicalDevices");
        for (std::uint32_t n = 0; n < count; n++) {
            VkPhysicalDeviceProperties found;
            VK(vkGetPhysicalDeviceProperties)(devices[n], &found);
            if (physical && (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ||
                                found.deviceType != VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU))
                continue;
            physical = devices[n], properties = found;
        }
        if (!physical) throw std::runtime_error("no Vulkan device");
        VK(vkGetPhysicalDeviceMemoryProperties)(physical, &memories);
    }
    bool offers(const char* extension) const {
        std::uint32_t count = 0;
        VK(vkEnumerateDeviceExtensionProperties)(physical, nullptr, &count, nullptr);
        std::vector<VkExtensionProperties> all(count);
        VK(vkEnumerateDeviceExtensionProperties)(physical, nullptr, &count, all.data());
        return std::any_of(all.begin(), all.end(),
            [&](const VkExtensionProperties& each) { return std::strcmp(each.extensionName, extension) == 0; });
    }
    void open_device(bool robust) {
        VkPhysicalDeviceShaderClockFeaturesKHR clocks{
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
        VkPhysicalDeviceBufferDeviceAddressFeatures addresses{
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES, .pNext = &clocks};
        VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &addresses};
        VK(vkGetPhysicalDeviceFeatures2)(physical, &features);
        if (!addresses.bufferDeviceAddress || !features.features.shaderInt64)
            throw std::runtime_error("no buffer addresses or no 64-bit integers");
        clock = clocks.shaderSubgroupClock && offers("VK_KHR_shader_clock") &&
                properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU;
        if (!clock) addresses.pNext = nullptr;
        doubles = features.features.shaderFloat64;
        features.features = {};
        features.features.shaderInt64 = VK_TRUE, features.features.shaderFloat64 = doubles,
        features.features.robustBufferAccess = robust;
        std::uint32_t count = 16;
        VkQueueFamilyProperties families[16];
        VK(vkGetPhysicalDeviceQueueFamilyProperties)(physical, &count, families);
        while (family < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT)) family++;
        if (family == count) throw std::runtime_error("no queue for compute");
        const float priority = 1;
        const VkDeviceQueueCreateInfo queues{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = family,
            .queueCount = 1,
            .pQueuePriorities = &priority};
        const char* const extensions[] = {"VK_KHR_shader_clock"};
        const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
            .pNext = &features,
            .queueCreateInfoCount = 1,
            .pQueueCreateInfos = &queues,
            .enabledExtensionCount = clock ? 1u : 0u,
            .ppEnabledExtensionNames = extensions};
        check(VK(vkCreateDevice)(physical, &info, nullptr, &device), "vkCreateDevice");
        VK(vkGetDeviceQueue)(device, family, 0, &queue);
        name = properties.deviceName;
        processor = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
        largest_held = properties.limits.maxComputeSharedMemorySize;
        for (std::uint32_t n = 0; n < memories.memoryHeapCount; n++)
            if (memories.memoryHeaps[n].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
                memory = std::max<std::uint64_t>(memory, memories.memoryHeaps[n].size);
        cores = count_cores();
    }
    unsigned count_cores() const {
        VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia{
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
        VkPhysicalDeviceShaderCorePropertiesAMD amd{
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD};
        VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
        if (offers("VK_NV_shader_sm_builtins")) all.pNext = &nvidia;
        else if (offers("VK_AMD_shader_core_properties")) all.pNext = &amd;
        VK(vkGetPhysicalDeviceProperties2)(physical, &all);
        const unsigned units = amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray;
        return nvidia.shaderSMCount ? nvidia.shaderSMCount : units ? units : processor ? 2 : 16;
    }
    void make_objects() {
        VkDescriptorSetLayoutBinding bindings[3];
        for (std::uint32_t n = 0; n < 3; n++)
            bindings[n] = {.binding = n,
                .descriptorType = n < 2 ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                .descriptorCount = 1,
                .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                .pImmutableSamplers = nullptr};
        const VkDescriptorSetLayoutCreateInfo set_info{
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 3, .pBindings = bindings};
        check(VK(vkCreateDescriptorSetLayout)(device, &set_info, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
        const VkPushConstantRange range{.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .offset = 0, .size = 24};
        const VkPipelineLayoutCreateInfo layout_info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
            .setLayoutCount = 1,
            .pSetLayouts = &set_layout,
            .pushConstantRangeCount = 1,
            .pPushConstantRanges = &range};
        check(VK(vkCreatePipelineLayout)(device, &layout_info, nullptr, &layout), "vkCreatePipelineLayout");
        const VkDescriptorPoolSize sizes[] = {
            {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1}};
        const VkDescriptorPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
            .maxSets = 1,
            .poolSizeCount = 2,
            .pPoolSizes = sizes};
        VkDescriptorPool pool = VK_NULL_HANDLE;
        check(VK(vkCreateDescriptorPool)(device, &pool_info, nullptr, &pool), "vkCreateDescriptorPool");
        const VkDescriptorSetAllocateInfo sets{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
            .descriptorPool = pool,
            .descriptorSetCount = 1,
            .pSetLayouts = &set_layout};
        check(VK(vkAllocateDescriptorSets)(device, &sets, &set), "vkAllocateDescriptorSets");
        const VkCommandPoolCreateInfo commands_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
            .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
            .queueFamilyIndex = family};
        VkCommandPool command_pool = VK_NULL_HANDLE;
        check(VK(vkCreateCommandPool)(device, &commands_info, nullptr, &command_pool), "vkCreateCommandPool");
        const VkCommandBufferAllocateInfo one{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
            .commandPool = command_pool,
            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
            .commandBufferCount = 1};
        check(VK(vkAllocateCommandBuffers)(device, &one, &commands), "vkAllocateCommandBuffers");
        const VkFenceCreateInfo fence_info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        check(VK(vkCreateFence)(device, &fence_info, nullptr, &fence), "vkCreateFence");
        const VkQueryPoolCreateInfo query_info{
            .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
        check(VK(vkCreateQueryPool)(device, &query_info, nullptr, &stamps), "vkCreateQueryPool");
    }

    Memory make(std::uint64_t bytes, VkMemoryPropertyFlags needed, VkMemoryPropertyFlags preferred) {
        Memory made;
        made.bytes = bytes;
        const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
            .size = bytes,
            .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                     VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                     VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
        check(VK(vkCreateBuffer)(device, &info, nullptr, &made.buffer), "vkCreateBuffer");
        VkMemoryRequirements asks;
        VK(vkGetBufferMemoryRequirements)(device, made.buffer, &asks);
        std::uint32_t type = ~0u;
        for (const VkMemoryPropertyFlags wanted : {needed | preferred, needed})
            for (std::uint32_t n = 0; n < memories.memoryTypeCount && type == ~0u; n++)
                if ((asks.memoryTypeBits >> n & 1) && (memories.memoryTypes[n].propertyFlags & wanted) == wanted)
                    type = n;
        if (type == ~0u) throw std::runtime_error("no such memory");
        const VkMemoryAllocateFlagsInfo flags{
            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
        const VkMemoryAllocateInfo memory_info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
            .pNext = &flags,
            .allocationSize = asks.size,
            .memoryTypeIndex = type};
        check(VK(vkAllocateMemory)(device, &memory_info, nullptr, &made.memory), "vkAllocateMemory");
        check(VK(vkBindBufferMemory)(device, made.buffer, made.memory, 0), "vkBindBufferMemory");
        const VkBufferDeviceAddressInfo where{
            .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = made.buffer};
        made.address = VK(vkGetBufferDeviceAddress)(device, &where);
        return made;
    }
    static Memory& memory_of(Handle handle) { return *reinterpret_cast<Memory*>(handle); }

    void begin(VkCommandBufferUsageFlags flags = 0) {
        const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = flags};
        check(VK(vkBeginCommandBuffer)(commands, &info), "vkBeginCommandBuffer");
        VK(vkCmdResetQueryPool)(commands, stamps, 0, 2);
    }
    void barrier() {
        const VkMemoryBarrier all{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
            .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
            .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
        VK(vkCmdPipelineBarrier)
        (commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
            0, 1, &all, 0, nullptr, 0, nullptr);
    }
    void submit(bool waits) {
        const VkSubmitInfo info{
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
        check(VK(vkQueueSubmit)(queue, 1, &info, waits ? fence : VK_NULL_HANDLE), "vkQueueSubmit");
        if (!waits) return;
        check(VK(vkWaitForFences)(device, 1, &fence, VK_TRUE, ~std::uint64_t{0}), "vkWaitForFences");
        check(VK(vkResetFences)(device, 1, &fence), "vkResetFences");
    }
    void end_and_wait() {
        barrier();
        check(VK(vkEndCommandBuffer)(commands), "vkEndCommandBuffer");
        submit(true);
    }
    double between_stamps() {
        std::uint64_t ticks[2] = {};
        check(VK(vkGetQueryPoolResults)(
                  device, stamps, 0, 2, sizeof ticks, ticks, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
            "vkGetQueryPoolResults");
        return static_cast<double>(ticks[1] - ticks[0]) * double{properties.limits.timestampPeriod};
    }
    void stamp(std::uint32_t n) {
        VK(vkCmdWriteTimestamp)
        (commands, n == 0 ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stamps, n);
    }

    Handle allocate(std::uint64_t bytes) override {
        auto made = std::make_unique<Memory>(make(bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0));
        begin();
        VK(vkCmdFillBuffer)(commands, made->buffer, 0, VK_WHOLE_SIZE, 0);
        end_and_wait();
        return reinterpret_cast<Handle>(made.release());
    }
    void release(Handle handle) override {
        const std::unique_ptr<Memory> owned(&memory_of(handle));
        VK(vkDestroyBuffer)(device, owned->buffer, nullptr);
        VK(vkFreeMemory)(device, owned->memory, nullptr);
    }
    void copy(const Memory& from, std::uint64_t from_at, const Memory& to, std::uint64_t to_at, std::uint64_t bytes) {
        begin();
        const VkBufferCopy region{.srcOffset = from_at, .dstOffset = to_at, .size = bytes};
        stamp(0);
        VK(vkCmdCopyBuffer)(commands, from.buffer, to.buffer, 1, &region);
        barrier();
        stamp(1);
        end_and_wait();
    }
    void upload(const Memory& to, const void* from, std::uint64_t bytes) {
        for (std::uint64_t at = 0; at < bytes; at += kStaging) {
            const std::uint64_t now = std::min(kStaging, bytes - at);
            std::memcpy(staging.mapped, static_cast<const char*>(from) + at, now);
            copy(staging, 0, to, at, now);
        }
    }
    void write(Handle to, const void* from, std::uint64_t bytes) override { upload(memory_of(to), from, bytes); }
    void read(Handle from, void* to, std::uint64_t bytes) override {
        copy(memory_of(from), 0, staging, 0, bytes);
        std::memcpy(to, staging.mapped, bytes);
    }
    std::uint64_t address(Handle handle) override { return memory_of(handle).address; }
    void set_constant(const void* from, std::uint64_t bytes) override { // the uniform block's elements are of 16 bytes
        std::vector<std::uint32_t> words(bytes / 4);
        std::memcpy(words.data(), from, bytes);
        for (std::uint32_t& word : words) word /= 4;
        upload(constants, words.data(), bytes);
    }
    bool has(const std::string& kernel) const override {
        return kernel != "chase_held" && kernel != "read_cg" && (doubles || !kernel.ends_with("_f64")) &&
               !kernel.starts_with("chain_rcp_denormal") && !kernel.starts_with("chain_rcp_ptx") &&
               (kernel != "chase_static_49152" || largest_held >= 49152);
    }

    /// Indices of 64 bits: where an element is chosen by a number converted to 32 bits, by the number itself. GLSL
    /// cannot say that, SPIR-V can.
    static std::vector<std::uint32_t> with_64_bit_indices(std::vector<std::uint32_t> words) {
        constexpr std::uint32_t kAccessChain = 65, kConvert = 113;
        std::map<std::uint32_t, std::uint32_t> converted;
        for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
            const std::uint32_t operation = words[at] & 0xffff, length = words[at] >> 16;
            if (operation == kConvert) converted[words[at + 2]] = words[at + 3];
            if (operation != kAccessChain) continue;
            if (const auto found = converted.find(words[at + length - 1]); found != converted.end())
                words[at + length - 1] = found->second;
        }
        return words;
    }
    VkPipeline pipeline(const Launch& launch) {
        std::string kernel = launch.kernel;
        std::uint32_t constants_of[2] = {launch.size, launch.held};
        if (kernel.starts_with("chase_static_"))
            constants_of[1] = static_cast<std::uint32_t>(std::stoul(kernel.substr(13))), kernel = "chase_static";
        VkPipeline& made =
            pipelines[kernel + " " + std::to_string(constants_of[0]) + " " + std::to_string(constants_of[1])];
        if (made) return made;
        const std::string wanted =
            (kernel.starts_with("chase") || kernel.starts_with("chain")) && kernel != "chase_address" && clock
                ? kernel + "_clock"
                : kernel;
        const auto found =
            std::find_if(std::begin(kSpirv), std::end(kSpirv), [&](const Spirv& each) { return wanted == each.name; });
        if (found == std::end(kSpirv)) throw std::runtime_error("no kernel " + wanted);
        std::vector<std::uint32_t> words(found->words, found->words + found->count);
        if (kernel == "chase_index64") words = with_64_bit_indices(words);
        const VkShaderModuleCreateInfo module_info{
            .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = words.size() * 4, .pCode = words.data()};
        VkShaderModule module = VK_NULL_HANDLE;
        check(VK(vkCreateShaderModule)(device, &module_info, nullptr, &module), "vkCreateShaderModule");
        const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
        const VkSpecializationInfo special{
            .mapEntryCount = constants_of[1] ? 2u : 1u, .pMapEntries = entries, .dataSize = 8, .pData = constants_of};
        const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main",
                .pSpecializationInfo = &special},
            .layout = layout};
        VkPipelineCache cache = VK_NULL_HANDLE;
        const char* const folder = std::getenv("WITNESS_PIPELINES");
        const VkPipelineCacheCreateInfo cache_info{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
        if (folder) check(VK(vkCreatePipelineCache)(device, &cache_info, nullptr, &cache), "vkCreatePipelineCache");
        check(VK(vkCreateComputePipelines)(device, cache, 1, &info, nullptr, &made), "vkCreateComputePipelines");
        if (folder) {
            std::size_t bytes = 0;
            check(VK(vkGetPipelineCacheData)(device, cache, &bytes, nullptr), "vkGetPipelineCacheData");
            std::vector<char> data(bytes);
            check(VK(vkGetPipelineCacheData)(device, cache, &bytes, data.data()), "vkGetPipelineCacheData");
            std::FILE* const file =
                std::fopen((std::string(folder) + "/" + wanted + "_" + std::to_string(constants_of[0]) + "_" +
                               std::to_string(constants_of[1]) + ".bin")
                               .c_str(),
                    "wb");
            if (file) std::fwrite(data.data(), 1, bytes, file), std::fclose(file);
        }
        return made;
    }
    void bind(const Launch& launch) {
        VkDescriptorBufferInfo buffers[3] = {{memory_of(launch.a).buffer, 0, VK_WHOLE_SIZE},
            {memory_of(launch.out).buffer, 0, VK_WHOLE_SIZE}, {constants.buffer, 0, VK_WHOLE_SIZE}};
        VkWriteDescriptorSet writes[3];
        for (std::uint32_t n = 0; n < 3; n++)
            writes[n] = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                .dstSet = set,
                .dstBinding = n,
                .descriptorCount = 1,
                .descriptorType = n < 2 ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                .pBufferInfo = &buffers[n]};
        VK(vkUpdateDescriptorSets)(device, 3, writes, 0, nullptr);
    }
    void record(const Launch& launch) {
        struct {
            std::uint64_t address;
            Args args;
        } const values{memory_of(launch.a).address, launch.args};
        VK(vkCmdBindPipeline)(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline(launch));
        VK(vkCmdBindDescriptorSets)(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
        VK(vkCmdPushConstants)(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof values, &values);
        stamp(0);
        VK(vkCmdDispatch)(commands, launch.groups, 1, 1);
        barrier();
        stamp(1);
    }
    double run(const Launch& launch) override {
        pipeline(launch);
        bind(launch);
        begin();
        record(launch);
        end_and_wait();
        return between_stamps();
    }
    double copy_gbs(bool to_device, std::uint64_t bytes) override {
        const Handle there = allocate(bytes);
        double ns = 1e30;
        for (int repeat = 0; repeat < 10; repeat++) {
            if (to_device) copy(staging, 0, memory_of(there), 0, bytes);
            else copy(memory_of(there), 0, staging, 0, bytes);
            ns = std::min(ns, between_stamps());
        }
        release(there);
        return static_cast<double>(bytes) / ns;
    }
    /// A submission for each.
    void launch_many(const Launch& launch, unsigned count, bool wait_for_each) override {
        bind(launch);
        begin(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
        VK(vkCmdBindPipeline)(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline(launch));
        VK(vkCmdBindDescriptorSets)(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
        VK(vkCmdDispatch)(commands, launch.groups, 1, 1);
        barrier();
        check(VK(vkEndCommandBuffer)(commands), "vkEndCommandBuffer");
        for (unsigned n = 0; n < count; n++) submit(wait_for_each || n + 1 == count);
    }
};
} // namespace

/// What costs cycles between two loads: the sort of buffer, the width of its index, and whether the device checks
/// bounds.
static void variants(Card& card) {
    for (const bool robust : {false, true}) {
        const std::unique_ptr<Vulkan> other(robust ? new Vulkan(true) : nullptr);
        Card& used = other ? *other : card;
        for (const char* kernel : {"chase", "chase_readonly", "chase_restrict", "chase_masked", "chase_sized",
                 "chase_readonly_masked", "chase_readonly_sized", "chase_index64", "chase_pointer"})
            for (const std::uint64_t bytes : {32 << 10, 4 << 20}) {
                const std::string what = std::string(kernel) + (robust ? " robust " : " ") + size_text(bytes);
                attempt(used, "paths", what, [&] { print_load(used, "paths", what, load_time(used, kernel, bytes)); });
            }
    }
}

/// Dispatches one behind the other in one command buffer.
static void one_command_buffer(Card& card) {
    auto& vulkan = dynamic_cast<Vulkan&>(card);
    const Handle a = card.allocate(256), out = card.allocate(256);
    const Launch launch{.kernel = "empty", .groups = 1, .size = card.processor ? 1u : 32u, .a = a, .out = out};
    vulkan.bind(launch);
    const VkPipeline pipeline = vulkan.pipeline(launch);
    constexpr unsigned kCount = 1000;
    double ns = 1e30;
    for (int repeat = 0; repeat < 5; repeat++) {
        vulkan.begin();
        VK(vkCmdBindPipeline)(vulkan.commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        VK(vkCmdBindDescriptorSets)
        (vulkan.commands, VK_PIPELINE_BIND_POINT_COMPUTE, vulkan.layout, 0, 1, &vulkan.set, 0, nullptr);
        vulkan.stamp(0);
        for (unsigned n = 0; n < kCount; n++) {
            VK(vkCmdDispatch)(vulkan.commands, 1, 1, 1);
            vulkan.barrier();
        }
        vulkan.stamp(1);
        vulkan.end_and_wait();
        ns = std::min(ns, vulkan.between_stamps());
    }
    figure(card, "launch-buffer", "in one command buffer", ns / kCount, "ns");
}

int main(int argc, char** argv) {
    return witness_main(
        argc, argv, "vulkan", [] { return new Vulkan; }, {{"paths", variants}, {"launch-buffer", one_command_buffer}});
}
