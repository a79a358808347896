// What probes conclude from made-up series: sentences that hold for what was measured, and no more.
#include <doctest/doctest.h>

#include <cmath>

#include "core/probes/probe.h"

using namespace sonde;

namespace {
using Points = std::vector<std::pair<double, double>>;

Series made(const char* probe, const char* path, const Options& options, const Points& points) {
    Series series{.id = {probe, "a:0", path, options}, .unit = "ns"};
    for (const auto& [x, value] : points) series.points.push_back({.x = x, .median = value, .samples = {}});
    return series;
}

std::string said(const Series& series, const DeviceInfo& device = {}) {
    const auto findings = find_probe(series.id.probe)->findings(series, device);
    return findings.size() == 1 ? findings[0].text : "";
}

/// 12 cores, of which the first six are one group; ns.
Series pairs_taking(double within_first, double within_second, double across) {
    Series series = made("core-to-core", "global", {{"scope", "cores"}}, {});
    for (std::uint32_t core = 0; core < 12; ++core) series.evidence.cores.numbers.push_back(core);
    for (std::size_t a = 0; a < 12; ++a)
        for (std::size_t b = a + 1; b < 12; ++b)
            series.points.push_back({.x = static_cast<double>(1 + a * 12 + b), .median = b < 6 ? within_first : a < 6 ? across : within_second, .samples = {}});
    return series;
}
} // namespace

TEST_CASE("core-to-core: a second group is one only where its cores are closer to each other than to the first") {
    CHECK(said(pairs_taking(87, 100, 133)).find("for the one address that they exchange, two groups of 6 and 6 cores: half a round trip takes 87 ns (median) within the first, 100 within the second, 133 across") != std::string::npos);
    CHECK(said(pairs_taking(87, 139, 133)).find("for the one address that they exchange, 6 of 12 cores are near one another: half a round trip takes 87 ns (median) among them, 133 between them and the others, 139 among the others. 98 % of 66 pairs") != std::string::npos);
}

TEST_CASE("mix: a path that reads faster beside another than alone was measured badly alone") {
    const auto mix = [](double a, double both, double b) { return said(made("mix", "texel", {{"other_path", "scratchpad"}}, {{0, a}, {50, both}, {100, b}})); };
    CHECK(mix(20, 28, 20).ends_with("the two paths overlap in part"));
    CHECK(mix(20, 39, 20).ends_with("the rates add up"));
    CHECK(mix(20, 44, 20).ends_with("doubtful, as one path reads faster in the mix than alone"));
    CHECK(mix(10, 28, 30).ends_with("doubtful, as one path reads faster in the mix than alone")); // 14 of the first
}

TEST_CASE("occupancy: no range goes beyond what the driver or the device says") {
    Series series = made("occupancy", "scratchpad", {}, {{512, 74.7}, {116224, 2328}});
    series.evidence = {.group_size = 32, .groups_per_core = 192, .alone_ns = 2438};
    CHECK(said(series).find(": 32-39 up to 512 B, 1 up to 114 KiB") != std::string::npos);
    CHECK(said(series, {.threads_per_core = 1024}).find(": 32 up to 512 B") != std::string::npos);
    series.evidence.resident_by_driver = {{512, 32}, {116224, 1}};
    CHECK(said(series).find(": 32 up to 512 B, 1 up to 114 KiB. The driver's occupancy query agrees at all 2 points") != std::string::npos);
    series.points[0].median = 2438.0 / 192; // all 192 at once
    series.evidence.resident_by_driver.clear();
    CHECK(said(series).find("192 (the most tried) up to 512 B") != std::string::npos);
}

