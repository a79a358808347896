// Both ends of a launcher's pipe.
#include "core/run/remote.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/terminal.h"
#include "core/base/text.h"

namespace sonde {

namespace {
constexpr double kSecondsToLeave = 1;
constexpr double kLook = 0.2;           // seconds; a signal may wake another thread than the one that waits
constexpr double kShortestSilence = 10; // seconds; of a program that says something each second
constexpr int kUnreachable = 255;       // ssh's word for that
constexpr int kLinesOfAWelcome = 200;   // what a machine tells those who log in
constexpr const char
    *kSend = "sonde: send",
    *kHere = "sonde: on "; // what the shell says: that the program is to follow; that the command begins, and where

/// As a shell takes it for itself, whatever is in it.
std::string for_shell(std::string_view word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

/// What the shell is told: one line, so that it has read all of it before the program or a file follows. The command
/// runs beside it, so that the shell can end it and clean up.
std::string landing(const std::vector<std::string>& arguments, std::uintmax_t bytes) {
    std::string words;
    for (const std::string& argument : arguments) words += for_shell(argument) + " ";
    return fmt::format("s=sonde d= w=; trap 'test -z \"$d\" || rm -rf \"$d\"' EXIT; trap 'test -z \"$w\" || kill -9 "
                       "$w; exit 1' HUP INT TERM PIPE; "
                       "test \"$(sonde --version 2>&1 </dev/null)\" = 'sonde " SONDE_VERSION
                       "' || {{ umask 077; d=$(mktemp -d \"${{TMPDIR:-/tmp}}/sonde.XXXXXXXX\") && "
                       "echo '{}' && head -c {} >\"$d/sonde\" && chmod 700 \"$d/sonde\" && s=$d/sonde || exit 1; }}; "
                       "echo \"{}$(uname -n)\"; exec 3<&0; \"$s\" {}--for-another <&3 3<&- & w=$!; wait $w; exit $?\n",
        kSend, bytes, kHere, words);
}

std::vector<std::string> with_shell(std::vector<std::string> words) {
    words.emplace_back("sh");
    return words;
}

class Connection {
public:
    Connection(const std::vector<std::string>& launcher, double silence_seconds, const RemoteLines& lines)
        : launcher_(launcher), silence_seconds_(silence_seconds), lines_(lines), process_(with_shell(launcher)) {}
    /// The launcher gets the time to end what it started on that machine.
    ~Connection() { process_.dismiss(kSecondsToLeave); }
    Connection(const Connection&) = delete;

    void land(const std::vector<std::string>& arguments) {
        const std::string program = own_program();
        std::error_code unknown;
        process_.send(landing(arguments, std::filesystem::file_size(program, unknown)),
            silence_seconds_); // what fails here shows below
        std::string line;
        for (int welcome = 0; welcome < kLinesOfAWelcome; ++welcome) {
            if (!next(line)) {
                const std::string why = trouble();
                throw Error(
                    said_.empty()
                        ? fmt::format(
                              "{} and said nothing; a launcher starts what stands behind it, as '{} echo hello' shows",
                              why, fmt::join(launcher_, " "))
                        : why);
            }
            if (line == kSend) upload(program);
            if (!line.starts_with(kHere)) continue;
            hear_errors();
            landed_ = greeted_ = true;
            return lines_.machine(line.substr(std::string_view(kHere).size()));
        }
        throw Error(fmt::format("{} wrote invalid output", launcher_[0]));
    }

    int carry_out(const std::string& file) {
        if (!file.empty()) {
            process_.send(file, silence_seconds_);
            process_.end_input();
        }
        silence_seconds_ = std::max(silence_seconds_, kShortestSilence);
        for (std::string line; next(line);)
            lines_.output(
                line); // which of two pipes spoke first nobody knows: words wait for further ones, or a sign of life
        const std::string why = trouble();
        const std::optional<int> code = process_.exit_code();
        if (!code || *code == kUnreachable) throw Error("the connection is lost: " + why);
        if (*code > 3 && *code != kInterrupted) throw Error(why); // than the command's own
        hand_on();
        return *code;
    }

private:
    /// False at the end of its output. Throws Error where something else comes in place of a line.
    bool next(std::string& line) {
        auto event = ChildProcess::Event::silence;
        for (double left = silence_seconds_; left > 0 && event == ChildProcess::Event::silence; left -= kLook) {
            event = process_.next(line, std::min(left, kLook));
            if (hear_errors()) left = silence_seconds_;
        }
        if (event == ChildProcess::Event::ended)
            std::this_thread::sleep_for(std::chrono::milliseconds(
                100)); // a terminal's interrupt reaches the launcher as well, and may reach it first
        if (stop_asked) throw Error("interrupted");
        if (event == ChildProcess::Event::silence)
            throw Error(fmt::format("{} hung: no output for {:g} s", launcher_[0], silence_seconds_));
        if (event == ChildProcess::Event::flood)
            throw Error(fmt::format("{} wrote invalid output: a line without an end", launcher_[0]));
        return event == ChildProcess::Event::line;
    }

    /// Hands on what came on standard error, but for the last words: they may be why it ends. Whether anything came.
    bool hear_errors() {
        bool any = false;
        while (const auto words = process_.next_words()) {
            any = true;
            if (words->empty() && !landed_) continue;
            hand_on();
            said_ = *words, greeted_ = false;
            if (said_.starts_with('[')) hand_on();
        }
        return any;
    }

    void hand_on() {
        if (!landed_) return;
        if (!said_.empty() && !greeted_) lines_.error(said_);
        said_.clear(), greeted_ = false;
    }

    /// How it ended, with its last words.
    std::string trouble() {
        const std::string how = process_.ending();
        hear_errors();
        if (const std::string rest = process_.last_line(); !rest.empty()) said_ = rest;
        return fmt::format(
            "{} {}{}{}", launcher_[0], how, said_.empty() ? "" : "; it said: ", printable(said_.substr(0, 200)));
    }

    void upload(const std::string& program) {
        const std::string bytes = text_of_file(program);
        if (bytes.empty())
            throw Error(fmt::format("{}: cannot read the program to bring it to the other machine", program));
        process_.send(bytes, silence_seconds_);
    }

    const std::vector<std::string>& launcher_;
    double silence_seconds_;
    const RemoteLines& lines_;
    ChildProcess process_;
    std::string said_; // the last words, which nobody was told yet
    bool landed_ = false;
    bool greeted_ = false; // with what it said last: how the machine greets, or why it ends at once
};
} // namespace

int carry_out_behind(const std::vector<std::string>& launcher, const std::vector<std::string>& arguments,
    const std::string& file, double silence_seconds, const RemoteLines& lines) {
    Connection connection(launcher, silence_seconds, lines);
    connection.land(arguments);
    return connection.carry_out(file);
}

int remote_command(const std::vector<std::string>& launcher, const std::vector<std::string>& arguments,
    double silence_seconds, std::ostream& out, std::ostream& errors) {
    const NoOrphans no_orphans;
    return carry_out_behind(launcher, arguments, "", silence_seconds,
        {.machine = [](const std::string&) {},
            .output = [&](const std::string& line) { out << printable_line(line) << "\n"; },
            .error = [&](const std::string& line) { errors << error_lines(printable(line)); }});
}

void live_behind_launcher(bool reads_input) {
    keep_error_lines_whole();
    static const auto out =
        std::make_unique<File>(File::standard_output()).release(); // its thread looks at it to the very end
    out->end_with_reader();
    if (!reads_input)
        std::thread([] { // what docker exec starts outlives it, but for this
            wait_for_end_of_input();
            std::_Exit(1);
        })
            .detach();
    std::thread([] {
        for (;; std::this_thread::sleep_for(std::chrono::seconds(1))) std::cerr << "\n";
    }).detach();
}

} // namespace sonde
