// sonde diagnose: which API reached what on each card, what it missed, and the evidence.
#pragma once
#include <filesystem>
#include <iosfwd>

namespace sonde {

/// Warnings about unreadable lines go to `errors`. Throws UsageError when the file is no results file.
int diagnose_command(const std::filesystem::path& file, bool json, std::ostream& out, std::ostream& errors);

} // namespace sonde
