// What an administrator knows a card by.
#pragma once
#include <string>

#include "core/analysis/card_view.h"

namespace sonde {

/// The first of its devices that was measured; of a card without one an empty record.
const DeviceRecord& first_device(const Card&);
/// As nvidia-smi writes it ("GPU-1e181569-925e-..."); of other vendors the digits.
std::string uuid_text(const DeviceInfo&);
/// "cuda:0 (NVIDIA H200, GPU-1e18..., 0000:00:06.0)", with what is known.
std::string card_text(const Card&);

} // namespace sonde
