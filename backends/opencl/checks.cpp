// Why OpenCL is absent: its loader, and the libraries that the files /etc/OpenCL/vendors/*.icd name.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "backends/checks/cards.h"
#include "backends/checks/checks.h"
#include "backends/checks/libraries.h"
#include "backends/checks/places.h"
#include "backends/opencl/api.h"
#include "core/base/json.h"
#include "core/base/library.h"
#include "core/base/system.h"
#include "core/base/text.h"

#include <CL/cl_icd.h> // with the version that api.h asks for

namespace sonde {

namespace {
namespace fs = std::filesystem;

constexpr KnownReason kOpenclReasons[] = {
    {"CL_PLATFORM_NOT_FOUND_KHR", "the rows 'opencl driver' say which drivers are there and what they lack"},
    {"clGetDeviceIDs",
        "the drivers are there and show nothing: see the rows 'opencl driver', of device nodes and cards"},
    {"the OpenCL loader lacks", "see the row 'opencl loader'"}};
constexpr Variable kOpenclVariables[] = {
    {"OCL_ICD_VENDORS", "the loader opens the drivers of this folder, file or library alone"},
    {"OPENCL_VENDOR_PATH", "the loader looks for drivers in this folder alone"},
    {"OCL_ICD_FILENAMES", "the loader opens these drivers as well"}, {"POCL_DEVICES", "PoCL shows these devices alone"},
    {"RUSTICL_ENABLE", "Mesa's Rusticl uses these drivers alone"},
    {"ROCR_VISIBLE_DEVICES", "AMD's ROCm shows these cards alone", true},
    {"GPU_DEVICE_ORDINAL", "AMD's driver shows these cards alone", true}};

constexpr const char* kCheck = "opencl driver";

/// The folder that PoCL keeps kernels in, and the variable that names it.
struct Cache {
    const char* variable;
    fs::path folder;
};
Cache cache_of_pocl() {
    const auto set = [](const char* name) { return variable(name).value_or(""); };
    if (const std::string own = set("POCL_CACHE_DIR"); !own.empty()) return {"POCL_CACHE_DIR", own};
    if (const std::string all = set("XDG_CACHE_HOME"); !all.empty()) return {"XDG_CACHE_HOME", fs::path(all) / "pocl"};
    if (const std::string home = set("HOME"); !home.empty()) return {"HOME", fs::path(home) / ".cache/pocl"};
    return {"HOME", "/tmp/pocl"};
}

/// A driver that is whole and shows nothing: what it waits for, where that is known.
struct Silent {
    std::string_view part; // of the library's name
    const char* mend;
};
constexpr Silent kSilent[] = {
    {"Rusticl", "export RUSTICL_ENABLE=radeonsi (AMD), iris (Intel), nouveau (NVIDIA) or llvmpipe (the processor)"},
    {"MesaOpenCL", "none needed: Mesa's Clover knows older cards of AMD's and NVIDIA's alone"},
    {"nvidia", "see the rows of device nodes, and: nvidia-smi -L"},
    {"igdrcl", "see the rows of cards and of device nodes: it drives cards of Intel's"},
    {"amdocl", "see the rows of cards and of device nodes (/dev/kfd): it drives cards of AMD's"}};

CheckRow with_devices(const Surroundings& surroundings, CheckRow row, const std::string& library) {
    if (row.state != CheckState::ok) return row;
    const Json answer = surroundings.ask("opencl driver", library);
    if (!answer.contains("devices") || number_field(answer, "devices") > 0) return row;
    const std::string name = fs::path(library).filename().string();
    row.state = CheckState::note;
    row.found = fmt::format("{} shows no device", name);
    row.mend = "see the rows of cards and of device nodes";
    for (const Silent& each : kSilent)
        if (name.find(each.part) != name.npos) row.mend = each.mend;
    if (name.find("pocl") == name.npos) return row;
    const Cache cache = cache_of_pocl();
    const std::string why_not = why_not_writable(cache.folder);
    row.mend = "run: POCL_DEBUG=error sonde devices";
    if (why_not.empty()) return row;
    row.state = CheckState::problem;
    row.cause = true;
    row.found += fmt::format(
        ": its cache {} cannot be written ({}), which {} names", cache.folder.string(), why_not, cache.variable);
    row.mend = "export POCL_CACHE_DIR=FOLDER, with a folder that this user may write";
    return row;
}

/// What an .icd file names. `variable`: that chose the file; "": its folder did.
CheckRow icd_row(const Surroundings& surroundings, const fs::path& file, const std::string& variable) {
    const std::string library = line_of(file);
    const auto broken = [&](const std::string& found, const std::string& mend) {
        return CheckRow{.check = kCheck,
            .subject = file.string(),
            .state = CheckState::problem,
            .found = found,
            .mend = mend,
            .cause = true};
    };
    std::error_code none;
    if (!fs::exists(file, none))
        return variable.empty() ? broken("leads nowhere", mend_of_file({file.string()}))
                                : wrong_variable(variable, file.string());
    if (library.find_first_not_of(" \t\r") == library.npos)
        return broken("names no library in its first line, or cannot be read", mend_of_file({file.string(), variable}));
    if (const char end = library.back(); end == ' ' || end == '\t' || end == '\r')
        return broken(fmt::format("its line ends in a {}, which the loader takes for a part of the library's name",
                          end == '\r' ? "carriage return" : "blank"),
            fmt::format("sudo sed -i 's/[[:space:]]*$//' {}", file.string()));
    return with_devices(surroundings,
        library_row(surroundings, kCheck, file.string(), library, {file.string(), variable}, "opencl driver"), library);
}

/// What a variable names in place of files.
CheckRow named_row(const Surroundings& surroundings, const std::string& library, const std::string& variable) {
    return with_devices(
        surroundings, library_row(surroundings, kCheck, library, library, {"", variable}, "opencl driver"), library);
}
} // namespace

Json open_opencl_driver(const std::string& name) {
    using Find = void*(const char*);
    using Platforms = cl_int(cl_uint, cl_platform_id*, cl_uint*);
    Json answer = open_library(name);
    if (!answer.contains("path")) return answer;
    const Library library{name.c_str()};
    Find* find = nullptr;
    Platforms* list = nullptr;
    if (!library.load(list, "clIcdGetPlatformIDsKHR") && library.load(find, "clGetExtensionFunctionAddress"))
        list = reinterpret_cast<Platforms*>(find("clIcdGetPlatformIDsKHR"));
    if (!list) return answer["refuses"] = "is no OpenCL driver", answer;
    cl_uint platforms = 0, devices = 0;
    if (list(0, nullptr, &platforms) != CL_SUCCESS) platforms = 0;
    std::vector<cl_platform_id> found(platforms);
    if (platforms && list(platforms, found.data(), nullptr) != CL_SUCCESS) return answer;
    for (cl_platform_id platform : found) {
        // What a platform of any driver that the loader knows begins with; a driver whose loader fills it is marked.
        const cl_icd_dispatch* const calls = *reinterpret_cast<const cl_icd_dispatch* const*>(platform);
        constexpr std::uintptr_t kFilledByLoader = 0x4F50454E434C3331; // CL_ICD2_TAG_KHR
        if (!calls || reinterpret_cast<std::uintptr_t>(calls->clGetPlatformIDs) == kFilledByLoader) return answer;
        cl_uint count = 0;
        if (calls->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) == CL_SUCCESS) devices += count;
    }
    answer["devices"] = devices;
    return answer;
}

