// Both ends of a launcher's pipe.
#include "core/run/relay.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <mutex>
#include <thread>

#include <unistd.h>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/run/worker.h"

namespace sonde {

namespace {
constexpr double kSecondsToLeave = 1;
constexpr int kUnreachable = 255; // ssh's word for that
constexpr int kLinesOfAWelcome = 200; // what a machine tells those who log in

std::string bytes_of(const std::string& program) {
    std::ifstream in(program, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (bytes.empty()) throw Error(fmt::format("{}: cannot read the program to bring it to the other machine", program));
    return bytes;
}

/// What a shell is told over the pipe: one line, so that it has read all of it before the program's bytes come. The program runs beside it, so
/// that the shell can end it and clean up.
std::string landing(std::size_t bytes) {
    return fmt::format("umask 077; d=$(mktemp -d \"${{TMPDIR:-/tmp}}/sonde.XXXXXXXX\") || exit 1; w=; trap 'rm -rf \"$d\"' EXIT; "
                       "trap 'test -z \"$w\" || kill -9 $w; exit 1' HUP INT TERM PIPE; echo '{{\"event\":\"send\"}}'; "
                       "head -c {} >\"$d/sonde\" && chmod 700 \"$d/sonde\" || exit 1; exec 3<&0; \"$d/sonde\" worker every <&3 3<&- & w=$!; wait $w; exit $?\n",
                       bytes);
}

Json object_in(const std::string& line) {
    Json object = Json::parse(line, nullptr, false);
    return object.is_object() ? object : Json::object();
}

std::string last_line(std::string words) {
    while (!words.empty() && words.back() == '\n') words.pop_back();
    if (const auto line = words.rfind('\n'); line != std::string::npos) words.erase(0, line + 1);
    return words.substr(0, 200);
}
} // namespace

/// A worker as its supervisor sees it.
class RelayedChild final : public Child {
public:
    RelayedChild(std::shared_ptr<Relay> relay, int number) : relay_(std::move(relay)), number_(number) {}
    ~RelayedChild() override {
        if (me().ending.empty()) relay_->tell(Json{{"end", number_}}.dump());
        relay_->workers_.erase(number_);
    }
    bool send(std::string_view bytes, double) override {
        const std::string_view line = bytes.substr(0, bytes.find('\n'));
        return me().ending.empty() && relay_->tell(Json{{"to", number_}, {"line", line}}.dump());
    }
    Event next(std::string& line, double seconds) override {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        while (me().lines.empty()) {
            if (!me().ending.empty()) return Event::ended;
            const double left = std::chrono::duration<double>(deadline - std::chrono::steady_clock::now()).count();
            const Event event = relay_->process_ ? relay_->process_->next(line, std::max(left, 0.0)) : Event::ended;
            if (event == Event::line) relay_->hear(line);
            else if (event == Event::ended) relay_->lose();
            else return event;
        }
        line = std::move(me().lines.front());
        me().lines.pop_front();
        return Event::line;
    }
    std::string ending() override { return me().ending.empty() ? "was ended" : me().ending; }
    const std::string& last_words() const override { return me().said; }

private:
    Relay::Distant& me() const { return relay_->workers_.at(number_); }
    std::shared_ptr<Relay> relay_;
    int number_;
};

Relay::Relay(std::vector<std::string> launcher, std::string program, double silence_seconds)
    : launcher_(std::move(launcher)), program_(std::move(program)), silence_seconds_(silence_seconds) {}

/// The launcher gets the time to end what it started over there.
Relay::~Relay() {
    if (process_) process_->dismiss(kSecondsToLeave);
}

std::unique_ptr<Child> Relay::start_worker(const std::string& api) {
    if (!process_) open();
    const int number = ++last_worker_;
    workers_[number];
    auto child = std::make_unique<RelayedChild>(shared_from_this(), number);
    if (!tell(Json{{"start", api}, {"worker", number}}.dump())) lose();
    return child;
}

bool Relay::tell(const std::string& line) { return process_ && process_->send(line + "\n", silence_seconds_); }

void Relay::hear(const std::string& line) {
    const Json said = object_in(line);
    const auto worker = workers_.find(static_cast<int>(number_field(said, "from")));
    if (worker == workers_.end()) return; // of one that was ended
    if (said.contains("line")) worker->second.lines.push_back(text_field(said, "line"));
    if (!said.contains("ended")) return;
    worker->second.ending = text_field(said, "ended");
    worker->second.said = text_field(said, "said");
}

void Relay::lose() {
    const std::string ending = fmt::format("is out of reach: {} {}", launcher_[0], process_ ? process_->ending() : "is gone");
    for (auto& [number, worker] : workers_)
        if (worker.ending.empty()) worker.ending = ending, worker.said = process_ ? process_->last_words() : "";
    process_.reset();
}

std::string Relay::greeting(bool& another) {
    std::string line;
    for (int welcome = 0; welcome < kLinesOfAWelcome;) {
        switch (process_->next(line, silence_seconds_)) {
        case Child::Event::line: break;
        case Child::Event::interrupted: return "interrupted";
        case Child::Event::silence: return fmt::format("{} hung: no word for {:g} s", launcher_[0], silence_seconds_);
        case Child::Event::flood: return fmt::format("{} printed rubbish: a line without an end", launcher_[0]);
        case Child::Event::ended: {
            const std::string ending = process_->ending(), said = last_line(process_->last_words());
            another = process_->exit_code() && process_->exit_code() != kUnreachable; // a shell or launcher that found no such program
            return fmt::format("{} {}{}{}", launcher_[0], ending, said.empty() ? "" : "; it said: ", said);
        }
        }
        const Json event = object_in(line);
        if (text_field(event, "event") != "hello") ++welcome;
        else if (text_field(event, "sonde") == SONDE_VERSION) return "";
        else {
            another = true;
            return fmt::format("the sonde over there is {}, and this is " SONDE_VERSION, text_field(event, "sonde"));
        }
    }
    return fmt::format("{} printed rubbish", launcher_[0]);
}

void Relay::open() {
    const auto started = [&](std::initializer_list<const char*> words) {
        std::vector<std::string> command = launcher_;
        command.insert(command.end(), words.begin(), words.end());
        process_ = std::make_unique<ChildProcess>(command);
    };
    bool another = false;
    started({"sonde", "worker", "every"});
    std::string trouble = greeting(another);
    if (!trouble.empty() && another) {
        started({"sh"});
        bring();
        trouble = greeting(another);
    }
    if (trouble.empty()) return;
    process_->dismiss(kSecondsToLeave);
    process_.reset();
    throw Error(trouble);
}

void Relay::bring() {
    const std::string bytes = bytes_of(program_);
    std::string line;
    bool asked = process_->send(landing(bytes.size()), silence_seconds_);
    while (asked && text_field(object_in(line), "event") != "send") asked = process_->next(line, silence_seconds_) == Child::Event::line;
    if (asked) process_->send(bytes, silence_seconds_); // what fails here, the greeting tells
}

namespace {
/// The workers that run over there, and the one pipe on which their threads speak.
class Relaying {
public:
    explicit Relaying(std::span<const Backend> backends) : backends_(backends) {}
    void say(const Json& event) {
        const std::string line = event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
        const std::lock_guard lock(mutex_);
        for (std::size_t sent = 0; sent < line.size();) {
            const ssize_t n = write(STDOUT_FILENO, line.data() + sent, line.size() - sent);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) std::_Exit(1); // nobody listens any more, and the workers go with this process
            sent += static_cast<std::size_t>(n);
        }
    }
    void take(const Json& order) {
        if (order.contains("start")) start(text_field(order, "start"), static_cast<int>(number_field(order, "worker")));
        const auto worker = workers_.find(static_cast<int>(number_field(order, order.contains("to") ? "to" : "end")));
        if (worker == workers_.end()) return;
        if (order.contains("to")) worker->second->send(text_field(order, "line") + "\n", kSecondsToTake);
        if (order.contains("end")) worker->second->kill_only();
    }

private:
    static constexpr double kSecondsToTake = 10;

