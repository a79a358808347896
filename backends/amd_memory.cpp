// The ioctl AMDGPU_INFO, as include/uapi/drm/amdgpu_drm.h of Linux has it: a stable interface.
#include "backends/amd_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

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
constexpr std::uint32_t kDeviceInfo = 0x16;                         // AMDGPU_INFO_DEV_INFO
constexpr unsigned long kAsk = _IOW('d', 0x40 + 0x05, Question);    // DRM_COMMAND_BASE + DRM_AMDGPU_INFO
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

/// "/dev/dri/renderD128" of a card of amdgpu's; empty: there is none.
std::string render_node(const std::string& pci) {
    const fs::path card = fs::path("/sys/bus/pci/devices") / pci;
    std::error_code none;
    if (fs::read_symlink(card / "driver", none).filename() != "amdgpu") return "";
    for (const auto& entry : fs::directory_iterator(card / "drm", none))
        if (const std::string name = entry.path().filename(); name.starts_with("renderD")) return "/dev/dri/" + name;
    return "";
}

std::optional<AmdMemory> asked(const std::string& node) {
    const int file = open(node.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    std::array<std::byte, kRoom> answer{};
    Question question{.answer = reinterpret_cast<std::uintptr_t>(answer.data()), .bytes = kRoom, .number = kDeviceInfo};
    const int failed = ioctl(file, kAsk, &question);
    close(file);
    return failed ? std::nullopt : amd_memory_in(answer);
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

void add_amd_memory(DeviceInfo& info) {
    const std::string node = info.pci.empty() ? "" : render_node(info.pci);
    const auto memory = node.empty() ? std::nullopt : asked(node);
    if (!memory || !(memory->bytes_per_second() > 0)) return;
    info.bus_bytes_per_second = memory->bytes_per_second();
    info.facts.push_back({"DRAM bandwidth",
        fmt::format("{}: {} {} bits wide at {} MHz", format_si(info.bus_bytes_per_second, "B/s"), memory->type_name(),
            memory->bits, memory->khz / 1000),
        "AMDGPU_INFO_DEV_INFO"});
}

} // namespace sonde
