// Cards on the PCI bus: which APIs show each, its kernel driver, its link, how much of its memory the host sees, its
// clocks.
#include "backends/checks/cards.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/checks/checks.h"
#include "backends/checks/libraries.h"
#include "backends/checks/places.h"
#include "core/base/text.h"

namespace sonde {

namespace {
namespace fs = std::filesystem;

struct Vendor {
    unsigned id;
    const char *name, *modules, *bind; // kernel drivers with which its cards compute; how one gets there
};
constexpr Vendor kVendors[] = {
    {kNvidiaVendor, "NVIDIA", "nvidia",
        "sudo modprobe nvidia; where there is no such module: sudo apt install nvidia-driver (non-free)"},
    {kAmdVendor, "AMD", "amdgpu radeon",
        "sudo modprobe amdgpu; where it refuses: sudo apt install firmware-amd-graphics (non-free)"},
    {kIntelVendor, "Intel", "i915 xe", "sudo modprobe xe; for cards before Xe: sudo modprobe i915"}};
/// The package of Debian through which an API shows a vendor's cards.
struct ApiOfVendor {
    unsigned vendor;
    std::string_view api;
    const char* package;
};
constexpr ApiOfVendor kApisOfVendors[] = {{kNvidiaVendor, "cuda", "nvidia-driver"},
    {kNvidiaVendor, "opencl", "nvidia-opencl-icd"}, {kNvidiaVendor, "vulkan", "nvidia-vulkan-icd"},
    {kAmdVendor, "opencl", "mesa-opencl-icd"}, {kAmdVendor, "vulkan", "mesa-vulkan-drivers"},
    {kIntelVendor, "opencl", "intel-opencl-icd"}, {kIntelVendor, "vulkan", "mesa-vulkan-drivers"}};

const Vendor* vendor_of(unsigned id) {
    const auto found =
        std::find_if(std::begin(kVendors), std::end(kVendors), [&](const Vendor& each) { return each.id == id; });
    return found == std::end(kVendors) ? nullptr : found;
}

unsigned hexadecimal(const fs::path& file) {
    return static_cast<unsigned>(std::strtoul(line_of(file).c_str(), nullptr, 16));
}

/// Display controllers; AMD's Instinct cards are processing accelerators, which other vendors call their neural
/// processors.
bool is_gpu(unsigned vendor, unsigned class_code) {
    return vendor_of(vendor) && (class_code >> 16 == 0x03 || (vendor == kAmdVendor && class_code >> 16 == 0x12));
}

std::string what_it_is(const PciCard& card) {
    return fmt::format("{} card {:04x}:{:04x}", vendor_of(card.vendor)->name, card.vendor, card.device);
}

std::string install_text(const Surroundings& surroundings, unsigned vendor, const std::vector<std::string>& packages) {
    const std::string words = fmt::format("{}", fmt::join(packages, " "));
    return vendor == kNvidiaVendor ? nvidia_mend(surroundings, words) : fmt::format("sudo apt install {}", words);
}

/// Which APIs show the card. Where one shows nothing at all its own rows say why; where it shows others, this card's
/// driver is missing.
CheckRow shown_row(const Surroundings& surroundings, const PciCard& card) {
    std::vector<std::string> ids, lacking, absent, packages;
    for (const DeviceInfo* device : devices_of(surroundings, card)) ids.push_back(device->id);
    for (const ApiOfVendor& each : kApisOfVendors) {
        if (each.vendor != card.vendor ||
            std::any_of(ids.begin(), ids.end(), [&](const std::string& id) { return id.starts_with(each.api); }))
            continue;
        lacking.emplace_back(each.api);
        if (is_absent(surroundings, each.api)) absent.emplace_back(each.api);
        else packages.emplace_back(each.package);
    }
    const std::string mend = packages.empty() ? fmt::format("see the rows of {}", fmt::join(absent, ", "))
                                              : install_text(surroundings, card.vendor, packages);
    if (ids.empty())
        return {"card", card.address, CheckState::problem,
            fmt::format("{}: no API shows it, though its kernel driver {} is bound", what_it_is(card), card.driver),
            mend};
    const std::string shown = fmt::format("{}", fmt::join(ids, ", "));
    if (lacking.empty()) return {"card", card.address, CheckState::ok, shown, ""};
    return {"card", card.address, CheckState::note,
        fmt::format("shown as {}, but not through {}", shown, fmt::join(lacking, " and ")), mend};
}

CheckRow card_row(const Surroundings& surroundings, const PciCard& card) {
    const Vendor& vendor = *vendor_of(card.vendor);
    if (!devices_of(surroundings, card).empty()) return shown_row(surroundings, card);
    const auto row = [&](CheckState state, const std::string& found, const std::string& mend) {
        return CheckRow{"card", card.address, state, fmt::format("{}: {}", what_it_is(card), found), mend};
    };
    if (card.driver == "vfio-pci")
        return row(CheckState::note, "kept for a virtual machine (kernel driver vfio-pci)",
            "to use it here, give it back to its own kernel driver");
    if (card.driver.empty()) {
        CheckRow unbound = row(CheckState::problem, "no kernel driver is bound to it", vendor.bind);
        unbound.cause = true;
        return unbound;
    }
    const auto modules = split(vendor.modules, ' ');
    if (std::find(modules.begin(), modules.end(), card.driver) == modules.end())
        return row(CheckState::problem, fmt::format("its kernel driver {} serves no API", card.driver), vendor.bind);
    for (const DeviceInfo& device : surroundings.devices)
        if (!device.cpu && !device.software && device.pci.empty())
            return row(CheckState::unknown,
                fmt::format("it may be {} ({}), whose driver gives no PCI address", device.id, device.name), "");
    return shown_row(surroundings, card);
}

/// GT/s and lanes of a link; nullopt where the system does not tell.
struct Link {
    double gigatransfers;
    int lanes;
    std::string text() const { return fmt::format("{:g} GT/s x{}", gigatransfers, lanes); }
};
std::optional<Link> link_of(const fs::path& folder, const char* which) {
    const Link link{std::strtod(line_of(folder / fmt::format("{}_link_speed", which)).c_str(), nullptr),
        std::atoi(line_of(folder / fmt::format("{}_link_width", which)).c_str())};
    return link.gigatransfers > 0 && link.lanes > 0 && link.lanes <= 32 ? std::optional(link)
                                                                        : std::nullopt; // 255 lanes: unknown
}

std::optional<CheckRow> link_row(const PciCard& card) {
    const auto now = link_of(card.folder, "current"), most = link_of(card.folder, "max");
    if (!now || !most) return std::nullopt;
    std::error_code none;
    const auto slot = link_of(fs::canonical(card.folder, none).parent_path(), "max"); // the port above it
    const std::string of_slot = slot && (slot->lanes < most->lanes || slot->gigatransfers < most->gigatransfers)
                                    ? fmt::format(" (its slot: at most {})", slot->text())
                                    : "";
    const CheckRow row{"link", card.address, CheckState::ok, now->text(), ""};
    const std::string found = fmt::format("{}, where the card can do {}{}", now->text(), most->text(), of_slot);
    if (now->lanes < most->lanes)
        return CheckRow{row.check, row.subject, CheckState::problem, found,
            "seat the card again, or use a slot with all lanes (see the firmware's settings of slots)"};
    if (now->gigatransfers < most->gigatransfers)
        return CheckRow{row.check, row.subject, CheckState::note, found,
            of_slot.empty() ? "none needed while idle: cards slow their link down; look again under load"
                            : "a faster slot"};
    return row;
}

/// The largest prefetchable window of the card into its memory.
std::uint64_t window_bytes(const PciCard& card) {
    constexpr std::uint64_t kPrefetchable = 0x2000;
    std::ifstream resources(card.folder / "resource");
    std::uint64_t begin = 0, end = 0, flags = 0, largest = 0;
    while (resources >> std::hex >> begin >> end >> flags)
        if ((flags & kPrefetchable) && end > begin) largest = std::max(largest, end - begin + 1);
    return largest;
}

std::uint64_t memory_bytes(const Surroundings& surroundings, const PciCard& card) {
    std::uint64_t bytes = std::strtoull(line_of(card.folder / "mem_info_vram_total").c_str(), nullptr, 10); // amdgpu's
    for (const DeviceInfo* device : devices_of(surroundings, card)) bytes = std::max(bytes, device->memory_bytes);
    return bytes;
}

std::optional<CheckRow> window_row(const Surroundings& surroundings, const PciCard& card) {
    constexpr std::uint64_t kWithout = 256u << 20,
                            kOfItsOwn =
                                std::uint64_t{1}
                                << 30; // without resizable BAR; integrated ones have little memory, or the host's
    const std::uint64_t window = window_bytes(card), memory = memory_bytes(surroundings, card);
    if (window == 0 || memory < kOfItsOwn || card.address == "0000:00:02.0")
        return std::nullopt; // there Intel's integrated ones stand
    const auto text = [](std::uint64_t bytes) { return format_bytes(bytes); };
    if (window > kWithout) return CheckRow{"resizable BAR", card.address, CheckState::ok, text(window), ""};
    return CheckRow{"resizable BAR", card.address, CheckState::note,
        fmt::format("the host sees {} of {} at a time", text(window), text(memory)),
        "switch on 'Resizable BAR' and 'Above 4G decoding' in the firmware's settings"};
}
/// amdgpu's; NVIDIA's clocks NVML tells.
std::optional<CheckRow> clock_row(const PciCard& card) {
    const fs::path file = card.folder / "power_dpm_force_performance_level";
    const std::string level = line_of(file);
    if (level.empty()) return std::nullopt;
    if (level == "auto") return CheckRow{"clocks", card.address, CheckState::ok, "not held", ""};
    return CheckRow{"clocks", card.address, CheckState::note,
        fmt::format("held by a setting: performance level '{}'", level),
        fmt::format("echo auto | sudo tee {}", file.string())};
}
} // namespace

std::string line_of(const fs::path& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

std::vector<PciCard> pci_cards(const Surroundings& surroundings) {
    std::vector<PciCard> cards;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(surroundings.root / "sys/bus/pci/devices", none)) {
        const fs::path& folder = entry.path();
        const unsigned vendor = hexadecimal(folder / "vendor");
        if (!is_gpu(vendor, hexadecimal(folder / "class")) || fs::exists(folder / "physfn", none)) continue;
        cards.push_back({folder.filename().string(), folder, vendor, hexadecimal(folder / "device"),
            fs::read_symlink(folder / "driver", none).filename().string()});
    }
    std::sort(cards.begin(), cards.end(), [](const PciCard& a, const PciCard& b) { return a.address < b.address; });
    return cards;
}

bool has_card_of(const Surroundings& surroundings, unsigned vendor) {
    const auto cards = pci_cards(surroundings);
    return std::any_of(cards.begin(), cards.end(), [&](const PciCard& card) { return card.vendor == vendor; });
}

bool has_card_for(const Surroundings& surroundings, std::string_view api) {
    return std::any_of(std::begin(kApisOfVendors), std::end(kApisOfVendors),
        [&](const ApiOfVendor& each) { return each.api == api && has_card_of(surroundings, each.vendor); });
}

std::string install_mend(const Surroundings& surroundings, std::string_view api) {
    for (const ApiOfVendor& each : kApisOfVendors)
        if (each.api == api && has_card_of(surroundings, each.vendor))
            return install_text(surroundings, each.vendor, {each.package});
    return "";
}

std::vector<const DeviceInfo*> devices_of(const Surroundings& surroundings, const PciCard& card) {
    std::string uuid;
    for (const DeviceInfo& device : surroundings.devices)
        if (device.pci == card.address && uuid.empty()) uuid = device.uuid;
    std::vector<const DeviceInfo*> devices;
    for (const DeviceInfo& device : surroundings.devices)
        if (device.pci == card.address || (!uuid.empty() && device.uuid == uuid)) devices.push_back(&device);
    return devices;
}

std::vector<CheckRow> check_cards(const Surroundings& surroundings) {
    std::vector<CheckRow> rows;
    for (const PciCard& card : pci_cards(surroundings)) {
        rows.push_back(card_row(surroundings, card));
        for (const auto& row : {link_row(card), window_row(surroundings, card), clock_row(card)})
            if (row) rows.push_back(*row);
    }
    if (in_wsl(surroundings)) {
        const bool given = has_wsl_gpu(surroundings);
        rows.push_back({"card", "/dev/dxg", given ? CheckState::ok : CheckState::note,
            given ? "Windows' cards reach WSL through it" : "is not here: Windows gives this WSL no card",
            given ? "" : "WSL 2, a driver of Windows' for it, and in Windows: wsl --update"});
        return rows;
    }
    if (!fs::exists(surroundings.root / "sys/bus/pci"))
        return {{"card", "", CheckState::unknown, "sysfs shows no PCI bus here", ""}};
    const auto is_gpu_of_api = [](const DeviceInfo& device) { return !device.cpu && !device.software; };
    if (rows.empty() && std::none_of(surroundings.devices.begin(), surroundings.devices.end(), is_gpu_of_api))
        rows.push_back({"card", "", CheckState::note,
            "no GPU of NVIDIA, AMD or Intel is on the PCI bus; APIs can show the processor alone", ""});
    return rows;
}

} // namespace sonde
