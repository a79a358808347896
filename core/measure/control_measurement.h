// The same short measurement around every series: where it changes, it is the card that changed and not the series.
#pragma once
#include "core/measure/bench.h"

namespace sonde {

/// Runs a series and takes the control around it: ns per dependent load at two footprints of `global` that are the same
/// all through a run, 4 KiB and twice the card's largest cache (256 MiB at the most). The one after a series is the one
/// before the device's next; within two seconds of the last none is taken. Empty on a processor.
ControlEvidence controlled(Device&, DeviceHistory&, const Request&, Reporter&, const std::function<void()>& series);

} // namespace sonde
