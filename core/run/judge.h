// Doubt about a series, from what was measured around it.
#pragma once
#include "core/data/series.h"
#include "core/device/device.h"

namespace sonde {

/// The best of what was seen beside series.
struct BestSeen {
    double clock_mhz = 0;                    // the highest, of the card
    std::vector<ControlPoint> controls = {}; // all, of the device
};

/// What is judged once a series is complete and the card's other series are known: a clock below 90 % of the highest
/// seen on the card, a control measurement above those of the device's other series (their lower quartile, once there
/// are four), a buffer on `global` that is not device-local, timers that disagree, samples that scatter, longer
/// dispatches that were interrupted. `times_host`: the host's scheduling is part of what the probe measures, so that
/// its spread tells nothing. Changes status and doubts.
void judge(Series& series, const DeviceInfo& device, const BestSeen& best, bool times_host);

/// Which clock the values come from, and how far the host's is from the device's (their slopes' ratio over the series),
/// with an error that covers what launches scatter by on the host's clock.
TimersEvidence timers_of(const Series& series, Timer value_from);

/// Adds the series' control measurements.
void note_controls(std::vector<ControlPoint>& controls, const Series& series);

/// The core's clock during a series: by the points themselves where a kernel's counter told, else before and after; 0:
/// not known.
double typical_clock(const Series& series);
/// The highest clock beside a series, when a dispatch of arithmetic measured nothing else; where that was not taken,
/// the typical one.
double clock_beside(const Series& series);

} // namespace sonde
