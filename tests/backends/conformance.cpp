// Runs a check of conformance on the devices that are here.
#include "tests/backends/conformance.h"

#include <fmt/format.h>

#include "backends/backends.h"
#include "core/base/error.h"
#include "tests/required.h"
#include "tests/thorough.h"

namespace sonde {

namespace {
/// What compilers make of a check for a processor takes most of the time: every day `global`, and of the other paths a
/// third, another one for the next check.
bool has_its_day(const Device& device, std::string_view check, std::size_t path) {
    const bool compiled_for_processor = device.info().cpu && device.info().api != "host";
    return thorough() || !compiled_for_processor || all_paths()[path].name == "global" ||
           (path + check.size()) % 3 == 0;
}

/// An Error ends one check on one path, not the others.
void conform_on(
    Device& device, std::string_view name, std::initializer_list<std::string_view> paths, DeviceCheck* check) {
    CAPTURE(device.info().id);
    for (std::size_t i = 0; i < all_paths().size(); ++i) {
        const Path& path = all_paths()[i];
        const bool asked = *paths.begin() == kEveryPath
                               ? has_its_day(device, name, i)
                               : std::find(paths.begin(), paths.end(), path.name) != paths.end();
        if (!asked || device.why_not(path)) continue;
        CAPTURE(path.name);
        try {
            check(device, path);
        } catch (const Error& error) {
            FAIL_CHECK(std::string(error.what()));
        }
    }
}
} // namespace

void conform(const char* name, std::initializer_list<std::string_view> paths, DeviceCheck* check) {
    bool any = false;
    for (const Backend& backend : all_backends()) {
        if (!only_api().empty() && backend.api != only_api().substr(0, only_api().find(':'))) continue;
        const Opened opened = backend.open();
        for (const auto& device : opened.devices)
            if (device->info().id.starts_with(only_api())) conform_on(*device, name, paths, check);
        any = any || !opened.devices.empty();
        if (!opened.devices.empty()) continue;
        const std::string absence = fmt::format("{} is absent: {}", backend.api, opened.absent);
        if (opened.absent.empty() || opened.absent.find('\n') != std::string::npos)
            FAIL_CHECK("an API without devices says why, in one line: ", absence);
        else if (required(backend.api)) FAIL_CHECK(absence);
        else skip(absence);
    }
    if (any) skip(fmt::format("no path of the devices that are here has anything for {}", name));
}

} // namespace sonde
