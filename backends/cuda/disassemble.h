// SASS from a cubin, by NVIDIA's `nvdisasm` where it is on the PATH.
#pragma once
#include <string>

namespace sonde::cuda {

/// Throws Error (one line) where there is no `nvdisasm`, or where it does not take the cubin.
std::string disassemble(const std::string& cubin);

} // namespace sonde::cuda
