// Reads a latency curve that any tool wrote: two columns of text.
#pragma once
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/levels.h"

namespace sonde {

struct CurveFormat {
    std::string size_unit = "B";     // of sizes without a suffix: B, KB, KiB, MB, MiB, GB, GiB, or K, M, G for the binary ones
    std::string latency_unit = "ns"; // ns or cycles; only told on, never converted
};

/// Bytes in one `unit`; K, M and G alone are binary. Throws UsageError for any other name.
double bytes_in(std::string_view unit);

/// Two columns, size and latency, separated by spaces, tabs, commas or semicolons; further columns are ignored. '#' begins a comment; lines
/// before the first number may be a header (one). A comma is a decimal mark in quotes, and in lines with semicolons; where it may be either, the
/// line is refused. A size may carry its own unit: 4KiB, 32K, 1MB, 2.5 MiB. Sorted, repeated sizes merged to
/// the median. `name` stands in messages. Throws UsageError with one line that names file and line for what is no number, not positive or
/// not finite, for fewer than three sizes, more than 1,000,000 rows, or more than 64 MiB of text.
std::vector<CurvePoint> read_curve(std::istream& in, const std::string& name, const CurveFormat& format);

/// The same from a file; "-" is stdin.
std::vector<CurvePoint> read_curve_file(const std::string& path, const CurveFormat& format);

} // namespace sonde
