// The other side of the pipe: starts workers, listens, and outlives them. A worker that crashes, hangs or writes
// invalid output costs the series in flight; the next request goes to a new one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/process.h"
#include "core/data/protocol.h"
#include "core/device/device.h"

namespace sonde {

/// With a status other than `ok` there is only the outcome.
struct CompiledListing : ListingEvent {
    Outcome outcome;
};

/// One API's workers, one after another.
class WorkerClient {
public:
    /// `silence_seconds` without a line counts as hanging.
    WorkerClient(std::string api, std::vector<std::string> command, double silence_seconds);

    /// A client of the same API, whose worker is not started yet. `words`: that its command has besides.
    WorkerClient another(const std::vector<std::string>& words = {}) const;
    /// The first number of its devices' ids (of OpenCL: their platforms'), where others of the API have those below.
    /// Returns how many it has.
    std::size_t number_from(std::size_t first);
    /// Starts a worker; several APIs' workers open their drivers at the same time.
    void start();
    /// Waits for what the started worker has, for such a share of the seconds of silence that count as hanging. Devices
    /// stay known if a later worker dies.
    void hear(double patience = 1);
    const std::vector<DeviceEvent>& devices() const { return devices_; }
    /// Why there is no device: the backend's reason, or how the worker ended. Empty when there are devices.
    const std::string& absent() const { return absent_; }
    /// True when the absence is a crash or hang of the worker and not a plain "not here".
    bool failed() const { return failed_; }
    const std::string& api() const { return api_; }
    /// What the worker said of its machine (HelloEvent); empty where it did not.
    const Json& host() const { return host_; }

    using OnSamples = std::function<void(double x, std::vector<Sample>)>;
    /// Never throws for what a worker does: crash, hang and rubbish come back as `failed` with signal and last step.
    Outcome measure(const Request& request, const OnSamples& on_samples);
    /// Has the kernel of a series that comes later compiled when nothing else is asked for; does not wait for it, and
    /// tells of no failure: the series will.
    void prepare(Request request);
    /// Waits until the worker on this device compiles nothing any more, and reads no listing; what it has not begun is
    /// forgotten.
    void settle(const std::string& device);
    /// The kernel that such a series is measured with, compiled and shown. Never throws for what a worker does.
    CompiledListing listing(const SeriesId& id);

private:
    bool send(const Request& request);
    /// Sends a request and hands on what comes until it is done.
    Outcome ask(const Request& request, const std::function<void(const Json& event)>& on_event);
    std::string listen(const std::function<bool(const Json& event)>& is_last, double patience = 1);
    std::string trouble_text(const std::string& what);
    std::string ended_text();

    std::string api_;
    std::vector<std::string> command_;
    double silence_seconds_;
    std::size_t first_number_ = 0; // of ids as others see them; the worker's own begin with 0
    std::unique_ptr<ChildProcess> child_;
    std::vector<DeviceEvent> devices_;
    std::string absent_, last_step_;
    Json host_ = Json::object();
    bool failed_ = false;
    std::optional<std::uint64_t> kills_{}; // for want of memory, before the worker began
    std::set<std::string> prepared_{};     // series that this worker was told of
    std::size_t preparing_ = 0;            // of which it has not finished
};

} // namespace sonde
