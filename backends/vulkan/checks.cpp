// Why Vulkan is absent: its loader, and the drivers that manifests name, looked for where the loader does.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/checks/cards.h"
#include "backends/checks/checks.h"
#include "backends/checks/libraries.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/library.h"
#include "core/base/system.h"
#include "core/base/text.h"

namespace sonde {

namespace {
namespace fs = std::filesystem;

constexpr KnownReason kVulkanReasons[] = {
    {"VK_ERROR_INCOMPATIBLE_DRIVER", "the rows 'vulkan driver' say which drivers are there and what they lack"},
    {"no device", "the drivers are there and see no card: see the rows of device nodes and cards"},
    {"knows only Vulkan 1.0", "sudo apt install libvulkan1"},
    {"VK_ERROR_LAYER_NOT_PRESENT", "unset VK_INSTANCE_LAYERS"},
    {"VK_ERROR_OUT_OF_HOST_MEMORY", "more memory for this process: ulimit -v unlimited, or a larger limit of the "
                                    "container"}};
constexpr Variable kVulkanVariables[] = {{"VK_DRIVER_FILES", "the loader opens the drivers of these manifests alone"},
    {"VK_ICD_FILENAMES", "the loader opens the drivers of these manifests alone, unless VK_DRIVER_FILES is set"},
    {"VK_ADD_DRIVER_FILES", "the loader opens the drivers of these manifests as well"},
    {"VK_LOADER_DRIVERS_SELECT", "the loader opens the manifests with these names alone"},
    {"VK_LOADER_DRIVERS_DISABLE", "the loader leaves out the manifests with these names"},
    {"VK_INSTANCE_LAYERS", "these layers stand between the program and the driver"},
    {"MESA_VK_DEVICE_SELECT", "Mesa's layer puts this device first, or shows it alone"},
    {"NVIDIA_DRIVER_CAPABILITIES", "what the container got of NVIDIA's driver; Vulkan needs 'graphics' or 'all'", true,
        "graphics all"}};

std::string value_or(const char* name, const std::string& otherwise) {
    const auto value = variable(name);
    return value && !value->empty() ? *value : otherwise;
}

} // namespace

std::vector<fs::path> folders_of_loader(const Surroundings& surroundings, const std::string& kind) {
    const std::string root = surroundings.root == "/" ? "" : surroundings.root.string(),
                      home = root + value_or("HOME", "");
    std::vector<fs::path> folders;
    for (const std::string& parents :
        {value_or("XDG_CONFIG_HOME", home + "/.config"), value_or("XDG_CONFIG_DIRS", root + "/etc/xdg"),
            fmt::format("{0}/usr/local/etc:{0}/etc", root), value_or("XDG_DATA_HOME", home + "/.local/share"),
            value_or("XDG_DATA_DIRS", fmt::format("{0}/usr/local/share:{0}/usr/share", root))})
        for (const std::string& parent : split(parents, ':'))
            if (const fs::path folder = (fs::path(parent) / "vulkan" / kind).lexically_normal();
                !parent.empty() && std::find(folders.begin(), folders.end(), folder) == folders.end())
                folders.push_back(folder);
    return folders;
}

namespace {

/// A manifest, and the variable that names it, or the folder that it lies in; "": none does.
struct Manifest {
    fs::path file;
    std::string variable;
};

void add_manifests_of(const fs::path& folder, const std::string& variable, std::vector<Manifest>& manifests) {
    std::vector<fs::path> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none))
        if (entry.path().extension() == ".json") found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    for (const fs::path& file : found) manifests.push_back({file, variable});
}

/// The manifests of a variable: files, and folders of files.
void add_manifests_named(const std::string& variable, std::vector<Manifest>& manifests) {
    std::error_code none;
    for (const std::string& word : split(value_or(variable.c_str(), ""), ':')) {
        if (fs::is_directory(word, none)) add_manifests_of(word, variable, manifests);
        else if (!word.empty()) manifests.push_back({word, variable});
    }
}

