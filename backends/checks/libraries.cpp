// The linker's words about a library, as what is missing and how to get it.
#include "backends/checks/libraries.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "core/base/json.h"
#include "core/base/library.h"

namespace sonde {

namespace {
namespace fs = std::filesystem;

/// Debian's package of a library that drivers need.
struct Package {
    std::string_view library, name;
};
constexpr Package kPackages[] = {{"libGLdispatch.so.0", "libglvnd0"}, {"libGLX.so.0", "libglx0"},
    {"libEGL.so.1", "libegl1"}, {"libGL.so.1", "libgl1"}, {"libOpenCL.so.1", "ocl-icd-libopencl1"},
    {"libvulkan.so.1", "libvulkan1"}, {"libX11.so.6", "libx11-6"}, {"libXext.so.6", "libxext6"},
    {"libxcb.so.1", "libxcb1"}, {"libX11-xcb.so.1", "libx11-xcb1"}, {"libdrm.so.2", "libdrm2"},
    {"libgbm.so.1", "libgbm1"}, {"libwayland-client.so.0", "libwayland-client0"}, {"libexpat.so.1", "libexpat1"},
    {"libz.so.1", "zlib1g"}, {"libzstd.so.1", "libzstd1"}, {"libelf.so.1", "libelf1"}, {"libudev.so.1", "libudev1"},
    {"libnuma.so.1", "libnuma1"}, {"libtinfo.so.6", "libtinfo6"}};
/// NVIDIA's own come with the driver, in one version with the kernel module.
constexpr std::string_view kOfNvidia[] = {"libcuda.", "libnvidia-", "libGLX_nvidia.", "libEGL_nvidia."};

std::string mend_of(const Surroundings& surroundings, const std::string& library, const std::string& named_by) {
    for (const std::string_view start : kOfNvidia)
        if (library.starts_with(start)) return nvidia_mend(surroundings, "nvidia-driver");
    for (const Package& package : kPackages)
        if (package.library == library) return fmt::format("sudo apt install {}", package.name);
    if (!named_by.empty())
        return fmt::format("install the driver again, or, where it is gone for good: sudo rm {}", named_by);
    return fmt::format("install its package: apt-file search {}", fs::path(library).filename().string());
}
} // namespace

Json open_library(const std::string& name) {
    const Library library{name.c_str()};
    return library ? Json{{"path", library.path()}} : Json{{"error", library.error()}};
}

bool in_container(const Surroundings& surroundings) {
    return fs::exists(surroundings.root / ".dockerenv") || fs::exists(surroundings.root / "run/.containerenv") ||
           std::getenv("KUBERNETES_SERVICE_HOST");
}

std::string nvidia_mend(const Surroundings& surroundings, const std::string& package) {
    return in_container(surroundings) ? "start the container with --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all"
                                      : fmt::format("sudo apt install {} (non-free)", package);
}

CheckRow library_row(const Surroundings& surroundings, const std::string& check, const std::string& subject,
    const std::string& library, const std::string& named_by, std::string_view question) {
    const Json answer = surroundings.ask(question, library);
    const std::string path = text_field(answer, "path"), error = text_field(answer, "error"),
                      trouble = text_field(answer, "trouble"), refuses = text_field(answer, "refuses"),
                      file = fs::path(library).filename();
    // `named`: what the sentence names.
    const auto row = [&](CheckState state, const std::string& found, const std::string& mend, std::string_view named) {
        return CheckRow{.check = check,
            .subject = subject,
            .state = state,
            .found = found,
            .mend = mend,
            .names_subject = named.find(subject) != named.npos,
            .subject_is_path = fs::path(subject).is_absolute()};
    };
    if (!refuses.empty())
        return row(CheckState::problem, fmt::format("{} {}", file, refuses), "install the driver again", file);
    if (!path.empty()) return row(CheckState::ok, path, "", path);
    if (!trouble.empty())
        return row(CheckState::problem, fmt::format("a process that opens {} {}", library, trouble),
            "install this driver again, or remove it", library);
    const auto cannot = error.find(": cannot open shared object file: ");
    if (cannot != error.npos) {
        const std::string missing = error.substr(0, cannot), why = error.substr(error.rfind(": ") + 2);
        const std::string how = why == "No such file or directory" ? "not here" : fmt::format("not readable ({})", why);
        const bool itself = missing == library;
        return row(CheckState::problem,
            itself ? fmt::format("{} is {}", library, how)
                   : fmt::format("{} needs {}, which is {}", file, missing, how),
            mend_of(surroundings, missing, itself ? named_by : ""), itself ? library : file);
    }
    if (error.find("wrong ELF class") != error.npos)
        return row(CheckState::note, "its library is of another word size, for programs of that size", "", "");
    return row(CheckState::problem, error,
        "the driver was built for another system: install the one of this distribution", error);
}

} // namespace sonde
