// A device as a request has it: with the card's cores, the memory that is free, subgroups of the size asked for, and
// beginning nothing once the run's time is over.
#pragma once
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/limits.h"
#include "core/base/system.h"
#include "core/data/option.h"
#include "core/data/profile.h"
#include "core/data/protocol.h"
#include "core/device/device.h"
#include "core/device/memory_limit.h"
#include "core/measure/peer.h"

namespace sonde {

/// The time of a series is over: it ends with the points that it has.
struct TimeOver : std::runtime_error {
    TimeOver() : std::runtime_error(std::string(kTimeOver)) {}
};

/// Whether the run is over that a request belongs to (Request::end_seconds).
inline bool run_over(const Request& request) {
    return request.end_seconds > 0 && steady_seconds() >= request.end_seconds;
}

namespace option {
inline const Setting<std::uint32_t> subgroup{
    "subgroup", "lanes of a subgroup, 4 to 128, where the device offers a choice", [](const std::string& value) {
        std::optional<std::uint32_t> known;
        for (std::uint32_t each = 4; each <= 128; each *= 2)
            if (value == std::to_string(each)) known = each;
        return known;
    }};
} // namespace option

/// The device of a request, which throws TimeOver for what would begin after the run's end. What has run can still be
/// read, to be checked.
class BoundedDevice final : public Device {
public:
    /// Throws Unsupported where the request asks for subgroups of a size that the device does not offer.
    BoundedDevice(Device& device, const Request& request) : device_(device), request_(request), info_(device.info()) {
        keep_to_limits(info_, process_limits());
        if (info_.cores == 0) info_.cores = std::max(1u, request.cores);
        info_.memory_free = std::min(info_.memory_bytes, device.memory_free().value_or(info_.memory_bytes));
        const auto lanes = option::subgroup.in(request.id.options);
        if (!lanes) return;
        const auto& sizes = device.info().subgroup_sizes;
        if (std::ranges::find(sizes, *lanes) == sizes.end())
            throw Unsupported(
                sizes.empty() ? fmt::format("a kernel cannot ask for the size of its subgroups, which have {} lanes",
                                    device.info().subgroup)
                              : fmt::format("a kernel may ask for subgroups of {} lanes", fmt::join(sizes, ", ")));
        info_.subgroup = *lanes;
        asks_for_subgroups_ = true;
    }
    /// With one core at least.
    const DeviceInfo& info() const override { return info_; }
    std::optional<std::uint64_t> memory_free() const override { return device_.memory_free(); }
    std::optional<std::string> why_not(const Path& path) const override { return device_.why_not(path); }
    std::optional<std::string> why_lacking(Feature feature, bool in_scratchpad) const override {
        return device_.why_lacking(feature, in_scratchpad);
    }
    std::optional<std::string> why_lacking(const MatrixForm& form) const override { return device_.why_lacking(form); }
    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override {
        return is_of_peer(space) ? in_time().allocate_on(peer(), space, bytes) : in_time().allocate(space, bytes);
    }
    std::unique_ptr<Buffer> allocate_on(const Peer& other, Space space, std::size_t bytes) override {
        return in_time().allocate_on(other, space, bytes);
    }
    Device* sibling(const Peer& other) override { return in_time().sibling(other); }
    const Peer& peer() const { return peer_of(info_, request_.id.options); }
    std::vector<Timing> copy(std::span<const Copy> copies) override {
        const bool reads =
            std::all_of(copies.begin(), copies.end(), [](const Copy& copy) { return copy.to_host != nullptr; });
        return reads ? device_.copy(copies) : in_time().copy(copies);
    }
    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        Build asked = build;
        if (asks_for_subgroups_) asked.subgroup = info_.subgroup;
        return in_time().compile(source, asked);
    }
    LibraryKernel library_kernel(const LibraryWork& work) override { return in_time().library_kernel(work); }
    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        return in_time().run(launches, timed);
    }
    double now() const override { return device_.now(); }

private:
    Device& in_time() const {
        if (run_over(request_)) throw TimeOver();
        return device_;
    }
    Device& device_;
    const Request& request_;
    DeviceInfo info_;
    bool asks_for_subgroups_ = false;
};

} // namespace sonde