TEST_CASE("scratchpad-fill: the rate of the largest copies, from where on it is nearly reached, and the latency of one") {
    const auto filled = [](const char* by, const char* in_flight) { return said(made("scratchpad-fill", "scratchpad", {{"by", by}, {"in_flight", in_flight}, {"level", "LLC"}}, {{16, 320}, {4096, 64}, {8192, 120}, {16384, 256}})); };
    CHECK(filled("bulk", "8").ends_with("from LLC, a core's scratchpad fills by cp.async.bulk at 68.3 GB/s with copies of 8 KiB, 8 under way. From 4 KiB on it reaches 90 % of that. Copies of 16 KiB reach 64 GB/s"));
    CHECK(filled("loads", "1").ends_with(". Copies of 16 KiB reach 64 GB/s. A copy of 16 B takes 320 ns, of 16 KiB 256 ns")); // a size that scratchpads of every API have room for
    Series everywhere = made("scratchpad-fill", "scratchpad", {{"by", "bulk"}, {"in_flight", "8"}, {"level", "DRAM"}, {"on", "all-cores"}}, {{8192, 256}});
    everywhere.evidence.shape = ShapeEvidence{.group_size = 256, .groups = 100};
    everywhere.evidence.footprint_bytes = 1ull << 30;
    CHECK(said(everywhere).ends_with("from DRAM (footprint 1 GiB), by a workgroup of 256 work-items on each core, a core's scratchpad fills by cp.async.bulk at 32 GB/s while all 100 do so (3.2 TB/s together) with copies of 8 KiB, 8 under way"));
    CHECK(filled("work-group-copy", "8").find("fills by async_work_group_copy at 68.3 GB/s with copies of 8 KiB, asked for 8 at a time") != std::string::npos);
    CHECK(filled("work-group-strided-copy", "8").find("fills by async_work_group_strided_copy of every second 16 bytes at 68.3 GB/s") != std::string::npos);
}

TEST_CASE("scratchpad-fill: a time that no size changes is told, not a rate") {
    const auto filled = [](const char* in_flight) { return said(made("scratchpad-fill", "scratchpad", {{"by", "bulk"}, {"in_flight", in_flight}, {"level", "LLC"}}, {{16, 121}, {4096, 124}, {16384, 124}})); };
    CHECK(filled("8").ends_with("from LLC, to a core's scratchpad by cp.async.bulk, 8 under way: a copy ends every 124 ns whatever its size to 16 KiB: 132 GB/s at that"));
    CHECK(filled("1").find("a copy takes 124 ns whatever its size") != std::string::npos);
}

TEST_CASE("transfer: the best rate and the last one, each with its size; a store that is not waited for is issued") {
    const auto copied = [](const Options& options, double last) { return said(made("transfer", "host", options, {{4, 1}, {1 << 20, 16.9}, {64 << 20, last}})); };
    const Options pageable{{"direction", "to-device"}, {"engine", "copy"}, {"memory", "pageable"}};
    CHECK(copied(pageable, 6.8).ends_with("copies of pageable memory to the device: 16.9 GB/s at 1 MiB, 6.8 GB/s at 64 MiB, half of the latter from 1 MiB per transfer on. One of 4 B takes 4 ns"));
    CHECK(copied(pageable, 16).ends_with("16.9 GB/s at 1 MiB, less by at most 6 % at all sizes from 1 MiB to 64 MiB per transfer. One of 4 B takes 4 ns"));
    Options stores = pageable;
    stores["engine"] = "processor";
    CHECK(copied(stores, 16).ends_with("Issuing a store of 4 B takes 4 ns"));
    stores["test"] = "waited";
    CHECK(copied(stores, 16).ends_with("One of 4 B takes 4 ns"));
}

TEST_CASE("texture-walk: what a texel takes in the smallest and the largest image") {
    CHECK(said(made("texture-walk", "image2d", {{"order", "columns"}}, {{4096, 40}, {16384, 41}, {32u << 20, 90}})).ends_with("a walk along columns takes 40 ns per texel of 32 x 32, and 90 ns per texel of 2048 x 4096"));
    CHECK(said(made("texture-walk", "image2d", {{"order", "morton"}}, {{4096, 40}, {16384, 50}})).ends_with("a walk in Morton order takes 40 ns per texel of 32 x 32, and 50 ns per texel of 64 x 64"));
}

