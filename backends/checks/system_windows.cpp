// Windows: each API's loader, and the devices that it shows. The registry names the drivers, which the vendors'
// installers write: it is not read here.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/checks/checks.h"
#include "backends/checks/system.h"
#include "core/base/json.h"

namespace sonde {

namespace {
struct Loader {
    const ApiTables& (*tables)();
    const char *check, *library, *from; // the drivers that bring the library
};
constexpr Loader kLoaders[] = {{cuda_tables, "cuda driver", "nvcuda.dll", "NVIDIA's driver, where a card of its is"},
    {opencl_tables, "opencl loader", "OpenCL.dll", "the driver of the card's vendor"},
    {vulkan_tables, "vulkan loader", "vulkan-1.dll", "the driver of the card's vendor"}};

/// The API's devices, or why there are none.
CheckRow devices_row(const Surroundings& surroundings, const Loader& loader) {
    const std::string api(loader.tables().api);
    for (const ApiAbsence& absence : surroundings.absent)
        if (absence.api == api)
            return {api, "", absence.failed ? CheckState::problem : CheckState::note, absence.reason,
                fmt::format("install {}{}", loader.from, absence.failed ? " again" : "")};
    std::vector<std::string> devices;
    for (const DeviceInfo& device : surroundings.devices)
        if (device.api == api) devices.push_back(fmt::format("{} ({})", device.id, device.name));
    return {api, "", CheckState::ok, fmt::format("{}", fmt::join(devices, ", ")), ""};
}

std::vector<CheckRow> rows_of(const Surroundings& surroundings, const Loader& loader) {
    const Json answer =
        surroundings.ask("exports", fmt::format("{} {}", loader.library, loader.tables().loader_symbol));
    const std::string error = text_field(answer, "error"), trouble = text_field(answer, "trouble"),
                      refuses = text_field(answer, "refuses");
    const auto row = [&](CheckState state, const std::string& found, const std::string& mend) {
        return CheckRow{loader.check, "", state, found, mend};
    };
    if (!error.empty()) return {row(CheckState::note, error, fmt::format("install {}", loader.from))};
    const std::string again = fmt::format("install {} again", loader.from);
    if (!trouble.empty())
        return {row(CheckState::problem, fmt::format("a process that opens {} {}", loader.library, trouble), again)};
    if (!refuses.empty()) return {row(CheckState::problem, fmt::format("{} {}", loader.library, refuses), again)};
    return {devices_row(surroundings, loader), row(CheckState::ok, text_field(answer, "path"), "")};
}

std::vector<CheckRow> check_loaders(const Surroundings& surroundings) {
    std::vector<CheckRow> rows;
    for (const Loader& loader : kLoaders)
        for (const CheckRow& row : rows_of(surroundings, loader)) rows.push_back(row);
    return rows;
}
} // namespace

std::span<const Check> checks_here() {
    static constexpr Check kChecks[] = {check_process, check_loaders};
    return kChecks;
}

std::span<const ApiDrivers> drivers_here() { return {}; }

} // namespace sonde