    void start(const std::string& api, int number) {
        const bool known = std::any_of(backends_.begin(), backends_.end(), [&](const Backend& backend) { return backend.api == api; });
        if (!known) return say({{"from", number}, {"ended", "is of an API that is not known over there"}, {"said", ""}});
        const auto worker = std::make_shared<ChildProcess>(std::vector<std::string>{own_program(), "worker", api});
        workers_[number] = worker;
        std::thread([this, number, worker] {
            std::string line;
            Child::Event event;
            while ((event = worker->next(line, 3600)) == Child::Event::line || event == Child::Event::silence)
                if (event == Child::Event::line) say({{"from", number}, {"line", line}});
            say({{"from", number}, {"ended", event == Child::Event::flood ? "printed rubbish: a line without an end" : worker->ending()}, {"said", worker->last_words()}});
        }).detach();
    }

    std::span<const Backend> backends_;
    std::mutex mutex_;
    std::map<int, std::shared_ptr<ChildProcess>> workers_;
};
} // namespace

int serve_relay(std::span<const Backend> backends) {
    end_with_parent();
    std::signal(SIGINT, SIG_IGN); // the other side decides
    static Relaying relaying(backends); // outlives the threads
    relaying.say(hello());
    for (std::string line; std::getline(std::cin, line);) relaying.take(object_in(line));
    std::_Exit(0); // with the workers, whatever their drivers do
}

} // namespace sonde
