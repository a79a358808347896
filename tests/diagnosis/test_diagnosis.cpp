// Every rule on a made-up card where it must speak and on one where it must be silent, and all of them on recorded runs.
#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>

#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/analysis/level_findings.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/data/shared_options.h"
#include "core/diagnosis/diagnosis.h"
#include "core/diagnosis/matrix.h"
#include "core/diagnosis/overview.h"
#include "core/diagnosis/workloads.h"
#include "tests/recorded.h"

using namespace sonde;

namespace {
struct Step {
    double latency, ends; // to this footprint
};

const std::vector<Step> kThreeLevels{{40, 64 * 1024}, {200, 4 << 20}, {600, 1e12}};

/// A run of one card, made up series by series. Levels are computed from the points, as they are of any file.
struct MadeUp {
    Run run;

    DeviceRecord& device(const std::string& id, double cache_bytes = 0, double bus = 0) {
        run.devices.push_back({{.id = id, .api = id.substr(0, id.find(':')), .name = "Card", .driver = "1", .cache_bytes = static_cast<std::uint64_t>(cache_bytes), .bus_bytes_per_second = bus}, "c"});
        return run.devices.back();
    }

    Series& series(const std::string& probe, const std::string& device, const std::string& path, const std::string& unit, Options options = {}) {
        run.series.push_back({.id = {probe, device, path, std::move(options)}, .api = device.substr(0, device.find(':')), .card = "c", .x = {"footprint", "bytes"}, .unit = unit});
        return run.series.back();
    }

    /// A staircase from 512 bytes to `last`, four sizes an octave, at 1 GHz: as many cycles as ns.
    Series& latency(const std::string& device, const std::string& path, const std::vector<Step>& steps, double last, Options options = {}) {
        Series& made = series("latency", device, path, "ns", std::move(options));
        for (double x = 512; x <= last; x *= std::exp2(0.25)) {
            const auto step = std::find_if(steps.begin(), steps.end(), [&](const Step& each) { return std::round(x) <= each.ends; });
            made.points.push_back({.x = std::round(x), .median = step->latency, .low = step->latency, .high = step->latency, .cycles = step->latency, .clock_mhz = 1000, .samples = {}});
        }
        return made;
    }

    /// A dependent operation, in cycles where the device has a clock of its core, and loads.
    void known_step(const std::string& id, std::optional<double> cycles, double ns) {
        device(id).core_cycles = cycles.has_value();
        Series& loads = latency(id, "global", kThreeLevels, 1024.0 * 1024 * 1024);
        if (!cycles)
            for (Point& point : loads.points) point.cycles.reset(), point.clock_mhz.reset();
        curve("operation", id, "global", {{"operation", "fma.f32"}}, {{64, 3 * ns}, {512, ns}}).points.back().cycles = cycles;
    }

    /// One level of translation, in 30 ns of 140.
    void translation(const std::string& id, double reach) {
        device(id);
        Series& made = series("tlb", id, "global.pointer", "ns");
        made.evidence.lines = 4096;
        for (double x = 2.0 * 1024 * 1024; x <= 4e9; x *= std::sqrt(2)) made.points.push_back({.x = x, .median = 140 + 30 * std::max(0.0, 1 - reach / x), .samples = {}});
    }

    /// L1 while so many KiB of scratchpad are held.
    void held(const std::string& id, double scratchpad, double first, const Options& asked = {}) {
        if (scratchpad == 0 && asked.empty()) device(id);
        Series& made = latency(id, "global", {{40, first * 1024}, {200, 1e12}}, 2 << 20, asked);
        made.id.options.set({"scratchpad"}, fmt::format("{}", scratchpad));
        made.id.probe = "carveout";
        made.evidence.scratchpad_bytes = static_cast<std::uint32_t>(scratchpad * 1024);
    }

    /// A curve of another probe, on a device that is added where it is new.
    Series& curve(const std::string& probe, const std::string& id, const std::string& path, const Options& options, const std::vector<std::pair<double, double>>& points) {
        if (std::none_of(run.devices.begin(), run.devices.end(), [&](const DeviceRecord& each) { return each.id == id; })) device(id);
        Series& made = series(probe, id, path, "", options);
        for (const auto& [x, value] : points) made.points.push_back({.x = x, .median = value, .samples = {}});
        return made;
    }
    /// Copies at host addresses of that alignment.
    void aligned(const std::string& id, const char* bytes, double rate, double small = 0.002) {
        curve("transfer", id, "host", {{"alignment", bytes}, {"direction", "to-device"}, {"engine", "copy"}, {"memory", "pageable"}}, {{4, small}, {4096, 1}, {1 << 20, rate}});
    }
    /// The series of `bandwidth` that reads zeros.
    Series& zeros(const std::string& id) {
        for (Series& each : run.series)
            if (each.id.device == id && option::data.asked(each.id.options)) return each;
        return curve("bandwidth", id, "global", {{"data", "zeros"}, {"width", "16"}}, {{4e9, 6000}});
    }
    /// A kernel's machine code: its load, and with `behind` an atomic instruction and what follows that.
    void compiled(const char* probe, const std::string& id, const char* path, const char* load, std::optional<const char*> behind = std::nullopt, const char* listing = "gcn") {
        Series& made = curve(probe, id, path, behind ? Options{{"layout", "same-address"}} : Options{}, {{1, 1}, {100, 1}});
        made.evidence.kernel = KernelEvidence{.listing = {.kind = listing}, .load = {.kind = behind ? "" : load}};
        if (behind) made.evidence.kernel->atomics = std::vector{AtomicEvidence{.kind = load, .cache_control = *behind}};
    }
    /// Single loads of three footprints: all fast, a share as slow as the last one's, and those.
    void single_loads(const std::string& id, double middle, std::uint32_t slow_percent) {
        Series& made = curve("load-times", id, "global.cg", {}, {{2 << 20, 200}, {middle, 400}, {64 << 20, 600}});
        made.evidence.clock = {.name = "clock", .counts = "core cycles"};
        const auto times = [](double bytes, std::vector<double> from, std::vector<std::uint32_t> loads) { return LoadTimes{.footprint_bytes = static_cast<std::uint64_t>(bytes), .nothing = 10, .bin = 8, .from = std::move(from), .loads = std::move(loads)}; };
        made.evidence.load_times = {times(2 << 20, {200}, {1000}), times(middle, {304, 600}, {1000 - 10 * slow_percent, 10 * slow_percent}), times(64 << 20, {592, 600, 800}, {20, 480, 500})};
    }
    void lanes(const std::string& id, double all, double one) { // cycles at 2 GHz
        Series& made = curve("latency", id, "global", {{"apart", "0"}, {"lanes", "all"}}, {{16384, all / 2}});
        made.points[0].cycles = all;
        made.evidence.one_lane_ns = {{16384, one / 2}};
    }
    void lanes_apart(const std::string& id, std::uint32_t lanes, const char* apart, double all) {
        Series& made = curve("latency", id, "scratchpad", {{"apart", apart}, {"lanes", std::to_string(lanes)}}, {{16384, all / 2}});
        made.points[0].cycles = all;
        made.evidence.lanes = lanes;
        made.evidence.one_lane_ns = {{16384, 29 / 2.0}};
    }
    void copies(const std::string& id, double up, double down, double both) {
        const auto way = [&](const char* name, double rate) { curve("transfer", id, "host", {{"engine", "copy"}, {"memory", "pinned"}, {"direction", name}}, {{4096, rate / 20}, {64 << 20, rate}}); };
        way("to-device", up), way("to-host", down), way("both", both);
    }
    /// An operation under load, and what NVML told.
    void sustained(const std::string& id, const char* operation, double watts, bool capped, std::optional<double> limit = std::nullopt) {
        TelemetryEvidence& told = curve("sustained", id, "global", {{"operation", operation}}, {{1, 900e3}, {2, 900e3}}).evidence.telemetry;
        told.source = "NVML", told.state.power_limit_watts = limit;
        told.during.power_watts = {.low = watts, .median = watts, .high = watts};
        if (capped) told.during.throttled_by = {"power cap"};
    }
    /// Words counted in memory, and the atomics of one address and of separate ones.
    Series& histogram(const std::string& id, const char* data, const char* layout, double rate) {
        curve("bandwidth", id, "global", {{"width", "4"}}, {{16, 4000}, {4096, 4000}});
        curve("atomics", id, "global", {{"layout", "same-address"}}, {{1, 1}, {528, 1.4}}), curve("atomics", id, "global", {{"layout", "consecutive"}}, {{1, 12}, {528, 500}});
        Series& made = curve("workload.histogram", id, "global", {{"data", data}}, {{16, rate}});
        made.x = {"words", ""}, made.unit = "Gop/s", made.evidence.unit_of_work = "word counted";
        made.evidence.demand = {{.footprint_bytes = 64, .read_bytes = 4, .atomics = 1, .atomics_path = "global", .atomics_layout = layout}};
        return made;
    }
    void stores(const std::string& id, double memory) {
        curve("stream", id, "global", {{"operation", "fill"}, {"width", "16"}}, {{1 << 24, 9000}, {1 << 28, memory}, {1 << 29, memory * 1.01}, {1 << 30, memory}});
    }
    void room(const std::string& id, const std::string& path, double said, double taken, std::optional<double> refused) {
        const auto bytes = [](double number) { return static_cast<std::uint64_t>(number); };
        Evidence& tried = curve("limits", id, path, {}, {{taken, 30}}).evidence;
        tried = {.reported_bytes = bytes(said), .accepted_bytes = bytes(taken)};
        if (refused) tried.rejected_bytes = bytes(*refused);
    }
    void occupancy(const std::string& id, double of_core) { // 32 workgroups, 1000 ns alone
        std::vector<std::pair<double, double>> points;
        for (double bytes = 1024; bytes <= 32 * 1024; bytes *= 2) points.emplace_back(bytes, 1000 / std::min(32.0, std::floor(of_core / bytes)));
        curve("occupancy", id, "scratchpad", {}, points).evidence = {.groups_per_core = 32, .alone_ns = 1000};
    }

    /// What loads on another path evict of texel's lines in an L1 of 64 KiB.
    void evicting(const std::string& id, const std::string& by, double share) {
        Series& made = curve("sharing", id, "texel", {{"other_path", by}}, {{8192, 50}, {128 << 10, 50 + 100 * share}, {256 << 10, 50 + 100 * share}});
        made.unit = "ns";
        Evidence& evidence = made.evidence;
        evidence.levels = {{.ns = 50}, {.ns = 150}};
        evidence.filling_bytes = 128 << 10;
    }
    Series& consecutive(const std::string& id, double rate, const std::string& width = "4") {
        Series& made = curve("coalescing", id, "global", {{"pattern", "stride"}, {"width", width}}, {{1, rate}, {2, 4500}});
        made.evidence.footprint_bytes = 30 << 20;
        return made;
    }

    /// A workload of 77 bytes read and 76 written, beside the rates of copies and reads.
    Series& lattice(const std::string& id, double rate) {
        device(id), latency(id, "global", kThreeLevels, 1024.0 * 1024 * 1024), bandwidth(id, "global", {{9000, 4.0 * 1024 * 1024}, {4000, 1e12}}, 1024.0 * 1024 * 1024);
        curve("stream", id, "global", {{"operation", "copy"}, {"width", "16"}}, {{1 << 20, 8000}, {1 << 29, 3800}, {1 << 30, 3800}});
        curve("rate", id, "global", {{"operation", "fma.f32"}, {"chains", "8"}}, {{16, 60000}});
        Series& made = curve("workload.lbm", id, "global", {}, {{1 << 22, rate}});
        made.x = {"cells", ""}, made.unit = "GLUP/s";
        made.evidence.demand = {{.from_x = 1 << 22, .footprint_bytes = 153.0 * (1 << 22), .read_bytes = 77, .written_bytes = 76, .operations = 184}};
        return made;
    }
    /// A product of matrices, which loads tiles from L2.
    Series& product(const std::string& id, double rate, double tile_bytes) {
        lattice(id, 22).status = Status::failed;
        Series& made = curve("workload.gemm", id, "scratchpad", {}, {{8192, rate}});
        made.x = {"rows", ""}, made.unit = "Gop/s";
        made.evidence.demand = {{.from_x = 8192, .footprint_bytes = 12.0 * 8192 * 8192, .read_bytes = 4.0 / 8192, .written_bytes = 2.0 / 8192, .operations = 1, .tile_bytes = tile_bytes, .tile_footprint_bytes = 4 << 20}};
        return made;
    }
    /// The same by a matrix form.
    Series& product_by(const std::string& id, const char* form, double rate) {
        Series& made = product(id, rate, 0);
        made.id.options = {{"operation", form}};
        made.evidence.demand[0].operation = form;
        return made;
    }
    Evidence& operation(const std::string& id, const char* name, double cycles) {
        Series& made = curve("operation", id, "global", {{"operation", name}}, {{512, cycles / 2}});
        made.points[0].cycles = cycles;
        return made.evidence;
    }
    /// Cycles of an instruction in the first run of its code and in the eighth.
    void runs(const std::string& id, double first, double last) {
        Series& made = curve("first-run", id, "global", {{"card", "awake"}}, {{1, first / 2}, {8, last / 2}});
        made.points[0].cycles = first, made.points[1].cycles = last;
    }
    /// An instruction in a loop, whose code two caches hold.
    void rate(const std::string& id, const char* name, double gops) {
        series("rate", id, "global", "Gop/s", {{"operation", name}, {"chains", "8"}}).points.push_back({.x = 32, .median = gops, .samples = {}});
    }

