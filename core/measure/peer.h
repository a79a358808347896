// Which other card a series has to do with.
#pragma once
#include "core/data/option.h"
#include "core/device/device.h"

namespace sonde {

/// The peer that the options name, or the first. Throws Unsupported where the device has none such.
const Peer& peer_of(const DeviceInfo&, const Options&);

} // namespace sonde
