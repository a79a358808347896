// One run on several machines at once, each behind a launcher that the lab already has: the workers run there, the results files stay here.
#pragma once
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace sonde {

struct Machine {
    std::string via;                   // as it was typed
    std::vector<std::string> launcher; // its words
};

using OpenFleet = std::function<Fleet(const std::vector<std::string>& launcher)>;
/// `check` throws UsageError where the words of `options` do not fit the fleet.
using CheckFleet = std::function<void(const Fleet&)>;

/// One thread and one results file for each machine. Exit code: the worst of the machines' own.
int run_on_machines(const std::vector<Machine>& machines, const RunOptions& options, const OpenFleet& open, const CheckFleet& check, std::ostream& out,
                    std::ostream& errors, bool progress_on_terminal);

/// "run.jsonl" for the machine "node1": "run-node1.jsonl"; a name that another machine has taken gets a number. What a machine calls itself
/// never leaves the folder.
std::filesystem::path file_of_machine(const std::filesystem::path& out, const std::string& name, std::vector<std::filesystem::path>& taken);

} // namespace sonde
