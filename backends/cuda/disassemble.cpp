// SASS from a cubin, through a private temporary file.
#include "backends/cuda/disassemble.h"

#include "backends/tool.h"
#include "core/base/error.h"

namespace sonde::cuda {

std::string disassemble(const std::string& cubin) {
    const auto tool = find_tool({"nvdisasm", "cuobjdump"});
    if (!tool) throw Error("neither nvdisasm nor cuobjdump is on the PATH");
    const TemporaryFile file(cubin);
    std::string text = run_tool({*tool, *tool == "nvdisasm" ? "--print-code" : "-sass", file.path()});
    if (text.empty()) throw Error(*tool + " finds no code in the cubin");
    return text;
}

} // namespace sonde::cuda
