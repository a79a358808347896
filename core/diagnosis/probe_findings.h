// What a probe concludes from one series of a file, in this version's words, whichever version measured it.
#pragma once
#include <string>
#include <vector>

#include "core/analysis/card_view.h"

namespace sonde {

/// All but levels, which the card's view names, and what follows from them. None for a series whose options are not
/// this version's.
std::vector<Finding> probe_findings(const Series&, const DeviceInfo&);
/// The same beside what else was measured: inconclusive where it would rest on a control that was not measured, or is
/// inconclusive itself.
std::vector<Finding> probe_findings(const Curve&, const Card&);
std::vector<Finding> probe_findings(const Series&, const DeviceInfo&, const Run&);
/// A finding's text without device and path, which begin it.
std::string own_text(const Finding&);
/// What series of equal probe, path and options say alike.
struct SharedFinding {
    SeriesId series;  // of the first device
    std::string text; // own_text
    std::vector<std::string> devices;
};
/// Findings by what they say; two of one device stay apart.
std::vector<SharedFinding> shared_findings(const std::vector<Finding>&);

} // namespace sonde
