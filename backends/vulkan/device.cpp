// The Vulkan backend: GPUs through compute shaders, and whatever CPU driver (lavapipe) the loader finds.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "backends/backends.h"
#include "backends/vulkan/copy_queues.h"
#include "backends/vulkan/launch.h"
#include "backends/vulkan/target.h"
#include "backends/vulkan/transfer.h"
#include "core/device/kernel_source.h"

namespace sonde {

namespace vulkan {

namespace {

/// Paths: an allow-list, so that a path without a form here is never run as another one. An empty reason: supported.
struct PathRow {
    std::string_view path, why_not;
};
constexpr PathRow kPaths[] = {
    {"global", ""},   {"global.ca", "SPIR-V has no load that asks for the first-level cache"},
    {"global.cg", ""}, {"global.readonly", ""},
    {"global.uniform", ""}, {"global.pointer", ""},
    {"private", ""},  {"texel", ""},
    {"image2d", ""},  {"constant", ""},
    {"constant.uniform", ""},
    {"push", ""},     {"scratchpad", ""},
    {"host", ""},     {"cluster", "Vulkan has no clusters of workgroups"},
};

/// What exists from the first kernel on: a VkDevice and what compiles for it. The order is that of construction.
struct Compiling {
    Compiling(std::shared_ptr<Instance> instance, const PhysicalDevice& physical) : context(std::move(instance), physical), layouts(context) {}
    Context context;
    Layouts layouts;
};

/// What exists from the first work on.
struct Working {
    explicit Working(Compiling& made)
        : commands(made.context), transfers(made.context, commands), copy_queues(made.context), launcher(made.context, commands) {}
    Commands commands;
    Transfers transfers;
    CopyQueues copy_queues;
    Launcher launcher;
};

class VulkanDevice final : public Device {
public:
    VulkanDevice(std::shared_ptr<Instance> instance, PhysicalDevice physical)
        : instance_(std::move(instance)), physical_(std::move(physical)) {}

    const DeviceInfo& info() const override { return physical_.info; }

    std::optional<std::string> why_not(const Path& path) const override {
        const auto* row = std::find_if(std::begin(kPaths), std::end(kPaths), [&](const PathRow& each) { return each.path == path.name; });
        if (row == std::end(kPaths)) return fmt::format("Vulkan has no form of '{}'", path.name);
        if (path.space == Space::address && !physical_.buffer_address) return "the device has no VK_KHR_buffer_device_address";
        return row->why_not.empty() ? std::nullopt : std::optional(std::string(row->why_not));
    }

    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override {
        working();
        if (space == Space::image2d) return std::make_unique<VulkanImage>(compiling().context, bytes);
        return std::make_unique<VulkanBuffer>(compiling().context, space, bytes);
    }

    std::vector<Timing> copy(std::span<const Copy> copies) override {
        return uses_copy_queues(copies) ? working().copy_queues.copy(copies) : working().transfers.copy(copies);
    }

    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        if (const auto reason = why_not(*build.a)) throw Unsupported(*reason);
        if (build.a->space == Space::constant && width_of(build) != 4)
            throw Unsupported("an array in a uniform block has an element every 16 bytes (std140): loads of 16 bytes only");
        if (bits_of(build) == 8 && !physical_.bytes_in_storage) throw Unsupported("the device has no storageBuffer8BitAccess");
        if (bits_of(build) == 16 && !physical_.halves_in_storage) throw Unsupported("the device has no storageBuffer16BitAccess");
        if (build.b && !build.b->second) throw Unsupported(fmt::format("Vulkan has no form of path {} for a second source", build.b->name));
        return std::make_unique<VulkanKernel>(compiling().context, compiling().layouts.of(build.a->space, build.b ? build.b->space : Space::global), source, build);
    }

    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override { return working().launcher.run(launches, timed); }

private:
    Compiling& compiling() {
        if (!compiling_) compiling_ = std::make_unique<Compiling>(instance_, physical_);
        return *compiling_;
    }

    Working& working() {
        if (physical_.compiles_only) throw Unsupported(physical_.info.id + " is a target to compile for, not a device");
        if (!working_) working_ = std::make_unique<Working>(compiling());
        return *working_;
    }

    std::shared_ptr<Instance> instance_;
    PhysicalDevice physical_;
    std::unique_ptr<Compiling> compiling_;
    std::unique_ptr<Working> working_; // behind what it works with
};

Opened open() {
    Opened opened;
    const auto instance = std::make_shared<Instance>();
    const std::vector<VkPhysicalDevice> handles = instance->physical_devices();
    for (std::size_t index = 0; index < handles.size(); ++index) {
        if (const auto reason = why_skipped(handles[index])) {
            opened.absent += (opened.absent.empty() ? "" : "; ") + *reason;
            continue;
        }
        opened.devices.push_back(std::make_unique<VulkanDevice>(instance, inspect(handles[index], index)));
    }
    if (!opened.devices.empty())
        opened.absent.clear();
    else if (opened.absent.empty())
        opened.absent = "vkEnumeratePhysicalDevices: no device";
    return opened;
}

/// The null device of a family, which `open` refuses.
Opened open_null_hardware(const std::string& family) {
    show_null_family(family);
    Opened opened;
    const auto instance = std::make_shared<Instance>();
    for (const VkPhysicalDevice handle : instance->physical_devices()) {
        PhysicalDevice physical = inspect(handle, 0);
        if (physical.memory.memoryHeapCount != 0) continue;
        physical.compiles_only = true;
        physical.info.id = "vulkan:" + family;
        opened.devices.push_back(std::make_unique<VulkanDevice>(instance, std::move(physical)));
        return opened;
    }
    opened.absent = "no null device";
    return opened;
}

} // namespace

} // namespace vulkan

std::span<const std::string_view> vulkan_targets() { return vulkan::null_families(); }

Opened open_vulkan_target(std::string_view family) {
    try {
        return vulkan::open_null_hardware(std::string(family));
    } catch (const Error& error) {
        return {{}, fmt::format("RADV of this Mesa compiles nothing for {}: {}", family, error.what())};
    }
}

Opened open_vulkan() {
    try {
        return vulkan::open();
    } catch (const Error& error) { // no loader, no driver, or a driver without a device
        return {{}, error.what()};
    }
}

} // namespace sonde
