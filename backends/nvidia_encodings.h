// Machine code beside its text, as nvdisasm and cuobjdump print it.
#pragma once
#include <string_view>

#include "core/device/device.h"

namespace sonde::nvidia {

/// What either prints with encodings ("/* 0x000fc80000000004 */"): the text as it is without them, and the words.
Listing without_encodings(std::string_view disassembly);

} // namespace sonde::nvidia
