// The probes, each defined in its own file, and what all of them use.
#pragma once
#include <algorithm>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/measure/structure_probe.h"
#include "core/probes/probe.h"

namespace sonde {

/// The list of probes, in the order of a run.
#define SONDE_PROBES(PROBE) \
    PROBE(kLatency) PROBE(kBandwidth) PROBE(kStream) PROBE(kLine) PROBE(kTextureTile) PROBE(kTextureWalk) PROBE(kTlb) PROBE(kAssociativity) PROBE(kL1PerCore) PROBE(kSharing) \
    PROBE(kCoreSharing) PROBE(kCoreDistance) PROBE(kLoadTimes) PROBE(kCarveout) PROBE(kSaturation) PROBE(kBanks) PROBE(kScratchpadFill) PROBE(kOccupancy) PROBE(kOccupancyRegisters) PROBE(kOccupancySubgroups) PROBE(kCoalescing) PROBE(kMix) \
    PROBE(kSegments) PROBE(kSegmentShare) PROBE(kSegmentLatency) PROBE(kChannels) PROBE(kLoadedLatency) PROBE(kBandwidthLatency) PROBE(kCoreToCore) PROBE(kAtomics) PROBE(kOperationProbe) \
    PROBE(kRate) PROBE(kMatrix) PROBE(kCoIssue) PROBE(kClockRead) PROBE(kDivergence) PROBE(kCodeSize) PROBE(kFirstRun) PROBE(kSustained) PROBE(kTransfer) \
    PROBE(kLaunch) PROBE(kLimits) PROBE(kWorkloadLbm) PROBE(kWorkloadStencil) PROBE(kWorkloadGather) PROBE(kWorkloadHistogram) PROBE(kWorkloadGemm) PROBE(kWorkloadGemmLibrary) PROBE(kWorkloadFft) PROBE(kWorkloadFftLibrary)
#define SONDE_DECLARED(name) extern const Probe name;
SONDE_PROBES(SONDE_DECLARED)
#undef SONDE_DECLARED

/// A chase alone, as several probes measure with.
KernelChoice latency_kernel(const DeviceInfo&, const Path&, const Options&);
std::vector<std::string_view> every_path();
/// Option `other_path`: the second path of a probe that takes two.
Choice<const Path*> other_path(const std::vector<std::string_view>& names);

} // namespace sonde