TEST_CASE("texture-tile: a rectangle of texels, or why there is none") {
    const auto seen = [](double width, double height, bool odd_corner = false) {
        Points points;
        for (const double texels : {1, 2, 4, 8, 16}) points.emplace_back(texels, texels < width ? 200 : 300);
        for (const double rows : {1, 2, 4, 8})
            for (const double texels : {0, 1, 3, 7}) points.emplace_back(rows * 64 + texels, texels < width && rows < height && !(odd_corner && texels == 3) ? 200 : 300);
        return said(made("texture-tile", "image2d", {}, points));
    };
    CHECK(seen(8, 4).ends_with("a miss of the texture cache fetches 8 x 4 texels of 4 bytes (128 bytes)"));
    CHECK(seen(16, 1).ends_with("a miss of the texture cache fetches 16 x 1 texels of 4 bytes (64 bytes): rows are not tiled"));
    CHECK(seen(4, 2, true).find("inconclusive: what a miss fetches is no rectangle: 4 x 2 texels along row and column, but not at 3 and 1") != std::string::npos);
    CHECK(seen(64, 4).find("inconclusive: what a miss fetches does not end within 16 texels along a row") != std::string::npos);
    CHECK(seen(64, 64).find("no tile seen") != std::string::npos);
}

TEST_CASE("saturation: of a chosen shape, what a few workgroups read and on how many cores") {
    Series series = made("saturation", "global", {{"level", "LLC"}, {"shape", "8x1024x1"}}, {{1, 60}, {2, 118}, {1e6, 4000}});
    series.evidence = {.shape = ShapeEvidence{.group_size = 1024, .loads_in_flight = 8}};
    series.evidence.cores_of_groups = Json::parse(R"({"1": 1, "2": 2, "1000000": 132})").get<decltype(Evidence::cores_of_groups)>();
    CHECK(said(series).ends_with("workgroups of 1024 work-items, with 8 independent loads of 16 bytes each in the source. 1 workgroup on 1 core 60 GB/s, 2 workgroups on 2 cores 118 GB/s, 1e+06 workgroups on 132 cores 4 TB/s"));
}

TEST_CASE("bandwidth: clusters read each other's scratchpads") {
    Series series = made("bandwidth", "cluster", {{"width", "16"}, {"cluster", "8"}}, {{4096, 2000}, {65536, 2560}});
    series.evidence.shape = ShapeEvidence{.groups = 128};
    CHECK(said(series).ends_with("in clusters of 8, each workgroup reads the next one's scratchpad: 2.56 TB/s at most, 20 GB/s for each of 128 workgroups"));
}

TEST_CASE("sharing: no more than all lines are evicted") {
    Series series = made("sharing", "constant", {{"other_path", "constant"}}, {{1024, 50}, {2048, 154}, {4096, 154}, {8192, 154}});
    series.evidence.levels = {{.ns = 50, .on_bytes = 2048}, {.ns = 150}};
    series.evidence.filling_bytes = 4096;
    CHECK(said(series).ends_with("loads on constant evict 100 % of this path's L1 lines: the control of other paths"));
}

TEST_CASE("atomics: an addition that returns to no register, though a reduction would do, is said to") {
    Series series = made("atomics", "global", {{"layout", "same-address"}}, {{1, 0.99}, {528, 1.37}});
    const auto shown = [&](const char* instruction, const char* kind) {
        series.evidence.kernel = KernelEvidence{.listing = {.kind = "sass"}, .atomics = std::vector<AtomicEvidence>{{.instruction = instruction, .kind = kind}}};
        return said(series);
    };
    CHECK(shown("ATOMG.E.ADD.STRONG.GPU PT, RZ, desc[UR4][R4.64], R9", "ATOMG.E.ADD.STRONG.GPU").ends_with("990 Mop/s with one on one core. Instruction ATOMG.E.ADD.STRONG.GPU (the returning form, result discarded)"));
    CHECK(shown("ATOMG.E.ADD.STRONG.GPU PT, R5, desc[UR4][R4.64], R9", "ATOMG.E.ADD.STRONG.GPU").ends_with("Instruction ATOMG.E.ADD.STRONG.GPU"));
}

TEST_CASE("atomics: how many bytes words of their own span in memory") {
    Series series = made("atomics", "global", {{"layout", "consecutive"}}, {{1, 12}, {528, 430}});
    series.evidence.shape = ShapeEvidence{.group_size = 256};
    CHECK(said(series).find("430 Gop/s of u32 add on neighbouring words of 528 KiB, each lane its own, with 528 workgroups") != std::string::npos);
    series.id.options["layout"] = "distinct-lines";
    CHECK(said(series).find("on words a line apart of 16.5 MiB, each lane its own, with") != std::string::npos);
    series.id.options["layout"] = "same-address";
    CHECK(said(series).find("on one address with 528 workgroups, 12 Gop/s with one on one core") != std::string::npos);
    series.points[1].median = 12.05;
    CHECK(said(series).ends_with("with 1 to 528 workgroups"));
}

