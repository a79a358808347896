// Times of launches are nanoseconds, whatever a driver's ticks are. tests/faults/CMakeLists.txt runs this on drivers
// whose ticks take ten nanoseconds, have fewer bits, wrap within each launch, or run backwards (SONDE_FAULT_VULKAN).
#include <doctest/doctest.h>

#include <cstdlib>
#include <string_view>

#include "backends/backends.h"
#include "tests/backends/device_words.h"
#include "tests/required.h"

using namespace sonde;
using namespace sonde::words;

namespace {
constexpr uint kRounds = 60'000, kGroups = 32; // together a tenth of a second of a processor

Timing timing_of(Device& device) {
    const auto kernel = compiled(device, "spin", *find_path("global"));
    const auto out = untouched(device, 4 + kGroups);
    const kernel_args::Spin args{.rounds = kRounds, .seed = kSeed};
    const Launch launch{.kernel = *kernel, .out = *out, .args = Bench::words_of(args), .groups = kGroups};
    device.run({&launch, 1}); // a driver may compile at the first
    return device.run({&launch, 1}).at(0);
}
} // namespace

TEST_CASE("vulkan: a launch takes as long by the driver's timestamps as the host waits for it, or has no time") {
    const char* script = std::getenv("SONDE_FAULT_VULKAN");
    const bool backwards = script && std::string_view(script) == "timestamps=backwards";
    for (const Backend& backend : all_backends()) {
        if (backend.api != "vulkan") continue;
        const Opened opened = backend.open();
        if (opened.devices.empty()) return skip(opened.absent);
        for (const auto& device : opened.devices) {
            const Timing timing = timing_of(*device);
            CHECK(timing.device_ns.has_value() == !backwards);
            if (!timing.device_ns) continue;
            CHECK(*timing.device_ns < 1.05 * timing.host_ns);
            CHECK(*timing.device_ns > 0.2 * timing.host_ns); // a busy machine may let the host wait
        }
    }
}
