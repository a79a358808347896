// The pretended card: what it says of itself, and its primary context.
#include <algorithm>
#include <array>
#include <cstdio>

#include "tests/fake_cuda/fake.h"

using namespace fake;

namespace {

bool initialised = false;
std::array<Context, kMostDevices> contexts;
thread_local Context* current_context = nullptr;

const std::map<int, int> kAttributes{
    {kMaxThreadsPerBlock, 1}, // a group of one is what the host's kernels are right for
    {kWarpSize, 1},
    {kMultiprocessors, 2},
    {kSharedMemoryPerBlock, kSharedBytes},
    {kSharedMemoryPerBlockOptin, kSharedOptinBytes},
    {kSharedMemoryPerMultiprocessor, 228 * 1024},
    {kConstantMemory, 64 * 1024},
    {kClockRate, 1000000},
    {kMemoryClockRate, 2000000},
    {kMemoryBusWidth, 128},
    {kL2CacheBytes, 4 << 20},
    {kUnifiedAddressing, 1},
    {kEccEnabled, 0},
    {kTexture1dLinearWidth, kTexture1dWidth},
    {kTexture2dHeight, kTexture2dRows},
    {kCapabilityMajor, kCapability / 10},
    {kCapabilityMinor, kCapability % 10},
};

struct Named {
    Result code;
    const char *name, *text;
};
constexpr Named kCodes[] = {
    {kSuccess, "CUDA_SUCCESS", "no error"},
    {kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {kNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {kInvalidPtx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {kNotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {kPeerAlreadyEnabled, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {kPeerNotEnabled, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"},
    {kContextIsDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

const Named* named(Result code) {
    for (const Named& row : kCodes)
        if (row.code == code) return &row;
    return nullptr;
}

Result known(DeviceHandle device) {
    if (!initialised) return kNotInitialized;
    return device >= 0 && device < devices() ? kSuccess : static_cast<Result>(kInvalidDevice);
}

} // namespace

namespace fake {

int devices() { return static_cast<int>(std::min<long>(scripted("devices").value_or(1), kMostDevices)); }
Context& current() { return *current_context; }

Result attached() {
    if (!initialised) return kNotInitialized;
    if (!current_context) return kInvalidContext;
    return current_context->references == 0 ? static_cast<Result>(kContextIsDestroyed) : kSuccess;
}

Result ready() {
    const Result bad = attached();
    return bad ? bad : current_context->sticky;
}

} // namespace fake

Result cuInit(unsigned flags) {
    if (flags != 0) return kInvalidValue;
    if (const Result fault = step("init")) return fault;
    initialised = true;
    return kSuccess;
}

Result cuDriverGetVersion(int* version) {
    return *version = static_cast<int>(scripted("version").value_or(12040)), kSuccess;
}

Result cuGetErrorName(Result code, const char** name) {
    const Named* row = named(code);
    *name = row ? row->name : nullptr;
    return row ? kSuccess : static_cast<Result>(kInvalidValue);
}

Result cuGetErrorString(Result code, const char** text) {
    const Named* row = named(code);
    *text = row ? row->text : nullptr;
    return row ? kSuccess : static_cast<Result>(kInvalidValue);
}

Result cuDeviceGetCount(int* count) {
    if (!initialised) return kNotInitialized;
    return *count = devices(), kSuccess;
}

Result cuDeviceGet(DeviceHandle* device, int ordinal) {
    if (const Result unknown = known(ordinal)) return unknown;
    return *device = ordinal, kSuccess;
}

Result cuDeviceGetName(char* name, int bytes, DeviceHandle device) {
    if (const Result unknown = known(device)) return unknown;
    std::snprintf(name, static_cast<std::size_t>(bytes), "Sonde Fake GPU");
    return kSuccess;
}

Result cuDeviceGetAttribute(int* value, Attribute attribute, DeviceHandle device) {
    if (const Result unknown = known(device)) return unknown;
    const auto capability = scripted("capability");
    if (capability && attribute == kCapabilityMajor) return *value = static_cast<int>(*capability / 10), kSuccess;
    if (capability && attribute == kCapabilityMinor) return *value = static_cast<int>(*capability % 10), kSuccess;
    const auto found = kAttributes.find(attribute);
    if (found == kAttributes.end()) return kInvalidValue;
    return *value = found->second, kSuccess;
}

Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceHandle device) {
    if (const Result unknown = known(device)) return unknown;
    return *bytes = kMemoryBytes, kSuccess;
}

#if !defined SONDE_FAKE_CUDA_OLD
/// A desktop has a quarter of it.
Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    *total = kMemoryBytes;
    return *free = kMemoryBytes / 4 * 3, kSuccess;
}

Result cuDeviceGetUuid_v2(Uuid* uuid, DeviceHandle device) {
    if (const Result unknown = known(device)) return unknown;
    for (unsigned i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<unsigned char>(0xa0 + i);
    return uuid->bytes[15] = static_cast<unsigned char>(device), kSuccess;
}

Result cuDeviceGetPCIBusId(char* text, int bytes, DeviceHandle device) {
    if (const Result unknown = known(device)) return unknown;
    if (bytes < 13) return kInvalidValue;
    std::snprintf(text, static_cast<std::size_t>(bytes), "0000:F%d:00.0", device);
    return kSuccess;
}
#endif

#if !defined SONDE_FAKE_CUDA_OLD
Result cuDeviceCanAccessPeer(int* can, DeviceHandle device, DeviceHandle peer) {
    for (const DeviceHandle each : {device, peer})
        if (const Result unknown = known(each)) return unknown;
    const bool shown = !scripted("apart") && (device < peer || !scripted("one_way"));
    return *can = device != peer && shown, kSuccess;
}

namespace {
Context* of_another_card(ContextHandle handle) {
    for (Context& each : contexts)
        if (reinterpret_cast<ContextHandle>(&each) == handle && each.references > 0 && &each != current_context)
            return &each;
    return nullptr;
}
} // namespace

Result cuCtxEnablePeerAccess(ContextHandle handle, unsigned flags) {
    if (const Result bad = ready()) return bad;
    const Context* peer = of_another_card(handle);
    if (flags != 0 || !peer) return kInvalidValue;
    return current().peers.insert(peer).second ? kSuccess : static_cast<Result>(kPeerAlreadyEnabled);
}

Result cuCtxDisablePeerAccess(ContextHandle handle) {
    if (const Result bad = attached()) return bad;
    return current().peers.erase(of_another_card(handle)) ? kSuccess : static_cast<Result>(kPeerNotEnabled);
}
#endif

Result cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceHandle device) {
    if (const Result unknown = known(device)) return unknown;
    if (const Result fault = step("context")) return fault;
    Context& made = contexts[static_cast<std::size_t>(device)];
    if (made.references++ == 0) made.sticky = kSuccess;
    return *context = reinterpret_cast<ContextHandle>(&made), kSuccess;
}

Result NEWER(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease)(DeviceHandle device) {
    if (const Result unknown = known(device)) return unknown;
    Context& context = contexts[static_cast<std::size_t>(device)];
    if (context.references == 0) return kInvalidContext;
    return --context.references, kSuccess;
}

Result cuCtxSetCurrent(ContextHandle context) {
    if (!initialised) return kNotInitialized;
    for (Context& known_context : contexts)
        if (reinterpret_cast<ContextHandle>(&known_context) == context)
            return current_context = &known_context, kSuccess;
    if (context) return kInvalidContext;
    return current_context = nullptr, kSuccess;
}

std::size_t sonde_fake_cuda_live_peers() {
    std::size_t count = 0;
    for (const Context& context : contexts) count += context.peers.size();
    return count;
}

std::size_t sonde_fake_cuda_live_contexts() {
    std::size_t count = 0;
    for (const Context& context : contexts) count += context.references > 0;
    return count;
}
