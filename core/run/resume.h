// Going on with a run that stopped: what was asked for, what fits, what is there.
#pragma once
#include "core/data/results.h"
#include "core/run/fleet.h"
#include "core/run/option.h"

namespace sonde {

/// Of a run that goes on with `seconds`, more than its --time, what that had cut short is not there: it is measured
/// anew. A run without --time was cut short by none.
Run without_cut_short(Run, double seconds);

/// The selection of a run, as its header keeps it.
Asked asked_of(const RunOptions&);
/// Takes from a header what its run was asked for, and how, unless that is given anew. Throws UsageError where the file
/// and `options` do not fit together at all.
void take_asked(RunOptions& options, const Run& run);

/// Why a run cannot go on here: one phrase each; empty: it can.
std::vector<std::string> differences(const Run& run, const RunOptions& options, const Fleet& fleet);

/// Whether the file has a series of that name that need not be measured again: all but failed ones.
bool is_there(const Run& run, const SeriesId& id);

} // namespace sonde
