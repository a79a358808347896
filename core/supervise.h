// The other side of the pipe: starts workers, listens, and outlives them. A worker that crashes, hangs or prints rubbish costs the
// series in flight; the next request goes to a new one.
#pragma once
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/bench.h"
#include "core/worker.h"

namespace sonde {

/// A child process with pipes on its standard streams.
class ChildProcess {
public:
    /// Throws Error when the program cannot be started.
    explicit ChildProcess(const std::vector<std::string>& command);
    ~ChildProcess(); // kills and reaps
    ChildProcess(const ChildProcess&) = delete;

    /// False when the child no longer reads, or reads nothing for `seconds`.
    bool send(std::string_view bytes, double seconds);

    enum class Event { line, silence, ended, flood, interrupted };
    /// The next line of its output, or what happened instead within `seconds`.
    Event next(std::string& line, double seconds);
    /// "killed by SIGSEGV", "exited with 1"; kills it if it still runs.
    std::string ending();
    /// After `ending`: what it exited with by itself.
    std::optional<int> exit_code() const { return exit_code_; }
    /// The last it wrote on standard error, at most 2 KiB.
    const std::string& last_words() const { return errors_; }
    void kill();
    /// Lets it end by itself: its input ends, and after `seconds` it is asked to, and after as many again it is killed.
    void dismiss(double seconds);

private:
    bool read_errors();
    bool wait_for_end(double seconds);
    pid_t pid_ = -1;
    int in_ = -1, out_ = -1, err_ = -1;
    std::string buffer_, errors_;
    std::optional<int> exit_code_;
};

/// What a worker said of one device.
struct DeviceRecord {
    Json info;                 // as in results, without "type" and "card"
    Json paths;                // [{"path","supported","reason"}]
    std::string id() const { return info.at("id"); }
    std::string api() const { return info.at("api"); }
};

/// A kernel as a worker compiled it; with a status other than `ok` there is only the outcome.
struct CompiledListing {
    Outcome outcome;
    std::string kernel;
    std::uint32_t group_size = 0;
    bool chases = false; // KernelChoice's
    Listing listing;
};

/// One API's workers, one after another.
class Supervised {
public:
    /// `command` starts a worker; `silence_seconds` without a line counts as hanging.
    Supervised(std::string api, std::vector<std::string> command, double silence_seconds);
    /// The worker behind a launcher such as {"ssh", "lab7"}: "sonde worker <api>" there, and where that is not there or of another version,
    /// `program`, which is brought over the pipe into a private folder that goes when the worker ends.
    ~Supervised();
    Supervised(Supervised&&) = default;
    static Supervised behind(std::vector<std::string> launcher, std::string api, std::string program, double silence_seconds);

    /// Starts a worker; several APIs' workers open their drivers at the same time.
    void start();
    /// Waits for what the started worker has. Devices stay known if a later worker dies.
    void hear();
    const std::vector<DeviceRecord>& devices() const { return devices_; }
    /// Why there is no device: the backend's reason, or how the worker ended. Empty when there are devices.
    const std::string& absent() const { return absent_; }
    /// True when the absence is a crash or hang of the worker and not a plain "not here".
    bool failed() const { return failed_; }
    const std::string& api() const { return api_; }
    /// What the worker said of its machine (worker.h, "hello"); empty where it did not.
    const Json& host() const { return host_; }
    const std::string& host_name() const { return host_name_; }

    using OnSamples = std::function<void(double x, std::vector<Sample>)>;
    /// Never throws for what a worker does: crash, hang and rubbish come back as `failed` with signal and last step.
    Outcome measure(const Request& request, const OnSamples& on_samples);
    /// The kernel that such a series is measured with, compiled and shown. Never throws for what a worker does.
    CompiledListing listing(const SeriesId& id);

    /// Set by a signal handler: measuring stops as soon as possible.
    static volatile std::sig_atomic_t interrupted;

private:
    using OnEvent = std::function<void(const std::string& kind, const Json& event)>;
    /// Sends a request and hands on what comes until it is done.
    Outcome ask(const Json& request, const OnEvent& on_event);
    std::optional<Json> listen(std::string& trouble);
    std::string trouble_text(const std::string& what);
    void let_go();
    void start(const std::vector<std::string>& command);
    /// What a worker says before it is ready. Empty where it got there, else what went wrong.
    std::string introduction();
    /// Starts `program_` behind the launcher. Empty where it was sent, else what went wrong.
    std::string bring();

    std::string api_;
    std::vector<std::string> command_;
    double silence_seconds_;
    std::unique_ptr<ChildProcess> child_;
    std::vector<DeviceRecord> devices_;
    std::string absent_, last_step_;
    bool failed_ = false;
    std::vector<std::string> launcher_; // empty: the worker runs here
    std::string program_, host_name_;
    Json host_ = Json::object();
    bool greeted_ = false, other_version_ = false, brought_ = false;
    std::optional<int> exit_code_; // of the last worker that ended by itself
};

} // namespace sonde