    void code(const std::string& id, double last) {
        Series& made = curve("code-size", id, "global", {{"on", "one-subgroup"}}, {});
        for (double x = 8 << 10; x <= last; x *= std::sqrt(2)) made.points.push_back({.x = x, .median = x < 40e3 ? 0.5 : x < 150e3 ? 1 : 3, .samples = {}});
        for (Point& point : made.points) point.cycles = 2 * *point.median;
        made.x = {"footprint", "bytes"};
    }
    /// The best of a matrix form, in TFLOP/s.
    Series& matrix(const std::string& id, const char* form, double rate) { return curve("matrix", id, "global", {{"chains", "4"}, {"data", "integers"}, {"operation", form}}, {{1, rate * 300}, {8, rate * 1000}}); }
    /// Of 8192 rows by the vendor's library, in TFLOP/s.
    Series& library(const std::string& id, const char* numbers, double rate) {
        Series& made = curve("workload.gemm-library", id, "global", {{"numbers", numbers}}, {{1024, rate * 500}, {8192, rate * 1000}});
        made.x = {"rows", ""}, made.unit = "Gop/s";
        made.evidence.library = LibraryEvidence{.name = "cuBLASLt", .version = "13.0.2"};
        return made;
    }
    /// The library's transforms, beside ours of a device.
    Series& transforms(const std::string& id, double rate, const std::string& ours, double our_rate) {
        lattice(id, 22).status = Status::failed;
        if (ours != id) lattice(ours, 22).status = Status::failed;
        curve("workload.fft", ours, "scratchpad", {}, {{1 << 10, our_rate / 2}, {1 << 24, our_rate}}).x = {"points", ""};
        Series& made = curve("workload.fft-library", id, "global", {}, {{1 << 10, rate / 2}, {1 << 24, rate}});
        made.x = {"points", ""}, made.unit = "Gop/s";
        made.evidence.library = LibraryEvidence{.name = "VkFFT", .version = "1.2.26"};
        return made;
    }
    Evidence& in_orders(const std::string& id, double random, unsigned mebibytes) {
        Evidence& evidence = curve("coalescing", id, "global", {{"pattern", "order"}, {"width", "4"}}, {{0, 9000}, {4, random}}).evidence;
        evidence.footprint_bytes = mebibytes << 20;
        evidence.shape = {.group_size = 256, .groups = 528, .loads_in_flight = 4};
        return evidence;
    }
    /// Bytes that one core of 1 GHz reads in a cycle from L1, by the width of loads.
    void loads(const std::string& id, const std::vector<std::pair<const char*, double>>& by_width) {
        device(id).cores = 1, latency(id, "global", {{40, 64 * 1024}, {200, 4 << 20}, {600, 1 << 30}}, 1 << 30);
        for (const auto& [width, bytes] : by_width) {
            Series& made = bandwidth(id, "global", {{bytes, 64 * 1024}, {4, 1 << 30}}, 1 << 30);
            made.id.options.set(option::width, width);
        }
    }

