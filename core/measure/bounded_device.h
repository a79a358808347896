// A device that begins nothing once the run's time is over.
#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/base/system.h"
#include "core/data/profile.h"
#include "core/data/protocol.h"
#include "core/device/device.h"

namespace sonde {

/// The time of a series is over: it ends with the points that it has.
struct TimeOver : std::runtime_error {
    TimeOver() : std::runtime_error(std::string(kTimeOver)) {}
};

/// Whether the run is over that a request belongs to (Request::end_seconds).
inline bool run_over(const Request& request) { return request.end_seconds > 0 && steady_seconds() >= request.end_seconds; }

/// The device of a request, which throws TimeOver for what would begin after the run's end. What has run can still be read, to be checked.
class BoundedDevice final : public Device {
public:
    BoundedDevice(Device& device, const Request& request) : device_(device), request_(request) {}
    const DeviceInfo& info() const override { return device_.info(); }
    std::optional<std::string> why_not(const Path& path) const override { return device_.why_not(path); }
    std::optional<std::string> why_lacking(Feature feature, bool in_scratchpad) const override { return device_.why_lacking(feature, in_scratchpad); }
    std::optional<std::string> why_lacking(const MatrixForm& form) const override { return device_.why_lacking(form); }
    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override { return in_time().allocate(space, bytes); }
    std::vector<Timing> copy(std::span<const Copy> copies) override {
        const bool reads = std::all_of(copies.begin(), copies.end(), [](const Copy& copy) { return copy.to_host != nullptr; });
        return reads ? device_.copy(copies) : in_time().copy(copies);
    }
    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override { return in_time().compile(source, build); }
    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override { return in_time().run(launches, timed); }

private:
    Device& in_time() const {
        if (run_over(request_)) throw TimeOver();
        return device_;
    }
    Device& device_;
    const Request& request_;
};

} // namespace sonde
