// The CUDA driver API as far as this backend uses it: own declarations, found in libcuda.so.1 at run time, no cuda.h.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace sonde::cuda {

/// Whether a library without the entry point is of no use.
enum Need { required, optional };

using Result = int;
using DeviceHandle = int;
using DevicePointer = std::uint64_t;
using ContextHandle = struct OpaqueContext*;
using StreamHandle = struct OpaqueStream*;
using EventHandle = struct OpaqueEvent*;
using ModuleHandle = struct OpaqueModule*;
using FunctionHandle = struct OpaqueFunction*;
using LinkHandle = struct OpaqueLink*;
using ArrayHandle = struct OpaqueArray*;
using TextureHandle = std::uint64_t; // CUtexObject
struct Uuid {
    unsigned char bytes[16];
};

inline constexpr Result kSuccess = 0;
inline constexpr Result kInvalidValue = 1;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kUnsupportedPtxVersion = 222;
inline constexpr Result kLaunchOutOfResources = 701;

inline constexpr unsigned kStreamNonBlocking = 1; // CU_STREAM_NON_BLOCKING: does not wait for the legacy default stream
inline constexpr unsigned kEventDefault = 0;      // CU_EVENT_DEFAULT: with timing
inline constexpr unsigned kHostAllocPortable = 1, kHostAllocDeviceMap = 2;

// CUjit_option and CUjitInputType
inline constexpr int kJitThreadsPerBlock = 1, kJitInfoLogBuffer = 3, kJitInfoLogBufferBytes = 4, kJitErrorLogBuffer = 5,
                     kJitErrorLogBufferBytes = 6;
inline constexpr int kJitCacheMode = 14, kJitCacheModeCa = 2;
inline constexpr int kJitInputPtx = 1;

// CUfunction_attribute
inline constexpr int kFunctionSharedBytes = 1, kFunctionLocalBytes = 3, kFunctionRegisters = 4,
                     kFunctionCacheModeCa = 7, kFunctionMaxDynamicSharedBytes = 8,
                     kFunctionPreferredSharedMemoryCarveout = 9, kFunctionNonPortableCluster = 14;
inline constexpr int kCarveoutDefault = -1;
inline constexpr int kPreferNone = 0, kPreferShared = 1, kPreferL1 = 2, kPreferEqual = 3; // CUfunc_cache
inline constexpr int kBanksDefault = 0, kBanksFourBytes = 1, kBanksEightBytes = 2;        // CUsharedconfig

// Textures: the fields that are used of CUDA_ARRAY_DESCRIPTOR, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC and CUDA_MEMCPY2D,
// in the driver's layout.
inline constexpr int kFormatUnsigned32 = 3, kResourceArray = 0, kResourceLinear = 2, kAddressClamp = 1,
                     kMemoryArray = 3, kMemoryUnified = 4;
inline constexpr unsigned kReadAsInteger = 1;
struct ArrayDescriptor {
    std::size_t width = 0, height = 0;
    int format = kFormatUnsigned32;
    unsigned channels = 1;
};
struct LinearResource {
    DevicePointer address;
    int format;
    unsigned channels;
    std::size_t bytes;
};
struct ResourceDescriptor {
    int type = kResourceLinear;
    union {
        ArrayHandle array;
        LinearResource linear;
        int reserved[32] = {};
    };
    unsigned flags = 0;
};
struct TextureDescriptor {
    int address_mode[3] = {kAddressClamp, kAddressClamp, kAddressClamp};
    int filter_mode = 0; // the nearest
    unsigned flags = kReadAsInteger;
    unsigned anisotropy = 0;
    int mipmap_filter_mode = 0;
    float mipmap_level_bias = 0, least_mipmap_level = 0, most_mipmap_level = 0, border_color[4] = {};
    int reserved[12] = {};
};
struct CopyEnd {
    std::size_t x = 0, y = 0;
    int type = kMemoryUnified;
    const void* host = nullptr;
    DevicePointer device = 0;
    ArrayHandle array = nullptr;
    std::size_t pitch = 0;
};
struct Copy2d {
    CopyEnd from, to;
    std::size_t width_bytes, height;
};

// Launches with a cluster: CUlaunchAttribute and CUlaunchConfig.
inline constexpr int kLaunchClusterDimension = 4;
struct LaunchAttribute {
    int id = kLaunchClusterDimension;
    int padding = 0;
    unsigned values[16] = {};
};
struct LaunchConfig {
    unsigned groups_x, groups_y, groups_z, size_x, size_y, size_z, shared_bytes;
    StreamHandle stream;
    LaunchAttribute* attributes;
    unsigned attribute_count;
};