    Series& bandwidth(const std::string& device, const std::string& path, const std::vector<Step>& steps, double last) {
        Series& made = latency(device, path, steps, last, {{"width", "16"}});
        made.id.probe = "bandwidth";
        made.unit = "GB/s";
        return made;
    }
};

constexpr double kKiB = 1024, kMiB = 1024 * kKiB, kEnd = 1024 * kMiB;
const std::vector<Step> kThree{{40, 64 * kKiB}, {200, 4 * kMiB}, {600, kEnd}};
const std::vector<Step> kTwo{{200, 4 * kMiB}, {600, kEnd}};

std::vector<Step> later(std::vector<Step> steps, double by) {
    for (Step& step : steps) step.latency += by;
    return steps;
}

std::vector<Statement> statements_of(const Run& run) {
    std::vector<Statement> all;
    for (const Card& card : cards_of({&run, 1}))
        for (Statement& statement : diagnose(card)) all.push_back(std::move(statement));
    return all;
}

/// The texts of what one rule says.
std::vector<std::string> said(const Run& run, std::string_view rule) {
    std::vector<std::string> texts;
    for (const Statement& statement : statements_of(run))
        if (statement.rule == rule) texts.push_back(statement.text);
    return texts;
}

bool says(const std::vector<std::string>& texts, const std::string& part) {
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

/// What makes a rule speak, and the same card without that.
struct Case {
    const char *rule, *part; // of what it says
    void (*fires)(MadeUp&);
    void (*silent)(MadeUp&);
};

void in_two_parts(MadeUp& card) {
    card.device("a:0", 9 * kMiB).core_cycles = true;
    card.latency("a:0", "global", {{40, 64 * kKiB}, {200, 4 * kMiB}, {400, 8 * kMiB}, {700, kEnd}}, kEnd);
}

void shows_clock(TelemetryEvidence& telemetry, double low) {
    telemetry.source = "NVML";
    telemetry.during.core_mhz = {.low = low, .median = 995, .high = 1000};
}

void two_apis(MadeUp& card, const std::vector<Step>& a, const std::vector<Step>& b, const char* path = "global") {
    card.device("a:0");
    card.device("b:0");
    card.latency("a:0", path, a, kEnd);
    card.latency("b:0", path, b, kEnd);
}

const Case kCases[] = {
    {"l1_not_reached", "global does not reach L1 through b:0: its nearest level is L2 (200 cycles", [](MadeUp& card) { two_apis(card, kThree, kTwo); },
     [](MadeUp& card) { two_apis(card, kThree, later(kThree, 30)); }},
    {"l1_not_reached", "global does not reach L1 through b:0", [](MadeUp& card) { two_apis(card, kThree, kTwo); },
     [](MadeUp& card) { // a processor's loads begin at L1
         two_apis(card, kThree, kTwo);
         for (DeviceRecord& device : card.run.devices) device.cpu = true;
     }},
    {"l1_not_reached", "global.cg does not reach L1 through a:0",
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd), card.latency("a:0", "global.cg", kTwo, kEnd); },
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global.cg", kTwo, kEnd); }}, // nothing tells of an L1
    {"smaller_l1", "L1 of the latency kernel ends earlier through b:0 than through a:0: 16-19 KiB against 64-76.1 KiB on global.",
     [](MadeUp& card) { two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}}); },
     [](MadeUp& card) { two_apis(card, kThree, {{40, 55 * kKiB}, {200, 4 * kMiB}, {600, kEnd}}); }}, // a step of the sweep
    {"l1_not_reached", "global does not reach L1", [](MadeUp& card) { two_apis(card, kThree, kTwo); },
     [](MadeUp& card) { // slow, and measured to L1's end only: that tells nothing
         card.device("a:0"), card.device("b:0");
         card.latency("a:0", "global", kThree, kEnd), card.latency("b:0", "global", kTwo, 60 * kKiB);
     }},
    {"smaller_l1", "on global. Cause unknown.", // a processor has no carve-out
     [](MadeUp& card) {
         two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
         for (DeviceRecord& device : card.run.devices) device.cpu = true;
         for (Series& series : card.run.series) series.evidence.kernel = KernelEvidence{.held_scratchpad_bytes = 0};
     },
     [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"scratchpad_limit", "Largest scratchpad of a workgroup: at least 215 KiB through a:0",
     [](MadeUp& card) {
         card.device("a:0"), card.device("b:0");
         card.latency("a:0", "scratchpad", {{30, kEnd}}, 220 * kKiB), card.latency("b:0", "scratchpad", {{30, kEnd}}, 48 * kKiB);
     },
     [](MadeUp& card) { // a processor's is ordinary memory
         card.device("a:0").cpu = true, card.device("b:0").cpu = true;
         card.latency("a:0", "scratchpad", {{30, kEnd}}, 220 * kKiB), card.latency("b:0", "scratchpad", {{30, kEnd}}, 48 * kKiB);
     }},
    {"smaller_l1", "L1 of the latency kernel ends earlier through b:0", [](MadeUp& card) { two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}}); },
     [](MadeUp& card) { // one point that an interrupt raised, where the curve ends
         two_apis(card, kThree, kThree);
         auto& points = card.run.series.back().points;
         points.resize(20);
         points.back().median = 60;
     }},
    {"smaller_l1", "L1 of the latency kernel ends earlier through b:0", [](MadeUp& card) { two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}}); },
     [](MadeUp& card) { // another kernel is another question
         two_apis(card, kThree, {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}});
         card.run.series.back().evidence.kernel = {.defines = {{"WIDTH", "2"}}};
     }},
    {"smaller_l1", "16-19 KiB against 64-76.1 KiB on global and global.ca. 4-4.76 KiB against 53.8-64 KiB on image2d.", // paths of other ends apart
     [](MadeUp& card) {
         const std::vector<Step> early{{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}};
         two_apis(card, kThree, early);
         card.latency("a:0", "global.ca", kThree, kEnd), card.latency("b:0", "global.ca", early, kEnd);
         card.latency("a:0", "image2d", {{60, 55 * kKiB}, {220, 4 * kMiB}, {620, kEnd}}, kEnd), card.latency("b:0", "image2d", {{60, 4 * kKiB}, {220, 4 * kMiB}, {620, kEnd}}, kEnd);
     },
     [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"evicts_as_own", "Loads on global over 128 KiB evict what a walk on texel holds: consistent with a cache that both use. Through a:0 its loads then take 98 ns on average, 100 after loads of its own, 50 undisturbed.",
     [](MadeUp& card) { card.evicting("a:0", "texel", 0.5), card.evicting("a:0", "global", 0.48); },
     [](MadeUp& card) { card.evicting("a:0", "texel", 0.05), card.evicting("a:0", "global", 0.48), card.evicting("b:0", "global", 0.48); }}, // no control, or none that evicts
    {"evicts_as_own", "consistent with a part of one cache; the rest is unexplained. Through a:0 its loads then take 70 ns on average, 100 after loads of its own, 50 undisturbed.",
     [](MadeUp& card) { card.evicting("a:0", "texel", 0.5), card.evicting("a:0", "global", 0.2); },
     [](MadeUp& card) { card.evicting("a:0", "texel", 0.5), card.evicting("a:0", "global", 0.02); }},
    {"consecutive_apart", "Consecutive loads on global over 30 MiB differ in one launch shape, cause unknown. 4-byte loads read 9 TB/s through a:0 and b:0, 6.4 TB/s through c:0.",
     [](MadeUp& card) { card.consecutive("a:0", 9000), card.consecutive("b:0", 9000), card.consecutive("c:0", 6400); },
     [](MadeUp& card) { card.consecutive("a:0", 9000), card.consecutive("b:0", 8200); }},
    {"consecutive_apart", "9 TB/s through a:0 and 6.4 TB/s through b:0. 16-byte loads read 9.2 TB/s through a:0 and b:0 (agree within 1 %).",
     [](MadeUp& card) { card.consecutive("a:0", 9000), card.consecutive("b:0", 6400), card.consecutive("a:0", 9200, "16"), card.consecutive("b:0", 9150, "16"); },
     [](MadeUp& card) { card.consecutive("a:0", 9200, "16"), card.consecutive("b:0", 9150, "16"); }},
    {"faster_than_l2", "global.cg through a:0 bypasses L1, yet reads 20 TB/s at 152 KiB; global reads 9.5 TB/s from L2 (1.19-4 MiB): consistent with hits in a nearer cache, or fewer bytes than counted.",
     [](MadeUp& card) {
         card.device("a:0"), card.latency("a:0", "global", kThree, kEnd);
         card.bandwidth("a:0", "global", {{32000, 64 * kKiB}, {9500, 4 * kMiB}, {4000, kEnd}}, kEnd), card.bandwidth("a:0", "global.cg", {{9500, 128 * kKiB}, {20000, 256 * kKiB}, {9500, 4 * kMiB}, {4000, kEnd}}, kEnd);
     },
     [](MadeUp& card) {
         card.device("a:0"), card.latency("a:0", "global", kThree, kEnd);
         card.bandwidth("a:0", "global", {{32000, 64 * kKiB}, {9500, 4 * kMiB}, {4000, kEnd}}, kEnd), card.bandwidth("a:0", "global.cg", {{9800, 4 * kMiB}, {4000, kEnd}}, kEnd);
         card.bandwidth("a:0", "global.ca", {{32000, 64 * kKiB}, {9500, 4 * kMiB}, {4000, kEnd}}, kEnd); // which reads L1 by design
     }},
    {"option_moves_l1", "64-76.1 KiB with carveout=0 and 16-19 KiB with carveout=100",
     [](MadeUp& card) {
         card.device("a:0"), card.latency("a:0", "global", kThree, kEnd, {{"carveout", "0"}});
         card.latency("a:0", "global", {{40, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}}, kEnd, {{"carveout", "100"}});
     },
     [](MadeUp& card) {
         card.device("a:0"), card.latency("a:0", "global", kThree, kEnd, {{"carveout", "0"}}), card.latency("a:0", "global", kThree, kEnd, {{"carveout", "100"}});
     }},
    {"cache_in_parts", "A walk by one core through a:0 finds L2 near to 4-4.76 MiB and L2 far to 8-9.51 MiB; the driver reports one cache of 9 MiB. Consistent with two partitions, one of them nearer to that core.",
     [](MadeUp& card) { card.device("a:0", 9 * kMiB), card.latency("a:0", "global", {{40, 64 * kKiB}, {200, 4 * kMiB}, {400, 8 * kMiB}, {700, kEnd}}, kEnd); },
     [](MadeUp& card) { card.device("a:0", 9 * kMiB), card.latency("a:0", "global", {{40, 64 * kKiB}, {200, 1 * kMiB}, {400, 8 * kMiB}, {700, kEnd}}, kEnd); }}, // a third level
    {"mean_of_two_kinds", "The latency of L2 far is a mean of two kinds of loads. Through a:0 50 % of those at 6 MiB take 600 cycles or more, the others 308 in the median.",
     [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 50); },
     [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 10); }},
    {"mean_of_two_kinds", "L2 far", [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 6 * kMiB, 70); },
     [](MadeUp& card) { in_two_parts(card), card.single_loads("a:0", 12 * kMiB, 70); }}, // beyond its end
    {"extra_cycles", "A load takes more cycles through b:0 than a:0: on global +20.0 (L1), +20.0 (L2) and +20.0 (DRAM)",
     [](MadeUp& card) { two_apis(card, kThree, later(kThree, 20)); },
     [](MadeUp& card) { two_apis(card, kThree, {{60, 64 * kKiB}, {260, 4 * kMiB}, {680, kEnd}}); }}, // a slower clock, not an offset
    {"extra_cycles", "A load takes more cycles through b:0 than a:0: on global lanes=1 +20.0 (L1), +20.0 (L2) and +20.0 (DRAM)", // measured with an option only
     [](MadeUp& card) {
         card.device("a:0"), card.device("b:0");
         card.latency("a:0", "global", kThree, kEnd, {{"lanes", "1"}}), card.latency("b:0", "global", later(kThree, 20), kEnd, {{"lanes", "1"}});
     },
     [](MadeUp& card) {
         two_apis(card, kThree, kThree);
         card.latency("a:0", "global", kThree, kEnd, {{"lanes", "1"}}), card.latency("b:0", "global", later(kThree, 20), kEnd, {{"lanes", "1"}});
     }},
    {"extra_cycles", "But on global.pointer 0.0 (L1), 0.0 (L2) and 0.0 (DRAM), whose address comes from memory",
     [](MadeUp& card) {
         two_apis(card, kThree, later(kThree, 20));
         card.latency("a:0", "global.pointer", later(kThree, -5), kEnd), card.latency("b:0", "global.pointer", later(kThree, -5), kEnd);
     },
     [](MadeUp& card) { two_apis(card, kThree, later(kThree, 1)); }},
    {"extra_cycles", "Consistent with instructions between two loads; machine code of both is not known.", [](MadeUp& card) { two_apis(card, kThree, later(kThree, 20)); },
     [](MadeUp& card) { two_apis(card, kThree, later(kThree, 1)); }},
    {"extra_cycles", "Machine code between two loads on global: IMAD.SHL, ISETP.LE, BRA against IMAD.WIDE.",
     [](MadeUp& card) {
         two_apis(card, kThree, later(kThree, 20));
         const auto shows = [&](std::size_t series, std::vector<std::string> between) {
             card.run.series[series].evidence.kernel = {.listing = {.kind = "sass"}, .load = {.instruction = "LDG.E R0, [R2]", .address_instructions = std::move(between)}};
         };
         shows(0, {"IMAD.WIDE.U32 R12, R13, 0x4, R6"}), shows(1, {"IMAD.SHL.U32 R2, R0, 0x4, RZ", "ISETP.LE.U32.AND P1, PT, R0, c[0x0][0x48], !P0", "@!P1 BRA 0x1e0"});
     },
     [](MadeUp& card) { two_apis(card, kThree, later(kThree, 1)); }},
    {"extra_cycles", "global +20.0 (L1), +20.0 (L2) and +46.0 (DRAM). Consistent with instructions between two loads; machine code of both is not known. TLB misses, measured by tlb, add +",
     [](MadeUp& card) {
         two_apis(card, kThree, {{60, 64 * kKiB}, {220, 4 * kMiB}, {646, kEnd}});
         card.translation("b:0", 8 * kMiB), card.translation("a:0", 256 * kMiB);
     },
     [](MadeUp& card) { two_apis(card, kThree, later(kThree, 1)); }},
    {"constant_is_global", "constant through a:0 has the latency of global, not of a constant cache: 40.0 cycles to 53.8 KiB.",
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd), card.latency("a:0", "constant", kThree, 60 * kKiB); },
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd), card.latency("a:0", "constant", {{30, 2 * kKiB}, {100, kEnd}}, 60 * kKiB); }},
    {"one_cache_two_paths", "texel and global end their levels at the same footprints (L1 at 64-76.1 KiB through a:0): consistent with one cache. A hit takes 90.0 cycles by the texture units, 40.0 cycles by a load.",
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd), card.latency("a:0", "texel", later(kThree, 50), kEnd); },
     [](MadeUp& card) {
         card.device("a:0"), card.latency("a:0", "global", kThree, kEnd), card.latency("a:0", "texel", {{90, 12 * kKiB}, {250, 4 * kMiB}, {650, kEnd}}, kEnd);
     }},
    {"uniform_apart", "Through a:0 loads of one address for all lanes differ from others: global.uniform has 25.0 cycles",
     [](MadeUp& card) {
         card.device("a:0"), card.latency("a:0", "global", kThree, kEnd), card.latency("a:0", "global.uniform", {{25, 16 * kKiB}, {200, 4 * kMiB}, {600, kEnd}}, kEnd);
     },
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd), card.latency("a:0", "global.uniform", later(kThree, 0.5), kEnd); }},
    {"scratchpad_limit", "Largest scratchpad of a workgroup: at least 215 KiB through a:0 and at least 45.3 KiB through b:0",
     [](MadeUp& card) {
         card.device("a:0"), card.device("b:0");
         card.latency("a:0", "scratchpad", {{30, kEnd}}, 220 * kKiB), card.latency("b:0", "scratchpad", {{30, kEnd}}, 48 * kKiB);
     },
     [](MadeUp& card) { // one sweep ended early, so it does not tell the limit
         card.device("a:0"), card.device("b:0").scratchpad_bytes = 220 << 10;
         card.latency("a:0", "scratchpad", {{30, kEnd}}, 220 * kKiB), card.latency("b:0", "scratchpad", {{30, kEnd}}, 48 * kKiB);
     }},
    {"host_memory", "through a:0 it has the latency of device memory (580 cycles against 600 cycles): consistent with a copy there. Through b:0 only L1 caches it, and every load beyond 64-76.1 KiB takes 2000",
     [](MadeUp& card) {
         two_apis(card, kThree, kThree);
         card.latency("a:0", "host", {{40, 64 * kKiB}, {200, 4 * kMiB}, {580, kEnd}}, kEnd), card.latency("b:0", "host", {{40, 64 * kKiB}, {2000, kEnd}}, kEnd);
     },
     [](MadeUp& card) { two_apis(card, kThree, kThree), card.latency("a:0", "host", {{40, 64 * kKiB}, {750, kEnd}}, kEnd); }},
    {"host_memory", "only L1 caches it, to 64-76.1 KiB, and loads far beyond take", // a slope is no second level
     [](MadeUp& card) {
         card.device("a:0"), card.latency("a:0", "global", kThree, kEnd);
         for (Point& point : card.latency("a:0", "host", {{40, kEnd}}, kEnd).points)
             if (point.x > 64 * kKiB) point.median = point.low = point.high = point.cycles = 3000 * std::pow(point.x / kMiB, 0.35);
     },
     [](MadeUp& card) {
         card.device("a:0"), card.latency("a:0", "global", kThree, kEnd);
         for (Point& point : card.latency("a:0", "host", {{40, kEnd}}, kEnd).points)
             if (point.x > 64 * kKiB) point.median = point.low = point.high = point.cycles = 300 * std::pow(point.x / kMiB, 0.35);
     }},
    {"bandwidth_apart", "Read bandwidth of constant differs by API: at 53.8 KiB 30 TB/s through b:0 and 900 GB/s through a:0 (width=16)",
     [](MadeUp& card) { card.device("a:0"), card.device("b:0"), card.bandwidth("a:0", "constant", {{900, kEnd}}, 60 * kKiB), card.bandwidth("b:0", "constant", {{30000, kEnd}}, 60 * kKiB); },
     [](MadeUp& card) { card.device("a:0"), card.device("b:0"), card.bandwidth("a:0", "constant", {{900, kEnd}}, 60 * kKiB), card.bandwidth("b:0", "constant", {{1700, kEnd}}, 60 * kKiB); }},
    {"bandwidth_apart", "at 22.6 KiB 30 TB/s through b:0, 900 GB/s through a:0 and c:0", // where all of them were measured, or between
     [](MadeUp& card) {
         card.device("a:0"), card.device("b:0"), card.device("c:0");
         card.bandwidth("a:0", "constant", {{900, kEnd}}, 60 * kKiB), card.bandwidth("b:0", "constant", {{30000, kEnd}}, 60 * kKiB);
         for (Point& point : card.bandwidth("c:0", "constant", {{900, kEnd}}, 24 * kKiB).points) point.x *= 1.05;
     },
     [](MadeUp& card) { card.device("a:0"), card.device("b:0"), card.bandwidth("a:0", "constant", {{900, kEnd}}, 60 * kKiB), card.bandwidth("b:0", "constant", {{1700, kEnd}}, 60 * kKiB); }},
    {"buffer_elsewhere", "The buffer of latency a:0 global landed in the system's memory: heap 1",
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).evidence.placement = {.device_local = false, .text = "heap 1"}; },
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "host", kThree, kEnd).evidence.placement = {.device_local = false, .text = "heap 1"}; }},
    {"cut_short", "1 of 2 series ends within its sweep, as its time was over: edges may be coarse, maxima too low. One is latency a:0 global.",
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).reason = "ends before 1 MiB: the time budget was over", card.latency("a:0", "scratchpad", kTwo, kEnd); },
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).reason = "ends at 4 GiB: half of the device's memory"; }},
    {"cut_short", "1 of 1 series repeats its sweep less often, as its time was over. One is latency a:0 global.",
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).reason = "1 of 3 blocks, the next ends before 1 MiB: the time budget was over"; },
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd); }},
    {"cut_short", ". One is latency a:0 scratchpad. 1 of 2 series repeats its sweep less often, as its time was over.",
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).reason = "2 of 3 blocks, the next ends before 1 MiB: the time budget was over", card.latency("a:0", "scratchpad", kTwo, kEnd).reason = "ends before 1 KiB: the time budget was over"; },
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).reason = "ends at 4 GiB: half of the device's memory"; }},
    {"reported_cache", "The driver of a:0 reports a cache of 1 MiB, where global has no edge: it lies within L2 (200 cycles).",
     [](MadeUp& card) { card.device("a:0", 1 * kMiB), card.latency("a:0", "global", kThree, kEnd); },
     [](MadeUp& card) { card.device("a:0", 4 * kMiB), card.latency("a:0", "global", kThree, kEnd); }},
    {"faster_than_peak", "global through a:0 reads 1.2 TB/s at 9.51 MiB, 120 % of the DRAM's peak",
     [](MadeUp& card) { card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "global", {{3000, 3 * kMiB}, {1200, kEnd}}, kEnd); },
     [](MadeUp& card) { card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "global", {{3000, 3 * kMiB}, {950, kEnd}}, kEnd); }},
    {"faster_than_peak", "bandwidth-latency a:0 host load=reads streams 3.9 TB/s, above the host link's 63 GB/s: not served by the host.",
     [](MadeUp& card) {
         card.device("a:0", 1 * kMiB, 1e12).host_link_bytes_per_second = 63e9;
         card.curve("bandwidth-latency", "a:0", "host", {{"load", "reads"}}, {{0, 345}, {100, 432}}).evidence.unthrottled_gb_per_s = 3900;
     },
     [](MadeUp& card) {
         card.device("a:0", 1 * kMiB, 1e12).host_link_bytes_per_second = 63e9;
         card.curve("bandwidth-latency", "a:0", "host", {{"load", "reads"}}, {{0, 1200}, {100, 2000}}).evidence.unthrottled_gb_per_s = 58;
     }},
    {"faster_than_peak", "not served by DRAM (cached or compressed); likewise texel through a:0 (1.3 TB/s at 5.66 MiB).", // one statement, however many paths
     [](MadeUp& card) {
         card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "global", {{3000, 3 * kMiB}, {1200, kEnd}}, kEnd);
         card.bandwidth("a:0", "texel", {{3000, 3 * kMiB}, {1300, kEnd}}, kEnd);
     },
     [](MadeUp& card) { // an offset is no footprint
         card.device("a:0", 1 * kMiB, 1e12);
         card.curve("segments", "a:0", "global", {{"test", "read"}}, {{0, 1200}, {1 << 30, 1200}}).unit = "GB/s";
     }},
    {"faster_than_peak", "not served by the host",
     [](MadeUp& card) { card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "host", {{900, kEnd}}, kEnd); },
     [](MadeUp& card) { card.device("a:0", 1 * kMiB, 1e12), card.bandwidth("a:0", "host", {{50, kEnd}}, kEnd); }},
    {"timers_disagree", "by the host's clock a step takes 1.25 times",
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).evidence.timers = {.host_over_device = 1.25}; },
     [](MadeUp& card) { card.device("a:0"), card.latency("a:0", "global", kThree, kEnd).evidence.timers = {.host_over_device = 1.03}; }},
    {"clock_moved", "The core's clock moved from series to series: 800 MHz in latency b:0 global, 1000 MHz in latency a:0 global",
     [](MadeUp& card) {
         two_apis(card, kThree, kThree);
         for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
     },
     [](MadeUp& card) {
         two_apis(card, kThree, kThree);
         card.run.series.back().points[3].clock_mhz = 800; // one reading is no move
     }},
    {"clock_under_load", "from at least 1000 MHz before. By NVML the clock is 995 MHz meanwhile, 195 MHz more than kernels count: cause unknown.",
     [](MadeUp& card) {
         two_apis(card, kThree, kThree);
         card.run.series.back().evidence.clock = {.before_mhz = 1000, .after_mhz = 1001};
         shows_clock(card.run.series.back().evidence.telemetry, 990);
         for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
     },
     [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"clock_under_load", "from at least 1000 MHz before. Cause unknown. Compare", // the driver shows the clock that kernels count
     [](MadeUp& card) {
         two_apis(card, kThree, kThree);
         card.run.series.back().evidence.clock = {.before_mhz = 1000, .after_mhz = 1001};
         shows_clock(card.run.series.back().evidence.telemetry, 810);
         for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
     },
     [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"clock_under_load", "from at least 1000 MHz before. Reported by NVML: power cap. By NVML the clock is 995 MHz meanwhile, 195 MHz more than kernels count: cause unknown. Compare",
     [](MadeUp& card) {
         two_apis(card, kThree, kThree);
         card.run.series.back().evidence.clock = {.before_mhz = 1000, .after_mhz = 900};
         shows_clock(card.run.series.back().evidence.telemetry, 990);
         card.run.series.back().evidence.telemetry.during.throttled_by = {"power cap"};
         for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
     },
     [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"clock_under_load", "The core clock falls under latency (1 series, 800 MHz), from at least 1000 MHz before. Cause unknown. Compare these figures per clock.",
     [](MadeUp& card) {
         two_apis(card, kThree, kThree);
         card.run.series.back().evidence.clock = {.before_mhz = 1000, .after_mhz = 1001};
         for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
     },
     [](MadeUp& card) {
         two_apis(card, kThree, kThree);
         card.run.series.back().evidence.clock = {.before_mhz = 1000, .after_mhz = 800}; // it has not come up again
         for (Point& point : card.run.series.back().points) point.clock_mhz = 800;
     }},
    {"clock_moved", "The core's clock moved during latency a:0 global: between 700 and 1000 MHz",
     [](MadeUp& card) {
         card.device("a:0");
         auto& points = card.latency("a:0", "global", kThree, kEnd).points;
         for (std::size_t i = points.size() / 2; i < points.size(); ++i) points[i].clock_mhz = 700;
     },
     [](MadeUp& card) { // readings of a coarse timer
         card.device("a:0");
         double reading = 1000;
         for (Point& point : card.latency("a:0", "global", kThree, kEnd).points) point.clock_mhz = reading = reading == 1000 ? 1060 : reading == 1060 ? 940 : 1000;
     }},
    {"tlb_reach", "TLB reach through b:0 is about 32 times smaller than through a:0. It is 5.66-11.3 MiB against 181-362 MiB (a miss costs about 30 ns). As misses cost much the same: consistent with pages 32 times smaller.",
     [](MadeUp& card) { card.translation("a:0", 256 * kMiB), card.translation("b:0", 8 * kMiB); },
     [](MadeUp& card) { card.translation("a:0", 256 * kMiB), card.translation("b:0", 192 * kMiB); }},
    {"tlb_reach", ". Likewise against c:0. As misses", // one statement for both
     [](MadeUp& card) { card.translation("a:0", 256 * kMiB), card.translation("b:0", 8 * kMiB), card.translation("c:0", 256 * kMiB); },
     [](MadeUp& card) { card.translation("a:0", 256 * kMiB), card.translation("b:0", 256 * kMiB), card.translation("c:0", 256 * kMiB); }},
    {"tlb_reach", "A further step at 256-512 MiB: a load takes 600 ns with 4096 lines spread over 2.83 GiB, against 167 ns through a:0.",
     [](MadeUp& card) {
         card.translation("a:0", 256 * kMiB), card.translation("b:0", 8 * kMiB);
         for (Point& point : card.run.series.back().points) point.median = point.x > 512 * kMiB ? 600 : *point.median;
     },
     [](MadeUp& card) { card.translation("a:0", 256 * kMiB); }},
    {"l1_by_scratchpad", "through a:0 it is 64-76.1 KiB with none and 16-19 KiB with 12 KiB. Through b:0 it stays at 64-76.1 KiB",
     [](MadeUp& card) { card.held("a:0", 0, 64), card.held("a:0", 12, 16), card.held("b:0", 0, 64), card.held("b:0", 12, 64); },
     [](MadeUp& card) { card.held("a:0", 0, 64), card.held("a:0", 12, 64), card.held("a:0", 0, 16, {{"carveout", "100"}}); }},
    {"scratchpad_limit", "Largest scratchpad of a workgroup: 48 KiB through b:0 and 40 KiB through a:0", // a latency's sweep ends where its last step was too large
     [](MadeUp& card) {
         card.room("a:0", "scratchpad", 48 * kKiB, 40 * kKiB, 41 * kKiB), card.room("b:0", "scratchpad", 48 * kKiB, 48 * kKiB, 49 * kKiB);
         card.latency("a:0", "scratchpad", {{30, kEnd}}, 48 * kKiB);
     },
     [](MadeUp& card) {
         card.room("a:0", "scratchpad", 48 * kKiB, 47.9 * kKiB, 48 * kKiB), card.room("b:0", "scratchpad", 48 * kKiB, 48 * kKiB, 49 * kKiB);
         card.latency("a:0", "scratchpad", {{30, kEnd}}, 45 * kKiB);
     }},
    {"stores_slower", "with 16-byte stores 4 TB/s through a:0 and 3.6 TB/s through b:0",
     [](MadeUp& card) { card.stores("a:0", 4000), card.stores("b:0", 3600); },
     [](MadeUp& card) { card.stores("a:0", 4000), card.stores("b:0", 3850); }},
    {"data_compressed", "random data: 1.5 times the rate over 4 GiB through a:0 (6 TB/s and 4 TB/s). Cause unknown",
     [](MadeUp& card) {
         for (const double times : {1.49, 1.5, 1.51}) card.zeros("a:0").evidence.random_reads.push_back({.bytes = 4ull << 30, .gb_per_s = 4000, .times = times});
     },
     [](MadeUp& card) { // within noise
         for (const double times : {0.999, 1.0, 1.002}) card.zeros("a:0").evidence.random_reads.push_back({.bytes = 4ull << 30, .gb_per_s = 4000, .times = times});
     }},
    {"atomics_apart", "Atomics on scratchpad with layout=consecutive: 8 Top/s through a:0 and 2 Top/s through b:0. Cause unknown.",
     [](MadeUp& card) { card.curve("atomics", "a:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 8000}}), card.curve("atomics", "b:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 2000}}); },
     [](MadeUp& card) { card.curve("atomics", "a:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 8000}}), card.curve("atomics", "b:0", "scratchpad", {{"layout", "consecutive"}}, {{132, 7000}}); }},
    {"lanes_apart", "On scratchpad at 16 KiB, 32 lanes 128 bytes apart take 91 cycles (one lane 29, each further one 2 on average) through a:0 and b:0. At 0 and 4 bytes apart they take as long as one.",
     [](MadeUp& card) {
         for (const char* id : {"a:0", "b:0"}) card.lanes_apart(id, 2, "128", 31), card.lanes_apart(id, 32, "128", 91), card.lanes_apart(id, 32, "0", 29), card.lanes_apart(id, 32, "4", 29.2);
     },
     [](MadeUp& card) { card.lanes_apart("a:0", 32, "128", 29.1); }},
    {"lanes_differ", "takes 34.0 cycles at 16 KiB through a:0, of one lane 32.0 cycles. Published",
     [](MadeUp& card) { card.lanes("a:0", 34, 32); },
     [](MadeUp& card) { card.lanes("a:0", 34, 33.9); }},
    {"atomics_joined", "on global 44 Gop/s through b:0 and 1.37 Gop/s through a:0. The highest is 32.1 (on global) times the lowest: consistent with one atomic instruction per subgroup of",
     [](MadeUp& card) { card.curve("atomics", "a:0", "global", {{"layout", "same-address"}}, {{1, 1}, {100, 1.37}}), card.curve("atomics", "b:0", "global", {{"layout", "same-address"}}, {{1, 4}, {100, 44}}); },
     [](MadeUp& card) { // on many addresses, or a driver that is a little slower
         card.curve("atomics", "a:0", "global", {{"layout", "same-address"}}, {{1, 1}, {100, 1.37}}), card.curve("atomics", "b:0", "global", {{"layout", "same-address"}}, {{1, 1}, {100, 2.2}});
         card.curve("atomics", "a:0", "global", {{"layout", "distinct-lines"}}, {{1, 1}, {100, 1.37}}), card.curve("atomics", "b:0", "global", {{"layout", "distinct-lines"}}, {{1, 4}, {100, 44}});
     }},
    {"atomic_cache_control", "directly behind atomic instructions on global: CCTL.IVALL behind ATOM.E.ADD through a:0 and none behind ATOMG.E.ADD through b:0.",
     [](MadeUp& card) { card.compiled("atomics", "a:0", "global", "ATOM.E.ADD", "CCTL.IVALL", "sass"), card.compiled("atomics", "b:0", "global", "ATOMG.E.ADD", "", "sass"); },
     [](MadeUp& card) { card.compiled("atomics", "a:0", "global", "atom.global.add.u32", "fence", "ptx"), card.compiled("atomics", "b:0", "scratchpad", "ATOMS.ADD", "MEMBAR", "sass"); }},
    {"atomic_cache_control", "No cache-control instruction follows an atomic on global in the machine code of a:0 and b:0.",
     [](MadeUp& card) { card.compiled("atomics", "a:0", "global", "ATOM.E.ADD", "", "sass"), card.compiled("atomics", "b:0", "global", "ATOMG.E.ADD", "", "sass"); },
     [](MadeUp& card) { card.compiled("atomics", "a:0", "global", "ATOM.E.ADD", "", "sass"), card.compiled("atomics", "b:0", "global", "OpAtomicIAdd", "", "spirv"); }}, // not known of b:0
    {"load_moved", "by their machine code: global.uniform through a:0 by s_load_dword, on the scalar path; global.uniform through b:0 by LDG.E, as other loads.",
     [](MadeUp& card) { card.compiled("latency", "a:0", "global.uniform", "s_load_dword"), card.compiled("latency", "b:0", "global.uniform", "LDG.E", std::nullopt, "sass"); },
     [](MadeUp& card) { card.compiled("latency", "a:0", "global", "buffer_load_dword"), card.compiled("latency", "b:0", "constant", "LDC", std::nullopt, "sass"), card.compiled("latency", "c:0", "global.uniform", "OpLoad", std::nullopt, "spirv"); }},
    {"load_moved", "stay off the constant and scalar path: global.uniform through a:0 by LDG.E, as other loads.",
     [](MadeUp& card) { card.compiled("latency", "a:0", "global.uniform", "LDG.E", std::nullopt, "sass"); },
     [](MadeUp& card) { card.compiled("latency", "a:0", "global.readonly", "LDG.E.CONSTANT", std::nullopt, "sass"); }},
    {"load_moved", "global.readonly through a:0 by LDC.64, on the constant path.",
     [](MadeUp& card) { card.compiled("latency", "a:0", "global.readonly", "LDC.64", std::nullopt, "sass"); },
     [](MadeUp& card) { card.compiled("latency", "a:0", "global.readonly", "LDG.E.CONSTANT", std::nullopt, "sass"); }},
    {"transfers_take_turns", "gain little through b:0: at 64 MiB per transfer 50 GB/s to the device, 53 GB/s to the host and 59 GB/s both ways together. Both ways together: through a:0 101 GB/s at 64 MiB",
     [](MadeUp& card) { card.copies("a:0", 55, 55, 101), card.copies("b:0", 50, 53, 59); },
     [](MadeUp& card) { card.copies("a:0", 55, 55, 101), card.copies("b:0", 50, 53, 75); }},
    {"transfers_take_turns", "Copies both ways at once gain little",
     [](MadeUp& card) { card.copies("a:0", 55, 55, 55); },
     [](MadeUp& card) { card.device("a:0").cpu = true, card.copies("a:0", 10, 10, 10); }}, // a processor copies to itself
    {"copies_by_address", "pageable memory to-device through a:0, 1 MiB per transfer: 4 GB/s at odd addresses and 8 GB/s at multiples of 4 KiB; cause unknown.",
     [](MadeUp& card) { card.aligned("a:0", "1", 4), card.aligned("a:0", "4096", 8); },
     [](MadeUp& card) { card.aligned("a:0", "1", 7), card.aligned("a:0", "4096", 8), card.aligned("b:0", "1", 2); }},
    {"copies_by_address", "1 MiB per transfer: 4 GB/s at odd addresses",
     [](MadeUp& card) { card.aligned("a:0", "1", 4), card.aligned("a:0", "4096", 8); },
     [](MadeUp& card) { card.aligned("a:0", "1", 8, 0.0014), card.aligned("a:0", "4096", 8, 0.0024); }}, // a few bytes: the overhead of a copy
    {"copies_from_cache", "Copies to-device through a:0 reach 80 GB/s at 4 MiB per transfer, above the host link's 63 GB/s, but 50 GB/s at 64 MiB: not all of it crossed the link in that time; cause unknown.",
     [](MadeUp& card) { card.device("a:0").host_link_bytes_per_second = 63e9, card.curve("transfer", "a:0", "host", {{"engine", "copy"}, {"memory", "pinned"}, {"direction", "to-device"}}, {{4096, 2}, {4 << 20, 80}, {64 << 20, 50}}); },
     [](MadeUp& card) { card.curve("transfer", "a:0", "host", {{"engine", "copy"}, {"memory", "pinned"}, {"direction", "to-device"}}, {{4096, 2}, {4 << 20, 58}, {64 << 20, 50}}); }},
    {"copies_from_cache", "Transfers through a:0 exceed the host link's 63 GB/s, so not all of it crossed the link; cause unknown. 600 GB/s with direction=to-device engine=kernel memory=pinned.",
     [](MadeUp& card) { card.device("a:0").host_link_bytes_per_second = 63e9, card.curve("transfer", "a:0", "host", {{"engine", "kernel"}, {"memory", "pinned"}, {"direction", "to-device"}}, {{4096, 2}, {64 << 20, 600}}); },
     [](MadeUp& card) { card.device("a:0").host_link_bytes_per_second = 63e9, card.curve("transfer", "a:0", "host", {{"engine", "kernel"}, {"memory", "pinned"}, {"direction", "both"}}, {{4096, 2}, {64 << 20, 100}}); }},
    {"copies_on_device", "Copies within the device differ by API: at 64 MiB 2 TB/s through a:0 and 80 GB/s through b:0; cause unknown.",
     [](MadeUp& card) { for (const auto& [id, rate] : {std::pair{"a:0", 2000}, {"b:0", 80}}) card.curve("transfer", id, "host", {{"direction", "on-device"}, {"engine", "copy"}}, {{4096, 2}, {64 << 20, double(rate)}}); },
     [](MadeUp& card) { for (const auto& [id, rate] : {std::pair{"a:0", 2000}, {"b:0", 1950}}) card.curve("transfer", id, "host", {{"direction", "on-device"}, {"engine", "copy"}}, {{4096, 2}, {64 << 20, double(rate)}}); }},
    {"launches_apart", "Empty kernels of one workgroup differ by API: launch and wait 40 us through b:0 and 10 us through a:0",
     [](MadeUp& card) { card.curve("launch", "a:0", "global", {{"test", "waited"}}, {{1, 1e4}, {100, 1e4}}), card.curve("launch", "b:0", "global", {{"test", "waited"}}, {{1, 4e4}, {100, 4e4}}); },
     [](MadeUp& card) { card.curve("launch", "a:0", "global", {{"test", "waited"}}, {{1, 1e4}, {100, 1e4}}), card.curve("launch", "b:0", "global", {{"test", "waited"}}, {{1, 1.5e4}, {100, 4e4}}); }},
    {"one_workgroup", "Over 0 B 133 GB/s through a:0 and b:0 (agree within 9 %), 62 GB/s through c:0.", // runs of one device lie as far apart
     [](MadeUp& card) { for (const auto& [id, rate] : {std::pair{"a:0", 133.0}, {"b:0", 123.0}, {"c:0", 62.0}}) card.curve("saturation", id, "global", {{"level", "DRAM"}}, {{1, rate}, {100, 4000}}); },
     [](MadeUp& card) { // of one block each: noise of blocks comes on top
         for (const auto& [id, rate] : {std::pair{"a:0", 133.0}, {"c:0", 84.0}}) {
             Series& made = card.curve("saturation", id, "global", {{"level", "DRAM"}}, {{1, rate}, {100, 4000}});
             made.points[0].samples = {{.block = 0}}, made.points[0].low = 0.9 * rate, made.points[0].high = 1.1 * rate;
         }
     }},
    {"cap_contradicted", "NVML names a power cap under wgmma.f16.f32.m64n256k16 at 447 W, of a limit of 700 W: cause unknown.",
     [](MadeUp& card) { card.sustained("a:0", "wgmma.f16.f32.m64n256k16", 447, true, 700); },
     [](MadeUp& card) { card.sustained("a:0", "wgmma.f16.f32.m64n256k16", 690, true, 700), card.sustained("a:0", "fma.f64", 640, false, 700); }},
    {"cap_contradicted", "NVML names a power cap under wgmma.f16.f32.m64n256k16 at 447 W, yet none under fma.f64 at 640 W: cause unknown.", // no limit is recorded
     [](MadeUp& card) { card.sustained("a:0", "wgmma.f16.f32.m64n256k16", 447, true), card.sustained("a:0", "fma.f64", 640, false); },
     [](MadeUp& card) { card.sustained("a:0", "wgmma.f16.f32.m64n256k16", 630, true), card.sustained("a:0", "fma.f64", 640, false); }},
    {"launches_apart", "queued 20 us through b:0 and 5.0 us through a:0. Launch and wait 40 us",
     [](MadeUp& card) {
         for (const auto& [id, times] : {std::pair{"a:0", 1}, {"b:0", 4}})
             card.curve("launch", id, "global", {{"test", "queued"}}, {{1, 5e3 * times}}), card.curve("launch", id, "global", {{"test", "waited"}}, {{1, 1e4 * times}});
     },
     [](MadeUp& card) { card.curve("launch", "a:0", "global", {{"test", "queued"}}, {{1, 1e4}}), card.curve("launch", "b:0", "global", {{"test", "queued"}}, {{1, 1.5e4}}); }},
    {"launches_apart", "launch and wait 45 us through b:0 and 40 us through c:0 (within the 32 % by which another run may differ); 10 us through a:0.",
     [](MadeUp& card) {
         for (const auto& [id, ns, high] : {std::tuple{"a:0", 1e4, 1e4}, {"b:0", 4.5e4, 5.2e4}, {"c:0", 4e4, 4.2e4}}) card.curve("launch", id, "global", {{"test", "waited"}}, {{1, ns}}).points[0].high = high;
     },
     [](MadeUp& card) { // the slower one's quartiles reach to the faster one's
         card.curve("launch", "a:0", "global", {{"test", "waited"}}, {{1, 1e4}}), card.curve("launch", "b:0", "global", {{"test", "waited"}}, {{1, 2.1e4}}).points[0].low = 1.1e4;
     }},
    {"loads_not_bytes", "bytes per second grow with the width. Loads of a core and cycle: on global from L1, loads of 4 and 8 bytes 12.0 and 10.5 through a:0.",
     [](MadeUp& card) { card.loads("a:0", {{"4", 48}, {"8", 84}, {"16", 125}}); },
     [](MadeUp& card) { card.loads("a:0", {{"4", 120}, {"8", 125}, {"16", 125}}); }}, // as many bytes
    {"loads_not_bytes", "on global from 30 MiB, loads of 1 and 2 bytes 1.8 Tloads/s and 1.75 Tloads/s through a:0.", // no clock is known
     [](MadeUp& card) { card.consecutive("a:0", 1800, "1"), card.consecutive("a:0", 3500, "2"), card.consecutive("a:0", 4500, "4"); },
     [](MadeUp& card) { card.consecutive("a:0", 9000, "4"), card.consecutive("a:0", 9200, "8"); }},
    {"loads_not_bytes", "on global from 30 MiB, loads of 1 and 2 bytes 2.57 Tloads/s and 2.26 Tloads/s through a:0.", // those of 4 bytes reach the level's rate of bytes
     [](MadeUp& card) { card.consecutive("a:0", 2570, "1"), card.consecutive("a:0", 4520, "2"), card.consecutive("a:0", 9080, "4"), card.consecutive("a:0", 9340, "8"); },
     [](MadeUp& card) { card.consecutive("a:0", 2570, "1"), card.consecutive("a:0", 2600, "2"), card.consecutive("a:0", 2600, "4"); }},
    {"random_apart", "Random loads within L2 differ in one launch shape, cause unknown. On global from 16 MiB 650 GB/s through a:0 and 258 GB/s through b:0.",
     [](MadeUp& card) { card.in_orders("a:0", 650, 30), card.in_orders("b:0", 258, 16); },
     [](MadeUp& card) { card.in_orders("a:0", 650, 30), card.in_orders("b:0", 600, 16); }},
    {"random_apart", ", launch shapes (workgroups x work-items x loads) 528 x 256 x 4 through a:0 and 264 x 256 x 4 through b:0.",
     [](MadeUp& card) { card.in_orders("a:0", 650, 30), card.in_orders("b:0", 258, 16).shape->groups = 264; },
     [](MadeUp& card) { card.in_orders("a:0", 650, 30); }},
    {"operation_apart", "rcp.f32 takes 40 cycles through b:0, 23 cycles through a:0 and c:0, in a chain of x = 1 / x + c, approximate. Instructions: a:0, c:0: no listing; b:0: 1 FMUL, 1 MUFU.RCP. Errors that the languages allow: CUDA rcp.approx.ftz 1 ulp",
     [](MadeUp& card) {
         card.operation("a:0", "rcp.f32", 23), card.operation("c:0", "rcp.f32", 23);
         card.operation("b:0", "rcp.f32", 40).kernel = {.step_instructions = {{"FMUL", 1}, {"MUFU.RCP", 1}}};
     },
     [](MadeUp& card) { card.operation("a:0", "rcp.f32", 23), card.operation("b:0", "rcp.f32", 24), card.operation("a:0", "fma.f32", 4), card.operation("b:0", "fma.f64", 8); }},
    {"operation_apart", "add.u32 takes 9 cycles through a:0 and 5 cycles through b:0, in a chain of x = x + y, y = y + x.", // two additions in a step
     [](MadeUp& card) { card.operation("a:0", "add.u32", 18), card.operation("b:0", "add.u32", 10); },
     [](MadeUp& card) { card.operation("a:0", "add.u32", 18); }},
    {"operation_rates_apart", "Rates differ by 15 % or more between APIs where latencies do not, highest over lowest (named): insert.u32 1.50 (b:0).",
     [](MadeUp& card) { card.operation("a:0", "insert.u32", 10), card.operation("b:0", "insert.u32", 10.5), card.rate("a:0", "insert.u32", 16000), card.rate("b:0", "insert.u32", 10667); },
     [](MadeUp& card) { card.operation("a:0", "insert.u32", 10), card.operation("b:0", "insert.u32", 14), card.rate("a:0", "insert.u32", 16000), card.rate("b:0", "insert.u32", 10667); }},
    {"operations_alike", "Latency, and rate where it was measured, agree within 2 % through 2 APIs: fma.f32, add.f32 and fma.f64.",
     [](MadeUp& card) {
         for (const char* name : {"fma.f32", "add.f32", "fma.f64"}) card.operation("a:0", name, 4), card.operation("b:0", name, 4.04);
     },
     [](MadeUp& card) { card.operation("a:0", "fma.f32", 4), card.operation("b:0", "fma.f32", 4), card.operation("a:0", "add.f32", 4), card.operation("b:0", "add.f32", 5); }},
    {"rounds_twice", "fma.f32 rounds twice, after the product and after the sum, through b:0, and once through a:0.",
     [](MadeUp& card) { card.operation("a:0", "fma.f32", 4).rounding = "once", card.operation("b:0", "fma.f32", 4).rounding = "twice"; },
     [](MadeUp& card) { card.operation("a:0", "fma.f32", 4).rounding = "once", card.operation("b:0", "fma.f32", 4).rounding = "once"; }},
    {"rounds_once", "Compilers fuse x * x + c (mad.f32) through b:0: results are rounded once, after the sum.",
     [](MadeUp& card) { card.operation("a:0", "fma.f32", 4).rounding = "once", card.operation("b:0", "fma.f32", 4).rounding = "once", card.operation("a:0", "mad.f32", 4).rounding = "twice", card.operation("b:0", "mad.f32", 4).rounding = "once"; },
     [](MadeUp& card) { card.operation("a:0", "fma.f32", 4).rounding = "twice"; }},
    {"instruction_caches", "Instruction caches, cycles of an instruction (fma.f32) by the size of its loop: 1 cycles to 32-45.3 KiB, 2 cycles to 128-181 KiB, 6 cycles beyond. Measured with on=one-subgroup (a:0).",
     [](MadeUp& card) { card.code("a:0", 1 << 20), card.code("b:0", 64 << 10); }, [](MadeUp& card) { card.code("a:0", 12 << 10); }},
    {"alternating_instructions", "Compilers alternate two instructions, so the rate is that of both together and the latency that of one behind the other: add.u32 (IADD3 and IMAD.IADD; 33 Top/s).",
     [](MadeUp& card) { card.operation("a:0", "add.u32", 10).kernel = {.step_instructions = {{"IADD3", 1}, {"IMAD.IADD", 1}}}, card.rate("a:0", "add.u32", 33000); },
     [](MadeUp& card) { card.operation("a:0", "add.u32", 10).kernel = {.step_instructions = {{"IADD3", 1.5}, {"IMAD.IADD", 0.5}}}, card.rate("a:0", "add.u32", 33000); }},
    {"denormals_flushed", "By its mnemonic fma.f32 flushes denormals through b:0 (FFMA.FTZ), and keeps them through a:0 (FFMA).",
     [](MadeUp& card) {
         card.operation("a:0", "fma.f32", 4).kernel = {.step_instructions = {{"FFMA", 1}}};
         card.operation("b:0", "fma.f32", 4).kernel = {.step_instructions = {{"FFMA.FTZ", 1}}};
     },
     [](MadeUp& card) { card.operation("a:0", "fma.f32", 4).kernel = {.step_instructions = {{"FFMA", 1}}}, card.operation("b:0", "fma.f32", 4); }},
    {"steps_removed", "insert.u32 takes 0.005 cycles through a:0: consistent with a compiler that removed steps of the chain.",
     [](MadeUp& card) { card.operation("a:0", "insert.u32", 0.005); },
     [](MadeUp& card) { card.operation("a:0", "insert.u32", 1); }},
    {"reruns_apart", "Straight code, each instruction once a run: in run 8 an instruction takes 5.4 cycles through b:0 and 1.2 cycles through a:0. In the first run it takes 5.4 cycles through b:0 and 2.2 cycles through a:0. Cause unknown.",
     [](MadeUp& card) { card.runs("a:0", 2.2, 1.2), card.runs("b:0", 5.4, 5.4); }, [](MadeUp& card) { card.runs("a:0", 2.2, 1.2), card.runs("b:0", 5.4, 1.3); }},
    {"operation_apart", "divide.f32 takes 60 cycles through a:0 and 40 cycles through b:0, in a chain of x = c / x + d. No API has a listing of it. Errors that the languages allow: CUDA none but rounding,",
     [](MadeUp& card) { card.operation("a:0", "divide.f32", 60), card.operation("b:0", "divide.f32", 40); }, [](MadeUp& card) { card.operation("a:0", "divide.f32", 40), card.operation("b:0", "divide.f32", 40); }},
    {"cooperative_beside_mma", "Cooperative matrices through b:0 beside mma.sync through a:0: 0.50 times the rate of f16 (300 TFLOP/s; 600 TFLOP/s) with sums in f32.",
     [](MadeUp& card) { card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("b:0", "coopmat.f16.f32.m16n16k16", 300); },
     [](MadeUp& card) { card.matrix("a:0", "mma.s8.s32.m16n8k32", 600), card.matrix("b:0", "coopmat.f16.f32.m16n16k16", 300); }},
    {"wgmma_beside_mma", "wgmma beside mma.sync through a:0: 1.50 times the rate of f16 (900 TFLOP/s; 600 TFLOP/s) with sums in f32.",
     [](MadeUp& card) { card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900); },
     [](MadeUp& card) { card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900), card.matrix("a:0", "mma.f16.f16.m16n8k16", 600); }},
    {"wgmma_beside_mma", "wgmma beside mma.sync through a:0: 10.00 times the rate of e4m3 (1.9 PFLOP/s; 190 TFLOP/s emulated by HMMA) with sums in f32.",
     [](MadeUp& card) {
         card.matrix("a:0", "mma.e4m3.f32.m16n8k32", 190).evidence.kernel.emplace().step_instructions = {{"HMMA.16816.F32", 4}};
         card.matrix("a:0", "wgmma.e4m3.f32.m64n256k32", 1900);
     },
     [](MadeUp& card) { card.matrix("a:0", "wgmma.e4m3.f32.m64n256k32", 1900); }},
    {"sparse_beside_dense", "mma.sp beside mma.sync through a:0: 1.50 times the rate of f16 (900 TFLOP/s; 600 TFLOP/s) with sums in f32. Half of A's numbers are stored, zeros counted.",
     [](MadeUp& card) { card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("a:0", "mma-sp.f16.f32.m16n8k32", 900); },
     [](MadeUp& card) { card.matrix("a:0", "mma-sp.tf32.f32.m16n8k16", 900), card.matrix("a:0", "mma.f16.f32.m16n8k16", 600); }},
    {"sparse_beside_dense", "wgmma.sp beside wgmma through a:0: 1.80 times the rate of f16 (1.62 PFLOP/s; 900 TFLOP/s) with sums in f32. Half of A's numbers are stored, zeros counted.",
     [](MadeUp& card) { card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900), card.matrix("a:0", "wgmma-sp.f16.f32.m64n256k32", 1620); },
     [](MadeUp& card) { card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("a:0", "wgmma-sp.f16.f32.m64n256k32", 1620); }},
    {"library_beside", "cuBLASLt 13.0.2 multiplies f16 matrices of 8192 rows at 720 TFLOP/s through a:0: 80 % of the best rate of wgmma (900 TFLOP/s).",
     [](MadeUp& card) { card.library("a:0", "f16", 720), card.matrix("a:0", "mma.f16.f32.m16n8k16", 600), card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900), card.matrix("a:0", "wgmma.bf16.f32.m64n256k16", 950); },
     [](MadeUp& card) { card.library("a:0", "f16", 720), card.matrix("a:0", "mma.f16.f16.m16n8k16", 600), card.product("a:0", 40000, 1); }},
    {"library_beside", "80 % of the best rate of wgmma (900 TFLOP/s). It ran for 3.2 ms at a time, the instruction for 0.45 ms: clocks may differ.",
     [](MadeUp& card) {
         card.library("a:0", "f16", 720).points.back().samples = {{.steps = 1, .host_ns = 1.6e6}, {.steps = 2, .host_ns = 3.2e6}};
         card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900);
         card.run.series.back().points.back().samples = {{.steps = 1, .host_ns = 6e4}, {.steps = 8, .host_ns = 4.6e5, .device_ns = 4.5e5}};
     },
     [](MadeUp& card) { card.library("a:0", "f16", 720); }},
    {"library_beside", "80 % of the best rate of wgmma (900 TFLOP/s). Reported by NVML: power cap, at 148 to 182 W (limit 700 W) and 1950 to 1980 MHz: cause unknown.",
     [](MadeUp& card) {
         TelemetryEvidence& told = card.library("a:0", "f16", 720).evidence.telemetry;
         told.source = "NVML", told.state.power_limit_watts = 700, told.during.throttled_by = {"power cap"};
         told.during.power_watts = {.low = 148, .median = 165, .high = 182}, told.during.core_mhz = {.low = 1950, .median = 1980, .high = 1980};
         card.matrix("a:0", "wgmma.f16.f32.m64n256k16", 900);
     },
     [](MadeUp& card) { card.library("a:0", "f16", 720); }},
    {"library_beside", "cuBLASLt 13.0.2 multiplies f32 matrices of 8192 rows at 50 TFLOP/s through a:0: 125 % of workload.gemm through a:0 (40 TFLOP/s).",
     [](MadeUp& card) { card.product("a:0", 40000, 1), card.library("a:0", "f32", 50); },
     [](MadeUp& card) { card.product("a:0", 40000, 1), card.library("a:0", "f32", 50).evidence.library.reset(); }},
    {"library_beside", "VkFFT 1.2.26 does transforms of 16777216 points at 3 TFLOP/s through a:0: 150 % of workload.fft through a:0 (2 TFLOP/s).",
     [](MadeUp& card) { card.transforms("a:0", 3000, "a:0", 2000); },
     [](MadeUp& card) { card.transforms("a:0", 3000, "b:0", 2000); }},
    {"workload_bound", "workload.lbm at 4194304 cells, bound by DRAM read+write: 22 GLUP/s through a:0 (89 % of the limit).",
     [](MadeUp& card) { card.lattice("a:0", 22); },
     [](MadeUp& card) { card.lattice("a:0", 22).evidence.demand.clear(); }},
    {"workload_bound", "slower than DRAM read+write, unexplained: 15 GLUP/s through a:0 (60 % of the limit).",
     [](MadeUp& card) { card.lattice("a:0", 15); },
     [](MadeUp& card) { card.lattice("a:0", 15).status = Status::failed; }},
    {"workload_bound", "faster than DRAM read+write, cause unknown: 40 GLUP/s through a:0 (161 % of the limit).",
     [](MadeUp& card) { // launches weigh nothing where the time is that of the kernels
         Series& made = card.lattice("a:0", 40);
         made.evidence.demand[0].launches = 1, made.evidence.timers = {.value_from = Timer::device};
         card.curve("launch", "a:0", "global", {{"test", "queued"}}, {{1, 2000}});
     },
     [](MadeUp& card) { card.lattice("a:0", 40).evidence.demand.clear(); }},
    {"workload_bound", "no faster than empty kernels of one workgroup (50 ps each): 20 GLUP/s through a:0 (100 % of the limit).",
     [](MadeUp& card) {
         Series& made = card.lattice("a:0", 20);
         made.evidence.demand[0].launches = 1, made.evidence.timers = {.value_from = Timer::host};
         card.curve("launch", "a:0", "global", {{"test", "queued"}}, {{1, 0.05}});
     },
     [](MadeUp& card) { card.curve("launch", "a:0", "global", {{"test", "queued"}}, {{1, 0.05}}); }},
    {"workload_bound", "workload.lbm at 4194304 cells, no faster than its own launches of 65536 cells (50 ps each): 20 GLUP/s through a:0 (100 % of the limit).", // which start faster than empty ones
     [](MadeUp& card) {
         Series& made = card.lattice("a:0", 20);
         made.evidence.demand[0].launches = 1, made.evidence.timers = {.value_from = Timer::host};
         made.evidence.demand.insert(made.evidence.demand.begin(), Demand{.from_x = 1 << 16, .read_bytes = 77, .written_bytes = 76, .launches = 1}); // no rate of its traffic is known
         made.points.insert(made.points.begin(), Point{.x = 1 << 16, .median = 20, .samples = {}});
         card.curve("launch", "a:0", "global", {{"test", "queued"}}, {{1, 0.08}});
     },
     [](MadeUp& card) { card.curve("launch", "a:0", "global", {{"test", "queued"}}, {{1, 0.08}}); }},
    {"workload_bound", "slower than DRAM read+write, unexplained: 22 GLUP/s through a:0 (86 % of the limit).", // reads and stores alone
     [](MadeUp& card) {
         card.lattice("a:0", 22);
         for (Series& each : card.run.series)
             if (each.id.probe == "stream") each.id.options.set(option::operation, "fill");
     },
     [](MadeUp& card) {
         card.lattice("a:0", 22);
         std::erase_if(card.run.series, [](const Series& each) { return each.id.probe == "bandwidth"; });
     }},
    {"workload_bound", "20 GLUP/s through a:0 (80 % of the limit) and 10 GLUP/s through b:0 (40 %).",
     [](MadeUp& card) { card.lattice("a:0", 20), card.lattice("b:0", 10); },
     [](MadeUp& card) { // what no rate was measured of may bind a slow one
         card.lattice("a:0", 20), card.lattice("b:0", 10);
         std::erase_if(card.run.series, [](const Series& each) { return each.id.probe == "rate"; });
         card.histogram("a:0", "skewed", "few-addresses", 4.3);
     }},
    {"workload_bound", "slower than FMA, unexplained: 1 GLUP/s through a:0 (43 % of the limit).",
     [](MadeUp& card) { card.lattice("a:0", 1).evidence.demand[0].operations = 26087; },
     [](MadeUp& card) { card.lattice("a:0", 1).id.device = "b:0"; }}, // whose limits were not measured
    {"workload_bound", "workload.gemm at 8192 rows, slower than FMA, unexplained: 50 Top/s through a:0 (83 % of the limit).",
     [](MadeUp& card) { card.product("a:0", 50000, 4 / 128.0); },
     [](MadeUp& card) { card.product("a:0", 50000, 4 / 128.0).evidence.demand.clear(); }},
    {"workload_bound", "workload.gemm operation=mma.f16.f32.m16n8k16 at 8192 rows, slower than mma.f16.f32.m16n8k16, unexplained: 400 Top/s through a:0 (62 % of the limit).",
     [](MadeUp& card) { card.matrix("a:0", "mma.f16.f32.m16n8k16", 650), card.product_by("a:0", "mma.f16.f32.m16n8k16", 400000); },
     [](MadeUp& card) { card.matrix("a:0", "mma.f16.f32.m16n8k16", 650), card.product_by("a:0", "mma.f16.f32.m16n8k16", 400000).evidence.demand.clear(); }},
    {"workload_bound", "workload.histogram global data=one-bin at 16 words, bound by atomics: 1.3 Gop/s through a:0 (93 % of the limit).",
     [](MadeUp& card) { card.histogram("a:0", "one-bin", "same-address", 1.3); },
     [](MadeUp& card) { card.histogram("a:0", "one-bin", "same-address", 1.3).evidence.demand.clear(); }},
    {"workload_bound", "workload.gemm at 8192 rows, bound by reads of tiles: 8 Top/s through a:0 (89 % of the limit).",
     [](MadeUp& card) { card.product("a:0", 8000, 1); },
     [](MadeUp& card) { card.product("a:0", 8000, 1).status = Status::failed; }},
    {"workload_bound", "stream global operation=triad type=f64 at 512 MiB, bound by DRAM read+write: 3.6 TB/s through a:0 (93 % of the limit).",
     [](MadeUp& card) {
         card.lattice("a:0", 22);
         Series& triad = card.curve("stream", "a:0", "global", {{"operation", "triad"}, {"type", "f64"}}, {{1 << 29, 3600}});
         triad.unit = "GB/s", triad.evidence.demand = {{.read_bytes = 2 / 3.0, .written_bytes = 1 / 3.0}};
     },
     [](MadeUp& card) {
         Series& triad = card.curve("stream", "a:0", "global", {{"operation", "triad"}, {"type", "f64"}}, {{1 << 29, 3600}});
         triad.unit = "GB/s", triad.evidence.demand = {{.read_bytes = 2 / 3.0, .written_bytes = 1 / 3.0}};
     }},
    {"atomics_joined", "Additions on one address, each lane's counted: on scratchpad (one address per workgroup) 44 Gop/s through b:0",
     [](MadeUp& card) { card.curve("atomics", "a:0", "scratchpad", {{"layout", "same-address"}}, {{1, 1}, {100, 1.37}}), card.curve("atomics", "b:0", "scratchpad", {{"layout", "same-address"}}, {{1, 4}, {100, 44}}); },
     [](MadeUp& card) { card.curve("atomics", "a:0", "scratchpad", {{"layout", "same-address"}}, {{1, 1}, {100, 1.37}}); }},
    {"one_workgroup", "One workgroup alone reads at different rates, cause unknown. Over 0 B 120 GB/s through a:0 and 60 GB/s through b:0.",
     [](MadeUp& card) { for (const auto& [id, rate] : {std::pair{"a:0", 120.0}, {"b:0", 60.0}}) card.curve("saturation", id, "global", {{"level", "DRAM"}}, {{1, rate}, {100, 4000}}); },
     [](MadeUp& card) { for (const auto& [id, rate] : {std::pair{"a:0", 120.0}, {"b:0", 100.0}}) card.curve("saturation", id, "global", {{"level", "DRAM"}}, {{1, rate}, {100, 4000}}); }},
    {"one_workgroup", "120 GB/s through a:0 and 60 GB/s through b:0. Through b:0 it reads by pointers 118 GB/s and with shape 8x1024x1 95 GB/s.",
     [](MadeUp& card) {
         for (const auto& [id, rate] : {std::pair{"a:0", 120.0}, {"b:0", 60.0}}) card.curve("saturation", id, "global", {{"level", "LLC"}}, {{1, rate}, {100, 4000}});
         card.curve("saturation", "b:0", "global.pointer", {{"level", "LLC"}}, {{1, 118}, {100, 4000}});
         for (const auto& [shape, rate] : {std::pair{"2x512x1", 50.0}, {"8x1024x1", 95.0}}) card.curve("saturation", "b:0", "global", {{"level", "LLC"}, {"shape", shape}}, {{1, rate}, {2, 2 * rate}});
     },
     [](MadeUp& card) { for (const char* id : {"a:0", "b:0"}) card.curve("saturation", id, "global", {{"level", "LLC"}, {"shape", "2x512x1"}}, {{1, *id == 'a' ? 120 : 60}, {2, 200}}); }},
    {"derived_cycles", "Derived cycles of a load, as b:0 has no clock of the core: L1 80, L2 400, DRAM 1200. A step of fma.f32 takes 4 cycles through a:0 and 2 ns here, which is 2000 MHz.",
     [](MadeUp& card) { card.known_step("a:0", 4, 2.2), card.known_step("b:0", std::nullopt, 2); },
     [](MadeUp& card) { card.known_step("a:0", std::nullopt, 2.2), card.known_step("b:0", std::nullopt, 2); }},
    {"core_scratchpad", "Workgroups of one core hold together, of the sizes tried: 224 KiB (",
     [](MadeUp& card) { card.occupancy("a:0", 228 * kKiB), card.occupancy("b:0", 48 * kKiB); },
     [](MadeUp& card) { card.occupancy("a:0", 228 * kKiB), card.occupancy("b:0", 200 * kKiB); }},
    {"limit_unlike_reported", "A kernel takes constant memory of at least 256 KiB through a:0, where the driver reports 64 KiB",
     [](MadeUp& card) { card.room("a:0", "constant", 64 * kKiB, 256 * kKiB, std::nullopt); },
     [](MadeUp& card) { card.room("a:0", "constant", 64 * kKiB, 64 * kKiB, 65 * kKiB); }},
    {"limit_unlike_reported", "Largest scratchpad of a workgroup: 47.5 KiB through a:0. Through a:0 49152 bytes as an argument fail, where the driver reports 49152; ",
     [](MadeUp& card) { card.room("a:0", "scratchpad", 48 * kKiB, 47.5 * kKiB, 48 * kKiB); },
     [](MadeUp& card) { card.room("a:0", "scratchpad", 48 * kKiB, 48 * kKiB, 49 * kKiB); }},
    {"memory_in_segments", "through a:0 3.5 GiB from 0 B on read 196 GB/s and 512 MiB from 3.5 GiB on read 28 GB/s",
     [](MadeUp& card) {
         std::vector<std::pair<double, double>> chunks;
         for (int i = 0; i < 32; ++i) chunks.emplace_back(i * 128 * kMiB, i < 28 ? 196 : 28);
         card.curve("segments", "a:0", "global", {{"test", "read"}}, chunks).evidence.chunk_bytes = 128 << 20;
     },
     [](MadeUp& card) {
         std::vector<std::pair<double, double>> chunks;
         for (int i = 0; i < 32; ++i) chunks.emplace_back(i * 128 * kMiB, i < 28 ? 196 : 180);
         card.curve("segments", "a:0", "global", {{"test", "read"}}, chunks).evidence.chunk_bytes = 128 << 20;
     }},
    {"series_unstable", "latency b:0 global and 1 more: unstable, and used by no sentence below. Reason: another process.",
     [](MadeUp& card) {
         two_apis(card, kThree, kThree);
         Series again = card.run.series.back();
         again.id.path = "texel", card.run.series.push_back(again);
         for (std::size_t i = 1; i < 3; ++i) card.run.series[i].status = Status::unstable, card.run.series[i].reason = "another process";
     },
     [](MadeUp& card) { two_apis(card, kThree, kThree); }},
    {"series_failed", "latency a:0 texel failed: lost",
     [](MadeUp& card) {
         Series& failed = (card.device("a:0"), card.latency("a:0", "texel", kThree, 1));
         failed.status = Status::failed, failed.reason = "lost";
     },
     [](MadeUp& card) {
         Series& unsupported = (card.device("a:0"), card.latency("a:0", "texel", kThree, 1));
         unsupported.status = Status::unsupported, unsupported.reason = "no such path";
     }},
};

} // namespace

