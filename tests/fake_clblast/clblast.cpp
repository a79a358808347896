// A pretended libclblast.so.1: products on the host, by the machine's OpenCL. It refuses what it is not given as the
// manual has it. SONDE_FAKE_CLBLAST: a status that it returns.
#include <cstdlib>
#include <dlfcn.h>

#include "backends/opencl/clblast.h"

using namespace sonde::opencl;

#define EXPORT extern "C" __attribute__((visibility("default")))
#define FAKE_DECLARE(name, parameters) EXPORT ClblastStatus name parameters;
SONDE_CLBLAST_ENTRY_POINTS(FAKE_DECLARE)
#undef FAKE_DECLARE

namespace {
template <class Function> Function* opencl(const char* name) {
    return reinterpret_cast<Function*>(dlsym(dlopen("libOpenCL.so.1", RTLD_NOW), name));
}
constexpr ClblastStatus kInvalidValueStatus = -30;
} // namespace

#if !defined SONDE_FAKE_CLBLAST_INCOMPLETE
ClblastStatus CLBlastSgemm(int layout, int a_transpose, int b_transpose, std::size_t m, std::size_t n, std::size_t k,
    float alpha, cl_mem a, std::size_t a_offset, std::size_t a_leading, cl_mem b, std::size_t b_offset,
    std::size_t b_leading, float beta, cl_mem c, std::size_t c_offset, std::size_t c_leading, cl_command_queue* queue,
    cl_event* event) {
    if (const char* status = std::getenv("SONDE_FAKE_CLBLAST"); status && *status) return std::atoi(status);
    if (layout != kColumnsFollow || alpha != 1 || beta != 0 || a_offset || b_offset || c_offset || !queue || event ||
        m != n || k != n)
        return kInvalidValueStatus;
    const auto read = opencl<decltype(clEnqueueReadBuffer)>("clEnqueueReadBuffer");
    const auto write = opencl<decltype(clEnqueueWriteBuffer)>("clEnqueueWriteBuffer");
    std::vector<float> of_a(a_leading * k), of_b(b_leading * n), of_c(c_leading * n);
    if (const int failed = read(*queue, a, CL_TRUE, 0, of_a.size() * 4, of_a.data(), 0, nullptr, nullptr))
        return failed;
    if (const int failed = read(*queue, b, CL_TRUE, 0, of_b.size() * 4, of_b.data(), 0, nullptr, nullptr))
        return failed;
    for (std::size_t column = 0; column < n; ++column)
        for (std::size_t row = 0; row < m; ++row)
            for (std::size_t i = 0; i < k; ++i)
                of_c[column * c_leading + row] +=
                    of_a[a_transpose == kTransposed ? row * a_leading + i : i * a_leading + row] *
                    of_b[b_transpose == kTransposed ? i * b_leading + column : column * b_leading + i];
    return write(*queue, c, CL_TRUE, 0, of_c.size() * 4, of_c.data(), 0, nullptr, nullptr);
}
#endif
