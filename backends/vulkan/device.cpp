// The Vulkan backend: GPUs through compute shaders, and whatever CPU driver (lavapipe) the loader finds.
#include "backends/backends.h"
#include "backends/checks/checks.h"
#include "backends/vulkan/work.h"
#include "core/base/json.h"
#include "core/base/process.h"

namespace sonde {

namespace vulkan {

namespace {

class VulkanDevice final : public Device {
public:
    VulkanDevice(std::shared_ptr<Instance> instance, PhysicalDevice physical)
        : instance_(std::move(instance)), physical_(std::move(physical)) {}

    const DeviceInfo& info() const override { return physical_.info; }
    std::optional<std::uint64_t> memory_free() const override { return memory_left(physical_); }

    std::optional<std::string> why_not(const Path& path) const override {
        if (path.space == Space::address && !physical_.features.addresses.bufferDeviceAddress)
            return "the device has no VK_KHR_buffer_device_address";
        if (is_of_peer(path.space)) {
            const std::size_t cards = instance_->group_size(physical_.handle);
            return cards == 1
                       ? "vkEnumeratePhysicalDeviceGroups shows groups of one card each, and only one device of a "
                         "group reaches the memory of several"
                       : fmt::format("vkEnumeratePhysicalDeviceGroups shows a group of {} cards, which nothing here "
                                     "makes a device of",
                             cards);
        }
        return why_no_form("Vulkan", path,
            {"global", "global.cg", "global.cs", "global.readonly", "global.uniform", "global.pointer", "private",
                "texel", "image2d", "constant", "constant.uniform", "push", "scratchpad", "host"},
            {{"global.ca", "SPIR-V has no load with a hint to cache in L1"},
                {"cluster", "Vulkan has no clusters of workgroups"}});
    }

    std::optional<std::string> why_lacking(Feature feature, bool in_scratchpad) const override {
        return physical_.features.why_lacking(feature, in_scratchpad);
    }

    std::optional<std::string> why_lacking(const MatrixForm& form) const override {
        return why_not_listed(physical_, form);
    }

    std::unique_ptr<Buffer> allocate(Space space, std::size_t bytes) override {
        work();
        if (space == Space::image2d) return vulkan::allocate<VulkanImage>(compiling().context, space, bytes);
        return vulkan::allocate<VulkanBuffer>(compiling().context, space, bytes);
    }

    std::vector<Timing> copy(std::span<const Copy> copies) override { return vulkan::copy(work(), copies); }

    std::unique_ptr<Kernel> compile(const Source& source, const Build& build) override {
        if (const auto reason = why_not(*build.a)) throw Unsupported(*reason);
        if (build.a->space == Space::constant && source_a(build).width != 4)
            throw Unsupported(
                "an array in a uniform block has an element every 16 bytes (std140): loads of 16 bytes only");
        if (bits_of(build) == 8 && !physical_.features.bytes.storageBuffer8BitAccess)
            throw Unsupported("the device has no storageBuffer8BitAccess (VK_KHR_8bit_storage)");
        if (bits_of(build) == 16 && !physical_.features.halves.storageBuffer16BitAccess)
            throw Unsupported("the device has no storageBuffer16BitAccess (Vulkan 1.1)");
        check_needs(*this, build);
        if (const auto reason = build.matrix ? why_lacking(*build.matrix) : std::nullopt) throw Unsupported(*reason);
        check_second_source("Vulkan", build);
        return std::make_unique<VulkanKernel>(compiling(), source, build);
    }

    std::vector<Timing> run(std::span<const Launch> launches, Timed timed) override {
        return vulkan::run(work(), launches, timed);
    }

private:
    Compiling& compiling() {
        if (!compiling_) compiling_ = std::make_unique<Compiling>(instance_, physical_);
        return *compiling_;
    }

    Work& work() {
        if (physical_.compiles_only) throw Unsupported(physical_.info.id + " is a target to compile for, not a device");
        if (!work_) work_ = std::make_unique<Work>(compiling().context);
        return *work_;
    }

    std::shared_ptr<Instance> instance_;
    PhysicalDevice physical_;
    std::unique_ptr<Compiling> compiling_; // from the first kernel on
    std::unique_ptr<Work> work_;           // behind what it works with
};

Opened open() {
    Opened opened;
    const auto instance = std::make_shared<Instance>();
    const std::vector<VkPhysicalDevice> handles = instance->physical_devices();
    for (std::size_t index = 0; index < handles.size(); ++index) {
        if (const auto reason = why_skipped(handles[index]))
            opened.absent += (opened.absent.empty() ? "" : "; ") + *reason;
        else opened.devices.push_back(std::make_unique<VulkanDevice>(instance, inspect(handles[index], index)));
    }
    if (!opened.devices.empty()) opened.absent.clear();
    else if (opened.absent.empty()) opened.absent = "vkEnumeratePhysicalDevices: no device";
    return opened;
}

/// RADV aborts where it does not know a family: a process of its own opens it first. Throws Error where that ends
/// without an answer.
void try_null_family(const std::string& family) {
    constexpr double kSeconds = 60;
    ChildProcess child({own_program(), "ask", "null family", family});
    child.end_input();
    std::string line;
    if (child.next(line, kSeconds) == ChildProcess::Event::line) return;
    const std::string ending = child.ending(), said = child.last_line();
    throw Error(fmt::format("the driver {}{}", ending, said.empty() ? "" : "; it said: " + said));
}

/// The null device of a family, which `open` refuses.
Opened open_null_hardware(const std::string& family) {
    show_null_family(family);
    try_null_family(family);
    const auto instance = std::make_shared<Instance>();
    for (const VkPhysicalDevice handle : instance->physical_devices()) {
        PhysicalDevice physical = inspect(handle, 0);
        if (physical.memory.memoryHeapCount != 0) continue;
        physical.compiles_only = true;
        physical.info.id = "vulkan:" + family;
        return one_device(std::make_unique<VulkanDevice>(instance, std::move(physical)));
    }
    return {{}, "no null device"};
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

Json open_null_family(const std::string& family) {
    vulkan::show_null_family(family);
    return {{"devices", vulkan::Instance().physical_devices().size()}};
}

/// Absent: no loader, no driver, or a driver without a device.
Opened open_vulkan() { return opened(vulkan::open); }

} // namespace sonde
