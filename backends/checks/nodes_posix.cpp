// Device nodes: whether they are here, and whether this user may open them.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fnmatch.h>
#include <grp.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "backends/checks/cards.h"
#include "backends/checks/checks.h"
#include "backends/checks/places.h"
#include "core/base/file.h"

namespace sonde {

namespace {
namespace fs = std::filesystem;

/// What a vendor's drivers open. Without `pattern` in `folder` nothing works through `needed_by`.
struct Node {
    unsigned vendor;
    const char *folder, *pattern, *needed_by, *mend;
};
constexpr Node kNodes[] = {
    {kNvidiaVendor, "dev", "nvidiactl", "CUDA, OpenCL or Vulkan", "sudo nvidia-modprobe -c 0 -u"},
    {kNvidiaVendor, "dev", "nvidia[0-9]*", "CUDA, OpenCL or Vulkan", "sudo nvidia-modprobe -c 0 -u"},
    {kNvidiaVendor, "dev", "nvidia-uvm", "CUDA or OpenCL", "sudo nvidia-modprobe -c 0 -u"},
    {kAmdVendor, "dev/dri", "renderD*", "OpenCL or Vulkan", "sudo modprobe amdgpu"},
    {kAmdVendor, "dev", "kfd", "AMD's ROCm",
        "nothing for Vulkan and Mesa's OpenCL; else a kernel whose amdgpu has HSA"},
    {kIntelVendor, "dev/dri", "renderD*", "OpenCL or Vulkan",
        "sudo modprobe xe; for cards before Xe: sudo modprobe i915"}};

/// Without a kernel driver of its vendor a card has no nodes, and its own row says so.
bool has_bound_card(const Surroundings& surroundings, unsigned vendor) {
    const auto cards = pci_cards(surroundings);
    return std::any_of(cards.begin(), cards.end(), [&](const PciCard& card) {
        return card.vendor == vendor && !card.driver.empty() && card.driver != "vfio-pci" && card.driver != "nouveau";
    });
}

/// How a user comes to a node that is kept from them.
std::string mend_of_denied(const fs::path& node) {
    struct stat status {};
    stat(node.c_str(), &status);
    const group* owner = getgrgid(status.st_gid);
    const bool by_group = (status.st_mode & S_IRGRP) && (status.st_mode & S_IWGRP) && status.st_gid != 0 && owner;
    return by_group ? fmt::format("sudo usermod -aG {} $USER, then log in again", owner->gr_name)
                    : fmt::format("sudo chmod a+rw {}", node.string());
}

CheckRow node_row(const Surroundings& surroundings, const fs::path& node) {
    const Descriptor opened(open(node.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (opened.get() >= 0)
        return {.check = "device node", .subject = node.string(), .found = "can be opened", .subject_is_path = true};
    const int error = errno;
    const std::string found = fmt::format("cannot be opened: {}", std::strerror(error));
    if (error == EACCES) return {"device node", node.string(), CheckState::problem, found, mend_of_denied(node)};
    if (error == EPERM)
        return {"device node", node.string(), CheckState::problem, found,
            enclosure_of(surroundings) ? fmt::format("give it to the container: --device {}", node.string())
                                       : mend_of_denied(node)};
    return {
        "device node", node.string(), CheckState::problem, found, "the kernel driver says why: sudo dmesg | tail -50"};
}
} // namespace

std::vector<CheckRow> check_nodes(const Surroundings& surroundings) {
    std::vector<CheckRow> rows;
    std::vector<fs::path> seen;
    for (const Node& each : kNodes) {
        if (!has_bound_card(surroundings, each.vendor)) continue;
        std::vector<fs::path> nodes;
        std::error_code none;
        for (const auto& entry : fs::directory_iterator(surroundings.root / each.folder, none))
            if (fnmatch(each.pattern, entry.path().filename().c_str(), 0) == 0) nodes.push_back(entry.path());
        std::sort(nodes.begin(), nodes.end());
        for (const fs::path& node : nodes) {
            if (std::find(seen.begin(), seen.end(), node) != seen.end()) continue;
            seen.push_back(node);
            rows.push_back(node_row(surroundings, node));
        }
        const bool rocm_alone = std::string_view(each.pattern) == "kfd";
        const Enclosure* enclosure = enclosure_of(surroundings);
        if (nodes.empty())
            rows.push_back({"device node", (surroundings.root / each.folder / each.pattern).string(),
                rocm_alone ? CheckState::note : CheckState::problem,
                fmt::format("not here, and without it nothing works through {}", each.needed_by),
                enclosure && !rocm_alone ? (each.vendor == kNvidiaVendor ? enclosure->nvidia : enclosure->nodes)
                                         : each.mend});
    }
    return rows;
}

} // namespace sonde
