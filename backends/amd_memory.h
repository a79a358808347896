// The memory bus of a card of AMD's, which no API tells: by Linux's amdgpu, or by the card's model.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
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

/// B/s of the reference design of a card, by its PCI device and revision; 0 where cards of several rates have these, or
/// nothing is known.
double amd_bytes_per_second(std::uint32_t device, std::uint32_t revision);

/// Asks amdgpu of the card at info.pci; where that is not its driver (radeon tells nothing), or the user may not open
/// the card's render node, what the model has. `cards`: the folder of sysfs.
void add_amd_memory(DeviceInfo& info, const std::filesystem::path& cards = "/sys/bus/pci/devices");

} // namespace sonde
