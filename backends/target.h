// A device that only compiles, for a chip that need not be here.
#pragma once
#include "core/device/device.h"

namespace sonde {

class TargetDevice : public Device {
public:
    const DeviceInfo& info() const final { return info_; }
    std::unique_ptr<Buffer> allocate(Space, std::size_t) final { throw refusal(); }
    std::vector<Timing> copy(std::span<const Copy>) final { throw refusal(); }
    std::vector<Timing> run(std::span<const Launch>, Timed) final { throw refusal(); }

protected:
    explicit TargetDevice(DeviceInfo info) : info_(std::move(info)) {}

private:
    Unsupported refusal() const { return Unsupported(info_.id + " is a target to compile for, not a device"); }
    DeviceInfo info_;
};

/// What a compiler hands out for a target.
class TargetKernel final : public Kernel {
public:
    explicit TargetKernel(Listing listing) : listing_(std::move(listing)) {}
    Listing listing() const override { return listing_; }

private:
    Listing listing_;
};

} // namespace sonde
