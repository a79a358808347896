// Which devices are one card.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/data/protocol.h"

namespace sonde {

/// One card name per device, in order: devices of one card get the same one. Ties, strongest first: every device of type CPU is
/// this machine's processor; equal UUID; equal PCI address; equal name where each API shows exactly one device of that name.
/// The card is named by its UUID, else its PCI address, else its name (a second card of that name: "name #2"); the processor is "cpu".
std::vector<std::string> card_names(std::span<const DeviceRecord> devices);

} // namespace sonde
