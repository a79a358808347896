// What backends do alike: refusals, absence, times by the host's clock, what a card's slot carries.
#pragma once
#include <algorithm>
#include <charconv>
#include <chrono>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/system.h"
#include "core/base/text.h"
#include "core/device/device.h"

namespace sonde {

/// An allow-list, so that a path without a form is never run as another one: nullopt for the paths of `forms`, else the
/// reason, which `refused` has for some.
inline std::optional<std::string> why_no_form(std::string_view api, const Path& path,
    std::initializer_list<std::string_view> forms,
    std::initializer_list<std::pair<std::string_view, std::string_view>> refused = {}) {
    if (std::ranges::find(forms, path.name) != forms.end()) return std::nullopt;
    for (const auto& [name, reason] : refused)
        if (name == path.name) return std::string(reason);
    return fmt::format("{} has no form of path {}", api, path.name);
}

/// Throws Unsupported where the dialects have no form of the second source's path.
inline void check_second_source(std::string_view api, const Build& build) {
    if (build.b && !build.b->second)
        throw Unsupported(fmt::format("{} has no form of path {} for a second source", api, build.b->name));
}

/// llvmpipe ends a kernel silently after 65,535 loop trips: so seen in Mesa 22.3.6 and no longer in 25.0.7. `mesa`: its
/// version, "22.3.6"; one between the two, or one that cannot be read, is taken for capped.
inline std::uint32_t llvmpipe_loop_trips(std::string_view mesa) {
    constexpr int kFirstWithoutCap = 25;
    int major = 0;
    std::from_chars(mesa.data(), mesa.data() + mesa.size(), major);
    return major >= kFirstWithoutCap ? 0 : 65535;
}

/// Of a feature that `why_lacking` has no row for.
inline constexpr const char* kUnknownNeed = "the backend does not know what the kernel needs";

/// Of the features that `is_copy_to_scratchpad` names, in a language without them.
inline constexpr const char* kNoCopyToScratchpad =
    "cp.async and cp.async.bulk are PTX, and only CUDA's kernels have a form of them";

/// Of Feature::work_group_copy, in another language.
inline constexpr const char* kNoWorkGroupCopy = "async_work_group_copy and its strided form are functions of OpenCL C";

/// Throws Unsupported where the device lacks what the kernel needs.
inline void check_needs(const Device& device, const Build& build) {
    for (const Feature feature : build.needs)
        if (const auto reason = device.why_lacking(feature, build.a->stage == Stage::scratchpad))
            throw Unsupported(*reason);
}

/// Throws Unsupported for what a launch can ask of CUDA alone.
inline void refuse_what_cuda_has(std::string_view api, const Launch& launch) {
    if (launch.cluster > 1) throw Unsupported(fmt::format("{} has no clusters of workgroups", api));
    if (launch.carveout) throw Unsupported(fmt::format("{} has no way to set the carve-out", api));
    if (launch.bank_bytes)
        throw Unsupported(fmt::format("{} has no way to choose the width of a scratchpad bank", api));
}

/// What `open` gives; an Error of it is the reason why there is nothing.
template <class Open> Opened opened(const Open& open) {
    try {
        return open();
    } catch (const Error& error) {
        return {{}, error.what()};
    }
}

inline Opened one_device(std::unique_ptr<Device> device) {
    Opened opened;
    opened.devices.push_back(std::move(device));
    return opened;
}

template <class Body> double host_ns_of(const Body& body) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

/// A batch's time, shared equally.
inline std::vector<Timing> shared_out(double host_ns, std::size_t count) {
    return {count, Timing{host_ns / static_cast<double>(count), std::nullopt}};
}

/// A batch timed as a whole, from the first call that queues to the end of waiting: `queue(i)` for each, then `wait()`,
/// which is called after an error, too: what is queued already must not outlive the caller's buffers.
template <class Queue, class Wait>
std::vector<Timing> time_whole(std::size_t count, const Queue& queue, const Wait& wait) {
    const double host_ns = host_ns_of([&] {
        try {
            for (std::size_t i = 0; i < count; ++i) queue(i);
        } catch (...) {
            try {
                wait();
            } catch (const Error&) { // the first one tells more
            }
            throw;
        }
        wait();
    });
    return shared_out(host_ns, count);
}

/// A device that only compiles, for a chip that need not be here.
class TargetDevice : public Device {
public:
    const DeviceInfo& info() const final { return info_; }
    std::unique_ptr<Buffer> allocate(Space, std::size_t) final { throw refusal(); }
    std::vector<Timing> copy(std::span<const Copy>) final { throw refusal(); }
    std::vector<Timing> run(std::span<const Launch>, Timed) final { throw refusal(); }

protected:
    TargetDevice(std::string_view api, std::string_view chip, std::string name, std::string driver,
        std::uint32_t subgroup, std::uint32_t largest_group) {
        info_.id = fmt::format("{}:{}", api, chip);
        info_.api = api;
        info_.name = std::move(name);
        info_.driver = std::move(driver);
        info_.subgroup = subgroup;
        info_.largest_group = largest_group;
    }
    DeviceInfo info_;

private:
    Unsupported refusal() const { return Unsupported(info_.id + " is a target to compile for, not a device"); }
};

/// What a compiler hands out for a target.
class TargetKernel final : public Kernel {
public:
    explicit TargetKernel(Listing listing) : listing_(std::move(listing)) {}
    Listing listing() const override { return listing_; }

private:
    Listing listing_;
};

/// The names of APIs' error codes, as their headers have them (cmake/error_names.cmake).
struct ErrorName {
    int code;
    std::string_view name;
};
std::span<const ErrorName> opencl_error_names();
std::span<const ErrorName> vulkan_error_names();

/// "CL_OUT_OF_RESOURCES", or "<otherwise> -9999" where the number has no name.
inline std::string error_name(std::span<const ErrorName> names, int code, std::string_view otherwise) {
    const auto found = std::find_if(names.begin(), names.end(), [&](const ErrorName& row) { return row.code == code; });
    return found != names.end() ? std::string(found->name) : std::string(otherwise) + " " + std::to_string(code);
}

/// What the system knows by the card's PCI address: its host link, which no API tells, and its chip, which Vulkan alone
/// does.
inline void add_slot(DeviceInfo& info) {
    if (!info.pci.empty() && info.pci_id.empty()) info.pci_id = pci_id_at(info.pci);
    if (!info.pci.empty()) info.host_link_bytes_per_second = pci_link_bytes_per_second(info.pci);
    if (info.host_link_bytes_per_second > 0)
        info.facts.push_back({"host link", format_si(info.host_link_bytes_per_second, "B/s"),
            "max_link_speed, max_link_width of sysfs"});
}

} // namespace sonde
