// An OpenCL driver that misbehaves as SONDE_FAULT_OPENCL says (script.h): PoCL, with its dispatch table taken over. Its
// own words:
//   platforms: none, twice; devices: none, twice (two GPUs of one model); profiling: zero, backwards, 1000x; status:
//   what a command ended with; info: liar (of memory and sizes), old (OpenCL 1.1), empty (answers of no length), amd (a
//   GPU of AMD's without extensions, whose compiler has none of AMD's builtins);
//   multiple: of work-items that a kernel prefers, or none
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <tuple>

#include "tests/faults/script.h"

namespace {

std::string scripted(const std::string& call) { return fault::outcome("SONDE_FAULT_OPENCL", call); }

/// In place of an entry of the table: the fault, or the entry.
template <auto Entry> struct Hook;
template <class Answer, class... Arguments, Answer (*cl_icd_dispatch::*Entry)(Arguments...)> struct Hook<Entry> {
    static inline Answer (*real)(Arguments...) = nullptr;
    static inline const char* name = "";
    static Answer call(Arguments... arguments) {
        const std::string said = scripted(name);
        if (!fault::carry_out(said) && !said.empty()) {
            const int code = std::atoi(said.c_str());
            if constexpr (std::is_same_v<Answer, cl_int>) return code;
            else {
                // A call that makes an object puts its code where its last argument points.
                const auto last = std::get<sizeof...(Arguments) - 1>(std::tuple{arguments...});
                if constexpr (std::is_same_v<std::remove_cv_t<decltype(last)>, cl_int*>)
                    if (last) *last = code;
                return Answer{};
            }
        }
        return real(arguments...);
    }
};

cl_icd_dispatch real; // PoCL's table as it was

cl_int CL_API_CALL profiling(cl_event event, cl_profiling_info name, size_t size, void* value, size_t* written) {
    const cl_int code = real.clGetEventProfilingInfo(event, name, size, value, written);
    const std::string said = scripted("profiling");
    auto* const ns = static_cast<cl_ulong*>(value);
    if (code != CL_SUCCESS || !ns || said.empty()) return code;
    if (said == "zero") *ns = 0;
    if (said == "backwards") *ns = ~*ns;
    if (said == "1000x") *ns *= 1000;
    return code;
}

cl_int CL_API_CALL event_info(cl_event event, cl_event_info name, size_t size, void* value, size_t* written) {
    const cl_int code = real.clGetEventInfo(event, name, size, value, written);
    if (code != CL_SUCCESS || !value || name != CL_EVENT_COMMAND_EXECUTION_STATUS) return code;
    if (const std::string said = scripted("status"); !said.empty()) *static_cast<cl_int*>(value) = std::stoi(said);
    return code;
}

cl_int CL_API_CALL devices(
    cl_platform_id platform, cl_device_type type, cl_uint most, cl_device_id* found, cl_uint* count) {
    const std::string said = scripted("devices");
    if (said == "none") return CL_DEVICE_NOT_FOUND;
    cl_device_id device = nullptr;
    cl_uint real_count = 0;
    if (said != "twice") return real.clGetDeviceIDs(platform, type, most, found, count);
    if (const cl_int code = real.clGetDeviceIDs(platform, type, 1, &device, &real_count)) return code;
    for (cl_uint i = 0; i < most && i < 2 && found; ++i) found[i] = device;
    if (count) *count = 2;
    return CL_SUCCESS;
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void* value, size_t* written) {
    const cl_int code = real.clGetDeviceInfo(device, name, size, value, written);
    const std::string said = scripted("info");
    if (code != CL_SUCCESS || said.empty()) return code;
    if (said == "amd" && name == CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) return CL_INVALID_VALUE;
    if (said == "empty") {
        if (written) *written = 0;
        if (value) std::memset(value, 0, size);
    }
    const bool of_memory = name == CL_DEVICE_GLOBAL_MEM_SIZE || name == CL_DEVICE_MAX_MEM_ALLOC_SIZE;
    if (said == "liar" && of_memory && value) *static_cast<cl_ulong*>(value) = cl_ulong{1} << 50;
    if (said == "old" && value && (name == CL_DEVICE_VERSION || name == CL_DEVICE_OPENCL_C_VERSION))
        std::snprintf(static_cast<char*>(value), size, name == CL_DEVICE_VERSION ? "OpenCL 1.1" : "OpenCL C 1.1");
    if (said == "amd" && value && name == CL_DEVICE_TYPE) *static_cast<cl_device_type*>(value) = CL_DEVICE_TYPE_GPU;
    if (said == "amd" && value && name == CL_DEVICE_VENDOR_ID) *static_cast<cl_uint*>(value) = 0x1002;
    if ((said == "old" || said == "amd") && value && name == CL_DEVICE_EXTENSIONS) std::memset(value, 0, size);
    return code;
}

cl_int CL_API_CALL group_info(
    cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, size_t size, void* value, size_t* written) {
    const std::string said = scripted("multiple");
    if (name == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE && !said.empty()) {
        if (said == "none") return CL_INVALID_VALUE;
        *static_cast<size_t*>(value) = std::stoul(said);
        return CL_SUCCESS;
    }
    return real.clGetKernelWorkGroupInfo(kernel, device, name, size, value, written);
}

void take_over(cl_icd_dispatch* table) {
    const auto page = reinterpret_cast<std::uintptr_t>(table) & ~std::uintptr_t{4095};
    mprotect(reinterpret_cast<void*>(page), sizeof *table + 2 * 4096, PROT_READ | PROT_WRITE);
    real = *table;
    // clang-format off
#define TAKE(entry)                                                                                                    \
    Hook<&cl_icd_dispatch::entry>::real = table->entry;                                                                \
    Hook<&cl_icd_dispatch::entry>::name = #entry;                                                                      \
    table->entry = Hook<&cl_icd_dispatch::entry>::call;
    TAKE(clCreateContext)
    TAKE(clCreateCommandQueue)
    TAKE(clCreateBuffer)
    TAKE(clCreateProgramWithSource)
    TAKE(clBuildProgram)
    TAKE(clCreateKernel)
    TAKE(clSetKernelArg)
    TAKE(clEnqueueNDRangeKernel)
    TAKE(clEnqueueReadBuffer)
    TAKE(clEnqueueWriteBuffer)
    TAKE(clFinish)
    TAKE(clReleaseContext)
#undef TAKE
    // clang-format on
    table->clGetEventProfilingInfo = profiling;
    table->clGetEventInfo = event_info;
    table->clGetDeviceIDs = devices;
    table->clGetDeviceInfo = device_info;
    table->clGetKernelWorkGroupInfo = group_info;
}

/// What any platform of a driver that the loader knows begins with.
struct Platform {
    cl_icd_dispatch* dispatch;
};

void* library() {
    static void* const handle = dlopen(SONDE_POCL, RTLD_NOW | RTLD_LOCAL);
    return handle;
}

} // namespace