TEST_CASE("a roofline: rates of reads by level, of multiply-adds, and workloads by operations for each byte") {
    MadeUp made;
    made.lattice("a:0", 22), made.device("b:0");
    const auto cards = cards_of({&made.run, 1});
    const auto rooflines = rooflines_of(cards.at(0));
    REQUIRE(rooflines.size() == 1); // nothing of b:0
    CHECK(rooflines[0].device == "a:0");
    REQUIRE(rooflines[0].roofs.size() == 1);
    CHECK(rooflines[0].roofs[0].name == "FMA");
    CHECK(rooflines[0].roofs[0].rate == 60000);
    REQUIRE(rooflines[0].ceilings.size() == 3);
    CHECK(rooflines[0].ceilings[0].name == "L1");
    CHECK(rooflines[0].ceilings[1].rate == 9000);
    CHECK(rooflines[0].ceilings[2].name == "DRAM");
    CHECK(rooflines[0].ceilings[2].rate == 4000);
    REQUIRE(rooflines[0].points.size() == 1);
    CHECK(rooflines[0].points[0].name == "workload.lbm");
    CHECK(rooflines[0].points[0].x == doctest::Approx(184 / 153.0));
    CHECK(rooflines[0].points[0].y == doctest::Approx(184 * 22));
}

