// What the readers of other tools' files fill in, and its text as a results file.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/curve_text.h"
#include "core/data/finding.h"
#include "core/data/results.h"
#include "core/probes/probe.h"

namespace sonde {

/// A probe's question; axis and unit of its series are the probe's.
struct ImportedQuestion {
    const Probe* probe;
    std::string path = "global";
    Options options{};
    std::string method{}; // where it is not the probe's own
};

/// A file of another tool, as its readers see it.
struct ImportSource {
    std::string path;   // for messages
    std::string text;   // plain_text()
    Json document;      // the same where it is one JSON object, else discarded
    std::string card{}; // whose the values are, where the caller says so and the tool does not; "": nobody says it
    /// The last part of the path.
    std::string file() const { return path.substr(path.find_last_of('/') + 1); }
};

class ImportedFile {
public:
    ImportedFile(std::string tool, const ImportSource& source, std::string started = "");

    /// Number of a device through an API: its id is "api:n", the first n that is free.
    std::size_t add_device(
        const std::string& api, const std::string& name, const std::string& driver, const std::string& card = "");
    /// One that the file does not name. It is this file's own, no other file's, unless the caller has named it. `kind`:
    /// "GPU".
    std::size_t add_untold_device(const std::string& api, const char* kind);
    DeviceRecord& device(std::size_t number) { return devices_[number]; }
    void set_driver(std::size_t device, const std::string& driver);
    /// A series with points; a further one of the same question is its repetition, run=2. `first_level`: of a latency
    /// curve that begins beyond L1, whose levels are then findings.
    void add_curve(std::size_t device, const ImportedQuestion& question, const std::string& quantity,
        std::vector<Point> points, const std::string& reason = "", std::size_t first_level = 1);
    /// A value of which no place on the axis is told. `unit`: of the value, which may be cycles or bytes. `level`: as
    /// PublishedFigure::level; of several called "best" the highest stays.
    void add_figure(std::size_t device, const ImportedQuestion& question, const std::string& quantity,
        const std::string& level, double value, const std::string& unit);
    /// `what`: the tool's name of the figure.
    void leave_out(const std::string& why, const std::string& what, std::size_t count = 1);
    /// Lines that hold nothing that was read.
    void leave_lines(const CurveText& text, const UnreadLines& lines);
    void leave_sentence(std::string text) { lines_left_.push_back(std::move(text)); }

    /// Whether there is neither a point nor a figure.
    bool empty() const;
    const std::string& tool() const { return tool_; }
    /// What was left out and why, a sentence each.
    std::vector<std::string> left_out() const;
    std::string text() const;

private:
    Series& series_of(std::size_t device, const ImportedQuestion& question, const std::string& quantity);

    std::string tool_, file_, started_, asked_card_, mark_;
    std::vector<DeviceRecord> devices_;
    std::vector<Series> series_;
    std::vector<Finding> findings_;
    std::map<std::string, std::pair<std::size_t, std::vector<std::string>>> left_out_; // by reason: how many, and which
    std::vector<std::string> lines_left_;
};

/// A tool's reader: nullopt where the file is not the tool's.
using ImportReader = std::optional<ImportedFile> (*)(const ImportSource&);

/// A number, or a text that is one; nullopt for all else.
std::optional<double> number_at(const Json& object, const char* name);
/// The array there, or an empty one.
const Json& list_at(const Json& object, const char* name);
/// "2026-10-01T15:23:16Z", where it is in that form.
std::string time_at(const Json& object, const char* name);
/// The letters of a text in lower case, as the name of an API, of at most 20; "unknown" for none.
std::string word_of(const std::string& text);

} // namespace sonde
