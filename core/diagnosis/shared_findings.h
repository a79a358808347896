// What series of several devices conclude alike.
#pragma once
#include <string>
#include <vector>

#include "core/data/finding.h"

namespace sonde {

/// What series of equal probe, path and options say alike.
struct SharedFinding {
    SeriesId series; // of the first device
    std::string text;
    std::vector<std::string> devices;
};
/// Findings by what they say; two of one device stay apart.
std::vector<SharedFinding> shared_findings(const std::vector<Finding>&);

} // namespace sonde
