// CLBlast as far as this backend uses it: own declarations, found in libclblast.so at run time, no clblast_c.h; and its
// products as kernels.
#pragma once
#include <memory>
#include <string>

#include "backends/opencl/context.h"

namespace sonde::opencl {

using ClblastStatus = int;                                                                         // CLBlastStatusCode
inline constexpr ClblastStatus kClblastSuccess = 0, kClblastNotBuilt = -11, kClblastNoMemory = -4; // those of OpenCL
inline constexpr int kColumnsFollow = 102;                                                         // CLBlastLayout
inline constexpr int kAsItIs = 111, kTransposed = 112;                                             // CLBlastTranspose

// Every entry point: X(name, parameters).
// clang-format off
#define SONDE_CLBLAST_ENTRY_POINTS(X)                                                                                  \
    X(CLBlastSgemm, (int layout, int a_transpose, int b_transpose, std::size_t m, std::size_t n, std::size_t k,        \
      float alpha,                                                                                                     \
      cl_mem a, std::size_t a_offset, std::size_t a_leading, cl_mem b, std::size_t b_offset, std::size_t b_leading,    \
        float beta,                                                                                                    \
      cl_mem c, std::size_t c_offset, std::size_t c_leading, cl_command_queue* queue, cl_event* event))
// clang-format on

/// The library of this machine. Throws Unsupported (one line) when there is none, or one that lacks a function.
struct Clblast {
    Clblast();
#define SONDE_DECLARE(name, parameters) ClblastStatus(*name) parameters = nullptr;
    SONDE_CLBLAST_ENTRY_POINTS(SONDE_DECLARE)
#undef SONDE_DECLARE
    std::string version{}, file{}; // the version as the file's name has it
    void check(ClblastStatus, const char* call) const;
};

LibraryKernel library_product(const Context&, const std::shared_ptr<const Clblast>&, const ProductShape&);

} // namespace sonde::opencl
