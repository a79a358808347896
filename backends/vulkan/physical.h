// What a physical device says of itself, asked without making a device of it.
#pragma once
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "backends/common.h"
#include "backends/vulkan/loader.h"

namespace sonde::vulkan {

/// Bytes of push constants that the arguments of any kernel may take; the rest of what the device has is for a table.
inline constexpr std::uint32_t kArgumentBytes = 40;

/// A queue of the device.
struct QueuePlace {
    std::uint32_t family = 0, index = 0;
    auto operator<=>(const QueuePlace&) const = default;
};

/// What stands for Copy::queue, the same more than once where a device has too few. 0: the first queue of
/// `compute_family`. The others: queues of a family that only copies where there is one, then further ones of the
/// compute family.
std::array<QueuePlace, kCopyQueues> copy_queues(
    std::span<const VkQueueFamilyProperties> families, std::uint32_t compute_family);

// Of extensions that headers of Vulkan 1.3.239 lack: VkPhysicalDeviceCooperativeMatrixFeaturesKHR,
// ...ShaderBfloat16FeaturesKHR, ...ShaderFloat8FeaturesEXT.
struct CooperativeMatrixFeatures {
    VkStructureType sType = static_cast<VkStructureType>(1000506000);
    void* pNext = nullptr;
    VkBool32 matrices = 0, robust = 0;
};
struct Bfloat16Features {
    VkStructureType sType = static_cast<VkStructureType>(1000141000);
    void* pNext = nullptr;
    VkBool32 type = 0, dot_product = 0, matrices = 0;
};
struct Float8Features {
    VkStructureType sType = static_cast<VkStructureType>(1000567000);
    void* pNext = nullptr;
    VkBool32 type = 0, matrices = 0;
};
/// A product of cooperative matrices that the driver lists, A x B + C: shape, the VkComponentTypeKHR of each matrix and
/// of the result, and the VkScopeKHR of what does it together.
struct MatrixShape {
    std::uint32_t m, n, k, a, b, c, result, scope;
    bool saturates = false;
    bool operator==(const MatrixShape&) const = default;
};

/// The optional features that kernels and listings may need.
struct Features {
    VkPhysicalDeviceShaderClockFeaturesKHR clocks{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
    VkPhysicalDeviceShaderSMBuiltinsFeaturesNV core_numbers{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_FEATURES_NV};
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
    VkPhysicalDeviceBufferDeviceAddressFeaturesKHR addresses{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_KHR};
    VkPhysicalDevice16BitStorageFeatures halves{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
    VkPhysicalDevice8BitStorageFeaturesKHR bytes{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES_KHR};
    VkPhysicalDeviceShaderAtomicInt64FeaturesKHR atomic_integers{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES_KHR};
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_floats{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
    VkPhysicalDeviceShaderFloat16Int8FeaturesKHR narrow{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES_KHR};
    VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR dots{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES_KHR};
    VkPhysicalDeviceVulkanMemoryModelFeaturesKHR memory_model{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES_KHR};
    CooperativeMatrixFeatures matrices{};
    Bfloat16Features bfloat16{};
    Float8Features float8{};
    VkPhysicalDeviceSubgroupSizeControlFeaturesEXT sizes{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT};
    VkPhysicalDeviceFeatures numbers{};   // of Vulkan 1.0: shaderInt16, shaderInt64 and shaderFloat64 are used
    VkSubgroupFeatureFlags subgroups = 0; // of Vulkan 1.1, in compute shaders
    bool dots_lowered = false;            // a GPU's driver makes other instructions of a packed dot product

    /// visit(struct, the extension that it comes with; nullptr: Vulkan 1.1, those of its members that are used...)
    template <class Visit> void each(const Visit& visit) {
        visit(clocks, VK_KHR_SHADER_CLOCK_EXTENSION_NAME, clocks.shaderSubgroupClock, clocks.shaderDeviceClock);
        visit(core_numbers, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME, core_numbers.shaderSMBuiltins);
        visit(executables, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, executables.pipelineExecutableInfo);
        visit(addresses, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME, addresses.bufferDeviceAddress);
        visit(halves, nullptr, halves.storageBuffer16BitAccess);
        visit(bytes, VK_KHR_8BIT_STORAGE_EXTENSION_NAME, bytes.storageBuffer8BitAccess);
        visit(narrow, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME, narrow.shaderFloat16, narrow.shaderInt8);
        visit(matrices, "VK_KHR_cooperative_matrix", matrices.matrices);
        visit(bfloat16, "VK_KHR_shader_bfloat16", bfloat16.type, bfloat16.matrices);
        visit(float8, "VK_EXT_shader_float8", float8.type, float8.matrices);
        visit(dots, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME, dots.shaderIntegerDotProduct);
        visit(memory_model, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME, memory_model.vulkanMemoryModel,
            memory_model.vulkanMemoryModelDeviceScope);
        visit(sizes, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, sizes.subgroupSizeControl);
        visit(atomic_integers, VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME, atomic_integers.shaderBufferInt64Atomics,
            atomic_integers.shaderSharedInt64Atomics);
        visit(atomic_floats, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, atomic_floats.shaderBufferFloat32AtomicAdd,
            atomic_floats.shaderSharedFloat32AtomicAdd, atomic_floats.shaderBufferFloat64AtomicAdd,
            atomic_floats.shaderSharedFloat64AtomicAdd);
    }

    /// "the device has no shaderInt64 (Vulkan 1.0)": the first of what a kernel that needs `feature` cannot do without;
    /// nullopt: all of it is there.
    std::optional<std::string> why_lacking(Feature feature, bool in_scratchpad) const;
};

/// Puts `next` in front of the chain of structs that begins at `head`.
template <class Struct> void link(void*& head, Struct& next) {
    next.pNext = head;
    head = &next;
}

std::vector<VkQueueFamilyProperties> queue_families(VkPhysicalDevice);

/// The driver's own structs, each filled only where the device lists the extension it belongs to (their `pNext` is of
/// no use any more), and what follows from them.
struct PhysicalDevice {
    explicit PhysicalDevice(VkPhysicalDevice);

    bool has(const char* extension) const { return extensions.contains(extension); }
    const VkPhysicalDeviceLimits& limits() const { return properties.limits; }
    /// Bytes of one vkAllocateMemory.
    VkDeviceSize largest_allocation() const { return maintenance.maxMemoryAllocationSize; }

    VkPhysicalDevice handle;
    std::set<std::string, std::less<>> extensions;
    VkPhysicalDeviceProperties properties{};
    VkPhysicalDeviceMemoryProperties memory{};
    std::vector<VkQueueFamilyProperties> families;
    std::vector<MatrixShape> matrices; // all that it lists; none where the device lacks VK_KHR_cooperative_matrix
    // Vulkan 1.1
    VkPhysicalDeviceIDProperties id{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceSubgroupProperties subgroup{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceMaintenance3Properties maintenance{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
    // Extensions: all zero where the device lacks them.
    VkPhysicalDeviceDriverPropertiesKHR driver{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES_KHR};
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
    VkPhysicalDeviceSubgroupSizeControlPropertiesEXT subgroup_sizes{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT};
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia_cores{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
    VkPhysicalDeviceShaderCorePropertiesAMD amd_cores{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD};
    VkPhysicalDeviceShaderCoreProperties2AMD amd_cores_2{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD};
    VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM arm_cores{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM};
    VkPhysicalDeviceShaderIntegerDotProductPropertiesKHR dots{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES_KHR};
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    Features features; // the used member of each: it is there, and worth using

    std::uint32_t queue_family = 0;
    std::array<QueuePlace, kCopyQueues> queues{};
    std::uint32_t timestamp_bits = 0; // 0: no usable timestamps
    bool compiles_only = false;       // RADV's null hardware: there is no memory, and allocating crashes the driver
    DeviceInfo info;
};

/// Its structs of properties, and the extension that each comes with.
inline constexpr std::tuple kExtensionProperties{
    std::pair{&PhysicalDevice::driver, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME},
    std::pair{&PhysicalDevice::pci, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME},
    std::pair{&PhysicalDevice::subgroup_sizes, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME},
    std::pair{&PhysicalDevice::nvidia_cores, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME},
    std::pair{&PhysicalDevice::amd_cores, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME},
    std::pair{&PhysicalDevice::amd_cores_2, VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME},
    std::pair{&PhysicalDevice::arm_cores, VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME},
    std::pair{&PhysicalDevice::dots, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME}};
/// All that are used where a device lists them.
std::set<std::string> used_extensions();

std::vector<MatrixShape> listed_matrices(VkPhysicalDevice);
/// By types, in the list's order: "f16 x f16 + f32: 16x16x16, 16x8x16; s8 x s8 + s32 saturated: 16x16x32"; "none".
std::string matrices_text(std::span<const MatrixShape>);
/// nullopt: the device lists matrices of that shape and these types, and has what their types need. Else the reason.
std::optional<std::string> why_not_listed(const PhysicalDevice&, const MatrixForm&);

/// What VK_EXT_memory_budget leaves this process now of the heap in which buffers of `Space::global` lie; nullopt:
/// without that extension.
std::optional<std::uint64_t> memory_left(const PhysicalDevice&);

/// The facts that no probe needs and every reader of the results may want.
void add_facts(PhysicalDevice&);

/// Why nothing can be run on this device; nullopt: something can. Must be asked before `inspect`.
std::optional<std::string> why_skipped(VkPhysicalDevice);

/// Everything worth knowing of the `index`-th physical device.
PhysicalDevice inspect(VkPhysicalDevice, std::size_t index);

} // namespace sonde::vulkan