// CUdevice_attribute. Those recorded as facts, in this order: X(name here, number, CUDA's name behind
// CU_DEVICE_ATTRIBUTE_, fact, unit).
// clang-format off
#define SONDE_CUDA_FACTS(X)                                                                                            \
    X(kClockRate, 13, CLOCK_RATE, "core clock", " kHz")                                                                \
    X(kMemoryClockRate, 36, MEMORY_CLOCK_RATE, "memory clock", " kHz")                                                 \
    X(kMemoryBusWidth, 37, GLOBAL_MEMORY_BUS_WIDTH, "memory bus width", " bits")                                       \
    X(kL2CacheBytes, 38, L2_CACHE_SIZE, "L2 cache", " bytes")                                                          \
    X(kGlobalL1Cache, 79, GLOBAL_L1_CACHE_SUPPORTED, "globals cached in L1", "")                                       \
    X(kLocalL1Cache, 80, LOCAL_L1_CACHE_SUPPORTED, "locals cached in L1", "")                                          \
    X(kSharedMemoryPerMultiprocessor, 81, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, "shared memory per multiprocessor",    \
      " bytes")                                                                                                        \
    X(kSharedMemoryPerBlock, 8, MAX_SHARED_MEMORY_PER_BLOCK, "shared memory per block", " bytes")                      \
    X(kSharedMemoryPerBlockOptin, 97, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, "shared memory per block by opt-in",          \
      " bytes")                                                                                                        \
    X(kConstantMemory, 9, TOTAL_CONSTANT_MEMORY, "constant memory", " bytes")                                          \
    X(kRegistersPerBlock, 12, MAX_REGISTERS_PER_BLOCK, "registers per block", "")                                      \
    X(kRegistersPerMultiprocessor, 82, MAX_REGISTERS_PER_MULTIPROCESSOR, "registers per multiprocessor", "")           \
    X(kThreadsPerMultiprocessor, 39, MAX_THREADS_PER_MULTIPROCESSOR, "threads per multiprocessor", "")                 \
    X(kEccEnabled, 32, ECC_ENABLED, "ECC", "")                                                                         \
    X(kIntegrated, 18, INTEGRATED, "integrated", "")                                                                   \
    X(kKernelTimeout, 17, KERNEL_EXEC_TIMEOUT, "run time limit on kernels", "")                                        \
    X(kComputeMode, 20, COMPUTE_MODE, "compute mode", "")                                                              \
    X(kUnifiedAddressing, 41, UNIFIED_ADDRESSING, "unified addressing", "")
// clang-format on
enum Attribute : int {
    kMaxThreadsPerBlock = 1,
    kWarpSize = 10,
    kMultiprocessors = 16,
    kTexture2dHeight = 23,
    kTexture1dLinearWidth = 69,
    kCapabilityMajor = 75,
    kCapabilityMinor = 76,
#define SONDE_ENUMERATOR(name, number, cuda_name, fact, unit) name = number,
    SONDE_CUDA_FACTS(SONDE_ENUMERATOR)
#undef SONDE_ENUMERATOR
};

