// RADV with RADV_FORCE_FAMILY needs no kernel driver and no card: it compiles, and hands out what it compiled.
#include <array>
#include <cstdlib>
#include <filesystem>

#include "backends/vulkan/loader.h"
#include "core/base/system.h"

namespace sonde::vulkan {

namespace {
namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kDriverFolders{
    "/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"};

/// RADV's manifest, this machine's architecture first; empty where there is none.
std::string radv_manifest() {
    const std::string machine = host_system().machine;
    std::string any;
    for (const char* folder : kDriverFolders) {
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(folder, ignored)) {
            const std::string name = entry.path().filename().string();
            if (!name.starts_with("radeon_icd")) continue;
            if (name.find(machine) != std::string::npos) return entry.path().string();
            any = entry.path().string();
        }
    }
    return any;
}

/// A user may have pointed the loader at a RADV of another Mesa.
bool is_chosen_by_user() {
    for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
        if (const char* value = std::getenv(variable);
            value && std::string_view(value).find("radeon_icd") != std::string_view::npos)
            return true;
    return false;
}
} // namespace

std::span<const std::string_view> null_families() {
    // Mesa's own names, 22.3 to 25.0; a release knows those of its time and refuses the others.
    static constexpr std::string_view kFamilies[] = {"tahiti", "pitcairn", "verde", "oland", "hainan", "bonaire",
        "kaveri", "hawaii", "tonga", "fiji", "polaris10", "polaris11", "polaris12", "vegam", "vega10", "vega12",
        "vega20", "raven", "renoir", "arcturus", "navi10", "navi12", "navi14", "navi21", "navi22", "navi23", "navi24",
        "gfx1100", "gfx1101", "gfx1102", "navi31", "navi32", "navi33", "gfx1200", "gfx1201"};
    return kFamilies;
}

void show_null_family(const std::string& family) {
    if (!is_chosen_by_user()) {
        const std::string manifest = radv_manifest();
        if (manifest.empty()) throw Error("Mesa's RADV (radeon_icd*.json) is not installed");
        set_environment("VK_DRIVER_FILES", manifest);
        set_environment("VK_ICD_FILENAMES", manifest); // loaders before 1.3.207 know only this name
    }
    set_environment("RADV_FORCE_FAMILY", family);
}

} // namespace sonde::vulkan
