// The series of these runs.
#include "tests/diagnosis/made_up.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/probes/probe.h"

namespace sonde::made_up {

DeviceRecord& MadeUp::device(const std::string& id, double cache_bytes, double bus) {
    run.devices.push_back({{.id = id,
                               .api = id.substr(0, id.find(':')),
                               .name = "Card",
                               .driver = "1",
                               .cache_bytes = static_cast<std::uint64_t>(cache_bytes),
                               .bus_bytes_per_second = bus},
        "c"});
    return run.devices.back();
}

Series& MadeUp::series(const std::string& probe, const std::string& device, const std::string& path,
    const std::string& unit, Options options) {
    run.series.push_back({.id = {probe, device, path, std::move(options)},
        .api = device.substr(0, device.find(':')),
        .card = "c",
        .x = {"footprint", "bytes"},
        .unit = unit});
    return run.series.back();
}

Series& MadeUp::latency(
    const std::string& device, const std::string& path, const std::vector<Step>& steps, double last, Options options) {
    Series& made = series("latency", device, path, "ns", std::move(options));
    for (double x = 512; x <= last; x *= std::exp2(0.25)) {
        const auto step =
            std::find_if(steps.begin(), steps.end(), [&](const Step& each) { return std::round(x) <= each.ends; });
        made.points.push_back({.x = std::round(x),
            .median = step->latency,
            .low = step->latency,
            .high = step->latency,
            .cycles = step->latency,
            .clock_mhz = 1000,
            .samples = {}});
    }
    return made;
}

void MadeUp::known_step(const std::string& id, std::optional<double> cycles, double ns) {
    device(id).core_cycles = cycles.has_value();
    Series& loads = latency(id, "global", kThreeLevels, 1024.0 * 1024 * 1024);
    if (!cycles)
        for (Point& point : loads.points) point.cycles.reset(), point.clock_mhz.reset();
    curve("operation", id, "global", {{"operation", "fma.f32"}}, {{64, 3 * ns}, {512, ns}}).points.back().cycles =
        cycles;
}

void MadeUp::translation(const std::string& id, double reach) {
    device(id);
    Series& made = series("tlb", id, "global.pointer", "ns");
    made.evidence.lines = 4096;
    for (double x = 2.0 * 1024 * 1024; x <= 4e9; x *= std::sqrt(2))
        made.points.push_back({.x = x, .median = 140 + 30 * std::max(0.0, 1 - reach / x), .samples = {}});
}

void MadeUp::held(const std::string& id, double scratchpad, double first, const Options& asked) {
    if (scratchpad == 0 && asked.empty()) device(id);
    Series& made = latency(id, "global", {{40, first * 1024}, {200, 1e12}}, 2 << 20, asked);
    made.id.options.set({"scratchpad"}, fmt::format("{}", scratchpad));
    made.id.probe = "carveout";
    made.evidence.scratchpad_bytes = static_cast<std::uint32_t>(scratchpad * 1024);
}

Series& MadeUp::curve(const std::string& probe, const std::string& id, const std::string& path, const Options& options,
    const std::vector<std::pair<double, double>>& points) {
    if (std::none_of(run.devices.begin(), run.devices.end(), [&](const DeviceRecord& each) { return each.id == id; }))
        device(id);
    const Probe* known = find_probe(probe);
    Series& made = series(probe, id, path, std::string(known ? known->unit_of(options) : ""), options);
    for (const auto& [x, value] : points) made.points.push_back({.x = x, .median = value, .samples = {}});
    return made;
}

void MadeUp::aligned(const std::string& id, const char* bytes, double rate, double small) {
    curve("transfer", id, "host",
        {{"alignment", bytes}, {"direction", "to-device"}, {"engine", "copy"}, {"memory", "pageable"}},
        {{4, small}, {4096, 1}, {1 << 20, rate}});
}

Series& MadeUp::zeros(const std::string& id) {
    for (Series& each : run.series)
        if (each.id.device == id && option::data.asked(each.id.options)) return each;
    return curve("bandwidth", id, "global", {{"data", "zeros"}, {"width", "16"}}, {{4e9, 6000}});
}

void MadeUp::compiled(const char* probe, const std::string& id, const char* path, const char* load,
    std::optional<const char*> behind, const char* listing) {
    Series& made = curve(probe, id, path, behind ? Options{{"layout", "same-address"}} : Options{}, {{1, 1}, {100, 1}});
    made.evidence.kernel = KernelEvidence{.listing = {.kind = listing}, .load = {.kind = behind ? "" : load}};
    if (behind) made.evidence.kernel->atomics = std::vector{AtomicEvidence{.kind = load, .cache_control = *behind}};
}

void MadeUp::single_loads(const std::string& id, double middle, std::uint32_t slow_percent) {
    Series& made = curve("load-times", id, "global.cg", {}, {{2 << 20, 200}, {middle, 400}, {64 << 20, 600}});
    made.evidence.clock = {.name = "clock", .counts = "core cycles"};
    const auto times = [](double bytes, std::vector<double> from, std::vector<std::uint32_t> loads) {
        return LoadTimes{.footprint_bytes = static_cast<std::uint64_t>(bytes),
            .nothing = 10,
            .bin = 8,
            .from = std::move(from),
            .loads = std::move(loads)};
    };
    made.evidence.load_times = {times(2 << 20, {200}, {1000}),
        times(middle, {304, 600}, {1000 - 10 * slow_percent, 10 * slow_percent}),
        times(64 << 20, {792, 800, 808}, {20, 480, 500})};
}

void MadeUp::lanes(const std::string& id, double all, double one) {
    Series& made = curve("latency", id, "global", {{"apart", "0"}, {"lanes", "all"}}, {{16384, all / 2}});
    made.points[0].cycles = all;
    made.evidence.one_lane_ns = {{16384, one / 2}};
}

void MadeUp::lanes_apart(const std::string& id, std::uint32_t lanes, const char* apart, double all) {
    Series& made =
        curve("latency", id, "scratchpad", {{"apart", apart}, {"lanes", std::to_string(lanes)}}, {{16384, all / 2}});
    made.points[0].cycles = all;
    made.evidence.lanes = lanes;
    made.evidence.one_lane_ns = {{16384, 29 / 2.0}};
}

void MadeUp::copies(const std::string& id, double up, double down, double both) {
    const auto way = [&](const char* name, double rate) {
        curve("transfer", id, "host", {{"engine", "copy"}, {"memory", "pinned"}, {"direction", name}},
            {{4096, rate / 20}, {64 << 20, rate}});
    };
    way("to-device", up), way("to-host", down), way("both", both);
}

void MadeUp::sustained(
    const std::string& id, const char* operation, double watts, bool capped, std::optional<double> limit) {
    TelemetryEvidence& told =
        curve("sustained", id, "global", {{"operation", operation}}, {{1, 900e3}, {2, 900e3}}).evidence.telemetry;
    told.source = "NVML", told.state.power_limit_watts = limit;
    told.during.power_watts = {.low = watts, .median = watts, .high = watts};
    if (capped) told.during.throttled_by = {"power cap"};
}

Series& MadeUp::histogram(const std::string& id, const char* data, const char* layout, double rate) {
    curve("bandwidth", id, "global", {{"width", "4"}}, {{16, 4000}, {4096, 4000}});
    curve("atomics", id, "global", {{"layout", "same-address"}}, {{1, 1}, {528, 1.4}}),
        curve("atomics", id, "global", {{"layout", "consecutive"}}, {{1, 12}, {528, 500}});
    Series& made = curve("workload.histogram", id, "global", {{"data", data}}, {{16, rate}});
    made.x = {"words", ""}, made.unit = "Gop/s", made.evidence.unit_of_work = "word counted";
    made.evidence.demand = {
        {.footprint_bytes = 64, .read_bytes = 4, .atomics = 1, .atomics_path = "global", .atomics_layout = layout}};
    return made;
}

void MadeUp::stores(const std::string& id, double memory) {
    curve("stream", id, "global", {{"operation", "fill"}, {"width", "16"}},
        {{1 << 24, 9000}, {1 << 28, memory}, {1 << 29, memory * 1.01}, {1 << 30, memory}});
}

void MadeUp::room(
    const std::string& id, const std::string& path, double said, double taken, std::optional<double> refused) {
    const auto bytes = [](double number) { return static_cast<std::uint64_t>(number); };
    Evidence& tried = curve("limits", id, path, {}, {{taken, 30}}).evidence;
    tried.reported_bytes = bytes(said), tried.accepted_bytes = bytes(taken);
    if (refused) tried.rejected_bytes = bytes(*refused);
}

void MadeUp::occupancy(const std::string& id, double of_core) {
    std::vector<std::pair<double, double>> points;
    for (double bytes = 1024; bytes <= 32 * 1024; bytes *= 2)
        points.emplace_back(bytes, 1000 / std::min(32.0, std::floor(of_core / bytes)));
    Evidence& evidence = curve("occupancy", id, "scratchpad", {}, points).evidence;
    evidence.groups_per_core = 32, evidence.alone_ns = 1000;
}

void MadeUp::evicting(const std::string& id, const std::string& by, double share) {
    Series& made = curve("sharing", id, "texel", {{"other_path", by}},
        {{8192, 50}, {128 << 10, 50 + 100 * share}, {256 << 10, 50 + 100 * share}});
    made.unit = "ns";
    Evidence& evidence = made.evidence;
    evidence.levels = {{.ns = 50}, {.ns = 150}};
    evidence.filling_bytes = 128 << 10;
}

Series& MadeUp::consecutive(const std::string& id, double rate, const std::string& width) {
    Series& made = curve("coalescing", id, "global", {{"pattern", "stride"}, {"width", width}}, {{1, rate}, {2, 4500}});
    made.evidence.footprint_bytes = 30 << 20;
    return made;
}

Series& MadeUp::lattice(const std::string& id, double rate) {
    device(id), latency(id, "global", kThreeLevels, 1024.0 * 1024 * 1024),
        bandwidth(id, "global", {{9000, 4.0 * 1024 * 1024}, {4000, 1e12}}, 1024.0 * 1024 * 1024);
    curve("stream", id, "global", {{"operation", "copy"}, {"width", "16"}},
        {{1 << 20, 8000}, {1 << 29, 3800}, {1 << 30, 3800}});
    curve("rate", id, "global", {{"operation", "fma.f32"}, {"chains", "8"}}, {{16, 60000}});
    Series& made = curve("workload.lbm", id, "global", {}, {{1 << 22, rate}});
    made.x = {"cells", ""}, made.unit = "GLUP/s";
    made.evidence.demand = {{.from_x = 1 << 22,
        .footprint_bytes = 153.0 * (1 << 22),
        .read_bytes = 77,
        .written_bytes = 76,
        .operations = 184}};
    return made;
}

Series& MadeUp::launched_lattice(const std::string& id, double rate, double least_ns) {
    Series& made = lattice(id, rate);
    made.evidence.timers = {.value_from = Timer::host};
    made.evidence.demand[0].launches = 1;
    made.evidence.demand.insert(
        made.evidence.demand.begin(), Demand{.from_x = 1 << 16, .read_bytes = 77, .written_bytes = 76, .launches = 1});
    made.points.insert(made.points.begin(), Point{.x = 1 << 16, .median = 1 / least_ns, .samples = {}});
    return made;
}

Series& MadeUp::product(const std::string& id, double rate, double tile_bytes) {
    lattice(id, 22).status = Status::failed;
    Series& made = curve("workload.gemm", id, "scratchpad", {}, {{8192, rate}});
    made.x = {"rows", ""}, made.unit = "Gop/s";
    made.evidence.demand = {{.from_x = 8192,
        .footprint_bytes = 12.0 * 8192 * 8192,
        .read_bytes = 4.0 / 8192,
        .written_bytes = 2.0 / 8192,
        .operations = 1,
        .tile_bytes = tile_bytes,
        .tile_footprint_bytes = 4 << 20}};
    return made;
}

Series& MadeUp::product_by(const std::string& id, const char* form, double rate) {
    Series& made = product(id, rate, 0);
    made.id.options = {{"operation", form}};
    made.evidence.demand[0].operation = form;
    return made;
}

Evidence& MadeUp::operation(const std::string& id, const char* name, double cycles) {
    Series& made = curve("operation", id, "global", {{"operation", name}}, {{512, cycles / 2}});
    made.points[0].cycles = cycles;
    return made.evidence;
}

void MadeUp::runs(const std::string& id, double first, double last) {
    Series& made = curve("first-run", id, "global", {{"card", "awake"}}, {{1, first / 2}, {8, last / 2}});
    made.points[0].cycles = first, made.points[1].cycles = last;
}

void MadeUp::rate(const std::string& id, const char* name, double gops) {
    series("rate", id, "global", "Gop/s", {{"operation", name}, {"chains", "8"}})
        .points.push_back({.x = 32, .median = gops, .samples = {}});
}

void MadeUp::code(const std::string& id, double last) {
    Series& made = curve("code-size", id, "global", {{"on", "one-subgroup"}}, {});
    for (double x = 8 << 10; x <= last; x *= std::sqrt(2))
        made.points.push_back({.x = x, .median = x < 40e3 ? 0.5 : x < 150e3 ? 1 : 3, .samples = {}});
    for (Point& point : made.points) point.cycles = 2 * *point.median;
    made.x = {"footprint", "bytes"};
}

void MadeUp::matrix_at(const std::string& id, const char* data, double rate, double mhz) {
    curve("matrix", id, "global", {{"chains", "4"}, {"data", data}, {"operation", "mma.f16.f32.m16n8k16"}},
        {{8, rate * 1000}})
        .points.back()
        .clock_mhz = mhz;
}

Series& MadeUp::matrix(const std::string& id, const char* form, double rate) {
    return curve("matrix", id, "global", {{"chains", "4"}, {"data", "integers"}, {"operation", form}},
        {{1, rate * 300}, {8, rate * 1000}});
}

Series& MadeUp::library(const std::string& id, const char* numbers, double rate) {
    Series& made =
        curve("workload.gemm-library", id, "global", {{"numbers", numbers}}, {{1024, rate * 500}, {8192, rate * 1000}});
    made.x = {"rows", ""}, made.unit = "Gop/s";
    made.evidence.library = LibraryEvidence{.name = "cuBLASLt", .version = "13.0.2"};
    return made;
}

Series& MadeUp::transforms(const std::string& id, double rate, const std::string& ours, double our_rate) {
    lattice(id, 22).status = Status::failed;
    if (ours != id) lattice(ours, 22).status = Status::failed;
    curve("workload.fft", ours, "scratchpad", {}, {{1 << 10, our_rate / 2}, {1 << 24, our_rate}}).x = {"points", ""};
    Series& made = curve("workload.fft-library", id, "global", {}, {{1 << 10, rate / 2}, {1 << 24, rate}});
    made.x = {"points", ""}, made.unit = "Gop/s";
    made.evidence.library = LibraryEvidence{.name = "VkFFT", .version = "1.2.26"};
    return made;
}

Evidence& MadeUp::in_orders(const std::string& id, double random, unsigned mebibytes) {
    Evidence& evidence =
        curve("coalescing", id, "global", {{"pattern", "order"}, {"width", "4"}}, {{0, 9000}, {4, random}}).evidence;
    evidence.footprint_bytes = mebibytes << 20;
    evidence.shape = {.group_size = 256, .groups = 528, .loads_in_flight = 4};
    return evidence;
}

void MadeUp::random_of_two_widths(const std::string& id, double random) {
    in_orders(id, random, 16),
        curve("coalescing", id, "global", {{"pattern", "order"}, {"width", "8"}}, {{0, 9000}, {4, 2 * random}});
}

void MadeUp::loads(const std::string& id, const std::vector<std::pair<const char*, double>>& by_width) {
    device(id).cores = 1, latency(id, "global", {{40, 64 * 1024}, {200, 4 << 20}, {600, 1 << 30}}, 1 << 30);
    for (const auto& [width, bytes] : by_width) {
        Series& made = bandwidth(id, "global", {{bytes, 64 * 1024}, {4, 1 << 30}}, 1 << 30);
        made.id.options.set(option::width, width);
    }
}

Series& MadeUp::bandwidth(
    const std::string& device, const std::string& path, const std::vector<Step>& steps, double last) {
    Series& made = latency(device, path, steps, last, {{"width", "16"}});
    made.id.probe = "bandwidth";
    made.unit = "GB/s";
    return made;
}

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

std::vector<std::string> said(const Run& run, std::string_view rule) {
    std::vector<std::string> texts;
    for (const Statement& statement : statements_of(run))
        if (statement.rule == rule) texts.push_back(statement.text);
    return texts;
}

bool says(const std::vector<std::string>& texts, const std::string& part) {
    return std::any_of(
        texts.begin(), texts.end(), [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

void in_two_parts(MadeUp& card) {
    card.device("a:0", 9 * kMiB).core_cycles = true;
    card.latency("a:0", "global", {{40, 64 * kKiB}, {200, 4 * kMiB}, {400, 8 * kMiB}, {700, kEnd}}, kEnd);
}

void shows_clock(TelemetryEvidence& telemetry, double low) {
    telemetry.source = "NVML", telemetry.during.samples = 9;
    telemetry.during.core_mhz = {.low = low, .median = 995, .high = 1000};
}

void two_apis(MadeUp& card, const std::vector<Step>& a, const std::vector<Step>& b, const char* path) {
    card.device("a:0");
    card.device("b:0");
    card.latency("a:0", path, a, kEnd);
    card.latency("b:0", path, b, kEnd);
}

std::vector<Case>& all_cases() {
    static std::vector<Case> all;
    return all;
}

Cases::Cases(std::initializer_list<Case> rows) : rows_(rows) { all_cases().insert(all_cases().end(), rows); }

namespace {
bool holds(const Cell& cell, const ToldCell& expected) {
    if (const double* number = std::get_if<double>(&expected.holds))
        return cell.quantity() && cell.quantity()->value == doctest::Approx(*number).epsilon(0.005);
    if (const Lack* lack = std::get_if<Lack>(&expected.holds))
        return std::holds_alternative<Lack>(cell.is) && std::get<Lack>(cell.is) == *lack;
    const auto* shown = std::get_if<Instructions>(&cell.is);
    return shown && shown->text == std::get<std::string_view>(expected.holds);
}

/// Of a place that several sections have, one will do.
bool has_cell(const Grid& grid, const ToldCell& expected) {
    const auto column = std::ranges::find(grid.columns, expected.device);
    if (column == grid.columns.end()) return false;
    const auto at = static_cast<std::size_t>(column - grid.columns.begin());
    for (const GridSection& section : grid.sections)
        for (const GridRow& row : section.rows)
            if (row.place == expected.place && at < row.cells.size() && holds(row.cells[at], expected)) return true;
    return false;
}

bool tells(const Statement& statement, const Case& row) {
    return statement.fact.cause == row.cause &&
           std::ranges::all_of(row.told, [&](const ToldCell& cell) { return has_cell(statement.fact.grid, cell); });
}
} // namespace

void Cases::check() const {
    for (const Case& row : rows_) {
        CAPTURE(std::string(row.rule));
        MadeUp fires, silent;
        row.fires(fires);
        row.silent(silent);
        const Statements all = statements_of(fires.run);
        const auto spoken = said(fires.run, row.rule), unspoken = said(silent.run, row.rule);
        CAPTURE(fmt::format("{}", fmt::join(spoken, "\n")));
        CHECK_FALSE(row.told.empty());
        CHECK(
            std::ranges::any_of(all, [&](const Statement& each) { return each.rule == row.rule && tells(each, row); }));
        CAPTURE(fmt::format("{}", fmt::join(unspoken, "\n")));
        CHECK(unspoken.empty());
    }
}

} // namespace sonde::made_up
