// The ioctl AMDGPU_INFO, as include/uapi/drm/amdgpu_drm.h of Linux has it: a stable interface.
#include "backends/amd_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "core/base/native.h"
#include "core/base/text.h"

namespace sonde {

namespace {
namespace fs = std::filesystem;

/// struct drm_amdgpu_info.
struct Question {
    std::uint64_t answer = 0;
    std::uint32_t bytes = 0, number = 0;
    std::array<std::uint32_t, 4> of = {};
};
constexpr std::uint32_t kDeviceInfo = 0x16; // AMDGPU_INFO_DEV_INFO
// _IOW('d', DRM_COMMAND_BASE + DRM_AMDGPU_INFO, Question):
constexpr unsigned long kAsk = 1ul << 30 | sizeof(Question) << 16 | 'd' << 8 | (0x40 + 0x05);
constexpr std::size_t kClockAt = 40, kTypeAt = 176, kWidthAt = 180; // in struct drm_amdgpu_info_device
constexpr std::size_t kRoom = 1024;                                 // of the answer, which newer kernels append to

/// AMDGPU_VRAM_TYPE_..., with the transfers of a pin in a clock as amdgpu counts it.
struct MemoryType {
    std::uint32_t number;
    const char* name;
    int transfers;
};
constexpr MemoryType kMemoryTypes[] = {{2, "DDR2", 2}, {7, "DDR3", 2}, {8, "DDR4", 2}, {11, "LPDDR4", 2}, {6, "HBM", 2},
    {10, "DDR5", 4}, {12, "LPDDR5", 4}, {5, "GDDR5", 4}, {9, "GDDR6", 16}};

const MemoryType* memory_type(std::uint32_t number) {
    const auto* found = std::ranges::find(kMemoryTypes, number, &MemoryType::number);
    return found == std::end(kMemoryTypes) ? nullptr : found;
}

/// Cards from before amdgpu, as AMD's data sheets have them. Device 6798 is the HD 7970 of 264 GB/s and the R9 280X of
/// 288, 683f has DDR3 or GDDR5: these have no row.
struct Model {
    std::uint32_t device, revision;
    double gigabytes; // each second
    const char* name;
};
constexpr Model kModels[] = {{0x679a, 0x00, 240, "HD 7950, R9 280"}, {0x679b, 0x00, 288, "one half of HD 7990"},
    {0x679e, 0x00, 192, "HD 7870 XT"}, {0x6818, 0x00, 153.6, "HD 7870"}, {0x6819, 0x00, 153.6, "HD 7850"},
    {0x665c, 0x00, 96, "HD 7790"}, {0x6658, 0x00, 104, "R7 260X"}, {0x6810, 0x00, 179.2, "R9 270X"},
    {0x6811, 0x00, 179.2, "R9 270"}, {0x67b0, 0x00, 320, "R9 290X"}, {0x67b1, 0x00, 320, "R9 290"},
    {0x67b0, 0x80, 384, "R9 390X"}, {0x67b1, 0x80, 384, "R9 390"}};

const Model* model_of(std::uint32_t device, std::uint32_t revision) {
    const auto* found = std::ranges::find_if(
        kModels, [&](const Model& row) { return row.device == device && row.revision == revision; });
    return found == std::end(kModels) ? nullptr : found;
}

/// "0x679a" in a file of sysfs; 0 where there is none.
std::uint32_t number_in(const fs::path& file) {
    std::uint32_t number = 0;
    std::ifstream(file) >> std::hex >> number;
    return number;
}

/// "/dev/dri/renderD128" of a card of amdgpu's; empty: there is none.
std::string render_node(const fs::path& card) {
    std::error_code none;
    if (fs::read_symlink(card / "driver", none).filename() != "amdgpu") return "";
    for (const auto& entry : fs::directory_iterator(card / "drm", none))
        if (const std::string name = entry.path().filename().string(); name.starts_with("renderD"))
            return "/dev/dri/" + name;
    return "";
}

std::optional<AmdMemory> asked(const std::string& node) {
    std::array<std::byte, kRoom> answer{};
    Question question{.answer = reinterpret_cast<std::uintptr_t>(answer.data()), .bytes = kRoom, .number = kDeviceInfo};
    return native::control(node, kAsk, &question) ? amd_memory_in(answer) : std::nullopt;
}
} // namespace

const char* AmdMemory::type_name() const {
    const MemoryType* known = memory_type(type);
    return known ? known->name : "";
}

double AmdMemory::bytes_per_second() const {
    const MemoryType* known = memory_type(type);
    return known ? 1000.0 * static_cast<double>(khz) * known->transfers * bits / 8 : 0;
}

std::optional<AmdMemory> amd_memory_in(std::span<const std::byte> answer) {
    if (answer.size() < kWidthAt + sizeof(std::uint32_t)) return std::nullopt;
    AmdMemory memory;
    std::memcpy(&memory.khz, &answer[kClockAt], sizeof memory.khz);
    std::memcpy(&memory.type, &answer[kTypeAt], sizeof memory.type);
    std::memcpy(&memory.bits, &answer[kWidthAt], sizeof memory.bits);
    return memory;
}

double amd_bytes_per_second(std::uint32_t device, std::uint32_t revision) {
    const Model* known = model_of(device, revision);
    return known ? known->gigabytes * 1e9 : 0;
}

void add_amd_memory(DeviceInfo& info, const fs::path& cards) {
    constexpr std::uint32_t kAmd = 0x1002;
    if (info.pci.empty()) return;
    const fs::path card = cards / info.pci;
    const std::string node = render_node(card);
    const auto memory = node.empty() ? std::nullopt : asked(node);
    if (memory && memory->bytes_per_second() > 0) {
        info.bus_bytes_per_second = memory->bytes_per_second();
        info.facts.push_back({"DRAM bandwidth",
            fmt::format("{}: {} {} bits wide at {} MHz", format_si(info.bus_bytes_per_second, "B/s"),
                memory->type_name(), memory->bits, memory->khz / 1000),
            "AMDGPU_INFO_DEV_INFO"});
        return;
    }
    const std::uint32_t device = number_in(card / "device"), revision = number_in(card / "revision");
    const Model* model = number_in(card / "vendor") == kAmd ? model_of(device, revision) : nullptr;
    if (!model) return;
    info.bus_bytes_per_second = amd_bytes_per_second(device, revision);
    info.facts.push_back({"DRAM bandwidth",
        fmt::format("{}: reference design of {}", format_si(info.bus_bytes_per_second, "B/s"), model->name),
        fmt::format("AMD's data sheets, by PCI id 1002:{:04x} revision {:02x}", device, revision)});
}

} // namespace sonde
