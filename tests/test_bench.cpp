// Speeds to read, run by scripts/bench alone: nothing here can fail on a time.
#include <chrono>
#include <iostream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "backends/backends.h"
#include "core/chase.h"
#include "core/source.h"

using namespace sonde;

TEST_CASE("bench: building a chain" * doctest::skip()) {
    for (const Backend& backend : all_backends())
        for (const auto& device : backend.open().devices) {
            const DeviceInfo& info = device->info();
            const std::uint64_t wanted = info.cpu ? 128ull << 20 : 8ull << 30;
            const std::uint64_t bytes = std::min({wanted, info.largest_buffer / 2 * 2, info.memory_bytes / 2});
            const std::uint32_t slot = info.cpu ? 64 : 128, group_size = info.cpu ? info.subgroup : 256;
            const Chain chain(static_cast<std::uint32_t>(bytes / slot), slot == 64 ? 4 : 5, 1);
            const auto buffer = device->allocate(Space::global, bytes);
            const auto kernel = device->compile(kernel_source("chain"), {.a = find_path("global"), .group_size = group_size, .defines = chain_defines(*find_path("global"))});
            const auto args = chain.kernel_args();
            const std::uint32_t groups = info.cpu ? std::max(info.cores, chain.slots() / (group_size * 2048)) : info.cores * 32;
            const Launch launch{.kernel = *kernel, .out = *buffer, .args = args, .groups = std::max(1u, groups)};
            device->run({&launch, 1});
            const double ns = device->run({&launch, 1})[0].host_ns;
            std::cout << fmt::format("bench: chain over {} MiB on {}: {:.1f} ms, {:.1f} GB/s\n", bytes >> 20, info.id, ns / 1e6, static_cast<double>(bytes) / ns);
        }
}
