// What joins two of NVIDIA's cards.
#pragma once
#include <string>

namespace sonde::nvidia {

/// "18 NVLinks to a switch" and what all of them carry, one way; empty and 0: there are none, or nobody tells.
struct Links {
    std::string text{};
    double bytes_per_second = 0;
};

/// By NVML. Of PCI addresses.
Links links_between(const std::string& card, const std::string& other);

} // namespace sonde::nvidia