// Every entry point: X(need, name here, what its symbol has behind that, what that of older drivers has, parameters).
// Required is what every driver since CUDA 7 has; what is optional is tested for before it is called.
// clang-format off
#define SONDE_CUDA_ENTRY_POINTS(X)                                                                                     \
    X(required, cuInit, , , (unsigned flags))                                                                          \
    X(required, cuDriverGetVersion, , , (int* version))                                                                \
    X(required, cuGetErrorName, , , (Result code, const char** name))                                                  \
    X(required, cuGetErrorString, , , (Result code, const char** text))                                                \
    X(required, cuDeviceGetCount, , , (int* count))                                                                    \
    X(required, cuDeviceGet, , , (DeviceHandle* device, int ordinal))                                                  \
    X(required, cuDeviceGetName, , , (char* name, int bytes, DeviceHandle device))                                     \
    X(required, cuDeviceGetAttribute, , , (int* value, Attribute attribute, DeviceHandle device))                      \
    X(required, cuDeviceTotalMem, _v2, _v2, (std::size_t* bytes, DeviceHandle device))                                 \
    X(optional, cuDeviceGetUuid, _v2, , (Uuid* uuid, DeviceHandle device))                                             \
    X(optional, cuDeviceGetPCIBusId, , , (char* text, int bytes, DeviceHandle device))                                 \
    X(required, cuDevicePrimaryCtxRetain, , , (ContextHandle* context, DeviceHandle device))                           \
    X(required, cuDevicePrimaryCtxRelease, _v2, , (DeviceHandle device))                                               \
    X(required, cuCtxSetCurrent, , , (ContextHandle context))                                                          \
    X(optional, cuDeviceCanAccessPeer, , , (int* can, DeviceHandle device, DeviceHandle peer))                         \
    X(optional, cuCtxEnablePeerAccess, , , (ContextHandle peer, unsigned flags))                                       \
    X(optional, cuCtxDisablePeerAccess, , , (ContextHandle peer))                                                      \
    X(optional, cuMemcpyPeerAsync, , , (DevicePointer to, ContextHandle to_context, DevicePointer from,                \
      ContextHandle from_context, std::size_t bytes, StreamHandle stream))                                             \
    X(required, cuStreamCreate, , , (StreamHandle* stream, unsigned flags))                                            \
    X(required, cuStreamDestroy, _v2, _v2, (StreamHandle stream))                                                      \
    X(required, cuStreamSynchronize, , , (StreamHandle stream))                                                        \
    X(required, cuEventCreate, , , (EventHandle* event, unsigned flags))                                               \
    X(required, cuEventDestroy, _v2, _v2, (EventHandle event))                                                         \
    X(required, cuEventRecord, , , (EventHandle event, StreamHandle stream))                                           \
    X(required, cuEventElapsedTime, _v2, , (float* milliseconds, EventHandle begin, EventHandle end))                  \
    X(optional, cuMemGetInfo, _v2, _v2, (std::size_t* free, std::size_t* total))                                       \
    X(required, cuMemAlloc, _v2, _v2, (DevicePointer* address, std::size_t bytes))                                     \
    X(required, cuMemFree, _v2, _v2, (DevicePointer address))                                                          \
    X(required, cuMemHostAlloc, , , (void** address, std::size_t bytes, unsigned flags))                               \
    X(required, cuMemFreeHost, , , (void* address))                                                                    \
    X(required, cuMemHostGetDevicePointer, _v2, _v2, (DevicePointer* address, void* host, unsigned flags))             \
    X(required, cuMemcpyAsync, , , (DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream))     \
    X(optional, cuMemcpy2DAsync, _v2, _v2, (const Copy2d* copy, StreamHandle stream))                                  \
    X(optional, cuArrayCreate, _v2, _v2, (ArrayHandle* array, const ArrayDescriptor* descriptor))                      \
    X(optional, cuArrayDestroy, , , (ArrayHandle array))                                                               \
    X(optional, cuTexObjectCreate, , , (TextureHandle* texture, const ResourceDescriptor* resource,                    \
      const TextureDescriptor* descriptor, const void* view))                                                          \
    X(optional, cuTexObjectDestroy, , , (TextureHandle texture))                                                       \
    X(optional, cuLinkCreate, _v2, , (unsigned count, int* options, void** values, LinkHandle* link))                  \
    X(optional, cuLinkAddData, _v2, , (LinkHandle link, int type, void* data, std::size_t bytes, const char* name,     \
      unsigned count, int* options, void** values))                                                                    \
    X(optional, cuLinkComplete, , , (LinkHandle link, void** cubin, std::size_t* bytes))                               \
    X(optional, cuLinkDestroy, , , (LinkHandle link))                                                                  \
    X(required, cuModuleLoadDataEx, , , (ModuleHandle* module, const void* image, unsigned count, int* options,        \
      void** values))                                                                                                  \
    X(required, cuModuleUnload, , , (ModuleHandle module))                                                             \
    X(required, cuModuleGetFunction, , , (FunctionHandle* function, ModuleHandle module, const char* name))            \
    X(required, cuModuleGetGlobal, _v2, _v2, (DevicePointer* address, std::size_t* bytes, ModuleHandle module,         \
      const char* name))                                                                                               \
    X(required, cuFuncGetAttribute, , , (int* value, int attribute, FunctionHandle function))                          \
    X(required, cuFuncSetCacheConfig, , , (FunctionHandle function, int preference))                                   \
    X(optional, cuFuncSetSharedMemConfig, , , (FunctionHandle function, int banks))                                    \
    X(optional, cuLaunchKernelEx, , , (const LaunchConfig* config, FunctionHandle function, void** parameters,         \
      void** extra))                                                                                                   \
    X(optional, cuOccupancyMaxActiveBlocksPerMultiprocessor, , , (int* groups, FunctionHandle function,                \
      int group_size, std::size_t shared_bytes))                                                                       \
    X(optional, cuOccupancyMaxActiveClusters, , , (int* clusters, FunctionHandle function,                             \
      const LaunchConfig* config))                                                                                     \
    X(optional, cuFuncSetAttribute, , , (FunctionHandle function, int attribute, int value))                           \
    X(required, cuLaunchKernel, , , (FunctionHandle function, unsigned groups_x, unsigned groups_y, unsigned groups_z, \
      unsigned size_x, unsigned size_y, unsigned size_z, unsigned shared_bytes, StreamHandle stream,                   \
      void** parameters, void** extra))
// clang-format on

/// The entry points of the machine's driver. Throws Error (one line: what is not there) when there is no usable one.
struct Driver {
    Driver();
#define SONDE_DECLARE(need, name, suffix, older_suffix, parameters) Result(*name) parameters = nullptr;
    SONDE_CUDA_ENTRY_POINTS(SONDE_DECLARE)
#undef SONDE_DECLARE

    /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
    std::string describe(Result) const;
    /// Throws Error with the call's text and the code's name, unless `result` is success.
    void check(Result result, const char* call) const;
};

} // namespace sonde::cuda

/// Calls an entry point of the `api` in scope; what goes wrong is an Error that shows the call.
#define CU(call) api.check(api.call, #call)