TEST_CASE("a roofline: operations by matrix units and of other numbers have roofs of their own; what has none is left out; the scratchpad is a ceiling") {
    MadeUp made;
    made.product_by("a:0", "mma.f16.f32.m16n8k16", 400000), made.matrix("a:0", "mma.f16.f32.m16n8k16", 650);
    made.curve("bandwidth", "a:0", "scratchpad", {{"width", "16"}}, {{16384, 30000}});
    for (const char* type : {"f64", "f32"}) {
        Series& triad = made.curve("stream", "a:0", "global", {{"operation", "triad"}, {"type", type}}, {{1 << 29, 3600}});
        triad.unit = "GB/s", triad.evidence.demand = {{.read_bytes = 2 / 3.0, .written_bytes = 1 / 3.0, .operations = 1 / 12.0, .operation = type == std::string("f64") ? "fma.f64" : ""}};
    }
    const auto cards = cards_of({&made.run, 1});
    auto rooflines = rooflines_of(cards.at(0));
    REQUIRE(rooflines.size() == 1);
    CHECK(rooflines[0].ceilings.back().name == "scratchpad");
    CHECK(rooflines[0].ceilings.back().rate == 30000);
    REQUIRE(rooflines[0].points.size() == 2); // no rate of fma.f64 was measured
    CHECK(rooflines[0].points[0].name == "workload.gemm mma.f16.f32.m16n8k16");
    CHECK(rooflines[0].points[1].name == "stream triad f32");
    CHECK(rooflines[0].points[1].x == doctest::Approx(1 / 12.0));
    CHECK(rooflines[0].points[1].y == doctest::Approx(300));
    made.curve("rate", "a:0", "global", {{"operation", "fma.f64"}, {"chains", "8"}}, {{16, 30000}});
    const auto again = cards_of({&made.run, 1});
    rooflines = rooflines_of(again.at(0));
    REQUIRE(rooflines.at(0).roofs.size() == 3);
    CHECK(rooflines[0].roofs[0].name == "mma.f16.f32.m16n8k16");
    CHECK(rooflines[0].roofs[0].rate == 650000);
    CHECK(rooflines[0].roofs[1].name == "FMA f64");
    CHECK(rooflines[0].roofs[1].rate == 30000);
}

