// sonde isa: the compiled kernel of a probe, with the load that decides its path marked.
#pragma once
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "core/device/device.h"

namespace sonde {

struct IsaOptions {
    std::string probe, path;
    std::string device, target; // exactly one: "vulkan:0", or a chip that need not be here: "vulkan:hawaii"
    bool json = false;
    double silence_seconds = 60;
};

/// Exit code: 0 done; 1 the path is not supported there, or compiling failed; 3 the device is not here.
/// Throws UsageError for unknown names, with the nearest valid ones.
int isa_command(std::span<const Backend> backends, const IsaOptions& options, std::ostream& out, std::ostream& errors);

} // namespace sonde
