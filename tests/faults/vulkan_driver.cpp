// A Vulkan driver that misbehaves as SONDE_FAULT_VULKAN says (script.h): lavapipe, behind entry points of its own. Its
// own words:
//   enumerate: none, twice (two GPUs of one model); timestamps: zero, backwards, 1000x, none (the queue has none);
//   tick: ns between two timestamps, which then count those; bits: how many of them are valid, and each interval wraps;
//   takes: ticks between the two timestamps of every operation;
//   storage: bytes of the largest storage buffer;
//   hidden: extensions of the device that it does not list, "VK_A,VK_B"; version: 1.0 (of the API that it knows);
//   features: none (Vulkan 1.1, no extension, no optional feature); memory: liar (heaps of a pebibyte), host (nothing
//   is device-local)
#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <vector>

#include "tests/faults/script.h"

namespace {

std::string scripted(const std::string& call) { return fault::outcome("SONDE_FAULT_VULKAN", call); }

using GetAddress = PFN_vkVoidFunction (*)(VkInstance, const char*);

template <class Function> Function* in_lavapipe(const char* name) {
    static void* const handle = dlopen(SONDE_LAVAPIPE, RTLD_NOW | RTLD_LOCAL);
    return handle ? reinterpret_cast<Function*>(dlsym(handle, name)) : nullptr;
}

/// In place of an entry point: the fault, or the entry point. `Name` tells apart those of one type.
template <class Function, int Name> struct Hook;
template <class Answer, class... Arguments, int Name> struct Hook<Answer (*)(Arguments...), Name> {
    static inline Answer (*real)(Arguments...) = nullptr;
    static inline const char* name = "";
    static Answer call(Arguments... arguments) {
        const std::string said = scripted(name);
        if (!fault::carry_out(said) && !said.empty()) {
            if constexpr (std::is_same_v<Answer, VkResult>) return static_cast<VkResult>(std::atoi(said.c_str()));
        }
        return real(arguments...);
    }
};

PFN_vkEnumeratePhysicalDevices real_enumerate;
VkResult VKAPI_CALL enumerate(VkInstance instance, std::uint32_t* count, VkPhysicalDevice* devices) {
    const std::string said = scripted("enumerate");
    fault::carry_out(said);
    if (!said.empty() && (said[0] == '-' || std::isdigit(said[0])))
        return static_cast<VkResult>(std::atoi(said.c_str()));
    if (said == "none") return *count = 0, VK_SUCCESS;
    return real_enumerate(instance, count, devices);
}

PFN_vkGetQueryPoolResults real_results;
VkResult VKAPI_CALL results(VkDevice device, VkQueryPool pool, std::uint32_t first, std::uint32_t count, size_t bytes,
    void* data, VkDeviceSize stride, VkQueryResultFlags flags) {
    const VkResult result = real_results(device, pool, first, count, bytes, data, stride, flags);
    const std::string said = scripted("timestamps"), tick = scripted("tick"), bits = scripted("bits"),
                      takes = scripted("takes");
    auto* const ticks = static_cast<std::uint64_t*>(data);
    for (std::size_t i = 0; i + 1 < bytes / 8 && !takes.empty(); i += 2) ticks[i + 1] = ticks[i] + std::stoul(takes);
    for (std::size_t i = 0; i < bytes / 8 && !tick.empty(); ++i) ticks[i] /= std::stoul(tick);
    for (std::size_t i = 0; i + 1 < bytes / 8 && !bits.empty(); i += 2) {
        const std::uint64_t mask = (1ull << std::stoul(bits)) - 1;
        ticks[i + 1] = (ticks[i + 1] - ticks[i] - 1) & mask;
        ticks[i] = mask;
    }
    for (std::size_t i = 0; i < bytes / 8 && !said.empty(); ++i) {
        if (said == "zero") ticks[i] = 0;
        if (said == "backwards") ticks[i] = ~ticks[i];
        if (said == "1000x") ticks[i] *= 1000;
    }
    return result;
}

PFN_vkGetPhysicalDeviceQueueFamilyProperties real_families;
void VKAPI_CALL families(VkPhysicalDevice device, std::uint32_t* count, VkQueueFamilyProperties* found) {
    real_families(device, count, found);
    const std::string bits = scripted("timestamps") == "none" ? "0" : scripted("bits");
    for (std::uint32_t i = 0; found && !bits.empty() && i < *count; ++i)
        found[i].timestampValidBits = static_cast<std::uint32_t>(std::stoul(bits));
}

PFN_vkEnumerateDeviceExtensionProperties real_extensions;
VkResult VKAPI_CALL extensions(
    VkPhysicalDevice device, const char* layer, std::uint32_t* count, VkExtensionProperties* found) {
    if (scripted("features") == "none") return *count = 0, VK_SUCCESS;
    const std::string hidden = "," + scripted("hidden") + ",";
    if (hidden == ",,") return real_extensions(device, layer, count, found);
    std::uint32_t all = 0;
    if (const VkResult result = real_extensions(device, layer, &all, nullptr); result != VK_SUCCESS) return result;
    std::vector<VkExtensionProperties> listed(all);
    if (const VkResult result = real_extensions(device, layer, &all, listed.data()); result != VK_SUCCESS)
        return result;
    std::erase_if(listed, [&](const VkExtensionProperties& each) {
        return hidden.find(std::string(",") + each.extensionName + ",") != std::string::npos;
    });
    if (!found) return *count = static_cast<std::uint32_t>(listed.size()), VK_SUCCESS;
    *count = std::min(*count, static_cast<std::uint32_t>(listed.size()));
    std::copy_n(listed.begin(), *count, found);
    return *count < listed.size() ? VK_INCOMPLETE : VK_SUCCESS;
}

void distort(VkPhysicalDeviceProperties& properties) {
    if (scripted("features") == "none") properties.apiVersion = VK_API_VERSION_1_1;
    if (scripted("version") == "1.0") properties.apiVersion = VK_API_VERSION_1_0;
    if (const std::string bytes = scripted("storage"); !bytes.empty())
        properties.limits.maxStorageBufferRange = static_cast<std::uint32_t>(std::stoul(bytes));
    if (const std::string tick = scripted("tick"); !tick.empty()) properties.limits.timestampPeriod = std::stof(tick);
}
PFN_vkGetPhysicalDeviceProperties real_properties;
void VKAPI_CALL properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* found) {
    real_properties(device, found);
    distort(*found);
}
PFN_vkGetPhysicalDeviceProperties2 real_properties2;
void VKAPI_CALL properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* found) {
    real_properties2(device, found);
    distort(found->properties);
}
PFN_vkGetPhysicalDeviceFeatures2 real_features2;
void VKAPI_CALL features2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* found) {
    real_features2(device, found);
    if (scripted("features") != "none") return;
    found->features = {};
    for (auto* next = static_cast<VkBaseOutStructure*>(found->pNext); next; next = next->pNext) switch (next->sType) {
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR:
            reinterpret_cast<VkPhysicalDeviceShaderClockFeaturesKHR*>(next)->shaderSubgroupClock = VK_FALSE;
            reinterpret_cast<VkPhysicalDeviceShaderClockFeaturesKHR*>(next)->shaderDeviceClock = VK_FALSE;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES:
            reinterpret_cast<VkPhysicalDeviceBufferDeviceAddressFeatures*>(next)->bufferDeviceAddress = VK_FALSE;
            break;
        default:
            break;
        }
}