TEST_CASE("no two levels of a curve have one name: a second one within a name of the card says that it is") {
    MadeUp made;
    made.device("cuda:0");
    made.latency("cuda:0", "global", kThree, kEnd);
    made.latency("cuda:0", "global.cg", {{200, 1 * kMiB}, {260, 4 * kMiB}, {600, kEnd}}, kEnd);
    const auto cards = cards_of({&made.run, 1});
    REQUIRE(cards.size() == 1);
    CHECK(cards[0].curves[0].level_names == std::vector<std::string>{"L1", "L2", "DRAM"});
    CHECK(cards[0].curves[1].level_names == std::vector<std::string>{"L2", "L2 (2)", "DRAM"});
}

TEST_CASE("each rule speaks where it must and is silent where it must") {
    for (const Case& row : kCases) {
        CAPTURE(std::string(row.rule));
        MadeUp fires, silent;
        row.fires(fires);
        row.silent(silent);
        const auto spoken = said(fires.run, row.rule), unspoken = said(silent.run, row.rule);
        CAPTURE(fmt::format("{}", fmt::join(spoken, "\n")));
        CHECK(says(spoken, row.part));
        CAPTURE(fmt::format("{}", fmt::join(unspoken, "\n")));
        CHECK(unspoken.empty());
    }
}

