// The first lines of a diagnosis.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/analysis/card_view.h"
#include "core/diagnosis/overview.h"
#include "tests/diagnosis/made_up.h"

using namespace sonde;
using namespace sonde::made_up;

TEST_CASE("the line of latencies says of which loads L2 far is a mean, where single loads were timed") {
    for (const std::uint32_t slow : {0u, 50u}) {
        MadeUp made;
        in_two_parts(made);
        if (slow > 0) made.single_loads("a:0", 6 * kMiB, slow);
        const std::string line = latency_line(cards_of({&made.run, 1})[0]);
        CAPTURE(line);
        CHECK(says({line},
            slow > 0 ? "L2 far 400 (mean: 50 % of loads take 600 or more, the others 308) to " : "L2 far 400 to "));
    }
}

TEST_CASE(
    "the line of latencies without global takes another path of memory and names it; paths beside it stand alone") {
    MadeUp cg, alone;
    cg.device("a:0"), cg.latency("a:0", "global.cg", kThree, kEnd);
    alone.device("a:0"), alone.latency("a:0", "scratchpad", {{29, kEnd}}, 48 * kKiB);
    CHECK(latency_line(cards_of({&cg.run, 1})[0]).starts_with("LATENCY, cycles (a:0 global.cg): L1 "));
    CHECK(latency_line(cards_of({&alone.run, 1})[0]) == "LATENCY, cycles (a:0): scratchpad 29");
}

TEST_CASE(
    "DRAM's rate is the median at 4 GiB and beyond; where a sweep ends before, from four times the last cache on") {
    MadeUp made;
    made.device("a:0"), made.latency("a:0", "global", kThree, kEnd);
    Series& reads = made.bandwidth("a:0", "global",
        {{32000, 64 * kKiB}, {9500, 4 * kMiB}, {7000, 16 * kMiB}, {5000, 2048 * kMiB}, {4500, 64 * kEnd}}, 8.0 * kEnd);
    CHECK(rate_line(cards_of({&made.run, 1})[0]).find("DRAM 4.5 TB/s at 4-8 GiB") != std::string::npos);
    std::erase_if(reads.points, [](const Point& point) { return point.x > kEnd; });
    CHECK(rate_line(cards_of({&made.run, 1})[0]).find("DRAM 5 TB/s at 19 MiB-1 GiB") != std::string::npos);
    made.run.devices[0].bus_bytes_per_second = 4.8e12; // which caches beat where a sweep was cut short
    CHECK(rate_line(cards_of({&made.run, 1})[0]).find("DRAM") == std::string::npos);
}

TEST_CASE("rates beyond the sweep of latency are told beside the level's where they are others") {
    const auto line = [](double beyond) {
        MadeUp made;
        made.device("a:0").cpu = true;
        made.latency("a:0", "global", {{6, kEnd}}, 8 * kKiB),
            made.bandwidth("a:0", "global", {{4.2, 12 * kKiB}, {beyond, kEnd}}, 23 * kKiB);
        return rate_line(cards_of({&made.run, 1})[0]);
    };
    CHECK(
        line(8.5).find("; 4.2 GB/s to 8.5 GB/s at 9.51-22.6 KiB, where latency was not measured") != std::string::npos);
    CHECK(line(4.3).find("not measured") == std::string::npos);
}

TEST_CASE(
    "the share of DRAM's peak, or what gives that peak where no driver reports it; for a processor nothing does") {
    const auto line = [](double peak, bool cpu) {
        MadeUp made;
        made.device("a:0", 0, peak).cpu = cpu;
        made.latency("a:0", "global", kThree, kEnd),
            made.bandwidth("a:0", "global", {{32000, 64 * kKiB}, {9500, 4 * kMiB}, {4500, 64 * kEnd}}, 8.0 * kEnd);
        return rate_line(cards_of({&made.run, 1})[0]);
    };
    CHECK(line(5e12, false).find("(90 % of peak)") != std::string::npos);
    CHECK(line(0, false).find("(no driver reports the memory's peak rate: --dram-bandwidth GB/s gives it)") !=
          std::string::npos);
    CHECK(line(0, true).find("(peak not reported)") != std::string::npos);
}

TEST_CASE("a processor's caches stand beside its levels as the system reports them, and may serve reads of DRAM though "
          "latency shows less of them") {
    MadeUp made;
    DeviceRecord& device = made.device("a:0");
    device.cpu = true, device.cache_levels = {32 << 10, 1 << 20, 256 << 20};
    made.latency("a:0", "global", {{1.4, 32 * kKiB}, {4, 300 * kKiB}, {14, 6 * kMiB}, {180, kEnd}}, kEnd),
        made.bandwidth("a:0", "global", {{32, kEnd}}, kEnd);
    const Card card = cards_of({&made.run, 1})[0];
    CHECK(latency_line(card).starts_with(
        "LATENCY, cycles (a:0; the system reports caches of 32 KiB, 1 MiB and 256 MiB): L1 "));
    CHECK(rate_line(card).find("(peak not reported, caches serve at most 100 % of it)") != std::string::npos);
}

TEST_CASE("rates without latencies: the highest, and that of the largest footprint") {
    MadeUp made;
    made.bandwidth("a:0", "global", {{30000, 1 * kMiB}, {1200, kEnd}}, kEnd),
        made.bandwidth("b:0", "texel", {{40000, kEnd}}, kEnd);
    made.bandwidth("c:0", "global", {{29000, kEnd}}, kEnd);
    const std::string all = rate_line(cards_of({&made.run, 1})[0]);
    CHECK(all.starts_with("READ global: a:0 30 TB/s at "));
    CHECK(all.find(", 1.2 TB/s at ") < all.find(" | c:0 29 TB/s at ")); // each device
    CHECK(all.find("b:0") == std::string::npos);
    MadeUp other;
    other.bandwidth("b:0", "texel", {{40000, kEnd}}, kEnd);
    CHECK(rate_line(cards_of({&other.run, 1})[0]).starts_with("READ texel: b:0 40 TB/s at "));
    MadeUp none;
    none.latency("a:0", "global", kThree, kEnd);
    CHECK(rate_line(cards_of({&none.run, 1})[0]).empty());
}

TEST_CASE("the first line counts series that have fewer blocks, and those of them that end early, as the doubt does") {
    MadeUp made;
    made.device("a:0");
    made.latency("a:0", "global", kThree, kEnd).ending =
        Ending{.by = EndedBy::time, .before = 1 << 20, .done = 2, .of = 3};
    made.latency("a:0", "texel", kThree, kEnd).ending = Ending{.by = EndedBy::time, .before = 1 << 20};
    made.latency("a:0", "scratchpad", kTwo, kEnd);
    made.series("latency", "a:0", "image2d", "ns", {}).status = Status::unsupported; // not counted
    const Card card = cards_of({&made.run, 1})[0];
    CHECK(card_line(card, "standard")
              .ends_with("Profile standard: 3 blocks (2 of 3 series fewer, as time was over, of which 1 ends early)."));
    CHECK(says(said(made.run, "cut_short"), "1 of 3 series ends within its sweep"));
}
