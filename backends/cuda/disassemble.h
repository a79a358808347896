// SASS from a cubin, by NVIDIA's `nvdisasm` or `cuobjdump` where one is on the PATH.
#pragma once
#include <string>

namespace sonde::cuda {

/// Throws Error (one line) where neither is there, or where it does not take the cubin.
std::string disassemble(const std::string& cubin);

} // namespace sonde::cuda
