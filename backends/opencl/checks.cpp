// Why OpenCL is absent: its loader, and the libraries that the files /etc/OpenCL/vendors/*.icd name.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "backends/checks/cards.h"
#include "backends/checks/checks.h"
#include "backends/checks/libraries.h"
#include "core/base/text.h"

namespace sonde {

namespace {
namespace fs = std::filesystem;

constexpr KnownReason kOpenclReasons[] = {
    {"CL_PLATFORM_NOT_FOUND_KHR", "the rows 'opencl driver' say which drivers are there and what they lack"},
    {"clGetDeviceIDs", "the driver is there and sees no card: see the rows of device nodes and cards"},
    {"the OpenCL loader lacks", "sudo apt install ocl-icd-libopencl1"}};
constexpr Variable kOpenclVariables[] = {
    {"OCL_ICD_VENDORS", "the loader opens the drivers of this folder, file or library alone"},
    {"OPENCL_VENDOR_PATH", "the loader looks for drivers in this folder alone"},
    {"OCL_ICD_FILENAMES", "the loader opens these drivers as well"}, {"POCL_DEVICES", "PoCL shows these devices alone"},
    {"RUSTICL_ENABLE", "Mesa's Rusticl uses these drivers alone"},
    {"ROCR_VISIBLE_DEVICES", "AMD's ROCm shows these cards alone", true},
    {"GPU_DEVICE_ORDINAL", "AMD's driver shows these cards alone", true}};

/// What one .icd file names, or one word of a variable.
CheckRow icd_row(const Surroundings& surroundings, const fs::path& file) {
    std::string library = line_of(file);
    library.erase(library.find_last_not_of(" \t\r") + 1);
    const CheckRow row{"opencl driver", file.string(), CheckState::problem, "",
        fmt::format("install the driver again, or: sudo rm {}", file.string())};
    std::error_code none;
    if (!fs::exists(file, none))
        return {row.check, row.subject, row.state, "this file is not here", "correct the variable that names it"};
    if (library.empty())
        return {row.check, row.subject, row.state, "names no library in its first line, or cannot be read", row.mend};
    return library_row(surroundings, row.check, row.subject, library, row.subject);
}
} // namespace

const ApiTables& opencl_tables() {
    static constexpr ApiTables kTables{"opencl", kOpenclReasons, kOpenclVariables,
        "no GPU is here; to try OpenCL on the processor: sudo apt install pocl-opencl-icd", true};
    return kTables;
}

std::vector<CheckRow> check_opencl(const Surroundings& surroundings) {
    std::vector<CheckRow> rows;
    std::vector<fs::path> files;
    fs::path folder = surroundings.root / "etc/OpenCL/vendors";
    if (const auto vendors = variable("OPENCL_VENDOR_PATH"); vendors && !vendors->empty()) folder = *vendors;
    const std::string chosen = variable("OCL_ICD_VENDORS").value_or("");
    std::error_code none;
    if (fs::is_directory(chosen, none)) folder = chosen;
    else if (chosen.ends_with(".icd")) files.emplace_back(chosen);
    else if (!chosen.empty()) rows.push_back(library_row(surroundings, "opencl driver", chosen, chosen));
    if (chosen.empty() || fs::is_directory(chosen, none))
        for (const auto& entry : fs::directory_iterator(folder, none))
            if (entry.path().extension() == ".icd") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) rows.push_back(icd_row(surroundings, file));
    for (const std::string& library : split(variable("OCL_ICD_FILENAMES").value_or(""), ':'))
        if (!library.empty()) rows.push_back(library_row(surroundings, "opencl driver", library, library));
    if (rows.empty())
        rows.push_back({"opencl driver", folder.string(), absence_state(surroundings, "opencl"),
            "no driver: no file *.icd is in this folder", install_mend(surroundings, "opencl")});
    return api_rows(surroundings, opencl_tables(), "opencl loader", "libOpenCL.so.1", rows);
}

} // namespace sonde
