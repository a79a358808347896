// sonde show: a results file as tables and curves, or as CSV.
#pragma once
#include <filesystem>
#include <iosfwd>

namespace sonde {

/// Warnings about unreadable lines go to `errors`. Throws UsageError when the file is no results file.
int show_command(const std::filesystem::path& file, bool csv, std::ostream& out, std::ostream& errors);

} // namespace sonde
