// Conformance, once per device of every backend: what queues do at once, and what work-items do to one memory at the same time.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "backends/backends.h"
#include "core/chain.h"
#include "core/chase.h"
#include "tests/device_words.h"

using namespace sonde;
using namespace sonde::words;

namespace {

/// A batch that is timed as a whole does the same work in the same order.
void check_whole(Device& device) {
    const auto empty = compiled(device, "empty", *find_path("global"));
    const auto out = uploaded(device, Space::global, Words{5, kUntouched});
    const uint one = 1, none = 0, seven = 7;
    std::vector<Launch> launches;
    for (const uint* mark : {&one, &none, &seven, &one}) launches.push_back({.kernel = *empty, .out = *out, .args = {mark, 1}, .groups = 3});
    const auto timings = device.run(launches, Timed::whole);
    REQUIRE(timings.size() == 4);
    for (const Timing& timing : timings) {
        CHECK(timing.host_ns > 0);
        CHECK(timing.host_ns == timings[0].host_ns);
        CHECK(!timing.device_ns);
    }
    CHECK(downloaded(device, *out, 2) == Words{14, kUntouched});
}

/// Copies of several lanes all arrive, each lane's in order; where an API cannot, it says so.
void check_lanes(Device& device) {
    Words data(1 << 16), other(1 << 16);
    std::iota(data.begin(), data.end(), kSeed);
    std::iota(other.begin(), other.end(), 7u);
    const std::size_t bytes = data.size() * sizeof(uint);
    const auto host_space = device.why_not(*find_path("host")) ? Space::global : Space::host;
    const auto host_from = uploaded(device, host_space, data), host_to = uploaded(device, host_space, Words(data.size(), kUntouched));
    const auto near_from = uploaded(device, Space::global, other), near_to = untouched(device, data.size());
    const auto with_lanes = [&](uint up, uint down) {
        return std::vector<Copy>{{.from = host_from.get(), .to = near_to.get(), .bytes = bytes, .lane = up},
                                 {.from = near_from.get(), .to = host_to.get(), .bytes = bytes, .lane = down},
                                 {.from = host_from.get(), .to = near_to.get(), .bytes = 4, .from_offset = 400, .lane = up},
                                 {.from = near_from.get(), .to = host_to.get(), .bytes = 4, .from_offset = 800, .lane = down}};
    };
    const auto arrive = [&](const std::vector<Copy>& copies) {
        for (const Buffer* buffer : {near_to.get(), host_to.get()}) {
            const Words nothing(data.size(), kUntouched);
            const Copy clear{.from_host = nothing.data(), .to = const_cast<Buffer*>(buffer), .bytes = bytes};
            device.copy({&clear, 1});
        }
        const auto timings = device.copy(copies);
        REQUIRE(timings.size() == copies.size());
        CHECK(timings[0].host_ns > 0);
        CHECK(timings[0].host_ns == timings[1].host_ns);
        CHECK(!timings[0].device_ns);
        Words up = data, down = other;
        up[0] = data[100];
        down[0] = other[200];
        CHECK(downloaded(device, *near_to, data.size()) == up);
        CHECK(downloaded(device, *host_to, data.size()) == down);
    };
    arrive(with_lanes(1, 1));
    try {
        arrive(with_lanes(1, 2));
    } catch (const Unsupported& why) {
        CHECK(std::string(why.what()) == "the device shows one queue: no two copies go on at once");
        CHECK(device.info().api == "vulkan");
    }
    Words back(data.size());
    const Copy pageable[] = {{.from_host = other.data(), .to = near_to.get(), .bytes = bytes, .lane = 1}, {.from = near_to.get(), .to_host = back.data(), .bytes = bytes, .lane = 1}};
    try {
        device.copy(pageable);
        CHECK(back == other);
    } catch (const Unsupported&) {
        CHECK(device.info().api == "vulkan");
    }
    // What was copied in lanes is there for kernels.
    const auto haul = compiled(device, "haul", *find_path("global"), device.info().subgroup);
    const uint words = static_cast<uint>(data.size());
    const Launch launch{.kernel = *haul, .a = host_from.get(), .out = *near_to, .args = {&words, 1}, .groups = 64};
    device.run({&launch, 1});
    CHECK(downloaded(device, *near_to, data.size()) == data);
}

/// Words from here to there, all of them and no more, in whatever shape.
void check_haul(Device& device) {
    Words data(1000);
    std::iota(data.begin(), data.end(), kSeed);
    const auto from = uploaded(device, Space::global, data);
    for (const uint group_size : {1u, device.info().subgroup}) {
        const auto haul = compiled(device, "haul", *find_path("global"), group_size);
        const auto to = untouched(device, 1000);
        const uint words = 997;
        const Launch launch{.kernel = *haul, .a = from.get(), .out = *to, .args = {&words, 1}, .groups = 3};
        device.run({&launch, 1});
        Words expected = data;
        for (std::size_t word = words; word < 1000; ++word) expected[word] = kUntouched;
        CHECK(downloaded(device, *to, 1000) == expected);
    }
}

struct Check {
    std::string_view name;
    void (*function)(Device&);
};
constexpr Check kChecks[] = {
    {"whole", check_whole},
    {"lanes", check_lanes},
    {"haul", check_haul},
};

} // namespace

TEST_CASE("every device of every backend: at the same time") {
    for (const Backend& backend : all_backends())
        for (const auto& device : backend.open().devices)
            for (const Check& check : kChecks) {
                CAPTURE(device->info().id);
                CAPTURE(check.name);
                try {
                    check.function(*device);
                } catch (const Error& error) {
                    FAIL_CHECK(error.what());
                }
            }
}
