// Both ends of a launcher's pipe.
#include "core/run/remote.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/run/worker.h"

namespace sonde {

namespace {
constexpr double kSecondsToLeave = 1;
constexpr double kLook = 0.2; // seconds; a signal may wake another thread than the one that waits
constexpr double kShortestSilence = 10; // seconds; of a machine that says something each second
constexpr int kUnreachable = 255;       // ssh's word for that
constexpr int kLinesOfAWelcome = 200;   // what a machine tells those who log in

/// What a shell is told over the pipe: one line, so that it has read all of it before the program's bytes come. The program runs beside it, so
/// that the shell can end it and clean up.
std::string landing(std::size_t bytes) {
    return fmt::format("umask 077; d=$(mktemp -d \"${{TMPDIR:-/tmp}}/sonde.XXXXXXXX\") || exit 1; w=; trap 'rm -rf \"$d\"' EXIT; "
                       "trap 'test -z \"$w\" || kill -9 $w; exit 1' HUP INT TERM PIPE; echo '{{\"event\":\"send\"}}'; "
                       "head -c {} >\"$d/sonde\" && chmod 700 \"$d/sonde\" || exit 1; exec 3<&0; \"$d/sonde\" remote <&3 3<&- & w=$!; wait $w; exit $?\n",
                       bytes);
}

} // namespace

Remote::Remote(std::vector<std::string> launcher, double silence_seconds) : launcher_(std::move(launcher)), silence_seconds_(silence_seconds) {
    bool another = false;
    start({"sonde", "remote"});
    std::string trouble = greeting(another);
    if (!trouble.empty() && another) {
        start({"sh"});
        upload();
        trouble = greeting(another);
    }
    if (trouble.empty()) return;
    process_->dismiss(kSecondsToLeave);
    throw Error(trouble);
}

/// The launcher gets the time to end what it started on that machine.
Remote::~Remote() { process_->dismiss(kSecondsToLeave); }

void Remote::start(std::initializer_list<const char*> words) {
    std::vector<std::string> command = launcher_;
    command.insert(command.end(), words.begin(), words.end());
    process_ = std::make_unique<ChildProcess>(command);
}

ChildProcess::Event Remote::next(std::string& line, double seconds) {
    auto event = ChildProcess::Event::silence;
    for (double left = seconds; left > 0 && event == ChildProcess::Event::silence; left -= kLook) event = process_->next(line, std::min(left, kLook));
    if (event != ChildProcess::Event::ended) return event;
    std::this_thread::sleep_for(std::chrono::milliseconds(100)); // a terminal's interrupt reaches the launcher as well, and may reach it first
    return stop_asked ? ChildProcess::Event::interrupted : event;
}

std::string Remote::trouble(ChildProcess::Event event, double seconds) {
    switch (event) {
    case ChildProcess::Event::line: return "";
    case ChildProcess::Event::interrupted: return "interrupted";
    case ChildProcess::Event::silence: return fmt::format("{} hung: no output for {:g} s", launcher_[0], seconds);
    case ChildProcess::Event::flood: return fmt::format("{} wrote invalid output: a line without an end", launcher_[0]);
    case ChildProcess::Event::ended: break;
    }
    const std::string how = process_->ending(), said = process_->last_line();
    return fmt::format("{} {}{}{}", launcher_[0], how, said.empty() ? "" : "; it said: ", said);
}

std::string Remote::greeting(bool& another) {
    std::string line;
    for (int welcome = 0; welcome < kLinesOfAWelcome;) {
        if (const auto event = next(line, silence_seconds_); event != ChildProcess::Event::line) {
            std::string what = trouble(event, silence_seconds_);
            another = process_->exit_code() && process_->exit_code() != kUnreachable; // a shell or launcher that found no such program
            if (event == ChildProcess::Event::ended && process_->last_line().empty()) what += fmt::format(" and said nothing; a launcher starts what stands behind it, as '{} echo hello' shows", fmt::join(launcher_, " "));
            return what;
        }
        const Json event = Json::parse(line, nullptr, false);
        const auto hello = event_in<HelloEvent>(event);
        if (!hello) {
            ++welcome;
            continue;
        }
        machine_ = hello->name;
        another = hello->sonde != SONDE_VERSION;
        return another ? fmt::format("the sonde on that machine is {}, and this is " SONDE_VERSION, hello->sonde) : "";
    }
    return fmt::format("{} wrote invalid output", launcher_[0]);
}

void Remote::upload() {
    const std::string bytes = text_of_file(own_program());
    if (bytes.empty()) throw Error(fmt::format("{}: cannot read the program to bring it to the other machine", own_program()));
    std::string line;
    bool asked = process_->send(landing(bytes.size()), silence_seconds_);
    while (asked && text_field(Json::parse(line, nullptr, false), "event") != "send") asked = next(line, silence_seconds_) == ChildProcess::Event::line;
    if (asked) process_->send(bytes, silence_seconds_); // what fails here, the greeting tells
}

int Remote::carry_out(const std::vector<std::string>& arguments, const std::string& file, const OnLine& on_line) {
    const Json order = {{"arguments", arguments}, {"file", file}};
    process_->send(order.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", silence_seconds_); // what fails here shows below
    const double silence = std::max(silence_seconds_, kShortestSilence);
    for (std::string line;;) {
        if (const auto event = next(line, silence); event != ChildProcess::Event::line)
            throw Error((event == ChildProcess::Event::ended ? "the connection is lost: " : "") + trouble(event, silence));
        const Json object = Json::parse(line, nullptr, false);
        if (!object.is_object()) throw Error(fmt::format("{} wrote invalid output: {}", launcher_[0], printable(line.substr(0, 60))));
        if (object.contains("exit")) return static_cast<int>(number_field(object, "exit"));
        if (!object.empty()) on_line(line, object);
    }
}

int remote_command(const std::vector<std::string>& launcher, const std::vector<std::string>& arguments, double silence_seconds, std::ostream& out, std::ostream& errors) {
    const NoOrphans no_orphans;
    Remote remote(launcher, silence_seconds);
    return remote.carry_out(arguments, "", [&](const std::string&, const Json& object) {
        if (object.contains("out")) out << text_field(object, "out") << "\n";
        if (object.contains("err")) errors << error_lines(printable(text_field(object, "err")));
    });
}

namespace {
void say(const Json& object) {
    static File out = File::standard_output();
    static std::mutex one_at_a_time; // signs of life come from a thread of their own
    const std::lock_guard lock(one_at_a_time);
    send_line(out, object); // the workers go with this process
}

/// A stream whose lines cross the pipe under a key.
class Crossing final : public std::streambuf {
public:
    Crossing(std::ostream& stream, std::string key) : key_(std::move(key)) { stream.rdbuf(this); }

private:
    int overflow(int c) override {
        if (c == '\n') say({{key_, std::exchange(line_, "")}});
        else if (c != traits_type::eof()) line_.push_back(static_cast<char>(c));
        return traits_type::not_eof(c);
    }
    std::string key_, line_;
};
} // namespace

void serve_remote(const std::function<int(const std::vector<std::string>& arguments)>& carry_out) {
    end_with_parent();
    say(hello());
    std::string line;
    std::getline(std::cin, line);
    const Json order = Json::parse(line, nullptr, false);
    if (!order.is_object() || order.value("arguments", Json::array()).empty()) std::_Exit(1); // nobody asked
    std::thread([] { // also while a driver hangs
        wait_for_end_of_input();
        std::_Exit(1);
    }).detach();
    std::thread([] {
        for (;; std::this_thread::sleep_for(std::chrono::seconds(1))) say(Json::object());
    }).detach();
    std::istringstream file(text_field(order, "file"));
    std::cin.rdbuf(file.rdbuf());
    keep_error_lines_whole();
    Crossing out(std::cout, "out"), errors(std::cerr, "err"), progress(std::clog, "progress");
    const int code = carry_out(order["arguments"]);
    say({{"exit", code}});
    std::_Exit(code); // with the threads, whatever they wait for
}

} // namespace sonde
