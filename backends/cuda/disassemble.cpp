// SASS from a cubin, through a private temporary file.
#include "backends/cuda/disassemble.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/process.h"

namespace sonde::cuda {

std::string disassemble(const std::string& cubin) {
    const auto tool = find_program({"nvdisasm", "cuobjdump"});
    if (!tool) throw Error("neither nvdisasm nor cuobjdump is on the PATH");
    const File file = File::temporary(cubin);
    std::string text = run_program({*tool, *tool == "nvdisasm" ? "--print-code" : "-sass", file.path().string()});
    if (text.empty()) throw Error(*tool + " finds no code in the cubin");
    return text;
}

} // namespace sonde::cuda
