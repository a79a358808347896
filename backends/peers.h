// Which other cards an API reaches from one, and what joins them.
#pragma once
#include <functional>
#include <vector>

#include "core/device/device.h"

namespace sonde {

/// Gives each of an API's devices all others of its kind as peers: those of the same name first, and the next one first
/// among them. `mapped(i, j)`: kernels of the i-th reach the memory of the j-th.
void add_peers(const std::vector<DeviceInfo*>&, const std::function<bool(std::size_t, std::size_t)>& mapped);

} // namespace sonde
