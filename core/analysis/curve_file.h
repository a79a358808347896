// Reads the latency curves that any tool wrote.
#pragma once
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/levels.h"

namespace sonde {

struct CurveFormat {
    std::string size_unit{}; // of sizes without a unit of their own: B, KB, KiB, MB, MiB, GB, GiB, or K, M, G for the
                             // binary ones, whatever the case; empty: the header's, or B. A binary one makes KB, MB and
                             // GB of the sizes binary as well
    std::string latency_unit{}; // ns, us, ms or cycles; empty: the header's, or ns
    std::string x{}, y{};       // which columns of a table are size and latency: numbers from 1 or names of the header;
                                // either: the file is read as a table
};

/// One curve of a file: points, or the levels where the tool tells nothing else.
struct FileCurve {
    std::string tool{};                // who wrote it; empty: a table of unknown origin
    std::string name{};                // which of the tool's curves; may be empty
    std::string core{};                // on which it was measured, where a line before it says so: "cpu4 Cortex-A76"
    std::string unit{};                // of latency: ns or cycles
    std::optional<double> clock_mhz{}; // at which the tool turned its times into cycles, where that is one
    std::string note{};                // what a reader must know of these numbers; may be empty
    std::vector<CurvePoint> points{};  // bytes, latency; ascending in bytes, repeated sizes merged to the median
    std::size_t first_level = 1; // number of the level that the curve begins with: 2 where the tool subtracts an L1 hit
    bool small_pages = false;    // the tool walks a processor's pages of 4 KiB: TLB misses make steps of their own
    std::vector<Level> levels{}; // as the tool found them, instead of points; confidence NaN where it tells none
    std::vector<std::string> level_names{};
    std::vector<std::string> left_out{}; // of a file's first curve: what in the file is in no curve, a sentence each
};

/// Bytes in one `unit`; K, M and G alone are binary. Throws UsageError for any other name.
double bytes_in(std::string_view unit);

/// The curves in a file, at least one. Known by their text: lmbench lat_mem_rd, tinymembench, Chips and Cheese's
/// latency tests, gpu-benches gpu-latency, MT4G's JSON and its raw timings. All else is a table: columns separated by
/// spaces, tabs, commas, semicolons or, in Markdown, bars; '#' begins a comment; a header (one line, or the last
/// comment before the rows) may name units in its titles: bytes, B, KiB, KB, MiB, ns, us, cycles. A size may carry its
/// own unit: 4KiB, 32K, 2.5 MiB. A comma is a decimal mark in quotes, and in lines with semicolons; where it may be
/// either, the line is refused. `name` stands in messages. Throws UsageError with one line that names the place and the
/// mend: for more columns than two where neither the header nor `format` tells which, a unit that is none, what is no
/// number, not positive or not finite, fewer than three sizes, more than 1,000,000 rows, or more than 64 MiB of text.
std::vector<FileCurve> read_curves(std::istream& in, const std::string& name, const CurveFormat& format);

/// The same from a file; "-" is stdin.
std::vector<FileCurve> read_curve_file(const std::string& path, const CurveFormat& format);

} // namespace sonde
