// Workloads on modelled cards (stencil, gather, histogram): demands, and checks of the output.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/probes/probes.h"
#include "tests/measure/workload_bench.h"
#include "tests/model/measured.h"
#include "tests/thorough.h"

using namespace sonde;

TEST_CASE("the other workloads: what each demands, and all of its output checked") {
    struct Row {
        const char *probe, *path;
        double read, written, operations, random_loads, atomics; // of a unit of work
        const char* told;                                        // the row of its finding that has them
        std::uint64_t mebibytes;                                 // of memory, half of which is the most
        double bytes;                                            // of a unit of work, at the card's bandwidth
        Options options;
        std::vector<double> x;
        bool every_day = true;
    };
    const Row rows[] = {
        {"workload.stencil", "global", 4, 4, 8, 0, 0, "operations for it", 16, 8, {}, {1 << 13, 1 << 16, 1 << 19}},
        {"workload.gather", "global", 4, 0.5, 0, 1, 0, "random loads for it", 96, 36.5, {},
            {1 << 14, 1 << 17, 1 << 20, 1 << 23}, false},
        {"workload.histogram", "scratchpad", 4, 0, 0, 0, 1, "atomic additions for it", 16, 4, {{"data", "skewed"}},
            {1 << 18, 1 << 21}},
        {"workload.histogram", "global", 4, 0, 0, 0, 1, "atomic additions for it", 16, 4, {{"data", "uniform"}},
            {1 << 18, 1 << 21}, false}};
    for (const Row& row : rows) {
        if (!row.every_day && !thorough()) continue; // they take three quarters of the test
        CAPTURE(std::string(row.probe));
        CardModel card = workload_card();
        card.memory_bytes = row.mebibytes << 20;
        const auto device = model_device(card, 1);
        const Series series = measured(*device, row.probe, row.path, "quick", 1, row.options);
        CAPTURE(series.reason);
        REQUIRE(series.status == Status::ok);
        std::vector<double> x;
        for (const Point& point : series.points) x.push_back(point.x);
        CAPTURE(fmt::format("{}", fmt::join(x, " ")));
        CHECK((x == row.x));
        const double units = 1 / series.evidence.demand.back().launches; // of a step, which is launched behind others
        CHECK(units / *series.points.back().median ==
              doctest::Approx(units * row.bytes / card.bandwidth * 1e9 + card.launch_ns).epsilon(0.01));
        CHECK(series.evidence.dispatches_checked == row.x.size());
        const auto found = findings_of(probe_named(row.probe), series, device->info());
        REQUIRE(found.size() == 1);
        CAPTURE(found[0].text);
        const Demand& demand = series.evidence.demand.back();
        CHECK(demand.read_bytes == row.read);
        CHECK(demand.written_bytes == row.written);
        CHECK(demand.operations == row.operations);
        CHECK(demand.random_loads == row.random_loads);
        CHECK(demand.atomics == row.atomics);
        const auto told = std::ranges::find(found[0].rows, std::string(row.told), &FindingRow::place);
        REQUIRE(told != found[0].rows.end());
        CHECK(told->value == row.operations + row.random_loads + row.atomics);
    }
}
