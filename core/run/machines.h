// One run on several machines at once, each behind a launcher that the lab already has: they measure there, the results
// files stay here.
#pragma once
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/run/option.h"

namespace sonde {

struct Machine {
    std::string via;                   // as it was typed
    std::vector<std::string> launcher; // its words
};

struct MachinesRun {
    std::vector<Machine> machines;
    RunOptions options;                 // which results files
    std::vector<std::string> arguments; // what each machine is to carry out
    double silence_seconds;
    ProgressBoard::Form progress;
};

/// One thread and one results file for each machine. A lone machine's file does not bear its name. Exit code: the worst
/// of the machines' own. `files`: those that were written.
int run_on_machines(
    const MachinesRun& asked, std::ostream& out, std::ostream& errors, std::vector<std::filesystem::path>& files);

/// "run.jsonl" for the machine "node1": "run-node1.jsonl"; a name that another machine has taken gets a number. What a
/// machine calls itself never leaves the folder.
std::filesystem::path file_of_machine(
    const std::filesystem::path& out, const std::string& name, std::vector<std::filesystem::path>& taken);

} // namespace sonde