extern "C" {

cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint most, cl_platform_id* found, cl_uint* count) {
    const std::string said = scripted("platforms");
    fault::carry_out(said);
    if (said == "none") return CL_PLATFORM_NOT_FOUND_KHR;
    if (!library()) return CL_PLATFORM_NOT_FOUND_KHR;
    const auto address = reinterpret_cast<void* (*)(const char*)>(dlsym(library(), "clGetExtensionFunctionAddress"));
    const auto get =
        address ? reinterpret_cast<decltype(&clIcdGetPlatformIDsKHR)>(address("clIcdGetPlatformIDsKHR")) : nullptr;
    if (!get) return CL_PLATFORM_NOT_FOUND_KHR;
    cl_platform_id platform = nullptr;
    if (const cl_int code = get(1, &platform, nullptr)) return code;
    static bool taken = false;
    if (!taken) take_over(reinterpret_cast<Platform*>(platform)->dispatch);
    taken = true;
    const cl_uint times = said == "twice" ? 2 : 1;
    for (cl_uint i = 0; i < most && i < times && found; ++i) found[i] = platform;
    if (count) *count = times;
    return CL_SUCCESS;
}

void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
    if (std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0) return reinterpret_cast<void*>(clIcdGetPlatformIDsKHR);
    const auto get = reinterpret_cast<void* (*)(const char*)>(dlsym(library(), "clGetExtensionFunctionAddress"));
    return get ? get(name) : nullptr;
}

cl_int CL_API_CALL clGetPlatformInfo(
    cl_platform_id platform, cl_platform_info name, size_t size, void* value, size_t* written) {
    return real.clGetPlatformInfo(platform, name, size, value, written);
}
}
