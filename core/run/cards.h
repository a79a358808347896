// Which devices are one card, and what one of them knows of it that another does not.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/data/results.h"

namespace sonde {

/// One card name per device, in order: devices of one card get the same one. Ties, strongest first: every device of
/// type CPU is this machine's processor; equal UUID; equal PCI address; equal name where each API shows exactly one
/// device of that name. The card is named by its UUID, else its PCI address, else its name (a second card of that name:
/// "name #2"); the processor is "cpu".
std::vector<std::string> card_names(std::span<const DeviceInfo> devices);

/// Fills in the cores of a card's devices whose APIs do not tell them, with a fact that says who does: another device
/// of the card, else the table of boards (core/device/chips.h), else `counted` through the first of them, which gives 0
/// where it finds none. A processor's are its APIs' alone.
void know_cores(std::span<DeviceRecord* const> card, const std::function<std::uint32_t()>& counted);

/// Gives the compute capability that one API tells of a card to its devices whose APIs do not, as a fact that says who
/// does: limits per core and clock are the chip's, through whichever API.
void know_capability(std::span<DeviceRecord* const> card);

} // namespace sonde
