// At which footprints all cores together read from a level.
#include <optional>
#include <utility>

#include <doctest/doctest.h>

#include "core/analysis/rate_levels.h"

using namespace sonde;

TEST_CASE("on a card a rate of L2 begins behind what the L1 of all its cores hold together") {
    constexpr double kib = 1024, mib = 1024 * kib;
    DeviceRecord device{{.id = "a:0", .cores = 32}, "c"};
    const auto level = [](double inside, std::optional<double> outside) {
        return Finding{.kind = "level", .capacity_bytes = std::pair(inside, outside)};
    };
    const Curve latency{.device = &device,
        .levels = {level(64 * kib, 72 * kib), level(4 * mib, 5 * mib), level(1024 * mib, std::nullopt)},
        .level_names = {LevelName::cache(1), LevelName::cache(2), LevelName::dram()}};
    const auto begins = [&](std::size_t number) {
        return rate_footprints(latency, latency.levels[number]).at(0).above;
    };
    CHECK(begins(0) == 16 * kib);
    CHECK(begins(1) == 2 * mib);
    device.cores = 60, device.cache_bytes = static_cast<std::uint64_t>(8 * mib); // of which latency shows the half
    const FootprintRange wide = rate_footprints(latency, latency.levels[1]).at(0);
    CHECK(wide.above == 3.75 * mib);
    CHECK(wide.to == 6 * mib);
    device.cores = 32;
    device.cpu = true; // whose cores read the same data
    CHECK(begins(1) == 1 * mib);
}