void distort(VkPhysicalDeviceMemoryProperties& memory) {
    const std::string said = scripted("memory");
    if (said == "liar")
        for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) memory.memoryHeaps[i].size = VkDeviceSize{1} << 50;
    if (said == "host") {
        for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) memory.memoryHeaps[i].flags = 0;
        for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i)
            memory.memoryTypes[i].propertyFlags &= ~VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    }
}
PFN_vkGetPhysicalDeviceMemoryProperties real_memory;
void VKAPI_CALL memory(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* found) {
    real_memory(device, found);
    distort(*found);
}
PFN_vkGetPhysicalDeviceMemoryProperties2 real_memory2;
void VKAPI_CALL memory2(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2* found) {
    real_memory2(device, found);
    distort(found->memoryProperties);
}

/// Puts `mine` in place of lavapipe's, which it keeps.
template <class Function> PFN_vkVoidFunction taken(PFN_vkVoidFunction theirs, Function& real, Function mine) {
    if (!theirs) return nullptr;
    real = reinterpret_cast<Function>(theirs);
    return reinterpret_cast<PFN_vkVoidFunction>(mine);
}
template <class Function, int Name> PFN_vkVoidFunction hooked(PFN_vkVoidFunction theirs, const char* name) {
    Hook<Function, Name>::name = name;
    return taken<Function>(theirs, Hook<Function, Name>::real, &Hook<Function, Name>::call);
}