const ApiTables& opencl_tables() {
    static constexpr ApiTables kTables{"opencl", kOpenclReasons, kOpenclVariables,
        "no GPU is here; to try OpenCL on the processor: sudo apt install pocl-opencl-icd", true, "clGetPlatformIDs"};
    return kTables;
}

namespace {
/// What the loader opens.
struct Drivers {
    fs::path folder;                                              // that it looks in
    std::string variable{};                                       // which names the folder; "": none does
    bool is_here = true;                                          // the folder
    std::vector<NamedBy> files{};                                 // *.icd, with the variable that chose each
    std::vector<std::pair<std::string, const char*>> libraries{}; // that variables name
};

constexpr const char* kLoader = name_here("libOpenCL.so.1", "OpenCL.dll");
constexpr const char* kVendors = "etc/OpenCL/vendors";

std::vector<std::string> icd_files(const fs::path& folder) {
    std::error_code none;
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder, none))
        if (entry.path().extension() == ".icd") files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

std::optional<fs::path> conda_prefix() {
    const auto prefix = variable("CONDA_PREFIX");
    return prefix && !prefix->empty() ? std::optional<fs::path>(*prefix) : std::nullopt;
}

/// Where the loader looks by itself: conda's own loader looks in conda's folder alone.
fs::path folder_of_loader(const Surroundings& surroundings) {
    const auto conda = conda_prefix();
    const auto steered = steered_folder(kLoader);
    std::error_code none;
    const bool of_conda = conda && steered && fs::equivalent(*steered, *conda / "lib", none);
    return (of_conda ? *conda : surroundings.root) / kVendors;
}

