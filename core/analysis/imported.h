// What other tools wrote, as results files: each value with the tool's name, nothing that the tool does not tell.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/published.h"
#include "core/data/results.h"

namespace sonde {

/// What the caller knows of a file and its tool does not tell.
struct ImportAs {
    std::string card{}; // whose the values are; "": each file's card is its own
};

/// Text of a results file (format 2) of what a tool wrote that sonde knows (imported_tools()); "" for all else. Curves
/// are series with points that have no samples. A single value, whose place on the probe's axis the tool does not tell,
/// is a series without points and a finding of kind "figure" that names the level: "DRAM", "largest". What has no
/// counterpart among the probes, no value, or stands in lines that were not used, is left out, and the run's line says
/// how many and why. `name`: of the file. Throws UsageError where nothing of such a tool's file can be used, and for
/// JSON that is broken, with the place.
std::string import_results(std::string_view text, const std::string& name, const ImportAs& as = {});

/// The same of a file that may be a results file itself; "" then, too.
std::string import_text(const std::string& text, const std::string& name, const ImportAs& as = {});

/// The same for readers of results files, which throws UsageError for a file of no known tool.
Import importer(const ImportAs& as);

/// The tools that are known, and their forms: "clpeak (JSON, XML, text), ...".
std::string imported_tools();
std::string unknown_file_text(const std::string& name);

/// The single values that an imported run has of a device.
std::vector<PublishedFigure> imported_figures(const Run& run, const DeviceRecord& device);

/// Tool and file of a run that was imported; "" for Sonde's own.
std::string source_text(const Run& run);

} // namespace sonde