PFN_vkGetDeviceProcAddr real_device_address;
PFN_vkVoidFunction VKAPI_CALL device_address(VkDevice device, const char* name);

PFN_vkVoidFunction replaced(const char* name, PFN_vkVoidFunction theirs) {
    const auto is = [&](const char* which) { return std::strcmp(name, which) == 0; };
#define HOOK(function)                                                                                                 \
    if (is(#function)) return hooked<PFN_##function, __LINE__>(theirs, #function);
    // clang-format off
    HOOK(vkCreateInstance)
    HOOK(vkCreateDevice)
    HOOK(vkAllocateMemory)
    HOOK(vkCreateBuffer)
    HOOK(vkMapMemory)
    HOOK(vkCreateShaderModule)
    HOOK(vkCreateComputePipelines)
    HOOK(vkQueueSubmit)
    HOOK(vkWaitForFences)
    HOOK(vkDestroyDevice)
    // clang-format on
#undef HOOK
    if (is("vkEnumeratePhysicalDevices")) return taken(theirs, real_enumerate, &enumerate);
    if (is("vkGetQueryPoolResults")) return taken(theirs, real_results, &results);
    if (is("vkGetPhysicalDeviceQueueFamilyProperties")) return taken(theirs, real_families, &families);
    if (is("vkEnumerateDeviceExtensionProperties")) return taken(theirs, real_extensions, &extensions);
    if (is("vkGetPhysicalDeviceProperties")) return taken(theirs, real_properties, &properties);
    if (is("vkGetPhysicalDeviceProperties2") || is("vkGetPhysicalDeviceProperties2KHR"))
        return taken(theirs, real_properties2, &properties2);
    if (is("vkGetPhysicalDeviceFeatures2") || is("vkGetPhysicalDeviceFeatures2KHR"))
        return taken(theirs, real_features2, &features2);
    if (is("vkGetPhysicalDeviceMemoryProperties")) return taken(theirs, real_memory, &memory);
    if (is("vkGetPhysicalDeviceMemoryProperties2") || is("vkGetPhysicalDeviceMemoryProperties2KHR"))
        return taken(theirs, real_memory2, &memory2);
    if (is("vkGetDeviceProcAddr")) return taken(theirs, real_device_address, &device_address);
    return theirs;
}

PFN_vkVoidFunction VKAPI_CALL device_address(VkDevice device, const char* name) {
    return replaced(name, real_device_address(device, name));
}

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT VkResult vk_icdNegotiateLoaderICDInterfaceVersion(std::uint32_t* version) {
    fault::carry_out(scripted("load"));
    const auto negotiate = in_lavapipe<VkResult(std::uint32_t*)>("vk_icdNegotiateLoaderICDInterfaceVersion");
    return negotiate ? negotiate(version) : VK_ERROR_INCOMPATIBLE_DRIVER;
}

EXPORT PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char* name) {
    const auto get = in_lavapipe<PFN_vkVoidFunction(VkInstance, const char*)>("vk_icdGetInstanceProcAddr");
    return get ? replaced(name, get(instance, name)) : nullptr;
}

EXPORT PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
    const auto get = in_lavapipe<PFN_vkVoidFunction(VkInstance, const char*)>("vk_icdGetPhysicalDeviceProcAddr");
    return get ? replaced(name, get(instance, name)) : nullptr;
}
