// Series of modelled devices, measured as a worker does.
#pragma once
#include <map>
#include <string>

#include "core/series.h"
#include "tests/model/model_device.h"

namespace sonde {

using Options = std::map<std::string, std::string>;

Series measured(Device& device, const std::string& probe, const std::string& path, const std::string& profile, std::uint32_t seed, const Options& options = {});

} // namespace sonde