std::vector<Manifest> all_manifests(const Surroundings& surroundings) {
    std::vector<Manifest> manifests;
    for (const char* alone : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
        add_manifests_named(alone, manifests);
        if (!value_or(alone, "").empty()) return manifests;
    }
    add_manifests_named("VK_ADD_DRIVER_FILES", manifests);
    for (const fs::path& folder : folders_of_loader(surroundings, "icd.d")) add_manifests_of(folder, "", manifests);
    return manifests;
}

/// Stars of a pattern stand for any text, as in the loader's.
bool fits(std::string_view pattern, std::string_view name) {
    const std::size_t star = pattern.find('*');
    if (star == pattern.npos) return pattern == name;
    if (pattern.substr(0, star) != name.substr(0, star)) return false;
    for (std::size_t skipped = star; skipped <= name.size(); ++skipped)
        if (fits(pattern.substr(star + 1), name.substr(skipped))) return true;
    return false;
}

/// Whether one of a variable's patterns, which commas separate, is that of a manifest's name.
bool matches(const std::string& patterns, const std::string& name) {
    const auto lower = [](const std::string& text) {
        return rewritten(text, [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    };
    for (const std::string& pattern : split(patterns, ','))
        if (!pattern.empty() && (pattern == "~all~" || fits(lower(pattern), lower(name)))) return true;
    return false;
}

/// The variable that leaves a manifest out; "": none.
std::string left_out_by(const std::string& name) {
    const std::string selected = value_or("VK_LOADER_DRIVERS_SELECT", ""),
                      disabled = value_or("VK_LOADER_DRIVERS_DISABLE", "");
    if (!selected.empty()) return matches(selected, name) ? "" : "VK_LOADER_DRIVERS_SELECT";
    return matches(disabled, name) ? "VK_LOADER_DRIVERS_DISABLE" : "";
}

/// NVIDIA's driver opens GLVND's libraries, and its own compiler of SPIR-V, by itself: without them it refuses, and
/// nothing says why.
CheckRow with_nvidias_needs(const Surroundings& surroundings, const CheckRow& row, const std::string& library) {
    const std::string name = fs::path(library).filename().string();
    const auto shows = [](const DeviceInfo& device) {
        return device.api == "vulkan" && device.driver.find("NVIDIA") != device.driver.npos;
    };
    if (!name.starts_with("libGLX_nvidia.so") && !name.starts_with("libEGL_nvidia.so")) return row;
    const Json opened = surroundings.ask("library", library);
    if (!opened.contains("path") || std::any_of(surroundings.devices.begin(), surroundings.devices.end(), shows))
        return row;
    std::vector<std::string> missing;
    const auto look_for = [&](const std::string& each) {
        if (surroundings.ask("library", each).contains("error")) missing.push_back(each);
    };
    for (const char* each : {"libGLdispatch.so.0", "libGLX.so.0", "libEGL.so.1"}) look_for(each);
    const bool glvnd = !missing.empty();
    const std::string file = fs::path(opened["path"].get<std::string>()).filename().string();
    if (const std::string version = file.substr(file.find(".so.") + 4); version.find('.') != version.npos)
        look_for("libnvidia-glvkspirv.so." + version);
    if (missing.empty()) return row;
    return {row.check, row.subject, CheckState::problem,
        fmt::format("{} opens {} as it runs, which {} not here", name, fmt::join(missing, ", "),
            missing.size() == 1 ? "is" : "are"),
        glvnd ? "sudo apt install libglvnd0 libglx0 libegl1" : nvidia_mend(surroundings, "nvidia-vulkan-icd")};
}

CheckRow manifest_row(const Surroundings& surroundings, const Manifest& named) {
    const fs::path& file = named.file;
    const auto broken = [&](const std::string& found) {
        return CheckRow{.check = "vulkan driver",
            .subject = file.string(),
            .state = CheckState::problem,
            .found = found,
            .mend = mend_of_file({file.string(), named.variable}),
            .cause = true};
    };
    const CheckRow row = broken("");
    std::error_code none;
    if (!fs::exists(file, none)) // a folder lists what is there
        return named.variable.empty() ? broken("leads nowhere") : wrong_variable(named.variable, file.string());
    if (const std::string by = left_out_by(file.filename().string()); !by.empty())
        return {row.check, row.subject, is_absent(surroundings, "vulkan") ? CheckState::problem : CheckState::note,
            fmt::format("left out by {}", by), fmt::format("unset {}", by)};
    const std::string text = text_of_file(file);
    if (text.empty()) return broken("cannot be read, or is empty");
    const Json manifest = read_json(text);
    if (!manifest.is_object()) return broken("not valid JSON");
    const Json icd = manifest.contains("ICD") && manifest["ICD"].is_object() ? manifest["ICD"] : Json::object();
    std::string library = text_field(icd, "library_path");
    if (library.empty()) return broken("names no library (ICD.library_path)");
    if (library.find('/') != library.npos) library = (file.parent_path() / library).lexically_normal().string();
    return with_nvidias_needs(surroundings,
        library_row(surroundings, row.check, row.subject, library, {row.subject, named.variable}, "vulkan driver"),
        library);
}
} // namespace

Json open_vulkan_driver(const std::string& name) {
    using Negotiate = int(std::uint32_t*);
    using GetProcAddr = void*(void*, const char*);
    Json answer = open_library(name);
    if (!answer.contains("path")) return answer;
    const Library library{name.c_str()};
    Negotiate* negotiate = nullptr;
    GetProcAddr* get = nullptr;
    std::uint32_t version = 5; // of the interface, which every driver since 2018 knows
    if (library.load(negotiate, "vk_icdNegotiateLoaderICDInterfaceVersion")) negotiate(&version);
    if (!library.load(get, "vk_icdGetInstanceProcAddr") && !library.load(get, "vkGetInstanceProcAddr"))
        answer["refuses"] = "is no Vulkan driver";
    else if (!get(nullptr, "vkCreateInstance")) answer["refuses"] = "can be opened, but makes no Vulkan instance";
    return answer;
}

std::vector<std::string> vulkan_drivers() {
    std::vector<std::string> files;
    for (const Manifest& each : all_manifests({}))
        if (std::find(files.begin(), files.end(), each.file.string()) == files.end())
            files.push_back(each.file.string());
    return files;
}

void choose_vulkan_driver(const std::string& manifest) {
    for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) set_environment(name, manifest);
    set_environment("VK_ADD_DRIVER_FILES", "");
}

const ApiTables& vulkan_tables() {
    static constexpr ApiTables kTables{"vulkan", kVulkanReasons, kVulkanVariables,
        "no GPU is here; to try Vulkan on the processor: sudo apt install mesa-vulkan-drivers", true,
        "vkGetInstanceProcAddr"};
    return kTables;
}

std::vector<CheckRow> check_vulkan(const Surroundings& surroundings) {
    const auto manifests = all_manifests(surroundings);
    std::vector<CheckRow> rows;
    rows.reserve(manifests.size());
    for (const Manifest& each : manifests) rows.push_back(manifest_row(surroundings, each));
    if (manifests.empty())
        rows.push_back({"vulkan driver", "", absence_state(surroundings, "vulkan"),
            fmt::format("no driver: no manifest in vulkan/icd.d of {} or {}", (surroundings.root / "etc").string(),
                (surroundings.root / "usr/share").string()),
            install_mend(surroundings, "vulkan")});
    rows = api_rows(surroundings, vulkan_tables(), "vulkan loader", name_here("libvulkan.so.1", "vulkan-1.dll"), rows);
    const auto layers = layer_rows(surroundings);
    rows.insert(rows.end(), layers.begin(), layers.end());
    return rows;
}

} // namespace sonde
