// The OpenCL loader's entry points and the names of its errors.
#include "backends/opencl/api.h"

#include <algorithm>

#include <fmt/format.h>

#include "backends/common.h"
#include "core/base/error.h"

namespace sonde::opencl {

Api::Api() {
    const Library library{"libOpenCL.so.1", "libOpenCL.so", "OpenCL.dll"};
    if (!library) throw Error("no OpenCL loader: " + library.error());
#define SONDE_OPENCL_LOAD(call)                                                                                        \
    if (!library.load(call, #call)) throw Error("the OpenCL loader lacks " #call);
    SONDE_OPENCL_CALLS(SONDE_OPENCL_LOAD)
#undef SONDE_OPENCL_LOAD
    library.load(clCreateImage, "clCreateImage");
    library.load(clSVMAlloc, "clSVMAlloc");
    library.load(clSVMFree, "clSVMFree");
}

std::string error_name(cl_int status) { return sonde::error_name(opencl_error_names(), status, "OpenCL error"); }

void check(cl_int status, std::string_view call) {
    if (status == CL_SUCCESS) return;
    const std::string_view function =
        call.substr(std::min(call.size(), call.find("cl"))); // "api_->clFoo(bar)" -> "clFoo"
    const std::string text = fmt::format("{}: {}", function.substr(0, function.find('(')), error_name(status));
    for (const cl_int scarce :
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY, CL_INVALID_BUFFER_SIZE})
        if (status == scarce) throw DoesNotFit(text);
    throw Error(text);
}

} // namespace sonde::opencl
