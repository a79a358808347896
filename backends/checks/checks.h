// The checks, and what those of the APIs do alike. Tables in backends/*/checks.cpp say what steers an API and what its
// errors ask for.
#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/checkup.h"

namespace sonde {

/// An API's devices, its loader, its drivers' files, and the variables that steer them.
std::vector<CheckRow> check_cuda(const Surroundings&);
std::vector<CheckRow> check_opencl(const Surroundings&);
std::vector<CheckRow> check_vulkan(const Surroundings&);
/// What this process was started with: libraries that are to be loaded first, and limits.
std::vector<CheckRow> check_process(const Surroundings&);
/// The question "vulkan driver": that of "library", and whether the driver would make an instance.
Json open_vulkan_driver(const std::string& name);
/// The question "opencl driver": that of "library", {"refuses": ...} where it is no OpenCL driver, and {"devices": how
/// many it shows}.
Json open_opencl_driver(const std::string& name);
/// The folders in which the Vulkan loader looks for manifests of that kind ("icd.d"), in its order.
std::vector<std::filesystem::path> folders_of_loader(const Surroundings&, const std::string& kind);
/// Of ApiDrivers (core/device/drivers.h).
std::vector<std::string> opencl_drivers();
void choose_opencl_driver(const std::string& library);
std::vector<std::string> vulkan_drivers();
void choose_vulkan_driver(const std::string& manifest);
/// Layers that the Vulkan loader puts before every program.
std::vector<CheckRow> layer_rows(const Surroundings&);
/// Opens RADV's null device of a family, of which a driver that does not know it may die.
Json open_null_family(const std::string& family);
/// Each card of the PCI bus: who shows it, its link, how much of its memory the host sees.
std::vector<CheckRow> check_cards(const Surroundings&);
/// Whether this user may open the device nodes of the cards that are here.
std::vector<CheckRow> check_nodes(const Surroundings&);
/// NVIDIA's kernel module against its library, and the settings of its cards.
std::vector<CheckRow> check_nvidia(const Surroundings&);
/// Of these settings, as the question "nvml" answers.
std::vector<CheckRow> nvml_rows(const Surroundings&, const Json& answer);

/// A variable that steers an API's drivers.
struct Variable {
    const char *name, *effect;
    bool empty_counts = false;      // also where it is set to nothing
    std::string_view harmless = {}; // a value with one of these words in it (by blanks) changes nothing
};
/// What to do where a reason for an API's absence has this part.
struct KnownReason {
    std::string_view part, mend;
};
struct ApiTables {
    std::string_view api;
    std::span<const KnownReason> reasons;
    std::span<const Variable> variables;
    std::string_view without_card; // what to do where no card is here that the API is made for
    bool processors;               // there are drivers for processors, too
    const char* loader_symbol;     // what every loader of the API exports
};

/// Each API's, constant.
const ApiTables& cuda_tables();
const ApiTables& opencl_tables();
const ApiTables& vulkan_tables();
/// Where nothing was opened, the reason names the variables that are set and steer the API's drivers.
Opened naming_variables(Opened opened, const ApiTables& tables);

/// The value of a variable; nullopt: not set.
std::optional<std::string> variable(const char* name);
/// Whether the API shows nothing.
bool is_absent(const Surroundings&, std::string_view api);
/// What to do where the API shows nothing, and no card is known that it is made for; where nobody can look, it says so.
std::string mend_without_card(const Surroundings&, const ApiTables&);
/// Whether an absence of this API is a problem: a card is here that it is made for, or its driver crashes.
CheckState absence_state(const Surroundings&, std::string_view api);
/// The API itself, its loader, the `drivers` that it has (and variables that name what is not here), and the other
/// variables that are set. What is absent for want of a loader is said once; where a driver is broken, or a variable
/// set, absence is a problem without a card, too.
std::vector<CheckRow> api_rows(const Surroundings&, const ApiTables&, const std::string& loader_check,
    const std::string& loader, const std::vector<CheckRow>& drivers = {});

} // namespace sonde
