// The memory bus of a card that Linux's amdgpu drives; no API tells it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/device/device.h"

namespace sonde {

struct AmdMemory {
    std::uint32_t type = 0, bits = 0; // AMDGPU_VRAM_TYPE_..., width of the bus
    std::uint64_t khz = 0;            // its clock at the most
    /// "GDDR6"; empty for a type that is not known.
    const char* type_name() const;
    /// 0 where the type is not known.
    double bytes_per_second() const;
};

/// From the kernel's answer to AMDGPU_INFO_DEV_INFO, which newer kernels append to; nullopt where it is too short.
std::optional<AmdMemory> amd_memory_in(std::span<const std::byte> answer);

/// Asks amdgpu of the card at info.pci; does nothing where that is not its driver, or the user may not open the card's
/// render node.
void add_amd_memory(DeviceInfo& info);

} // namespace sonde
