// What a probe concludes from one series of a file, in this version's words, whichever version measured it.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/analysis/card_view.h"

namespace sonde {

/// All but levels, which the card's view names, and what follows from them. None for a series whose options are not this version's.
std::vector<Finding> probe_findings(const Series&, const DeviceInfo&);
/// A finding's text without device and path, which begin it.
std::string own_text(const Finding&);
/// What series of some devices say in the same words, with numbers that differ by little.
struct SharedFinding {
    SeriesId series;                  // of the first device
    std::string text;                 // own_text
    std::vector<std::string> others{};
    double apart = 0;                 // the largest share by which a number of theirs differs from the first one's
    std::vector<std::string> elsewhere{}; // where else a device differs: "vulkan:0 24 % higher at 62.5 % share"
    /// "cuda:0, opencl:1.0" where all say the same, else "cuda:0; opencl:1.0 within 2 %".
    std::string devices_text() const;
};
/// Findings of equal probe, path, options and words together where no number differs by more than kAlike, or than the probe's noise from run to run.
inline constexpr double kAlike = 0.05;
/// `curves`: the series they are of, whose rates at one x may differ more than the finding's numbers do.
inline constexpr double kPointsApart = 0.1;
std::vector<SharedFinding> shared_findings(const std::vector<Finding>&, std::span<const Curve> curves);

} // namespace sonde
