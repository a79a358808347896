// A run: which series, in which order, through which workers, into which file.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/option.h"
#include "core/supervise.h"

namespace sonde {

/// All APIs' workers and what they found.
class Fleet {
public:
    /// `launcher` goes in front of "<this program> worker <api>"; empty: run here. `target`: a chip to compile for, in place of devices.
    Fleet(std::span<const Backend> backends, const std::vector<std::string>& launcher, double silence_seconds, const std::string& target = "");

    struct Entry {
        DeviceRecord record;
        std::string card;
        Supervised* worker;
    };
    const std::vector<Entry>& devices() const { return devices_; }
    struct Absence {
        std::string api, reason;
        bool failed; // a crash or hang, not a plain "not here"
    };
    const std::vector<Absence>& absent() const { return absent_; }

private:
    std::vector<std::unique_ptr<Supervised>> workers_;
    std::vector<Entry> devices_;
    std::vector<Absence> absent_;
};

struct RunOptions {
    std::vector<std::string> probes, devices, paths; // empty: all
    AskedOptions options;
    std::string profile = "standard";
    double seconds = 0;                // of the whole run; 0: the profile's
    std::filesystem::path out;         // empty: sonde-<time>.jsonl
    double dispatch_limit_ms = 50;
    std::uint32_t seed = 0;            // 0: from the clock
    std::vector<std::string> command;  // as typed, for the header
};

/// Exit code: 0 done, 1 something failed (the results say what), 3 none of the devices asked for is here.
/// Throws UsageError for unknown names, with the nearest valid ones.
int run_command(Fleet& fleet, const RunOptions& options, std::ostream& out, std::ostream& progress, bool progress_on_terminal);

/// Throws UsageError naming the nearest of `valid` where one of `names` is none of them.
void check_names(const std::string& what, const std::vector<std::string>& names, const std::vector<std::string>& valid);

template <class Row> std::vector<std::string> names_of(std::span<const Row> rows) {
    std::vector<std::string> names;
    for (const Row& row : rows) names.emplace_back(row.name);
    return names;
}

/// What is judged once a series is complete and the card's other series are known: a clock below 90 % of the highest seen on the
/// card, a buffer on `global` that is not device-local, timers that disagree. Changes status and reason.
void judge(Series& series, double highest_clock_mhz);

} // namespace sonde
