// Devices of one API, held against each other.
#include "core/device/doubles.h"

#include <algorithm>

namespace sonde {

namespace {
/// "opencl:1" of "opencl:1.0"; "": the API has no platforms.
std::string platform_of(const DeviceInfo& device) {
    const std::size_t end = device.id.rfind('.');
    return end == std::string::npos ? "" : device.id.substr(0, end);
}

/// What shows that both are one; null: nothing does.
const char* what_is_equal(const DeviceInfo& a, const DeviceInfo& b) {
    const std::string platform = platform_of(a);
    if (a.api != b.api || a.driver != b.driver || a.name != b.name || a.cpu != b.cpu) return nullptr;
    if (!platform.empty() && platform == platform_of(b)) return nullptr;
    if (!a.uuid.empty() && !b.uuid.empty()) return a.uuid == b.uuid ? "UUID" : nullptr;
    if (!a.pci.empty() && !b.pci.empty()) return a.pci == b.pci ? "PCI address" : nullptr;
    return a.cpu ? "the processor, through one driver" : nullptr;
}
} // namespace

std::string first_of_double(const DeviceInfo& device) {
    const auto fact = std::ranges::find(device.facts, kDouble, &Fact::name);
    return fact == device.facts.end() ? "" : fact->value;
}

void note_doubles(std::span<DeviceInfo* const> devices) {
    for (std::size_t i = 0; i < devices.size(); ++i)
        for (std::size_t j = 0; j < i && first_of_double(*devices[i]).empty(); ++j)
            if (const char* equal = what_is_equal(*devices[i], *devices[j]);
                equal && first_of_double(*devices[j]).empty())
                devices[i]->facts.push_back({kDouble, devices[j]->id, equal});
}

} // namespace sonde
