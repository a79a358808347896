// Machine code of NVIDIA's GPUs (SASS): where each API's driver leaves it, and the tools that turn it into text.
#pragma once
#include <exception>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/device/device.h"

namespace sonde::nvidia {

/// SASS of a cubin or of a shader object ("NVuc"), by `nvdisasm`; of a cubin also by `cuobjdump`. Throws Error (one
/// line) where neither is on the PATH or takes it.
Listing sass_of(const std::string& code);

/// The cubin that `ptxas` on the PATH makes of a PTX text for a chip ("sm_90"). Throws Error.
std::string cubin_of(std::string_view ptx, const std::string& chip);

/// The shader object in the data of a VkPipelineCache of NVIDIA's driver, which packs it with zstd. Throws Error where
/// there is none, or no libzstd.
std::string code_in_cache(std::string_view cache);

/// What `sass()` gives, else `other` with the reason (one line) as its note.
template <class Sass> Listing sass_or(Listing other, const Sass& sass) {
    try {
        return sass();
    } catch (const std::exception& error) { // of the file system, too: a listing is no reason to fail
        const std::string_view reason = error.what();
        other.note = "no SASS: " + std::string(reason.substr(0, reason.find('\n')));
        return other;
    }
}

} // namespace sonde::nvidia
