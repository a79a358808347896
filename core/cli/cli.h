// The command line.
#pragma once
#include <span>

#include "core/device/checkup.h"
#include "core/device/telemetry.h"

namespace sonde {

/// Exit codes: 0 done, 1 something failed, nothing was measured, doctor found a problem or a checked card is not ok, 2
/// bad usage, 3 none of the devices asked for is here, 4 something differs (compare --fail).
int run_cli(int argc, char** argv, std::span<const Backend> backends, std::span<const OpenTelemetry> telemetry = {},
    const Checkup& checkup = {});

} // namespace sonde
