// Threads, one for each machine, that share a terminal.
#include "core/run/machines.h"

#include <algorithm>
#include <ostream>
#include <thread>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/system.h"
#include "core/base/text.h"

namespace sonde {

std::filesystem::path file_of_machine(const std::filesystem::path& out, const std::string& name, std::vector<std::filesystem::path>& taken) {
    std::string label = name.empty() ? "machine" : name.substr(0, 64);
    for (char& c : label)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
    for (int number = 1;; ++number) {
        std::filesystem::path file = out;
        file.replace_filename(fmt::format("{}-{}{}{}", out.stem().string(), label, number > 1 ? fmt::format("-{}", number) : "", out.extension().string()));
        if (std::find(taken.begin(), taken.end(), file) != taken.end()) continue;
        taken.push_back(file);
        return file;
    }
}

namespace {
/// What the threads share.
struct Room {
    std::mutex mutex;
    std::vector<std::filesystem::path> taken;
};

int run_on(const Machine& machine, RunOptions options, const OpenFleet& open, const CheckFleet& check, Room& room, RunStreams streams) {
    const std::string label = printable(machine.via) + ": ";
    try {
        streams.board.set(streams.line, label + "opening its drivers");
        Fleet fleet = open(machine.launcher);
        check(fleet);
        {
            const std::lock_guard lock(room.mutex);
            options.out = file_of_machine(options.out, fleet.host_name(), room.taken);
        }
        streams.label = label;
        return run_command(fleet, options, streams);
    } catch (const std::exception& error) {
        streams.board.print(streams.errors, fmt::format("sonde: {}{}\n", label, error.what()));
        return dynamic_cast<const UsageError*>(&error) ? 2 : 1;
    }
}
} // namespace

int run_on_machines(const std::vector<Machine>& machines, const RunOptions& options, const OpenFleet& open, const CheckFleet& check, std::ostream& out,
                    std::ostream& errors, bool progress_on_terminal) {
    RunOptions common = options;
    if (common.out.empty()) common.out = utc_text("sonde-%Y%m%d-%H%M%S.jsonl");
    ProgressBoard board(errors, progress_on_terminal, machines.size());
    Room room;
    std::vector<int> codes(machines.size(), 0);
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < machines.size(); ++i)
        threads.emplace_back([&, i] { codes[i] = run_on(machines[i], common, open, check, room, {out, errors, board, i, ""}); });
    threads.clear(); // waits
    board.clear();
    const auto failed = std::find_if(codes.begin(), codes.end(), [](int code) { return code == 1 || code == 2; });
    return failed != codes.end() ? *failed : *std::max_element(codes.begin(), codes.end());
}

} // namespace sonde
