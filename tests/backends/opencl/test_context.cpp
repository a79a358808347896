// Times of commands, by a driver whose answers are made up.
#include <doctest/doctest.h>

#include "backends/opencl/context.h"
#include "tests/required.h"

using namespace sonde;

namespace {
int object; // what every handle points to
template <class Handle> Handle made() { return reinterpret_cast<Handle>(&object); }

cl_ulong began, ended; // ns, of every command

/// A driver in which everything succeeds.
opencl::Api pretended_driver() {
    opencl::Api api;
    api.clCreateContext = [](auto...) { return made<cl_context>(); };
    api.clCreateCommandQueue = [](auto...) { return made<cl_command_queue>(); };
    api.clCreateBuffer = [](auto...) { return made<cl_mem>(); };
    api.clReleaseContext = [](auto...) { return cl_int{CL_SUCCESS}; };
    api.clReleaseCommandQueue = [](auto...) { return cl_int{CL_SUCCESS}; };
    api.clReleaseMemObject = [](auto...) { return cl_int{CL_SUCCESS}; };
    api.clReleaseEvent = [](auto...) { return cl_int{CL_SUCCESS}; };
    api.clFinish = [](auto...) { return cl_int{CL_SUCCESS}; };
    api.clGetEventInfo = [](auto...) { return cl_int{CL_SUCCESS}; };
    api.clGetEventProfilingInfo = [](cl_event, cl_profiling_info which, std::size_t, void* value, std::size_t*) {
        *static_cast<cl_ulong*>(value) = which == CL_PROFILING_COMMAND_START ? began : ended;
        return cl_int{CL_SUCCESS};
    };
    return api;
}

std::optional<double> time_of_a_command(const opencl::Api& api, cl_ulong from, cl_ulong to) {
    began = from, ended = to;
    const opencl::Context context(api, made<cl_device_id>());
    return context.time(Timed::each, 1, [](std::size_t, cl_event* event) { *event = made<cl_event>(); })[0].device_ns;
}
} // namespace

TEST_CASE("opencl: a command has the time between its two profiling times, and none where these cannot be") {
    std::optional<opencl::Api> api;
    try {
        api = pretended_driver();
    } catch (const Error& error) {
        return skip(error.what());
    }
    CHECK(time_of_a_command(*api, 5000, 7500) == 2500);
    CHECK(!time_of_a_command(*api, 0, 0));
    CHECK(!time_of_a_command(*api, 5000, 5001)); // Mesa 22.3.6 says so of every command
    CHECK(!time_of_a_command(*api, 7500, 5000));
}
