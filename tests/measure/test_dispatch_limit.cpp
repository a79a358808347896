// The limit of a dispatch's time, on a modelled card slower than any that is sold: 2 cores at 800 MHz, 1 GB/s.
#include <algorithm>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "core/probes/probes.h"
#include "core/run/option.h"
#include "tests/model/measured.h"
#include "tests/model/model_device.h"
#include "tests/thorough.h"

using namespace sonde;

namespace {
constexpr double kLimitMs = 50; // Request::dispatch_limit_ms

CardModel slow_card(std::uint64_t mebibytes) {
    CardModel card{.name = "slow",
        .clock_mhz = 800,
        .cores = 2,
        .memory_bytes = mebibytes << 20,
        .caches = {{16 << 10, 35, 128, 128, Replacement::lru, 4, true},
            {256 << 10, 240, 128, 32, Replacement::hashed_lru, 16}},
        .tlbs = {},
        .bandwidth = 1e9,
        .operation = {.cycles = 10, .per_cycle = 8},
        .library_operations_per_cycle = 16,
        .first_level_rates = {}};
    for (const char* path : {"global", "texel", "constant", "host"}) {
        card.paths.push_back({.name = path, .caches = {0, 1}});
        card.first_level_rates[path] = 2e9;
    }
    card.first_level_rates["scratchpad"] = 4e9;
    return card;
}

struct Measured {
    Series series;
    double longest_ms; // of its dispatches
};
Measured measured_on(const CardModel& card, const Probe& probe, std::string_view path, const Options& options) {
    const auto device = model_device(card, 3);
    Series series = measured(*device, std::string(probe.name), std::string(path), "quick", 1, options);
    return {std::move(series), model_counts(*device).longest_ns * 1e-6};
}
} // namespace

TEST_CASE("no dispatch of a quick run lasts longer than its limit, whatever is measured on a slow card") {
    const CardModel card = slow_card(thorough() ? 96 : 64);
    CasesOfTheDay day(5);
    for (const Probe* probe : all_probes())
        for (const std::string_view path : probe->paths) {
            const auto& of_quick = probe->quick.paths;
            if (!of_quick.empty() && std::ranges::find(of_quick, path) == of_quick.end()) continue;
            auto variants = option_sets(*probe, *find_path(path), {});
            if (probe->quick.variants) variants.resize(std::min(variants.size(), probe->quick.variants));
            for (const Options& options : variants) {
                if (!day.take()) continue;
                const Measured found = measured_on(card, *probe, path, options);
                CAPTURE(std::string(probe->name));
                CAPTURE(std::string(path));
                CAPTURE(options_text(options));
                CAPTURE(found.series.reason);
                CHECK(found.longest_ms <= kLimitMs);
            }
        }
}

TEST_CASE("a workload whose larger steps would last too long ends at the largest that does not") {
    struct Row {
        const char *probe, *path;
        bool ends; // else its steps have less of the work
        Options options = {};
    };
    for (const Row& row : {Row{"workload.gather", "global", false}, {"workload.stencil", "global", true},
             {"workload.gemm", "scratchpad", true}, {"workload.gemm-library", "global", true, {{"numbers", "f16"}}}}) {
        CAPTURE(std::string(row.probe));
        const Measured found =
            measured_on(slow_card(row.ends ? 192 : 96), *find_probe(row.probe), row.path, row.options);
        CAPTURE(found.series.reason);
        REQUIRE(found.series.status == Status::ok);
        CHECK_FALSE(found.series.points.empty());
        CHECK(found.longest_ms <= kLimitMs);
        CHECK((found.series.ending && found.series.ending->by == EndedBy::dispatch) == row.ends);
    }
}

TEST_CASE("where a read of all of a large buffer would last too long, only shapes that read a part of it are tried") {
    const Measured found = measured_on(slow_card(256), *find_probe("bandwidth"), "global", {{"width", "16"}});
    REQUIRE(found.series.status == Status::ok);
    CHECK(found.series.points.back().x > 100e6);
    CHECK(found.longest_ms <= kLimitMs);
}

TEST_CASE("a limit that not even the smallest step keeps is a reason, and no failure") {
    const auto device = model_device(slow_card(64), 3);
    Series series{.id = {"workload.gemm", "model:0", "scratchpad", {}}};
    Collector collector(series);
    DeviceHistory history;
    const Outcome outcome = measure_series(
        *device, history, {.id = series.id, .profile = "quick", .seconds = 1e6, .dispatch_limit_ms = 0.3}, collector);
    history.kernels.clear();
    CHECK(outcome.status == Status::unsupported);
    CHECK(outcome.reason.find("0.3 ms") != std::string::npos);
    CHECK(series.points.empty());
}