TEST_CASE("load-times: neighbouring footprints whose loads take as long are told together") {
    Series series = made("load-times", "global", {}, {{24 << 10, 42}, {96 << 10, 42}, {8 << 20, 290}, {256 << 20, 677}});
    const auto times = [](std::uint64_t bytes, double from) { return LoadTimes{.footprint_bytes = bytes, .nothing = 23, .bin = 1, .from = {from}, .loads = {1000}}; };
    series.evidence.load_times = {times(24 << 10, 64), times(96 << 10, 65), times(8 << 20, 312), times(256 << 20, 700)};
    CHECK(said(series).find(" at 24-96 KiB (") != std::string::npos);
    CHECK(said(series).find(" at 8 MiB (") != std::string::npos);
    series.evidence.load_times[1] = times(96 << 10, 80);
    CHECK(said(series).find(" at 24 KiB (") != std::string::npos);
}

TEST_CASE("segment-share: no slow segment is excluded where chunks one by one differ") {
    Series series = made("segment-share", "global", {}, {{0, 3780}, {75, 3700}, {100, 3770}});
    series.evidence.chunks = 270, series.evidence.alone_gb_per_s = {3780, 3700};
    CHECK(said(series).find(": no slow segment seen in 2 of 270 chunks: all reads from one chunk reach 3.78 TB/s") != std::string::npos);
    series.evidence.alone_gb_per_s = {4490, 3290};
    CHECK(said(series).find(": inconclusive: 2 of 270 chunks, tried one by one, read 3.29 TB/s to 4.49 TB/s, but all reads from one chunk reach 3.78 TB/s") != std::string::npos);
    series.evidence.alone_gb_per_s = {4490, 3290, 4000, 3650}; // one slope
    CHECK(said(series).find(": no group of slow chunks seen in 4 of 270 chunks: tried one by one they read 3.29 TB/s to 4.49 TB/s, cause unknown, without a gap of 15 % that parts slow ones from fast ones; all reads from one chunk reach 3.78 TB/s") != std::string::npos);
}

TEST_CASE("segment-share: both chunks together are faster only where runs differ by less") {
    const auto shares = [](double mixed) {
        Series series = made("segment-share", "global", {}, {{0, 3780}, {75, mixed}, {100, 3780}});
        series.unit = "GB/s";
        return said(series);
    };
    CHECK(shares(3800).ends_with("from another 3.78 TB/s. No share of both reads faster"));
    CHECK(shares(4200).ends_with("from another 3.78 TB/s. From both 4.2 TB/s at 75 % from the other"));
}

TEST_CASE("stream: what each byte that is counted takes") {
    Series series = made("stream", "global", {{"operation", "triad"}, {"type", "f64"}}, {{1 << 20, 12000}, {1 << 30, 4300}});
    series.x = {"footprint", "bytes"}, series.unit = "GB/s", series.evidence.unit_of_work = "bytes read and bytes written, both counted";
    series.evidence.demand = {{.read_bytes = 2 / 3.0, .written_bytes = 1 / 3.0, .operations = 1 / 12.0}};
    CHECK(said(series).ends_with("4.3 TB/s at 1 GiB, at best 12 TB/s at 1 MiB. Of each byte counted: 0.667 read, 0.333 written, with 0.0833 operations"));
    series.points.insert(series.points.begin() + 1, {{.x = 4 << 20, .median = 11800, .samples = {}}, {.x = 8 << 20, .median = 9000, .samples = {}}});
    CHECK(said(series, {.cores = 128}).find("at best 12 TB/s at 1-4 MiB. Of") != std::string::npos);
}

