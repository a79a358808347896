// Which series a run measures, in which order, and what of it is not here.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/probes/probe.h"
#include "core/run/fleet.h"
#include "core/run/option.h"

namespace sonde {

struct Planned {
    const Probe* probe;
    const Fleet::Entry* device;
    SeriesId id;
};

/// Probe by probe, path by path, option by option; the devices take turns innermost, so that drift hits all alike.
std::vector<Planned> plan(std::span<const Fleet::Entry> devices, const RunOptions&);

/// What is named anew for a run that goes on chooses among what was asked for then. Throws UsageError for a word that
/// chooses nothing of it.
void narrow(std::vector<Planned>&, const RunOptions& asked, const RunOptions& named);

/// Throws UsageError where a device that was asked for is here: then it is the probes that have no such series.
void check_has_series(const Fleet&, const RunOptions&);

/// Devices that are asked for beside others, and are not here.
std::string missing_text(const Fleet&, const RunOptions&);

/// A card none of whose drivers reports its DRAM's peak rate.
bool lacks_peak(std::span<const Fleet::Entry> devices, const DeviceRecord&);

/// Why the peak that a person gave is no measured device's; empty: it is, or none was given.
std::string unused_peak_text(std::span<const Fleet::Entry> devices, const std::vector<Planned>&, const RunOptions&);

} // namespace sonde
