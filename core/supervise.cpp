// Children, pipes, and what became of them.
#include "core/supervise.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <utility>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

extern char** environ;

namespace sonde {

volatile std::sig_atomic_t Supervised::interrupted = 0;

namespace {
constexpr std::size_t kLongestLine = 16u << 20;
constexpr std::size_t kLastWords = 2048;

struct PipeEnds {
    int read, write;
};
PipeEnds make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error(fmt::format("pipe: {}", std::strerror(errno)));
    return {ends[0], ends[1]};
}

/// Throws Json::exception where a field that others rely on is not there.
DeviceRecord device_record(const Json& event) {
    DeviceRecord record{event.at("info"), event.at("paths")};
    for (const char* field : {"id", "api", "name", "driver", "uuid", "pci"}) record.info.at(field).get<std::string>();
    for (const char* field : {"cpu", "software", "core_cycles"}) record.info.at(field).get<bool>();
    for (const Json& path : record.paths) path.at("path").get<std::string>(), path.at("supported").get<bool>(), path.at("reason").get<std::string>();
    return record;
}

std::string signal_name(int signal) {
    for (const auto& [number, name] : {std::pair{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"},
                                       {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"}, {SIGPIPE, "SIGPIPE"}})
        if (number == signal) return name;
    return fmt::format("signal {}", signal);
}
} // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
    const PipeEnds in = make_pipe(), out = make_pipe(), err = make_pipe();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.write, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write, STDERR_FILENO);
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const int code = posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in.read);
    close(out.write);
    close(err.write);
    in_ = in.write;
    out_ = out.read;
    err_ = err.read;
    if (code != 0) {
        pid_ = -1;
        throw Error(fmt::format("cannot start {}: {}", command[0], std::strerror(code)));
    }
    fcntl(in_, F_SETFL, O_NONBLOCK);
    fcntl(out_, F_SETFL, O_NONBLOCK);
    fcntl(err_, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
    kill();
    for (const int descriptor : {in_, out_, err_})
        if (descriptor >= 0) close(descriptor);
}

bool ChildProcess::send(std::string_view bytes, double seconds) {
    while (!bytes.empty()) {
        pollfd descriptor{in_, POLLOUT, 0};
        const int ready = poll(&descriptor, 1, static_cast<int>(seconds * 1000) + 1);
        if (Supervised::interrupted || ready == 0) return false;
        const ssize_t n = write(in_, bytes.data(), bytes.size());
        if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
        else if (errno != EAGAIN && errno != EINTR) return false;
    }
    return true;
}

bool ChildProcess::read_errors() {
    std::array<char, 4096> piece;
    ssize_t n;
    while ((n = read(err_, piece.data(), piece.size())) > 0) {
        errors_.append(piece.data(), static_cast<std::size_t>(n));
        if (errors_.size() > kLastWords) errors_.erase(0, errors_.size() - kLastWords);
    }
    return n != 0;
}

ChildProcess::Event ChildProcess::next(std::string& line, double seconds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    bool errors_open = true;
    for (;;) {
        if (const auto end = buffer_.find('\n'); end != std::string::npos) {
            line = buffer_.substr(0, end);
            buffer_.erase(0, end + 1);
            return Event::line;
        }
        if (buffer_.size() > kLongestLine) return Event::flood;
        const double left = std::chrono::duration<double>(deadline - std::chrono::steady_clock::now()).count();
        if (left <= 0) return Event::silence;
        pollfd descriptors[] = {{out_, POLLIN, 0}, {errors_open ? err_ : -1, POLLIN, 0}};
        const int ready = poll(descriptors, 2, static_cast<int>(left * 1000) + 1);
        if (Supervised::interrupted) return Event::interrupted;
        if (ready <= 0) continue;
        if (descriptors[1].revents) errors_open = read_errors();
        if (!descriptors[0].revents) continue;
        std::array<char, 65536> piece;
        const ssize_t n = read(out_, piece.data(), piece.size());
        if (n > 0) buffer_.append(piece.data(), static_cast<std::size_t>(n));
        if (n == 0) {
            read_errors();
            return Event::ended;
        }
    }
}

void ChildProcess::kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

bool ChildProcess::wait_for_end(double seconds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (waitpid(pid_, nullptr, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        usleep(2000);
    }
    pid_ = -1;
    return true;
}

void ChildProcess::dismiss(double seconds) {
    if (pid_ <= 0) return;
    close(std::exchange(in_, -1));
    close(std::exchange(out_, -1)); // who still writes learns that nobody listens
    if (wait_for_end(seconds)) return;
    ::kill(pid_, SIGTERM);
    if (!wait_for_end(seconds)) kill();
}

std::string ChildProcess::ending() {
    if (pid_ <= 0) return "was ended";
    int status = 0;
    // Its output has ended: give it a moment to die of its own cause, so that the signal is its own and not ours.
    for (int tries = 0; waitpid(pid_, &status, WNOHANG) == 0; ++tries) {
        if (tries == 200) {
            kill();
            return "closed its output and went on, so it was killed";
        }
        usleep(5000);
    }
    pid_ = -1;
    if (WIFSIGNALED(status)) return fmt::format("was killed by {}", signal_name(WTERMSIG(status)));
    const int code = WEXITSTATUS(status);
    exit_code_ = code;
    // A launcher's shell tells of a signal by its number above 128.
    return fmt::format("exited with {}{}", code, code > 128 && code < 160 ? fmt::format(" ({})", signal_name(code - 128)) : "");
}

Supervised::Supervised(std::string api, std::vector<std::string> command, double silence_seconds)
    : api_(std::move(api)), command_(std::move(command)), silence_seconds_(silence_seconds) {}

std::string Supervised::trouble_text(const std::string& what) {
    std::string text = fmt::format("the {} worker {}", api_, what);
    if (!last_step_.empty()) text += fmt::format("; its last step was: {}", last_step_);
    std::string words = child_ ? child_->last_words() : "";
    while (!words.empty() && words.back() == '\n') words.pop_back();
    if (const auto line = words.rfind('\n'); line != std::string::npos) words.erase(0, line + 1);
    if (!words.empty()) text += fmt::format("; it said: {}", words.substr(0, 200));
    let_go();
    return text;
}

namespace {
constexpr int kLinesOfAGreeting = 200;
constexpr int kUnreachable = 255; // ssh's word for that
} // namespace

/// The next event but steps, which are noted; nullopt and the reason when the worker is lost.
std::optional<Json> Supervised::listen(std::string& trouble) {
    int greeting = 0;
    for (;;) {
        std::string line;
        switch (child_->next(line, silence_seconds_)) {
        case ChildProcess::Event::interrupted: trouble = trouble_text("was stopped: interrupted"); return std::nullopt;
        case ChildProcess::Event::silence: trouble = trouble_text(fmt::format("hung: no word for {:g} s, so it was killed", silence_seconds_)); return std::nullopt;
        case ChildProcess::Event::flood: trouble = trouble_text("printed rubbish: a line without an end"); return std::nullopt;
        case ChildProcess::Event::ended: {
            const std::string ending = child_->ending();
            exit_code_ = child_->exit_code();
            trouble = trouble_text(ending);
            return std::nullopt;
        }
        case ChildProcess::Event::line: break;
        }
        Json event = Json::parse(line, nullptr, false);
        if (!event.is_object() || !event.contains("event") || !event["event"].is_string()) {
            if (!launcher_.empty() && !greeted_ && greeting++ < kLinesOfAGreeting) continue; // what a machine tells those who log in
            trouble = trouble_text(fmt::format("printed rubbish: {}", Json(line.substr(0, 60)).dump(-1, ' ', true, Json::error_handler_t::replace)));
            return std::nullopt;
        }
        if (event["event"] != "step") return event;
        last_step_ = event.value("text", "");
    }
}

namespace {
constexpr double kSecondsToLeave = 1;
} // namespace

/// A launcher gets the time to end what it started over there.
void Supervised::let_go() {
    if (child_ && !launcher_.empty()) child_->dismiss(kSecondsToLeave);
    child_.reset();
}

Supervised::~Supervised() { let_go(); }

Supervised Supervised::behind(std::vector<std::string> launcher, std::string api, std::string program, double silence_seconds) {
    std::vector<std::string> command = launcher;
    // Nothing else ever stands on a remote command line: ssh joins the words for a shell.
    command.insert(command.end(), {"sonde", "worker", api});
    Supervised worker(std::move(api), std::move(command), silence_seconds);
    worker.launcher_ = std::move(launcher);
    worker.program_ = std::move(program);
    return worker;
}

void Supervised::start(const std::vector<std::string>& command) {
    failed_ = greeted_ = other_version_ = false;
    exit_code_.reset();
    last_step_.clear();
    absent_.clear();
    try {
        child_ = std::make_unique<ChildProcess>(command);
    } catch (const Error& error) {
        absent_ = error.what();
        failed_ = true;
    }
}

void Supervised::start() {
    if (!brought_) start(command_); // else `hear` brings the program again
}

namespace {
std::string bytes_of(const std::string& program) {
    std::ifstream in(program, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (bytes.empty()) throw Error(fmt::format("{}: cannot read the program to bring it to the worker's machine", program));
    return bytes;
}

/// What a shell is told over the pipe: one line, so that it has read all of it before the program's bytes come. The worker runs beside it, so
/// that the shell can end it and clean up.
std::string landing(const std::string& api, std::size_t bytes) {
    return fmt::format("umask 077; d=$(mktemp -d \"${{TMPDIR:-/tmp}}/sonde.XXXXXXXX\") || exit 1; w=; trap 'rm -rf \"$d\"' EXIT; "
                       "trap 'test -z \"$w\" || kill -9 $w; exit 1' HUP INT TERM PIPE; echo '{{\"event\":\"send\"}}'; "
                       "head -c {} >\"$d/sonde\" && chmod 700 \"$d/sonde\" || exit 1; exec 3<&0; \"$d/sonde\" worker {} <&3 3<&- & w=$!; wait $w; exit $?\n",
                       bytes, api);
}
} // namespace

std::string Supervised::bring() {
    brought_ = true;
    try {
        const std::string bytes = bytes_of(program_);
        std::vector<std::string> shell = launcher_;
        shell.push_back("sh");
        start(shell);
        if (!child_) return absent_;
        std::string trouble;
        if (!child_->send(landing(api_, bytes.size()), silence_seconds_)) return trouble_text(child_->ending());
        for (bool asked = false; !asked;) {
            const auto event = listen(trouble);
            if (!event) return trouble;
            asked = event->at("event") == "send";
        }
        if (!child_->send(bytes, silence_seconds_)) return trouble_text(child_->ending());
        return "";
    } catch (const std::exception& error) {
        return error.what();
    }
}

std::string Supervised::introduction() {
    std::vector<DeviceRecord> devices;
    std::string trouble;
    try {
        while (const auto event = listen(trouble)) {
            const std::string kind = event->at("event");
            if (kind == "hello") {
                greeted_ = true;
                host_ = event->at("host");
                host_name_ = event->at("name");
                other_version_ = event->at("sonde") != SONDE_VERSION;
                if (other_version_) return trouble_text(fmt::format("is of sonde {}, and this is " SONDE_VERSION, event->at("sonde").get<std::string>()));
            }
            if (kind == "device") devices.push_back(device_record(*event));
            if (kind == "absent") absent_ = event->at("reason");
            if (kind == "ready") {
                devices_ = std::move(devices);
                return "";
            }
        }
    } catch (const std::exception& error) { // an event without its fields
        trouble = trouble_text(fmt::format("printed rubbish: {}", error.what()));
    }
    return trouble;
}

void Supervised::hear() {
    std::string trouble = brought_ ? bring() : absent_;
    if (child_ && trouble.empty()) {
        trouble = introduction();
        const bool not_there = !greeted_ && exit_code_ && exit_code_ != kUnreachable; // there is no such program
        if (!trouble.empty() && !launcher_.empty() && !brought_ && (not_there || other_version_)) {
            trouble = bring();
            if (trouble.empty()) trouble = introduction();
        }
    }
    if (trouble.empty()) return;
    let_go();
    absent_ = trouble;
    failed_ = true;
}

Outcome Supervised::ask(const Json& request, const OnEvent& on_event) {
    if (!child_) {
        start();
        hear();
    }
    if (!child_) return {Status::failed, absent_, {}};
    last_step_.clear();
    if (!child_->send(request.dump() + "\n", silence_seconds_)) return {Status::failed, trouble_text(child_->ending()), {}};
    std::string trouble;
    try {
        while (const auto event = listen(trouble)) {
            const std::string kind = event->at("event");
            if (kind == "done") {
                const auto status = status_of(event->at("status").get<std::string>());
                if (!status) throw Error("an unknown status");
                return {*status, event->at("reason"), event->at("evidence")};
            }
            on_event(kind, *event);
        }
    } catch (const std::exception& error) { // an event without its fields
        trouble = trouble_text(fmt::format("printed rubbish: {}", error.what()));
    }
    return {Status::failed, trouble, {}};
}

Outcome Supervised::measure(const Request& request, const OnSamples& on_samples) {
    const Json line = {{"request", "series"},           {"probe", request.id.probe}, {"device", request.id.device},
                       {"path", request.id.path},       {"options", request.id.options}, {"profile", request.profile},
                       {"seconds", request.seconds},    {"seed", request.seed},     {"dispatch_limit_ms", request.dispatch_limit_ms}};
    return ask(line, [&](const std::string& kind, const Json& event) {
        if (kind != "samples") return;
        std::vector<Sample> samples;
        for (const Json& sample : event.at("samples")) samples.push_back(sample_from(sample));
        on_samples(event.at("x"), std::move(samples));
    });
}

CompiledListing Supervised::listing(const SeriesId& id) {
    CompiledListing compiled;
    const Json line = {{"request", "listing"}, {"probe", id.probe}, {"device", id.device}, {"path", id.path}, {"options", id.options}};
    compiled.outcome = ask(line, [&](const std::string& kind, const Json& event) {
        if (kind != "listing") return;
        compiled.kernel = event.at("kernel");
        compiled.group_size = event.at("group_size");
        compiled.chases = event.at("chases");
        compiled.listing = {event.at("kind"), event.at("text")};
    });
    return compiled;
}

} // namespace sonde
