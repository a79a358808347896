// sonde levels CURVE.csv: the levels of any two-column curve.
#pragma once
#include <ostream>
#include <string>

#include "core/analysis/curve_file.h"

namespace sonde {

struct LevelsOptions {
    std::string file; // "-" is stdin
    CurveFormat format;
    bool json = false;
};

/// Prints a table, or with `json` an array of {"latency","capacity_bytes":[on,off],"confidence","points"}, off null on the last level.
/// Returns the exit code, 0. Throws UsageError for what the file or the options say wrongly.
int levels_command(const LevelsOptions& options, std::ostream& out);

} // namespace sonde