Drivers drivers_of(const Surroundings& surroundings) {
    Drivers drivers{.folder = folder_of_loader(surroundings)};
    const auto look_in = [&](const std::string& folder, const char* name) {
        drivers.folder = folder;
        drivers.variable = name;
    };
    if (const auto vendors = variable("OPENCL_VENDOR_PATH"); vendors && !vendors->empty())
        look_in(*vendors, "OPENCL_VENDOR_PATH");
    const std::string chosen = variable("OCL_ICD_VENDORS").value_or("");
    std::error_code none;
    const bool a_folder = fs::is_directory(chosen, none);
    if (a_folder) look_in(chosen, "OCL_ICD_VENDORS");
    else if (chosen.ends_with(".icd")) drivers.files.push_back({chosen, "OCL_ICD_VENDORS"});
    else if (!chosen.empty()) drivers.libraries.emplace_back(chosen, "OCL_ICD_VENDORS");
    if (chosen.empty() || a_folder) {
        for (const std::string& file : icd_files(drivers.folder)) drivers.files.push_back({file, drivers.variable});
    }
    drivers.is_here = drivers.variable.empty() || fs::is_directory(drivers.folder, none);
    for (const std::string& library : split(variable("OCL_ICD_FILENAMES").value_or(""), ':'))
        if (!library.empty()) drivers.libraries.emplace_back(library, "OCL_ICD_FILENAMES");
    return drivers;
}

/// The libraries of drivers, each once.
std::vector<std::string> libraries_of(const Drivers& drivers) {
    std::vector<std::string> libraries;
    const auto add = [&](const std::string& library) {
        if (!library.empty() && std::find(libraries.begin(), libraries.end(), library) == libraries.end())
            libraries.push_back(library);
    };
    for (const NamedBy& each : drivers.files) add(line_of(each.file));
    for (const auto& [library, name] : drivers.libraries) add(library);
    return libraries;
}

/// Drivers that conda brought and the loader does not read. A person's own choice among drivers is no fault of conda's,
/// unless nothing is left.
std::vector<CheckRow> unread_rows_of_conda(const Surroundings& surroundings, const Drivers& drivers) {
    std::vector<CheckRow> rows;
    const auto conda = conda_prefix();
    const bool absent = is_absent(surroundings, "opencl");
    if (!conda || (!absent && !variable("OCL_ICD_VENDORS").value_or(drivers.variable).empty())) return rows;
    const fs::path folder = *conda / kVendors;
    const std::vector<std::string> read = libraries_of(drivers);
    for (const std::string& file : icd_files(folder)) {
        const std::string library = line_of(file);
        if (library.empty() || std::find(read.begin(), read.end(), library) != read.end()) continue;
        CheckRow row = library_row(surroundings, kCheck, file, library, {file, ""}, "opencl driver");
        const bool whole = row.state == CheckState::ok;
        row.state = whole && absent ? CheckState::problem : CheckState::note;
        row.cause = whole && absent;
        if (whole) {
            row.found =
                fmt::format("{} of conda is not read: the loader looks in {} alone", library, drivers.folder.string());
            row.mend = read.empty() ? fmt::format("export OCL_ICD_VENDORS={}", folder.string())
                                    : fmt::format("export OCL_ICD_FILENAMES={}", library);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}
} // namespace

std::vector<std::string> opencl_drivers() { return libraries_of(drivers_of({})); }

/// Of the two loaders ocl-icd takes a library from OCL_ICD_VENDORS, and Khronos's takes that for a folder without
/// files.
void choose_opencl_driver(const std::string& library) {
    for (const char* name : {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"}) set_environment(name, library);
}

std::vector<CheckRow> check_opencl(const Surroundings& surroundings) {
    const Drivers drivers = drivers_of(surroundings);
    const fs::path& folder = drivers.folder;
    std::vector<CheckRow> rows;
    if (!drivers.is_here) rows.push_back(wrong_variable(drivers.variable, folder.string()));
    for (const NamedBy& each : drivers.files) rows.push_back(icd_row(surroundings, each.file, each.variable));
    for (const auto& [library, name] : drivers.libraries) rows.push_back(named_row(surroundings, library, name));
    for (CheckRow& row : unread_rows_of_conda(surroundings, drivers)) rows.push_back(std::move(row));
    if (rows.empty())
        rows.push_back({kCheck, folder.string(), absence_state(surroundings, "opencl"),
            "no driver: no file *.icd is in this folder", install_mend(surroundings, "opencl")});
    return api_rows(surroundings, opencl_tables(), "opencl loader", kLoader, rows);
}

} // namespace sonde
