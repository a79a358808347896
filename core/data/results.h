// Results files: one JSON object per line, appended and flushed line by line (results/schema.json).
#pragma once
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/data/series.h"

namespace sonde {

constexpr int kResultsFormat = 2;

/// sonde-<time>.jsonl
std::filesystem::path default_results_name();

/// The file that a run writes. Every line is on the disk's way before the next series starts; a crash loses the one in flight.
class Journal {
public:
    /// Creates the file; "-" is standard output. Throws UsageError when it exists (it is never overwritten), Error when it cannot be created.
    explicit Journal(const std::filesystem::path& path);
    /// A results file to go on with, untouched so far. Throws UsageError while another process writes to it.
    static Journal reopened(const std::filesystem::path& path);
    /// Throws Error when the line could not be written whole (disk full); what was there stays valid.
    void append(const Json& line) { append_together(std::vector<Json>(1, line)); }
    /// Lines that belong together cross to the system together.
    void append_together(const std::vector<Json>& lines);
    const std::filesystem::path& path() const { return file_.path(); }
    /// Bytes of whole lines.
    std::uint64_t written() const { return written_; }
    /// Cuts off what a crash left of a last line.
    void cut();

private:
    explicit Journal(File);
    File file_;
    std::uint64_t written_ = 0;
};

struct Run {
    Json header = Json::object();
    std::vector<Json> devices, findings, resumes;
    std::vector<Series> series;
    Json end; // null when the run, or the last that went on with it, did not finish
    std::vector<std::string> warnings; // one line each: what could not be read and was left out
};

/// Reads a results file. Throws UsageError when it is not one (missing, empty, another format); a bad line in the middle or a
/// truncated last one is left out with a warning. A gzip file is unpacked. "-" is standard input.
Run read_run(const std::filesystem::path& path);
Run read_run(std::istream& in, const std::string& name);

/// The texts of what was concluded from a series of the run, levels aside.
std::vector<std::string> conclusions_of(const Run& run, const Series& series);

/// One line of such a file. Throws Error where it is none.
Json checked_line(const std::string& line);

} // namespace sonde