TEST_CASE("every rule of the table has a case, a title and a kind") {
    for (const Rule* each : all_rules()) {
        const Rule& rule = *each;
        CAPTURE(std::string(rule.name));
        CHECK(std::any_of(std::begin(kCases), std::end(kCases), [&](const Case& row) { return row.rule == rule.name; }));
        CHECK_FALSE(rule.title.empty());
        CHECK((rule.kind == "path" || rule.kind == "suspect"));
    }
}

TEST_CASE("a statement names the series that it rests on, and its JSON is a finding") {
    MadeUp card;
    two_apis(card, kThree, kTwo);
    const auto statements = statements_of(card.run);
    REQUIRE(statements.size() == 1);
    CHECK(statements[0].from.size() == 2);
    CHECK(statements[0].evidence.size() == 2);
    const Json line = to_json(statements[0]);
    for (const char* field : {"type", "kind", "probe", "device", "path", "text", "from"}) CHECK(line.contains(field));
    CHECK(line["name"] == "l1_not_reached");
    CHECK(line["device"] == "b:0");
}

TEST_CASE("a series that is doubtful says that alone, and one measured a second time nothing") {
    MadeUp card;
    two_apis(card, kThree, kTwo);
    card.run.series[1].status = Status::unstable, card.run.series[1].reason = "interrupted";
    const auto statements = statements_of(card.run);
    REQUIRE(statements.size() == 1);
    CHECK(statements[0].text == "latency b:0 global: unstable, and used by no sentence below. Reason: interrupted.");
    MadeUp twice;
    two_apis(twice, kThree, kThree);
    twice.latency("b:0", "global", kTwo, kEnd);
    CHECK(statements_of(twice.run).empty());
}

TEST_CASE("the line of latencies says of which loads L2 far is a mean, where single loads were timed") {
    for (const std::uint32_t slow : {0u, 50u}) {
        MadeUp made;
        in_two_parts(made);
        if (slow > 0) made.single_loads("a:0", 6 * kMiB, slow);
        const std::string line = latency_line(cards_of({&made.run, 1})[0]);
        CAPTURE(line);
        CHECK(says({line}, slow > 0 ? "L2 far 400 (mean: 50 % of loads take 600 or more, the others 308) to " : "L2 far 400 to "));
    }
}

TEST_CASE("the line of latencies without global takes another path of memory and names it; paths beside it stand alone") {
    MadeUp cg, alone;
    cg.device("a:0"), cg.latency("a:0", "global.cg", kThree, kEnd);
    alone.device("a:0"), alone.latency("a:0", "scratchpad", {{29, kEnd}}, 48 * kKiB);
    CHECK(latency_line(cards_of({&cg.run, 1})[0]).starts_with("LATENCY, cycles (a:0 global.cg): L1 "));
    CHECK(latency_line(cards_of({&alone.run, 1})[0]) == "LATENCY, cycles (a:0): scratchpad 29");
}

TEST_CASE("levels are found anew, whichever version wrote the file; those of a file without the points are taken as they are, and lines that are none are not") {
    MadeUp card;
    card.device("a:0"), card.latency("a:0", "global", kThree, kEnd);
    std::vector<Finding> findings = level_findings(card.run.series[0], card.run.devices[0]);
    REQUIRE(findings.size() == 3);
    findings[0].name = "first of all";
    for (const Finding& finding : findings) card.run.findings.emplace_back(finding);
    card.run.findings.push_back(Json::parse(R"({"type":"finding","kind":"level","name":7,"from":"nothing"})"));
    CHECK(cards_of({&card.run, 1})[0].curves[0].levels[0].name == "L1");
    card.run.series[0].points.clear();
    const Card seen = cards_of({&card.run, 1})[0];
    CHECK(seen.curves[0].levels.size() == 3);
    CHECK(seen.curves[0].levels[0].name == "first of all");
    CHECK(seen.curves[0].levels[2].x == findings[2].x);
}

TEST_CASE("a processor's fourth level is DRAM, however large a cache its system reports and however early the sweep ends") {
    for (const bool cpu : {true, false}) {
        MadeUp card;
        card.device("a:0", 300 * kMiB).cpu = cpu;
        card.latency("a:0", "global", {{2, 32 * kKiB}, {5, 1 * kMiB}, {20, 8 * kMiB}, {100, kEnd}}, 100 * kMiB);
        const std::vector<Finding> findings = level_findings(card.run.series[0], card.run.devices[0]);
        REQUIRE(findings.size() == 4);
        CHECK(findings[3].name == (cpu ? "DRAM" : "L4"));
    }
}

TEST_CASE("matrix: a row per level of a path, and each way of not being there told apart") {
    MadeUp card;
    two_apis(card, kThree, kTwo);
    card.latency("a:0", "private", kThree, 512 * kKiB);
    Series& refused = card.latency("b:0", "private", kThree, 1);
    refused.status = Status::unsupported;
    const Card seen = cards_of({&card.run, 1})[0];
    const Matrix matrix = matrix_of(seen);
    REQUIRE(matrix.devices.size() == 2);
    REQUIRE(matrix.rows.size() == 5);
    CHECK(matrix.rows[0].level == "L1");
    CHECK(matrix.rows[0].cells[0].reach == Reached::reached);
    CHECK(matrix.rows[0].cells[0].level->value == doctest::Approx(40));
    CHECK(matrix.rows[0].cells[1].reach == Reached::passed_by);
    CHECK(matrix.rows[2].cells[1].level->value == doctest::Approx(600));
    CHECK(matrix.rows[3].path == "private");
    CHECK(matrix.rows[3].cells[1].reach == Reached::unsupported);
    CHECK(matrix.rows[4].cells[0].reach == Reached::reached);
}

TEST_CASE("what is known of the H200's paths is said, and nothing else") {
    const Run paths = read_run(recorded::kPaths);
    std::vector<std::string> rules;
    for (const Statement& statement : statements_of(paths)) rules.emplace_back(statement.rule);
    CHECK(std::multiset(rules.begin(), rules.end()) == std::multiset<std::string>{"l1_not_reached", "smaller_l1", "smaller_l1", "cache_in_parts", "extra_cycles", "constant_is_global", "one_cache_two_paths", "scratchpad_limit", "host_memory", "reported_cache", "load_moved"});
    CHECK(statements_of(paths).back().rule == "load_moved"); // what a compiler did not do is told last
    CHECK(says(said(paths, "l1_not_reached"), "global.cg does not reach L1 through cuda:0, opencl:1.0 and vulkan:0"));
    CHECK(says(said(paths, "extra_cycles"), "A load takes more cycles through vulkan:0 than cuda:0: on global"));
    CHECK(says(said(paths, "extra_cycles"), "But on global.pointer +0.1 (L1)"));
    CHECK(says(said(paths, "constant_is_global"), "constant through opencl:1.0"));
    CHECK(says(said(paths, "cache_in_parts"), "the driver reports one cache of 60 MiB"));
    CHECK(says(said(paths, "host_memory"), "through cuda:0 only L1 caches it, to 215-219 KiB, and loads far beyond take"));
    CHECK(says(said(paths, "host_memory"), "Through opencl:1.0 it has the latency of device memory"));
    CHECK(says(said(paths, "host_memory"), "Through vulkan:0 loads hit a cache behind L1 to 42.2-47.7 MiB"));
    CHECK(says(said(paths, "reported_cache"), "opencl:1.0 reports a cache of 4.12 MiB (132 cores x 32 KiB), where global has no edge: it lies within L2 near (288 cycles)."));
    CHECK(says(said(paths, "smaller_l1"), "184-187 KiB against 215-219 KiB on global, global.ca, global.readonly, global.uniform, global.pointer and texel. 155-158 KiB against 204-208 KiB on image2d."));
    CHECK(says(said(paths, "cache_in_parts"), "L2 near to 26-28.8 MiB and L2 far to about 58 MiB"));

    CHECK(says(said(read_run(recorded::kCarveout), "option_moves_l1"), "20.8-21.1 KiB with carveout=100"));
    const Run bandwidth = read_run(recorded::kBandwidth);
    CHECK(says(said(bandwidth, "bandwidth_apart"), "constant"));
    CHECK(says(said(bandwidth, "faster_than_peak"), "host through opencl:1.0"));
    for (const Statement& statement : statements_of(bandwidth)) {
        CAPTURE(statement.text);
        CHECK((statement.rule == "bandwidth_apart" || statement.rule == "faster_than_peak" || statement.rule == "cut_short")); // and nothing else
    }
}

/// Everything that one rule says of its made-up cards and of recorded runs.
static std::vector<std::string> all_said(std::string_view rule) {
    std::vector<std::string> texts;
    const auto add = [&](const Run& run) {
        for (std::string& text : said(run, rule)) texts.push_back(std::move(text));
    };
    for (const Case& row : kCases)
        if (row.rule == rule) {
            MadeUp card;
            row.fires(card);
            add(card.run);
        }
    static const std::vector<Statement> kRecorded = [] {
        std::vector<Statement> all;
        for (const std::string& file : {recorded::kPaths, recorded::kEverything})
            for (Statement& statement : statements_of(read_run(file))) all.push_back(std::move(statement));
        return all;
    }();
    for (const Statement& statement : kRecorded)
        if (statement.rule == rule) texts.push_back(statement.text);
    return texts;
}

TEST_CASE("a rule that states a cause names what shows it, which exists; any other tells observations") {
    const std::string witnesses = text_of_file(SONDE_SOURCE_DIR "/tests/witness/README.md"), schema = text_of_file(SONDE_SOURCE_DIR "/results/schema.json");
    for (const Rule* rule : all_rules()) {
        CAPTURE(std::string(rule->name));
        for (const std::string& shown_by : split(std::string(rule->shown_by), ';')) {
            if (shown_by.empty()) continue;
            CAPTURE(shown_by);
            const std::string name = shown_by.substr(shown_by.find(": ") + 2);
            if (says({shown_by}, "witness: ")) CHECK(witnesses.find("`" + name + "`") != std::string::npos);
            else CHECK((says({shown_by}, "evidence: ") && schema.find("\"" + name + "\"") != std::string::npos));
        }
        for (const std::string& text : rule->shown_by.empty() ? all_said(rule->name) : std::vector<std::string>{}) {
            CAPTURE(text);
            for (const char* cause : {"because", "due to", "so it ", "so that", "caused by", "owing to", "depends on", "gives up", "TLB misses"}) CHECK_FALSE(says({text}, cause));
        }
    }
}

TEST_CASE("ends of one level that exclude each other through one API are told as one range, and none is sure") {
    MadeUp made;
    made.device("a:0"), made.device("b:0");
    const auto ends_at = [](double l2) { return std::vector<Step>{{40, 64 * kKiB}, {200, l2}, {600, kEnd}}; };
    for (const char* id : {"a:0", "b:0"})
        for (const auto& [path, l2] : {std::pair{"global", 4 * kMiB}, {"global.ca", 4 * kMiB}, {"global.cg", (id[0] == 'a' ? 4.8 : 4.0) * kMiB}}) made.latency(id, path, ends_at(l2), kEnd);
    const Card card = cards_of({&made.run, 1})[0];
    for (const Curve& curve : card.curves) {
        CAPTURE(curve.series->id.text());
        const Finding* l2 = curve.reached("L2");
        REQUIRE(l2);
        CHECK(capacity_text(*l2) == (curve.series->id.device == "a:0" ? "4-5.66 MiB" : "4-4.76 MiB"));
        CHECK((curve.series->id.device == "b:0" || *l2->confidence < 1));
        CHECK(l2->is_sure());
        CHECK_FALSE(curve.reached("L1")->edge_bytes);
    }
}

TEST_CASE("ends of one level that exclude each other by block are told as one range, too") {
    MadeUp made;
    made.device("a:0");
    for (Point& point : made.latency("a:0", "global", kThree, kEnd).points)
        for (int block = 0; block < 2; ++block) {
            const double ns = block == 1 && point.x > 4 * kMiB && point.x < 6 * kMiB ? 200 : *point.median;
            for (const double steps : {100.0, 200.0}) point.samples.push_back({.block = block, .steps = steps, .host_ns = steps * ns});
        }
    CHECK(capacity_text(*cards_of({&made.run, 1})[0].curves[0].reached("L2")) == "4-5.66 MiB");
}

