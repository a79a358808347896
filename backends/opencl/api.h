// The OpenCL calls that the backend uses, found in the loader at run time, and how their errors become ours.
#pragma once
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/library.h"

namespace sonde::opencl {

// All of OpenCL 1.0, so nothing here is missing from any loader or driver; but clCreateImage (1.2), which is null in an
// old loader.
#define SONDE_OPENCL_CALLS(each)                                                                                       \
    each(clGetPlatformIDs) each(clGetPlatformInfo) each(clGetDeviceIDs) each(clGetDeviceInfo) each(clCreateContext)    \
        each(clReleaseContext) each(clCreateCommandQueue) each(clReleaseCommandQueue) each(clFinish)                   \
            each(clCreateBuffer) each(clReleaseMemObject) each(clCreateProgramWithSource) each(clBuildProgram)         \
                each(clGetProgramBuildInfo) each(clGetProgramInfo) each(clReleaseProgram) each(clCreateKernel)         \
                    each(clReleaseKernel) each(clSetKernelArg) each(clEnqueueNDRangeKernel) each(clEnqueueReadBuffer)  \
                        each(clEnqueueWriteBuffer) each(clEnqueueCopyBuffer) each(clGetEventInfo)                      \
                            each(clGetEventProfilingInfo) each(clReleaseEvent) each(clEnqueueReadImage)                \
                                each(clEnqueueWriteImage) each(clEnqueueCopyBufferToImage)                             \
                                    each(clEnqueueCopyImageToBuffer) each(clGetSupportedImageFormats) each(clFlush)    \
                                        each(clEnqueueMapBuffer) each(clEnqueueUnmapMemObject) each(clGetKernelInfo)   \
                                            each(clGetKernelWorkGroupInfo)

struct Api {
    /// Throws Error where there is no loader, or one that lacks a call.
    Api();
#define SONDE_OPENCL_MEMBER(name) decltype(&::name) name = nullptr;
    SONDE_OPENCL_CALLS(SONDE_OPENCL_MEMBER)
    SONDE_OPENCL_MEMBER(clCreateImage)
#undef SONDE_OPENCL_MEMBER
    // Of OpenCL 2.0, which the headers of 1.2 do not declare; null in an old loader.
    void*(CL_API_CALL* clSVMAlloc)(cl_context, cl_bitfield flags, std::size_t bytes, cl_uint alignment) = nullptr;
    void(CL_API_CALL* clSVMFree)(cl_context, void*) = nullptr;
};

/// "CL_INVALID_VALUE", or "OpenCL error -9999" where the number has no name.
std::string error_name(cl_int status);
/// Throws Error("clCall(arguments): CL_ERROR_NAME") unless the status is CL_SUCCESS.
void check(cl_int status, std::string_view call);

// The call's text goes into the error. CL: calls that return a status; CL_MAKE: calls that return an object and put
// their status into `status`.
#define CL(call) sonde::opencl::check(call, #call)
#define CL_MAKE(call)                                                                                                  \
    [&] {                                                                                                              \
        cl_int status = CL_SUCCESS;                                                                                    \
        const auto made = call;                                                                                        \
        sonde::opencl::check(status, #call);                                                                           \
        return made;                                                                                                   \
    }()

/// Owns one OpenCL object. Made as Handle<cl_mem>{object, api.clReleaseMemObject}.
template <class Object> struct Release {
    Release(cl_int (*release)(Object) = nullptr) : function(release) {}
    void operator()(Object object) const { function(object); }
    cl_int (*function)(Object);
};
template <class Object> using Handle = std::unique_ptr<std::remove_pointer_t<Object>, Release<Object>>;

/// A list is asked for twice, how long and then what: `ask(room, items, length)`.
template <class Item, class Ask> std::vector<Item> list_of(const Ask& ask) {
    cl_uint count = 0;
    ask(0, nullptr, &count);
    std::vector<Item> items(count);
    if (count) ask(count, items.data(), nullptr);
    return items;
}

/// So are bytes, `ask` giving a status; nothing where it is an error.
template <class Ask> std::optional<std::string> bytes_of(const Ask& ask) {
    std::size_t bytes = 0;
    if (ask(0, nullptr, &bytes) != CL_SUCCESS) return std::nullopt;
    std::string data(bytes, '\0');
    if (ask(bytes, data.data(), nullptr) != CL_SUCCESS) return std::nullopt;
    return data;
}

} // namespace sonde::opencl