TEST_CASE("atomics: the branch that joins a subgroup's lanes is named where all have one word") {
    for (const auto& [layout, named] : {std::pair{"same-address", true}, {"consecutive", false}, {"distinct-lines", false}}) {
        Series series = made("atomics", "global", {{"layout", layout}}, {{1, 11}, {528, 43}});
        series.evidence.kernel = KernelEvidence{.listing = {.kind = "sass"}, .atomics = std::vector<AtomicEvidence>{{.kind = "REDG.E.ADD"}, {.kind = "REDG.E.ADD", .combined_by = "REDUX.SUM"}}};
        CHECK((said(series).find("REDG.E.ADD (one per subgroup, after REDUX.SUM, in one of two branches)") != std::string::npos) == named);
        CHECK(said(series).ends_with("REDG.E.ADD (in one of two branches)") != named);
    }
}

TEST_CASE("bandwidth-latency: two figures where saturation is not resolved, and atomic operations are counted") {
    const auto loaded = [](const char* load, const Points& points) {
        Series series = made("bandwidth-latency", "global", {{"level", "DRAM"}, {"load", load}}, points);
        series.evidence.unthrottled_gb_per_s = 1200;
        return find_probe("bandwidth-latency")->findings(series, {}).at(0).text;
    };
    CHECK(loaded("reads", {{0, 360}, {50, 420}, {100, 900}}).ends_with("420 ns at 600 GB/s, 900 ns at 1.2 TB/s. All others read neighbouring words"));
    CHECK(loaded("atomics", {{0, 360}, {50, 420}, {100, 900}}).ends_with("420 ns at 150 Gop/s, 900 ns at 300 Gop/s (1.2 TB/s of words). All others add u32 to neighbouring words"));
    CHECK(loaded("reads", {{0, 360}, {50, 420}, {86, 500}, {100, 1580}, {102, 619}}).ends_with("1.58 us at 1.2 TB/s and 619 ns at 1.22 TB/s. All others read neighbouring words"));
}

TEST_CASE("bandwidth-latency: the rates between which the latency doubles, as far as quartiles resolve it, or how much it rises at most") {
    const auto doubled = [](const Points& points, double quartile = 1) { // times the medians, and their part
        Series series = made("bandwidth-latency", "global", {{"level", "DRAM"}, {"load", "reads"}}, points);
        series.evidence.unthrottled_gb_per_s = 1000;
        for (Point& point : series.points) point.low = *point.median / quartile, point.high = *point.median * quartile;
        const auto findings = find_probe("bandwidth-latency")->findings(series, {});
        REQUIRE(findings.size() == 2);
        CHECK(findings[1].name == "DRAM reads doubled");
        return findings[1];
    };
    const Points steep{{0, 300}, {50, 330}, {80, 450}, {90, 750}, {100, 900}};
    const Finding found = doubled(steep);
    CHECK(*found.value == 90);
    CHECK(found.unit == "%");
    CHECK(found.x == std::vector<double>{0, 80, 90});
    CHECK(found.text.ends_with("under reads, the latency of DRAM doubles between 80 and 90 % of the unthrottled 1 TB/s (1.50 and 2.50 times the idle one)"));
    CHECK(doubled(steep, 1.3).text.find("between 80 and 100 %") != std::string::npos); // the quartiles at 90 % lie on both sides
    CHECK(doubled({{0, 300}, {80, 450}, {90, 900}, {95, 700}, {100, 5000}}).text.find("between 80 and 90 %") != std::string::npos);
    CHECK(doubled({{0, 300}, {80, 450}, {90, 900}, {95, 590}, {100, 5000}}).text.find("between 80 and 100 %") != std::string::npos);
    const Finding falls = doubled({{0, 300}, {86, 420}, {100, 1300}, {102, 510}}); // some wait between tiles reaches more
    CHECK(!falls.value);
    CHECK(falls.text.ends_with(" of the unthrottled 1 TB/s; beyond, it is not resolved: 4.33 times the idle one (quartiles 4.33 and 4.33) at 100 %, 1.70 times the idle one (quartiles 1.70 and 1.70) at 102 %"));
    const Finding never = doubled({{0, 300}, {50, 330}, {100, 390}});
    CHECK(!never.value);
    CHECK(never.text.ends_with("under reads, the latency of DRAM does not double up to 100 % of the unthrottled 1 TB/s: at most it is 1.30 times the idle one, at 100 %"));
    CHECK(doubled({{0, 300}, {40, 330}}).text.ends_with("does not double up to 40 % of the unthrottled 1 TB/s: at most it is 1.10 times the idle one, at 40 %")); // the time was over
}

