// How much of a card each process uses, as the kernel's DRM drivers (amdgpu, i915, nouveau) tell in
// /proc/PID/fdinfo/FD.
#pragma once
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "core/device/telemetry.h"

namespace sonde {

class FdinfoUsers {
public:
    /// `pci`: the card's address, "0000:65:00.0".
    explicit FdinfoUsers(std::string pci) : pci_(std::move(pci)) {}
    /// Processes with the card open whose files this one may read; what each took of its engines since the call before,
    /// once there was one.
    std::vector<CardUser> users();

private:
    std::string pci_;
    std::map<std::uint32_t, double> before_{}; // ns of all engines, by process
    std::chrono::steady_clock::time_point when_{};
};

} // namespace sonde
