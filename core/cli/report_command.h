// sonde report: one self-contained page of one or more results files.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace sonde {

struct ReportOptions {
    std::vector<std::filesystem::path> files;
    std::filesystem::path out;
    std::string published; // words of the devices whose published figures are laid over the curves; empty: none
};

/// Warnings about unreadable lines go to `errors`. Throws UsageError when a file is no results file, is too large for a page, or is the
/// page itself; Error when the page cannot be written.
int report_command(const ReportOptions&, std::ostream& out, std::ostream& errors);

} // namespace sonde
