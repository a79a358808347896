// sonde compare: runs, cards, APIs, drivers and published figures beside each other; differences outside the noise, and only those.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

namespace sonde {

struct CompareOptions {
    /// Each a results file, several joined by commas (runs of one card on one driver: then the run is the unit of noise), either with
    /// "@DEVICE" behind it (an id or an API), "published:WORDS" for published figures of cards so named, or a file of such figures.
    std::vector<std::string> operands;
    std::string view = "ns"; // ns, cycles, per-clock, bus
    bool json = false;
};

/// One operand: the APIs of each card in it against each other. Two or more: each against the first; more than two results files of which
/// several are of the same cards and drivers: those are runs of one side. Warnings about lines left out go to `errors`.
/// Exit code 0. Throws UsageError for what the operands say wrongly.
int compare_command(const CompareOptions& options, std::ostream& out, std::ostream& errors);

} // namespace sonde
