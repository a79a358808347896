// The linker's words about a library, as what is missing and how to get it.
#include "backends/checks/libraries.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "backends/checks/places.h"
#include "core/base/json.h"
#include "core/base/library.h"
#include "core/base/text.h"

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

std::string mend_of(const Surroundings& surroundings, const std::string& library, const NamedBy& named_by) {
    for (const std::string_view start : kOfNvidia)
        if (library.starts_with(start)) return nvidia_mend(surroundings, "nvidia-driver");
    for (const Package& package : kPackages)
        if (package.library == library) return fmt::format("sudo apt install {}", package.name);
    if (!named_by.variable.empty()) return mend_of_file(named_by);
    if (!named_by.file.empty())
        return fmt::format("install the driver again, or, where it is gone for good: sudo rm {}", named_by.file);
    return fmt::format("install its package: apt-file search {}", fs::path(library).filename().string());
}
/// The linker's words of a library that it has found.
std::string mend_of_error(const std::string& error) {
    for (const char* without_room : {"failed to map segment", "annot allocate memory"})
        if (error.find(without_room) != error.npos)
            return "there is no room for it in memory: ulimit -v unlimited, or a larger limit of the container";
    return "the driver was built for another system: install the one of this distribution";
}

/// The linker takes the library from where LD_LIBRARY_PATH says.
void blame_the_path(CheckRow& row, const std::string& library) {
    const auto folder = steered_folder(library);
    if (row.state != CheckState::problem || !folder) return;
    row.found += fmt::format("; LD_LIBRARY_PATH puts {} first", *folder);
    row.mend = fmt::format("take {} out of LD_LIBRARY_PATH", *folder);
    row.cause = true;
}
} // namespace

Json open_exporting(const std::string& name_and_symbol) {
    const auto words = split(name_and_symbol, ' ');
    Json answer = open_library(words.at(0));
    void (*symbol)() = nullptr;
    const Library library{words.at(0).c_str()};
    if (library && !library.load(symbol, words.at(1).c_str()))
        answer["refuses"] = fmt::format("({}) lacks {}", library.path(), words.at(1));
    return answer;
}

CheckRow wrong_variable(const std::string& name, const std::string& named) {
    return {.check = "variable",
        .subject = name,
        .state = CheckState::problem,
        .found = fmt::format("names {}, which is not here", named),
        .mend = fmt::format("correct {0}, or: unset {0}", name),
        .cause = true};
}

std::string mend_of_file(const NamedBy& named_by) {
    return named_by.variable.empty() ? fmt::format("install the driver again, or: sudo rm {}", named_by.file)
                                     : fmt::format("correct {0}{1}, or: unset {0}", named_by.variable,
                                           named_by.file.empty() ? "" : " or this file");
}

Json open_library(const std::string& name) {
    const Library library{name.c_str()};
    return library ? Json{{"path", library.path()}} : Json{{"error", library.error()}};
}

std::string nvidia_mend(const Surroundings& surroundings, const std::string& package) {
    if (const Enclosure* enclosure = enclosure_of(surroundings)) return enclosure->nvidia;
    return in_wsl(surroundings) ? "install NVIDIA's driver in Windows (none in Linux), then in Windows: wsl --shutdown"
                                : fmt::format("sudo apt install {} (non-free)", package);
}

CheckRow library_row(const Surroundings& surroundings, const std::string& check, const std::string& subject,
    const std::string& asked, const NamedBy& named_by, std::string_view question) {
    const Json answer = surroundings.ask(question, asked);
    const std::string library = asked.substr(0, asked.find(' ')); // before the symbol that it is asked for
    const std::string path = text_field(answer, "path"), error = text_field(answer, "error"),
                      trouble = text_field(answer, "trouble"), refuses = text_field(answer, "refuses"),
                      file = fs::path(library).filename().string();
    // `named`: what the sentence names.
    const auto row = [&](CheckState state, const std::string& found, const std::string& mend, std::string_view named) {
        CheckRow made{.check = check,
            .subject = subject,
            .state = state,
            .found = found,
            .mend = mend,
            .cause = state == CheckState::problem,
            .names_subject = named.find(subject) != named.npos,
            .subject_is_path = fs::path(subject).is_absolute()};
        if (!path.empty() || error.find(": cannot open shared") == error.npos) blame_the_path(made, library);
        return made;
    };
    if (!refuses.empty())
        return row(CheckState::problem, fmt::format("{} {}", file, refuses),
            named_by.variable.empty() ? "install the driver again" : mend_of_file(named_by), file);
    if (!path.empty()) return row(CheckState::ok, path, "", path);
    if (!trouble.empty())
        return row(CheckState::problem, fmt::format("a process that opens {} {}", library, trouble),
            "install this driver again, or remove it", library);
    const auto cannot = error.find(": cannot open shared object file: ");
    if (cannot != error.npos) {
        const std::string missing = error.substr(0, cannot), why = error.substr(error.rfind(": ") + 2);
        const std::string how = why == "No such file or directory" ? "not here" : fmt::format("not readable ({})", why);
        const bool itself = missing == library;
        if (itself && named_by.file.empty() && !named_by.variable.empty())
            return wrong_variable(named_by.variable, library);
        if (const auto folder = folder_beside_the_path(surroundings, missing))
            return row(CheckState::problem,
                fmt::format("{} lies in {}, where the linker does not look", missing, folder->string()),
                fmt::format("export LD_LIBRARY_PATH={}", folder->string()), missing);
        return row(CheckState::problem,
            itself ? fmt::format("{} is {}", library, how)
                   : fmt::format("{} needs {}, which is {}", file, missing, how),
            mend_of(surroundings, missing, itself ? named_by : NamedBy{}), itself ? library : file);
    }
    if (error.find("wrong ELF class") != error.npos)
        return row(CheckState::note, "its library is of another word size, for programs of that size", "", "");
    return row(CheckState::problem, error, mend_of_error(error), error);
}

} // namespace sonde
