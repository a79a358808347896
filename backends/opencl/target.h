// Chips to compile OpenCL C for without a driver or a card: one file for each vendor's compiler.
#pragma once
#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "core/device/device.h"

namespace sonde::opencl {

template <class Chip, std::size_t count> std::vector<std::string_view> chip_names(const Chip (&chips)[count]) {
    std::vector<std::string_view> names;
    std::ranges::transform(chips, std::back_inserter(names), &Chip::name);
    return names;
}

std::span<const std::string_view> amd_chips();
Opened open_amd_chip(std::string_view chip);
std::span<const std::string_view> intel_chips();
Opened open_intel_chip(std::string_view chip);

} // namespace sonde::opencl