TEST_CASE("code-size: each level of instruction caches, with the loop that it holds") {
    Points points;
    for (int half = 0; half <= 20; ++half) {
        const double bytes = 1024 * std::exp2(half / 2.0);
        points.emplace_back(bytes, bytes <= 33e3 ? 0.27 : bytes <= 132e3 ? 0.5 : 1.3);
    }
    const auto findings = find_probe("code-size")->findings(made("code-size", "global", {{"on", "one-subgroup"}}, points), {});
    REQUIRE(findings.size() == 3);
    CHECK(findings[0].name == "level 1");
    CHECK(findings[0].text.find("0.27 ns an instruction of a subgroup, in loops of code of up to 32-45.") != std::string::npos);
    CHECK(findings[1].text.find("0.5 ns an instruction of a subgroup, in loops of code of up to 128-181") != std::string::npos);
    CHECK(findings[2].text.ends_with("1.3 ns an instruction of a subgroup, in loops of code of up to 1 MiB, the largest measured"));
    points.resize(15); // to 128 KiB, where an instruction begins to take longer
    points.back().second = 0.57;
    const Finding longer = find_probe("code-size")->findings(made("code-size", "global", {{"on", "one-subgroup"}}, points), {}).back();
    CHECK(longer.text.ends_with("0.5 ns an instruction of a subgroup, in loops of code of up to 90.5 KiB, the largest measured 0.57 ns at 128 KiB"));
}

TEST_CASE("sustained: the rate over time, and what the instruments told") {
    Series series = made("sustained", "global", {{"operation", "fma.f32"}}, {{1, 60e3}, {2, 55e3}, {3, 50e3}});
    CHECK(said(series).ends_with("fma.f32 under load for 3 s: falls from 60 Top/s to 50 Top/s"));
    CHECK(said(made("sustained", "global", {{"operation", "fma.f32"}}, {{1, 60e3}, {2, 61e3}, {3, 60.4e3}})).ends_with("fma.f32 under load for 3 s: 60 Top/s to 61 Top/s"));
    series.points[0].clock_mhz = 1980, series.points[2].clock_mhz = 1650;
    series.evidence.telemetry.during.power_watts = {.median = 500};
    series.evidence.telemetry.before.energy_joules = 100, series.evidence.telemetry.after.energy_joules = 1900;
    CHECK(said(series).ends_with(", core clock falls from 1980 MHz to 1650 MHz. After the first second the card draws 500 W"));
    for (Point& point : series.points) point.samples = {{.steps = 20e12, .host_ns = 5e8}, {.steps = 30e12, .host_ns = 4e8}}; // pauses between dispatches count
    CHECK(said(series).ends_with(". After the first second the card draws 500 W, 10 pJ an operation with idle power and pauses; kernels ran 90 % of the time"));
    for (const auto& [x, watts] : {std::pair{1.0, 600.0}, {3.0, 450.0}}) { // each second's own
        CardAtPoint& second = series.evidence.telemetry.by_x.emplace_back();
        second.x = x, second.power_watts = watts;
    }
    CHECK(said(series).find(" the card draws 450 W to 500 W, 9.5 pJ an operation") != std::string::npos); // the first second's holds idle time
    series.evidence.telemetry.by_x[1].energy_watts = 660; // by the counter, which moves in steps
    CHECK(said(series).find(" 450 W to 500 W, 9.5 pJ an operation") != std::string::npos);
    series.evidence.telemetry.by_x[1].power_watts.reset();
    CHECK(said(series).find(" 500 W to 660 W, 11.6 pJ an operation") != std::string::npos);
    series.id.options["operation"] = "read";
    series.evidence.footprint_bytes = 2ull << 30;
    CHECK(said(series).find("reads of 2 GiB under load for 3 s: falls from 60 TB/s to 50 TB/s") != std::string::npos);
    CHECK(said(series).find(" 500 W to 660 W, 11.6 pJ a byte with idle power and pauses; kernels ran 90 % of the time") != std::string::npos);
    TelemetryEvidence& told = series.evidence.telemetry;
    told.source = "NVML", told.during.throttled_by = {"power cap"}, told.during.power_watts->high = 540;
    CHECK(said(series).ends_with(". NVML names a power cap; the card's limit was not recorded"));
    told.state.power_limit_watts = 700;
    CHECK(said(series).find("the card draws 500 W to 660 W by NVML (limit 700 W)") != std::string::npos);
    CHECK(said(series).ends_with(". NVML names a power cap, though the card stays below its limit: cause unknown"));
    told.state.power_limit_watts = 550;
    CHECK(said(series).ends_with(". NVML names a power cap"));
}

