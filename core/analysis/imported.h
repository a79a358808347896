// What other tools wrote, as results files: each value with the tool's name, nothing that the tool does not tell.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/published.h"
#include "core/data/results.h"

namespace sonde {

/// Text of a results file (format 2) of what clpeak (JSON), nvbandwidth (JSON), MT4G (JSON), gpu-benches (gpu-latency,
/// gpu-cache, gpu-l2-cache, gpu-stream), lmbench's lat_mem_rd, tinymembench or Chips and Cheese's latency tests wrote;
/// "" for all else. Curves are series with points that have no samples. A single value, whose place on the probe's axis
/// the tool does not tell, is a series without points and a finding of kind "figure" that names the level: "DRAM",
/// "largest". What has no counterpart among the probes is left out, and the run's line says how many and why. `name`:
/// of the file, as the series' evidence names it. Throws UsageError where a file of one of these tools holds what is no
/// measured value.
std::string import_results(std::string_view text, const std::string& name);

/// The same of a file that may be a results file itself; "" then, too.
std::string import_text(const std::string& text, const std::string& name);

/// The single values that an imported run has of a device.
std::vector<PublishedFigure> imported_figures(const Run& run, const DeviceRecord& device);

/// Tool and file of a run that was imported; "" for Sonde's own.
std::string source_text(const Run& run);

} // namespace sonde
