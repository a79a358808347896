// Threads, one for each machine, that share a terminal.
#include "core/run/machines.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/base/system.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/data/results.h"
#include "core/run/remote.h"
#include "core/run/run.h"

namespace sonde {

std::filesystem::path file_of_machine(
    const std::filesystem::path& out, const std::string& name, std::vector<std::filesystem::path>& taken) {
    const std::string label = rewritten(name.empty() ? "machine" : name.substr(0, 64),
        [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' ? c : '_'; });
    for (int number = 1;; ++number) {
        std::filesystem::path file = out;
        file.replace_filename(fmt::format("{}-{}{}{}", out.stem().string(), label,
            number > 1 ? fmt::format("-{}", number) : "", out.extension().string()));
        if (std::find(taken.begin(), taken.end(), file) != taken.end()) continue;
        taken.push_back(file);
        return file;
    }
}

namespace {
/// What the threads share.
struct Room {
    const RunOptions& options;
    const std::vector<std::string>& arguments;
    double silence_seconds;
    std::ostream &out, &errors;
    ProgressBoard board;
    bool several;
    std::mutex mutex{};
    std::vector<std::filesystem::path> taken{}, written{};
    std::filesystem::path file_of(const std::string& machine) {
        const std::lock_guard lock(mutex);
        return several ? file_of_machine(options.out, machine, taken) : options.out;
    }
    void wrote(const std::filesystem::path& file) {
        const std::lock_guard lock(mutex);
        written.push_back(file);
    }
};

/// One machine's lines, as they come.
class MachineRun {
public:
    MachineRun(const Machine& machine, std::size_t line, Room& room)
        : machine_(machine), line_(line), room_(room), label_(printable(machine.via)) {}

    int carry_out() {
        try {
            room_.board.set(line_, label_ + ": opening its drivers");
            const std::string file = room_.options.resume.empty() ? "" : lines_to_go_on_with();
            const int code = carry_out_behind(machine_.launcher, room_.arguments, file, room_.silence_seconds,
                {.machine =
                        [&](const std::string& name) {
                            if (!journal_) path_ = room_.file_of(name);
                        },
                    .output = [&](const std::string& line) { keep(line); },
                    .error = [&](const std::string& line) { hear(line); }});
            if (started_ && end_.is_null() && !said_why_)
                throw Error(fmt::format(
                    "the connection is lost: {} exited with {} before the run's end", machine_.launcher[0], code));
            room_.board.set(line_, "");
            if (!end_.is_null()) print(room_.out, summary_text(end_["series"]));
            else if (code == 0) print(room_.out, kNothingMissing);
            return code;
        } catch (const std::exception& error) {
            const std::string rest =
                started_ ? fmt::format("; {0} keeps what was measured, and --resume {0} --via '{1}' goes on",
                               path_.string(), label_)
                         : "";
            room_.board.print(room_.errors, error_lines(fmt::format("sonde: {}: {}{}", label_, error.what(), rest)));
            if (dynamic_cast<const UsageError*>(&error)) return 2;
            return stop_asked ? kInterrupted : 1;
        }
    }

private:
    std::string lines_to_go_on_with() {
        path_ = room_.options.resume;
        read_run(path_); // says what is wrong with it
        journal_.emplace(Journal::reopened(path_));
        return journal_->lines();
    }

    void keep(const std::string& line) {
        Json object = in_context("a line of its results", [&] { return checked_line(line); });
        if (!journal_) journal_.emplace(path_);
        else if (!started_) journal_->cut();
        if (object["type"] == "run" || object["type"] == "resume") object["command"] = room_.options.command;
        journal_->append(object);
        if (object["type"] == "end") end_ = std::move(object);
        if (!std::exchange(started_, true)) room_.wrote(path_);
    }

    void hear(const std::string& words) {
        if (words.starts_with('[')) return room_.board.set(line_, fmt::format("{}: {}", label_, printable(words)));
        said_why_ |= words.starts_with("sonde: ");
        print(room_.errors, words);
    }

    void print(std::ostream& stream, std::string text) {
        const bool error = text.starts_with("sonde: ");
        if (error) text.erase(0, 7);
        const std::string line = fmt::format(
            "{}{}: {}", error ? "sonde: " : "", started_ || journal_ ? path_.string() : label_, printable(text));
        room_.board.print(stream, &stream == &room_.errors ? error_lines(line) : line + "\n");
    }

    const Machine& machine_;
    std::size_t line_;
    Room& room_;
    std::string label_;
    std::filesystem::path path_;
    std::optional<Journal> journal_;
    bool started_ = false;  // something of this run is in the file
    bool said_why_ = false; // the program there said why it ends early
    Json end_;              // the last line of a run that has not
};
} // namespace

int run_on_machines(
    const MachinesRun& asked, std::ostream& out, std::ostream& errors, std::vector<std::filesystem::path>& files) {
    const auto& machines = asked.machines;
    RunOptions common = asked.options;
    if (common.out.empty()) common.out = default_results_name();
    const bool several = machines.size() > 1;
    if (several && common.out == "-") throw UsageError("--out - takes the lines of one machine: name a file");
    const NoOrphans no_orphans;
    Room room{common, asked.arguments, asked.silence_seconds, common.out == "-" ? errors : out, errors,
        {errors, asked.progress, machines.size()}, several};
    std::vector<int> codes(machines.size(), 0);
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < machines.size(); ++i)
        threads.emplace_back([&, i] { codes[i] = MachineRun(machines[i], i, room).carry_out(); });
    threads.clear(); // waits
    room.board.clear();
    files = std::move(room.written);
    std::sort(files.begin(), files.end());
    const auto failed = std::find_if(codes.begin(), codes.end(), [](int code) { return code == 1 || code == 2; });
    return failed != codes.end() ? *failed : *std::max_element(codes.begin(), codes.end());
}

} // namespace sonde
