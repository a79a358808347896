// A run: which series, in which order, through which workers, into which file.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/run/fleet.h"
#include "core/run/option.h"

namespace sonde {

/// Where a run says what: summaries, errors, and its line of progress.
struct RunStreams {
    std::ostream &out, &errors;
    ProgressBoard& board;
};

/// How many series ended in which way, by an EndLine's counts.
std::string summary_text(const Json& counts);
constexpr const char* kNothingMissing = "nothing is missing"; // where there is nothing to go on with

/// Exit code: 0 done, 1 something failed (a series, or the driver of an API that was asked for) or nothing was
/// measured, 3 none of the devices asked for is here. Throws UsageError for unknown names, with the nearest valid ones,
/// and where the run to go on with was another one.
int run_command(Fleet& fleet, RunOptions options, RunStreams streams);

} // namespace sonde
