// The OpenCL loader's entry points and the names of its errors.
#include "backends/opencl/api.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde::opencl {

Api::Api() {
    const Library library{"libOpenCL.so.1", "libOpenCL.so"};
    if (!library) {
        absent = "no OpenCL loader: " + library.error();
        return;
    }
#define SONDE_OPENCL_LOAD(call)                                                                                                            \
    if (!library.load(call, #call)) absent = "the OpenCL loader lacks " #call;
    SONDE_OPENCL_CALLS(SONDE_OPENCL_LOAD)
#undef SONDE_OPENCL_LOAD
    library.load(clCreateImage, "clCreateImage");
}

std::string error_name(cl_int status) {
    static constexpr struct {
        cl_int status;
        const char* name;
    } kNames[] = {
#define NAME(name) {name, #name}
        NAME(CL_SUCCESS),
        NAME(CL_DEVICE_NOT_FOUND),
        NAME(CL_DEVICE_NOT_AVAILABLE),
        NAME(CL_COMPILER_NOT_AVAILABLE),
        NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
        NAME(CL_OUT_OF_RESOURCES),
        NAME(CL_OUT_OF_HOST_MEMORY),
        NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
        NAME(CL_MEM_COPY_OVERLAP),
        NAME(CL_IMAGE_FORMAT_MISMATCH),
        NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED),
        NAME(CL_BUILD_PROGRAM_FAILURE),
        NAME(CL_MAP_FAILURE),
        NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
        NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        NAME(CL_COMPILE_PROGRAM_FAILURE),
        NAME(CL_LINKER_NOT_AVAILABLE),
        NAME(CL_LINK_PROGRAM_FAILURE),
        NAME(CL_DEVICE_PARTITION_FAILED),
        NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
        NAME(CL_INVALID_VALUE),
        NAME(CL_INVALID_DEVICE_TYPE),
        NAME(CL_INVALID_PLATFORM),
        NAME(CL_INVALID_DEVICE),
        NAME(CL_INVALID_CONTEXT),
        NAME(CL_INVALID_QUEUE_PROPERTIES),
        NAME(CL_INVALID_COMMAND_QUEUE),
        NAME(CL_INVALID_HOST_PTR),
        NAME(CL_INVALID_MEM_OBJECT),
        NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        NAME(CL_INVALID_IMAGE_SIZE),
        NAME(CL_INVALID_SAMPLER),
        NAME(CL_INVALID_BINARY),
        NAME(CL_INVALID_BUILD_OPTIONS),
        NAME(CL_INVALID_PROGRAM),
        NAME(CL_INVALID_PROGRAM_EXECUTABLE),
        NAME(CL_INVALID_KERNEL_NAME),
        NAME(CL_INVALID_KERNEL_DEFINITION),
        NAME(CL_INVALID_KERNEL),
        NAME(CL_INVALID_ARG_INDEX),
        NAME(CL_INVALID_ARG_VALUE),
        NAME(CL_INVALID_ARG_SIZE),
        NAME(CL_INVALID_KERNEL_ARGS),
        NAME(CL_INVALID_WORK_DIMENSION),
        NAME(CL_INVALID_WORK_GROUP_SIZE),
        NAME(CL_INVALID_WORK_ITEM_SIZE),
        NAME(CL_INVALID_GLOBAL_OFFSET),
        NAME(CL_INVALID_EVENT_WAIT_LIST),
        NAME(CL_INVALID_EVENT),
        NAME(CL_INVALID_OPERATION),
        NAME(CL_INVALID_BUFFER_SIZE),
        NAME(CL_INVALID_GLOBAL_WORK_SIZE),
        NAME(CL_INVALID_PROPERTY),
        NAME(CL_INVALID_IMAGE_DESCRIPTOR),
        NAME(CL_INVALID_COMPILER_OPTIONS),
        NAME(CL_INVALID_LINKER_OPTIONS),
        NAME(CL_PLATFORM_NOT_FOUND_KHR),
        NAME(CL_CONTEXT_TERMINATED_KHR),
#undef NAME
    };
    for (const auto& row : kNames)
        if (row.status == status) return row.name;
    return fmt::format("OpenCL error {}", status);
}

void check(cl_int status, std::string_view call) {
    if (status == CL_SUCCESS) return;
    const std::string_view function = call.substr(std::min(call.size(), call.find("cl"))); // "api_->clFoo(bar)" -> "clFoo"
    const std::string text = fmt::format("{}: {}", function.substr(0, function.find('(')), error_name(status));
    for (const cl_int scarce : {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY, CL_INVALID_BUFFER_SIZE})
        if (status == scarce) throw DoesNotFit(text);
    throw Error(text);
}

} // namespace sonde::opencl
