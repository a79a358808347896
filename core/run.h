// A run: which series, in which order, through which workers, into which file.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/option.h"
#include "core/progress.h"
#include "core/supervise.h"

namespace sonde {

/// All APIs' workers and what they found.
class Fleet {
public:
    /// `launcher`: what the machine is reached through (Relay); empty: here. `target`: a chip to compile for here, in place of devices.
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
    /// The machine that the workers run on: system, release, machine, cores, memory.
    const Json& host() const { return host_; }
    /// Its name, for the name of a file.
    const std::string& host_name() const { return host_name_; }

private:
    std::vector<std::unique_ptr<Supervised>> workers_;
    std::vector<Entry> devices_;
    std::vector<Absence> absent_;
    Json host_ = Json::object();
    std::string host_name_;
};

/// The largest cache that any of a card's devices reports; 0: none does.
std::uint64_t largest_cache(const std::vector<Fleet::Entry>& devices, const std::string& card);

inline constexpr double kDispatchLimit = 50; // ms: a display's watchdog must never see a longer one

struct RunOptions {
    std::vector<std::string> probes, devices, paths; // empty: all
    AskedOptions options;
    std::string profile;               // empty: standard, or the resumed run's
    double seconds = 0;                // of the whole run; 0: the profile's
    std::filesystem::path out;         // empty: sonde-<time>.jsonl
    std::filesystem::path resume;      // a results file to go on with; empty: a new one
    double dispatch_limit_ms = 0;      // 0: kDispatchLimit, or the resumed run's
    std::uint32_t seed = 0;            // 0: from the clock
    std::vector<std::string> command;  // as typed, for the header
};

/// Whether a device of that id and API is among those asked for.
bool is_wanted_device(const RunOptions& options, std::string_view id, std::string_view api);

/// Where a run says what: summaries, errors, and its line of progress with what to put in front.
struct RunStreams {
    std::ostream &out, &errors;
    ProgressBoard& board;
    std::size_t line = 0;
    std::string label;
};

/// Exit code: 0 done, 1 something failed (the results say what), 3 none of the devices asked for is here.
/// Throws UsageError for unknown names, with the nearest valid ones, and where the run to go on with was another one.
int run_command(Fleet& fleet, RunOptions options, RunStreams streams);

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
