// Marks of containers and of WSL, and folders of drivers, as their makers document them.
#include "backends/checks/places.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "backends/checks/cards.h"
#include "backends/checks/checks.h"
#include "core/base/native.h"
#include "core/base/text.h"

namespace sonde {

namespace {
namespace fs = std::filesystem;

constexpr const char* kDockerNvidia = "start the container with --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all";
constexpr const char* kApptainerNvidia = "start the container with --nv (apptainer exec --nv IMAGE ...)";
constexpr const char* kApptainerNodes = "start the container with --nv, or --rocm for AMD's cards";
/// The first that fits: what lies inside another stands before it.
constexpr Enclosure kEnclosures[] = {
    {"Flatpak", ".flatpak-info", nullptr,
        "flatpak install org.freedesktop.Platform.GL.nvidia-VERSION, with the kernel module's version "
        "(580-159-04)",
        "flatpak override --user --device=dri APPLICATION"},
    {"Snap", "var/lib/snapd/hostfs/etc", nullptr, "snap connect APPLICATION:opengl", "snap connect APPLICATION:opengl"},
    {"Apptainer", ".singularity.d", "APPTAINER_CONTAINER", kApptainerNvidia, kApptainerNodes},
    {"Singularity", nullptr, "SINGULARITY_CONTAINER", kApptainerNvidia, kApptainerNodes},
    {"Kubernetes", nullptr, "KUBERNETES_SERVICE_HOST",
        "ask for a card in the pod's resources (limits: nvidia.com/gpu: 1), and set NVIDIA_DRIVER_CAPABILITIES=all",
        "ask for a card in the pod's resources (limits: amd.com/gpu: 1, or gpu.intel.com/xe: 1)"},
    {"Podman", "run/.containerenv", nullptr,
        "start the container with --device nvidia.com/gpu=all, once the machine has sudo nvidia-ctk cdi generate "
        "--output=/etc/cdi/nvidia.yaml",
        "start the container with --device /dev/dri"},
    {"Docker", ".dockerenv", nullptr, kDockerNvidia, "start the container with --device /dev/dri"},
    {"a container", "run/systemd/container", "container",
        "bring NVIDIA's libraries and device nodes of the machine into the container (bind mounts)",
        "bring /dev/dri of the machine into the container (a bind mount)"}};

/// Folders of drivers that are on no linker's path by themselves.
constexpr const char* kFolders[] = {"usr/lib/wsl/lib", "usr/local/nvidia/lib64", "usr/local/nvidia/lib",
    "run/opengl-driver/lib", ".singularity.d/libs", "var/lib/snapd/lib/gl", "usr/lib/x86_64-linux-gnu/nvidia/current",
    "usr/lib64/nvidia", "usr/lib/nvidia", "opt/amdgpu-pro/lib/x86_64-linux-gnu", "opt/amdgpu/lib/x86_64-linux-gnu",
    "opt/rocm/lib", "opt/rocm/opencl/lib"};
/// Each driver of a Flatpak has a folder of its own here.
constexpr const char* kFlatpakFolders = "usr/lib/x86_64-linux-gnu/GL";
} // namespace

const Enclosure* enclosure_of(const Surroundings& surroundings) {
    const auto encloses = [&](const Enclosure& each) {
        std::error_code none;
        return (each.file && fs::exists(surroundings.root / each.file, none)) ||
               (each.variable && variable(each.variable));
    };
    const auto* const found = std::find_if(std::begin(kEnclosures), std::end(kEnclosures), encloses);
    return found == std::end(kEnclosures) ? nullptr : found;
}

bool has_wsl_gpu(const Surroundings& surroundings) {
    std::error_code none;
    return fs::exists(surroundings.root / "dev/dxg", none);
}

bool in_wsl(const Surroundings& surroundings) {
    std::string version = line_of(surroundings.root / "proc/version");
    for (char& each : version) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    return has_wsl_gpu(surroundings) || version.find("microsoft") != version.npos;
}

std::optional<fs::path> folder_beside_the_path(const Surroundings& surroundings, const std::string& library) {
    if (library.empty() || library.find('/') != library.npos) return std::nullopt;
    std::vector<fs::path> folders;
    folders.reserve(std::size(kFolders) + 1);
    for (const char* each : kFolders) folders.push_back(surroundings.root / each);
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(surroundings.root / kFlatpakFolders, none))
        folders.push_back(entry.path() / "lib");
    if (const auto prefix = variable("CONDA_PREFIX"); prefix && !prefix->empty())
        folders.push_back(fs::path(*prefix) / "lib");
    const auto holds_it = [&](const fs::path& folder) { return fs::exists(folder / library, none); };
    const auto found = std::find_if(folders.begin(), folders.end(), holds_it);
    return found == folders.end() ? std::nullopt : std::optional(*found);
}

std::optional<std::string> steered_folder(const std::string& library) {
    if (library.find('/') != library.npos) return std::nullopt;
    std::error_code none;
    for (const std::string& folder : split(variable("LD_LIBRARY_PATH").value_or(""), ':'))
        if (!folder.empty() && fs::exists(fs::path(folder) / library, none)) return folder;
    return std::nullopt;
}

std::string why_not_writable(const fs::path& folder) {
    std::error_code none;
    fs::path there = folder;
    while (!there.empty() && there != there.root_path() && !fs::exists(there, none)) there = there.parent_path();
    if (!fs::is_directory(there, none)) return std::strerror(ENOTDIR);
    fs::path made = there / "sonde"; // permissions alone do not tell: file systems refuse, too
    if (!native::make_folder_beside(made)) return std::strerror(errno);
    fs::remove(made, none);
    return "";
}

} // namespace sonde