TEST_CASE("DRAM ends at the step of translation that tlb shows within its footprints; beyond are TLB misses") {
    MadeUp made;
    made.translation("a:0", 128 * kMiB);
    made.latency("a:0", "global", kThree, kEnd);
    const Card card = cards_of({&made.run, 1})[0];
    const Finding& dram = card.curves[1].levels.back();
    REQUIRE(dram.tlb_beyond_bytes);
    CHECK(*dram.tlb_beyond_bytes == doctest::Approx(128 * kMiB).epsilon(0.5));
    CHECK(dram.x.back() <= *dram.tlb_beyond_bytes);
    CHECK(capacity_text(dram).find(", slower beyond (TLB)") != std::string::npos);
    MadeUp rises; // no plateau of it, but a later rise of the curve itself
    rises.device("a:0"), rises.latency("a:0", "global", {{40, 64 * kKiB}, {200, 4 * kMiB}, {600, 700 * kMiB}, {900, 1e12}}, 8192 * kMiB);
    const Finding risen = level_findings(rises.run.series[0], rises.run.devices[0]).back();
    REQUIRE(risen.tlb_beyond_bytes);
    CHECK(risen.text.find("slower beyond (TLB)") != std::string::npos);
}

TEST_CASE("a gradual rise behind the last plateau is no capacity; an edge is, and a plateau behind it") {
    MadeUp made;
    made.device("a:0"), made.latency("a:0", "global", kThree, kEnd);
    for (Point& point : made.latency("a:0", "private", {{40, kEnd}}, 512 * kKiB).points)
        if (point.x > 64 * kKiB) point.median = point.low = point.high = point.cycles = 40 * std::pow(point.x / (64 * kKiB), 1.2);
    for (Point& point : made.latency("a:0", "global.cg", {{40, kEnd}}, 512 * kKiB).points)
        if (point.x > 64 * kKiB) point.median = point.low = point.high = point.cycles = 200 * std::pow(point.x / (64 * kKiB), 0.2);
    const Card card = cards_of({&made.run, 1})[0];
    CHECK(capacity_text(card.curves[0].levels[0]) == "64-76.1 KiB");
    CHECK(capacity_text(card.curves[1].levels.back()) == "64 KiB, then a gradual rise to 512 KiB");
    CHECK(level_findings(made.run.series[1], made.run.devices[0]).back().text.ends_with(" to 64 KiB, then rises gradually to 512 KiB: no edge that is a capacity"));
    CHECK(capacity_text(card.curves[2].levels.back()) == "64-76.1 KiB");
}

TEST_CASE("an end known to 10 % is one number, else the range") {
    Finding level{.capacity_bytes = std::pair{208 * kKiB, 223 * kKiB}};
    CHECK(edge_text(level) == "~215 KiB");
    level.confidence = 0.3;
    CHECK_FALSE(level.is_sure());
    level.edge_bytes = std::pair{24 * kMiB, 31 * kMiB};
    CHECK(level.is_sure()); // several curves show it, and only its end is in doubt
    CHECK(edge_text(level) == "24-31 MiB");
    CHECK(capacity_text(level) == "24-31 MiB");
}

TEST_CASE("DRAM's rate is the median at 4 GiB and beyond; where a sweep ends before, from four times the last cache on") {
    MadeUp made;
    made.device("a:0"), made.latency("a:0", "global", kThree, kEnd);
    Series& reads = made.bandwidth("a:0", "global", {{32000, 64 * kKiB}, {9500, 4 * kMiB}, {7000, 16 * kMiB}, {5000, 2048 * kMiB}, {4500, 64 * kEnd}}, 8.0 * kEnd);
    CHECK(rate_line(cards_of({&made.run, 1})[0]).find("DRAM 4.5 TB/s at 4-8 GiB") != std::string::npos);
    std::erase_if(reads.points, [](const Point& point) { return point.x > kEnd; });
    CHECK(rate_line(cards_of({&made.run, 1})[0]).find("DRAM 5 TB/s at 19 MiB-1 GiB") != std::string::npos);
    made.run.devices[0].bus_bytes_per_second = 4.8e12; // which caches beat where a sweep was cut short
    CHECK(rate_line(cards_of({&made.run, 1})[0]).find("DRAM") == std::string::npos);
}

TEST_CASE("the share of DRAM's peak, or what gives that peak where no driver reports it; for a processor nothing does") {
    const auto line = [](double peak, bool cpu) {
        MadeUp made;
        made.device("a:0", 0, peak).cpu = cpu;
        made.latency("a:0", "global", kThree, kEnd), made.bandwidth("a:0", "global", {{32000, 64 * kKiB}, {9500, 4 * kMiB}, {4500, 64 * kEnd}}, 8.0 * kEnd);
        return rate_line(cards_of({&made.run, 1})[0]);
    };
    CHECK(line(5e12, false).find("(90 % of peak)") != std::string::npos);
    CHECK(line(0, false).find("(no driver reports the memory's peak rate: --dram-bandwidth GB/s gives it)") != std::string::npos);
    CHECK(line(0, true).find("(peak not reported)") != std::string::npos);
}

TEST_CASE("rates without latencies: the highest, and that of the largest footprint") {
    MadeUp made;
    made.bandwidth("a:0", "global", {{30000, 1 * kMiB}, {1200, kEnd}}, kEnd), made.bandwidth("b:0", "texel", {{40000, kEnd}}, kEnd);
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

TEST_CASE("levels of other memories are named by what they are") {
    MadeUp made;
    two_apis(made, kThree, kThree);
    made.latency("a:0", "host", {{40, 64 * kKiB}, {260, 4 * kMiB}, {2000, kEnd}}, kEnd), made.latency("b:0", "host", {{40, 64 * kKiB}, {201, 4 * kMiB}, {600, kEnd}}, kEnd);
    made.latency("a:0", "constant", {{30, 2 * kKiB}, {100, kEnd}}, 60 * kKiB), made.latency("b:0", "constant", {{40, kEnd}}, 60 * kKiB);
    made.latency("a:0", "push", {{30, kEnd}}, 4 * kKiB), made.latency("a:0", "scratchpad", {{29, kEnd}}, 48 * kKiB);
    const Card card = cards_of({&made.run, 1})[0];
    using Names = std::vector<std::string>;
    const Names expected[] = {{"L1", "L2", "DRAM"}, {"L1", "L2", "DRAM"}, {"L1", "host, cached", "host memory"}, {"L1", "L2", "DRAM"}, {"constant L1", "beyond it"}, {"L1"}, {"push"}, {"scratchpad"}};
    for (std::size_t i = 0; i < std::size(expected); ++i) CHECK(card.curves.at(i).level_names == expected[i]);
}

TEST_CASE("loads of another path evict as much of texel's lines as its own do on the H200") {
    const auto texts = said(read_run(recorded::kEverything), "evicts_as_own");
    CHECK(says(texts, "Loads on global over 512 KiB evict what a walk on texel holds: consistent with a cache that both use. Through cuda:0 its loads then take 93.4 ns on average, 93.4 after loads of its own, 47.7 undisturbed. Through"));
    for (const std::string& text : texts) CHECK(text.find("part of one cache") == std::string::npos);
}

TEST_CASE("what the structure probes found on the H200 is said") {
    const Run structure = read_run(recorded::kStructure);
    const auto pages = said(structure, "tlb_reach");
    CHECK(says(pages, "TLB reach through vulkan:0 is about 32 times smaller than through cuda:0. It is 6-12 MiB against 192-384 MiB (a miss costs about 5.1 ns)"));
    CHECK(says(pages, " A further step at 6-12 GiB: a load takes "));
    CHECK(pages.size() == 1);
    CHECK(said(structure, "clock_under_load").empty()); // core-sharing's cycles are one core's, its times those of two
    const auto first = said(read_run(recorded::file("l1-by-scratchpad")), "l1_by_scratchpad");
    CHECK(says(first, "20.8-21.1 KiB with 12 KiB"));
    CHECK(says(first, "Through vulkan:0 it stays at 184-187 KiB, to 48 KiB held"));
}

TEST_CASE("what all probes found on the H200 through three APIs is said, and nothing that is not so") {
    const Run everything = read_run(recorded::kEverything);
    CHECK(says(said(everything, "atomics_joined"), "Gop/s through vulkan:0"));
    CHECK(said(everything, "atomic_cache_control") == std::vector<std::string>{"No cache-control instruction follows an atomic on global in the machine code of cuda:0, opencl:1.0 (by ptxas) and vulkan:0."});
    CHECK(says(said(everything, "mean_of_two_kinds"), "Through cuda:0 48 % of those at 40 MiB take 528 cycles or more, the others 466 in the median"));
    CHECK(says(said(everything, "copies_from_cache"), "Copies to-device through vulkan:0 reach"));
    CHECK(says(said(read_run(recorded::others(1)), "transfers_take_turns"), "at 64 MiB per transfer 49.4 GB/s to the host and 58 GB/s both ways together. Both")); // and nothing rests on the doubted series
    CHECK(says(said(read_run(recorded::file("one-workgroup")), "one_workgroup"), "65.7 GB/s through vulkan:0"));
    CHECK(says(said(everything, "extra_cycles"), "TLB misses, measured by tlb, add +8 (L2 far) and +4 (DRAM) of these; another +4 (DRAM) is unexplained."));
    CHECK(says(said(read_run(recorded::file("stream-copies")), "stores_slower"), "through vulkan:0"));
    CHECK(says(said(everything, "consecutive_apart"), "Consecutive loads on global over 30 MiB differ in one launch shape, cause unknown. 4-byte loads read 9.11 TB/s through cuda:0 and opencl:1.0 (agree within 1 %), 6.35 TB/s through vulkan:0"));
    CHECK(says(said(everything, "launches_apart"), "us through vulkan:0"));
    CHECK(says(said(everything, "core_scratchpad"), "48 KiB (4 x 12 KiB) through vulkan:0"));
    CHECK(says(said(everything, "constant_is_global"), "A kernel through opencl:1.0 takes at least 256 KiB, where the driver reports 64 KiB"));
    CHECK(said(everything, "limit_unlike_reported").empty()); // said once
    CHECK(says(said(everything, "scratchpad_limit"), "47.9 KiB through opencl:1.0")); // and not where the latency's sweep ended
    CHECK(said(everything, "memory_in_segments").empty());
    CHECK(says(said(read_run(recorded::kCoalescing), "random_apart"), "On global from 16 MiB 644 GB/s through cuda:0 and opencl:1.0 (agree within 1 %), 257 GB/s through vulkan:0"));
}

TEST_CASE("five runs of one card say the same") {
    for (int run = 1; run <= 5; ++run) {
        CAPTURE(run);
        std::vector<std::string> rules;
        for (const Statement& statement : statements_of(read_run(recorded::run(run)))) rules.emplace_back(statement.rule);
        CHECK(std::multiset(rules.begin(), rules.end()) == std::multiset<std::string>{"smaller_l1", "extra_cycles", "scratchpad_limit", "cache_in_parts", "reported_cache"});
    }
}

TEST_CASE("a workload's launches cost what its own at a smaller size do, else empty kernels of as many workgroups; with another limit they may explain a time") {
    const auto bound = [](double own_ns, double rate, double workgroups) {
        MadeUp card;
        Series& made = card.lattice("a:0", rate);
        made.evidence.timers = {.value_from = Timer::host};
        Demand& demand = made.evidence.demand[0];
        demand.launches = 1;
        if (workgroups > 0) demand.workgroups = workgroups;
        if (own_ns > 0) {
            made.points.insert(made.points.begin(), Point{.x = 1 << 16, .median = 1 / own_ns, .samples = {}});
            made.evidence.demand.insert(made.evidence.demand.begin(), Demand{.from_x = 1 << 16, .read_bytes = 77, .written_bytes = 76, .launches = 1});
        }
        card.curve("launch", "a:0", "global", {{"test", "queued"}}, {{1, 0.08}, {132, 0.09}, {2112, 0.12}});
        return said(card.run, "workload_bound").at(0);
    };
    CHECK(bound(0, 12, 0).find("no faster than empty kernels of one workgroup (80 ps each): 12 GLUP/s") != std::string::npos);
    CHECK(bound(0, 8, 1000).find("no faster than empty kernels of 2112 workgroups (120 ps each): 8 GLUP/s") != std::string::npos);
    CHECK(bound(0.07, 14, 0).find("no faster than its own launches of 65536 cells (70 ps each): 14 GLUP/s") != std::string::npos);
    CHECK(bound(0.5, 12, 0).find("no faster than empty kernels of one workgroup") != std::string::npos); // that is no launch alone
    CHECK(bound(0, 22, 0).find("bound by DRAM read+write") != std::string::npos); // empty kernels that take longer bound nothing
    CHECK(bound(0.07, 9, 0).find("about as long as its own launches of 65536 cells (70 ps each) and DRAM read+write together: 9 GLUP/s through a:0 (99 % of the limit)") != std::string::npos);
    CHECK(bound(0.07, 5, 0).find("slower than its own launches of 65536 cells (70 ps each), unexplained: 5 GLUP/s") != std::string::npos);
}

TEST_CASE("APIs that another run may rank otherwise: whether this run's blocks do is told") {
    const auto launches = [](std::vector<double> first, std::vector<double> second) {
        MadeUp card;
        for (const auto& [id, blocks] : {std::pair{"b:0", first}, {"c:0", second}}) {
            Series& made = card.curve("launch", id, "global", {{"test", "waited"}}, {{1, 0}});
            for (std::size_t block = 0; block < blocks.size(); ++block)
                for (const Sample& sample : {Sample{.steps = 1, .host_ns = blocks[block]}, Sample{.steps = 2, .host_ns = 2 * blocks[block]}}) made.points[0].samples.push_back(sample), made.points[0].samples.back().block = static_cast<int>(block);
            summarize(made.points[0], Measure::time_per_step, Timer::host, false);
        }
        card.curve("launch", "a:0", "global", {{"test", "waited"}}, {{1, 3e3}});
        return said(card.run, "launches_apart").at(0);
    };
    CHECK(launches({8.1e3, 8.2e3, 9e3}, {9.4e3, 9.5e3, 9.2e3}).find("8.2 us through b:0 and 9.4 us through c:0 (so in each block; another run may differ by 32 %)") != std::string::npos);
    CHECK(launches({8.1e3, 8.2e3, 9.6e3}, {9.4e3, 9.5e3, 9.2e3}).find("8.2 us through b:0 and 9.4 us through c:0 (within the 32 % by which another run may differ)") != std::string::npos);
    CHECK(launches({12e3}, {15e3}).find("(in the one block of this run; another run may differ by 74 %)") != std::string::npos);
}
