// What the readers of other tools' files fill in, and its text as a results file.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

class ImportedFile {
public:
    ImportedFile(std::string tool, const std::string& file, std::string started = "")
        : tool_(std::move(tool)), file_(file), started_(std::move(started)) {}

    /// Number of a device through an API: its id is "api:n", the first n that is free.
    std::size_t add_device(
        const std::string& api, const std::string& name, const std::string& driver, const std::string& card = "");
    DeviceRecord& device(std::size_t number) { return devices_[number]; }
    /// A series with points; one that is there already is left out, and counted. `first_level`: of a latency curve that
    /// begins beyond L1, whose levels are then findings.
    void add_curve(std::size_t device, const ImportedQuestion& question, const std::string& quantity,
        std::vector<Point> points, const std::string& reason = "", std::size_t first_level = 1);
    /// A value of which no place on the axis is told. `unit`: of the value, which may be cycles or bytes. `level`: as
    /// PublishedFigure::level; of several called "best" the highest stays.
    void add_figure(std::size_t device, const ImportedQuestion& question, const std::string& quantity,
        const std::string& level, double value, const std::string& unit);
    /// `what`: the tool's name of the figure.
    void leave_out(const std::string& why, const std::string& what, std::size_t count = 1);

    std::string text() const;

private:
    Series& series_of(std::size_t device, const ImportedQuestion& question, const std::string& quantity);

    std::string tool_, file_, started_;
    std::vector<DeviceRecord> devices_;
    std::vector<Series> series_;
    std::vector<Finding> findings_;
    std::map<std::string, std::pair<std::size_t, std::vector<std::string>>> left_out_; // by reason: how many, and which
};

} // namespace sonde
