// Which other card a series has to do with.
#pragma once
#include <optional>
#include <string>

#include "core/data/option.h"
#include "core/device/device.h"

namespace sonde {

namespace option {
/// Digits, or two numbers with a point between: "1", "0.1".
std::optional<std::string> parse_device_number(const std::string& value);
inline const Setting<std::string> peer{"peer",
    "the other card, by its number in the API: 1 for cuda:1, 0.1 for opencl:0.1; the next card unless told",
    parse_device_number};
} // namespace option

/// The peer that the options name, or the first. Throws Unsupported where the device has none such.
const Peer& peer_of(const DeviceInfo&, const Options&);

} // namespace sonde