TEST_CASE("matrix: where independent multiply-adds are no faster, dependent ones show a bound of the latency alone") {
    const DeviceInfo device{.cores = 132, .subgroup = 32};
    const auto latency = [&](const Points& points) { return find_probe("matrix")->findings(made("matrix", "global", {{"chains", "1"}, {"data", "zeros"}, {"operation", "wgmma.tf32.f32.m64n256k8"}}, points), device).at(1).text; };
    for (const double other : {470e3, 491e3}) CHECK(latency({{4, 487e3}, {8, other}}).ends_with(" ns, and independent ones no faster: the latency is at most that"));
    CHECK(latency({{4, 200e3}, {8, 487e3}}).ends_with(" ns"));
    CHECK(latency({{4, 487e3}}).ends_with(" ns")); // nothing to compare with
}

namespace {
/// Of blocks, two pairs each.
Point of_blocks(double x, const std::vector<std::vector<double>>& rates) {
    Point point{.x = x, .samples = {}};
    for (std::size_t block = 0; block < rates.size(); ++block)
        for (const double rate : rates[block]) point.samples.push_back({.block = static_cast<int>(block), .steps = 0, .host_ns = 0}), point.samples.push_back({.block = static_cast<int>(block), .steps = rate * 1e6, .host_ns = 1e6});
    summarize(point, Measure::steps_per_time, Timer::host, false);
    return point;
}
} // namespace

TEST_CASE("atomics: the numbers of workgroups that reach a rate, whether it still rises, and no rate that no block has") {
    Series series = made("atomics", "scratchpad", {{"layout", "consecutive"}}, {{1, 63}, {132, 8368}, {528, 8357}});
    series.unit = "Gop/s";
    CHECK(said(series).ends_with(": 8.37 Top/s of u32 add on neighbouring words with 132 to 528 workgroups, 63 Gop/s with one on one core"));
    series.points[1].median = 4000;
    CHECK(said(series).ends_with(": 8.36 Top/s of u32 add on neighbouring words with 528 workgroups, the most tried (4 Top/s with 132), 63 Gop/s with one on one core"));
    series.points[0] = of_blocks(1, {{0.82, 0.82}, {0.99, 0.99}});
    CHECK(said(series).ends_with(", 820 Mop/s to 990 Mop/s by block with one on one core"));
}

TEST_CASE("coalescing: a contiguous rate that no block has is told by block, and others are compared with the fastest") {
    Series series = made("coalescing", "global", {{"from", "DRAM"}, {"pattern", "order"}, {"width", "4"}}, {{1, 4395}, {2, 4390}});
    series.unit = "GB/s", series.evidence.footprint_bytes = 4ull << 30;
    series.points.insert(series.points.begin(), of_blocks(0, {{4396, 4392}, {3839, 3841}}));
    CHECK(said(series).ends_with("contiguous 4-byte loads read 3.84 TB/s to 4.39 TB/s by block. Within 5 % of the fastest block: reversed, permuted"));
}

TEST_CASE("transfer: a rate that is the same at all sizes has no size from which on it is reached") {
    Series series = made("transfer", "host", {{"direction", "to-host"}, {"engine", "processor"}, {"memory", "pageable"}}, {{4, 0.002}, {4096, 0.064}, {4 << 20, 0.062}});
    series.unit = "GB/s";
    CHECK(said(series).find(": 64 MB/s at 4 KiB, less by at most 4 % at all sizes from 4 KiB to 4 MiB per transfer. One of 4 B") != std::string::npos);
}
