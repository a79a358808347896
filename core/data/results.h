// Results files: one JSON object per line, appended and flushed line by line (results/schema.json).
#pragma once
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/data/series.h"
#include "core/device/device.h"

namespace sonde {

constexpr int kResultsFormat = 2;
constexpr std::size_t kLargestRun = 256u << 20;   // bytes; the largest runs are of some ten MiB
constexpr std::size_t kLargestImport = 64u << 20; // bytes of what another tool wrote

/// What a run was asked for.
struct Asked {
    std::vector<std::string> probes{}, devices{}, paths{};
    std::map<std::string, std::vector<std::string>> options{};
    double seconds = 0, dispatch_limit_ms = 0;
    std::uint32_t seed = 0;
};
void to_json(Json&, const Asked&);
void from_json(const Json&, Asked&);

/// An API without devices here.
struct AbsentApi {
    std::string api{}, reason{};
};

/// Where the series of a file come from that `sonde import` wrote.
struct ImportedFrom {
    std::string tool{}, file{};
    std::vector<std::string> left_out{};
};
void to_json(Json&, const ImportedFrom&);
void from_json(const Json&, ImportedFrom&);

/// A device as a run saw it.
struct DeviceRecord : DeviceInfo {
    std::string card{};
};
void to_json(Json&, const DeviceRecord&);
void from_json(const Json&, DeviceRecord&);

// The lines of a file besides devices, series and findings.
inline constexpr const char* kUtc = R"({"pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"})";
struct RunLine {
    int format = kResultsFormat;
    std::string sonde{}, started{};
    Json host{};
    std::vector<std::string> command{};
    std::string profile{};
    Asked asked{};
    std::vector<AbsentApi> absent{};
    std::optional<ImportedFrom> imported{};
};
void to_json(Json&, const RunLine&);
void from_json(const Json&, RunLine&);
struct ResumeLine {
    std::string resumed{};
    std::vector<std::string> command{};
};
void to_json(Json&, const ResumeLine&);
void from_json(const Json&, ResumeLine&);
struct EndLine {
    std::string finished{};
    Json series{};
};
void to_json(Json&, const EndLine&);
void from_json(const Json&, EndLine&);

/// The words behind "published:" of an operand, "" where it is "published" alone; nullopt: it is none.
std::optional<std::string> published_words(const std::string& operand);
/// sonde-<time>.jsonl
std::filesystem::path default_results_name();

/// Throws UsageError where a results file cannot be created under that name: a folder, a device, a link that leads
/// nowhere, or what is never overwritten.
void check_is_new(const std::filesystem::path&);

/// Throws UsageError where that is there, but is no file that a run can go on in.
void check_is_file(const std::filesystem::path&);

/// The file that a run writes. Every line is on the disk before the next series starts, where the file system can say
/// so; a crash, or a loss of power, loses the one in flight.
class Journal {
public:
    /// Creates the file; "-" is standard output. Throws UsageError when it exists (it is never overwritten), Error when
    /// it cannot be created.
    explicit Journal(const std::filesystem::path& path);
    /// A results file to go on with, untouched so far. Throws UsageError while another process writes to it, and where
    /// going on would cut off more than a crash leaves.
    static Journal reopened(const std::filesystem::path& path);
    /// Throws Error when the line could not be written whole (disk full); what was there stays valid.
    void append(const Json& line) { append_together(std::vector<Json>(1, line)); }
    /// Lines that belong together cross to the system together.
    void append_together(const std::vector<Json>& lines);
    const std::filesystem::path& path() const { return file_.path(); }
    /// Those that are whole.
    std::string lines() const { return file_.lines().text; }
    /// Cuts off what a crash left of a last line.
    void cut();

private:
    explicit Journal(File);
    File file_;
    std::uint64_t written_ = 0; // bytes of whole lines
};

struct Run {
    Json header = Json::object();
    std::vector<DeviceRecord> devices;
    std::vector<Json> findings, resumes;
    std::vector<Series> series;
    Json end;                          // null when the run, or the last that went on with it, did not finish
    std::size_t first_line = 1;        // of its file
    std::vector<std::string> warnings; // one line each: what could not be read and was left out
};

/// Makes the text of a results file of what another tool wrote, or throws UsageError, which says what it knows. `name`:
/// of the file.
using Import = std::function<std::string(std::string_view text, const std::string& name)>;

/// Reads a results file of one run. Throws UsageError when it is not one (missing, empty, another format, a unit that
/// there is not); a bad line in the middle or a truncated last one is left out with a warning. A gzip file is unpacked.
/// "-" is standard input.
Run read_run(const std::filesystem::path& path);
Run read_run(std::istream& in, const std::string& name);
/// The same of a file that may hold several runs one after another (`cat a.jsonl b.jsonl`): each once, in their order,
/// and at least one. A warning of a run that is there twice. `import`: of what is no results file.
std::vector<Run> read_runs(const std::filesystem::path& path, const Import& import = {});
std::vector<Run> read_runs(std::istream& in, const std::string& name, const Import& import = {});

/// The warning that a packed file's data goes no further (damage_of).
std::string damage_text(const std::string& name, const std::string& damage, std::size_t lines);

/// Whether a line is the first one of a run.
bool begins_run(std::string_view line);

/// One line of such a file. Throws Error where it is none, UsageError for a unit that there is not.
Json checked_line(const std::string& line);

} // namespace sonde
