// sustained: rate, clock and power of the whole card under load, by time.
#include "core/analysis/power.h"
#include "core/base/statistics.h"
#include "core/measure/arithmetic.h"
#include "core/measure/traffic.h"
#include "core/probes/arithmetic_options.h"

namespace sonde {

namespace {
constexpr std::uint32_t kIndependent = 8; // chains of a work-item
constexpr std::uint32_t kSubgroupsOfCore = 16;
constexpr double kFallen = 0.97; // of the rate of the first seconds

constexpr std::uint32_t kMatrixStepsOfTrip = 32,
                        kMatrixSubgroups = 8; // of all chains; of a workgroup, one for each core

/// Of arithmetic and of matrix units; null: reads of DRAM.
constexpr std::string_view kRead = "read";
const Choice<const Operation*> kLoad = [] {
    Choice<const Operation*> choice = kOperation;
    for (const Operation& form : all_matrix_forms()) choice.words.emplace_back(form.name, &form);
    choice.words.emplace_back(kRead, nullptr);
    return choice;
}();
const std::vector<std::string_view> kUsualLoads{"fma.f32", "wgmma.f16.f32.m64n256k16", kRead, "fma.f64",
    "mma.f16.f32.m16n8k16", "wgmma.e4m3.f32.m64n256k32", "wgmma.s8.s32.m64n256k32", "coopmat.f16.f32.m16n16k16"};

std::vector<Options> sustained_variants() {
    std::vector<std::string_view> words = kUsualLoads;
    for (const auto& [word, operation] : kLoad.words)
        if (std::ranges::find(kUsualLoads, word) == kUsualLoads.end()) words.push_back(word);
    return kLoad.each(words);
}
bool sustained_by_default(std::string_view, const Options& variant) {
    return std::ranges::find(kUsualLoads, kLoad.word(variant)) != kUsualLoads.end();
}
bool reads_memory(const Options& options) { return kLoad.in(options) == nullptr; }
std::string_view unit_of_load(const Options& options) { return reads_memory(options) ? "GB/s" : ""; }

const Setting<std::uint64_t> kSeconds{
    {"seconds"}, "a whole number from 1 to 600: how long the load lasts", [](const std::string& value) {
        const auto seconds = number_of<std::uint64_t>(value);
        return seconds && *seconds >= 1 && *seconds <= 600 ? seconds : std::nullopt;
    }};

constexpr std::uint32_t kReadWidth = 4; // words of a load: the widest

KernelChoice sustained_kernel(const DeviceInfo& info, const Path& path, const Options& options) {
    if (reads_memory(options)) return read_kernel(info, path, launch_shapes(info, path, {})[0], kReadWidth);
    const Operation& operation = *kLoad.in(options);
    if (!operation.matrix)
        return arithmetic_kernel(info, operation, kIndependent, steps_of_trip(info, operation) / kIndependent);
    const std::uint32_t chains = sufficient_chains(*operation.matrix);
    return matrix_kernel(info, operation, chains, kMatrixStepsOfTrip / chains, kMatrixSubgroups);
}

/// Of a buffer so large that caches serve little of it, by the launch shape that is fastest there.
void read_memory(Bench& bench, std::uint64_t seconds) {
    constexpr std::uint64_t kTimesCache = 64, kLeast = 256ull << 20;
    const std::uint64_t cache = bench.last_level();
    bench.evidence.operation = kRead;
    bench.wake_clocks();
    const auto memory =
        bench.allocate(std::min(bench.largest_footprint().bytes, std::max(kTimesCache * cache, kLeast)), 2 * cache);
    const std::uint32_t seed = bench.next_seed();
    const std::uint64_t bytes = bench.fill_source(*memory, seed);
    bench.ending.reset(); // a footprint that has one size alone ends nowhere
    const FillSum sums(Bench::kFillPeriod, seed);
    Movers<Reader> readers = all_readers(bench, kReadWidth);
    Reader* reader = readers.best(bytes, [&](Reader& each) { return each.aim(*memory, sums, bytes); });
    if (!reader) throw Unsupported(fmt::format("no launch shape reads {}", format_bytes(static_cast<double>(bytes))));
    bench.evidence.footprint_bytes = reader->footprint();
    bench.sustain(seconds, reader->most(), [&](std::uint32_t count) { return reader->timed(count); });
}

void measure_sustained(Bench& bench) {
    const Options& options = bench.request.id.options;
    const std::uint64_t of_profile = bench.profile.blocks == 1   ? 2
                                     : bench.profile.blocks == 3 ? 10
                                                                 : 20,
                        seconds = kSeconds.in(options).value_or(of_profile);
    if (reads_memory(options)) return read_memory(bench, seconds);
    const Operation& operation = *kLoad.in(options);
    const KernelChoice choice = sustained_kernel(bench.info, bench.path, options);
    bench.evidence.operation = operation.name;
    bench.wake_clocks();
    if (operation.matrix) {
        MatrixUnits units(bench, choice, DataKind::integers, 1);
        std::uint32_t dispatches = 0; // reading all sums keeps the card idle, as long as a short dispatch lasts
        bench.sustain(seconds, units.most_rounds(), [&](std::uint32_t rounds) {
            return units.timed(rounds, dispatches++ % 64 ? MatrixUnits::Check::first_group : MatrixUnits::Check::all);
        });
        bench.evidence.shape = {.group_size = choice.group_size, .groups = bench.info.cores, .unroll = choice.repeat};
        return;
    }
    const std::uint32_t groups =
        bench.info.cores *
        (bench.info.cpu ? 1 : std::clamp(bench.info.filling() / choice.group_size, 1u, kSubgroupsOfCore));
    Arithmetic chains(bench, choice, groups);
    const double trip = operation.work * steps_of_trip(bench.info, operation) * choice.group_size * groups;
    bench.sustain(seconds, chains.most_rounds(),
        [&](std::uint32_t rounds) { return chains.timed(groups, rounds, trip * rounds); });
    bench.evidence.shape = {.group_size = choice.group_size, .groups = groups, .unroll = choice.repeat};
}

/// ". After the first second the card draws 688 W to 690 W by NVML (limit 700 W), 10.9 pJ an operation with idle power
/// and pauses; kernels ran 98 % of the time", or a byte; empty where no instrument told it.
std::string power_text(const Series& series, const Power& power) {
    if (power.watts.empty()) return "";
    const char* work = reads_memory(series.id.options) ? "a byte" : "an operation";
    const bool later = series.points.size() > 1;
    const auto [least, most] = std::ranges::minmax(power.watts);
    const std::string& source = series.evidence.telemetry.source;
    const auto& limit = series.evidence.telemetry.state.power_limit_watts;
    const std::string low = fmt::format("{:.0f} W", least), high = fmt::format("{:.0f} W", most),
                      range = low == high ? high : low + " to " + high;
    std::string text = fmt::format(". {} card draws {}{}{}", later ? "After the first second the" : "The", range,
        source.empty() ? "" : " by " + source, limit ? fmt::format(" (limit {:.0f} W)", *limit) : "");
    if (power.work > 0)
        text += fmt::format(", {} {} with idle power and pauses; kernels ran {:.0f} % of the time",
            format_si(power.picojoules() * 1e-12, "J"), work, 100 * power.busy_share());
    return text;
}

/// A number that changed from second to second: where it ended, and between which it lay.
FindingRow course_row(const char* place, const std::vector<double>& values, const std::string& unit) {
    const auto [least, most] = std::ranges::minmax(values);
    return {place, values.back(), unit, std::pair(least, most)};
}

/// Of what is counted: floating-point operations, of pairs too, are FLOP.
const char* counted_as(const Operation& operation) {
    const bool floats = operation.matrix ? operation.matrix->in->is_float() : operation.number >= Number::f32;
    return floats ? "FLOP" : "op";
}

std::vector<FindingRow> power_rows(const Series& series, const Power& power) {
    if (power.watts.empty()) return {};
    std::vector<FindingRow> rows{course_row("power", power.watts, "W")};
    if (const auto& limit = series.evidence.telemetry.state.power_limit_watts)
        rows.push_back({"its limit", *limit, "W"});
    if (power.work > 0)
        rows.push_back({"energy, with idle power and pauses", power.picojoules(),
            reads_memory(series.id.options) ? "pJ/B" : fmt::format("pJ/{}", counted_as(*kLoad.in(series.id.options)))}),
            rows.push_back({"time in kernels", power.busy_share(), "share"});
    return rows;
}

/// ". NVML names a power cap in 60 of 97 samples"
std::string cap_text(const Series& series) {
    if (!names_power_cap(series)) return "";
    const TelemetryEvidence& told = series.evidence.telemetry;
    const auto named = told.during.throttled_samples.find("power cap");
    return fmt::format(". {} names a power cap{}", told.source.empty() ? "The driver" : told.source,
        named == told.during.throttled_samples.end()
            ? ""
            : fmt::format(" in {:g} of {} samples", named->second, told.during.samples));
}

/// "65.9 to 66.2 Top/s", or where the last third of the seconds lies below the first "falls from 920 to 870 Top/s".
template <class Text> std::string course_text(std::vector<double> values, const Text& text) {
    const auto third = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, values.size() / 3));
    const double begin = median({values.begin(), values.begin() + third}),
                 end = median({values.end() - third, values.end()});
    if (end < kFallen * begin) return fmt::format("falls from {} to {}", text(begin), text(end));
    const auto [least, most] = std::ranges::minmax(values);
    return text(least) == text(most) ? text(most) : fmt::format("{} to {}", text(least), text(most));
}

std::vector<Finding> sustained_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    std::vector<double> rates;
    std::ranges::transform(curve, std::back_inserter(rates), &CurvePoint::y);
    const bool reads = reads_memory(series.id.options);
    std::string text = fmt::format("{} under load for {:g} s: {}",
        reads
            ? fmt::format("reads of {}", format_bytes(static_cast<double>(series.evidence.footprint_bytes.value_or(0))))
            : kLoad.word(series.id.options),
        curve.back().x, course_text(rates, [&](double rate) {
            return format_si(rate * 1e9, reads ? "B/s" : fmt::format("{}/s", counted_as(*kLoad.in(series.id.options))));
        }));
    if (!reads && !kLoad.in(series.id.options)->matrix && kLoad.in(series.id.options)->work > 1)
        text += fmt::format(
            " (one {} is {:g} operations)", kLoad.word(series.id.options), kLoad.in(series.id.options)->work);
    std::vector<FindingRow> rows{course_row(
        "rate", rates, reads ? series.unit : fmt::format("G{}/s", counted_as(*kLoad.in(series.id.options))))};
    rows.push_back({"seconds under load", curve.back().x, "s"});
    const std::vector<double> clocks = clocks_of(series);
    if (!clocks.empty()) rows.push_back(course_row("core clock", clocks, "MHz"));
    const Power power = power_of(series);
    const std::vector<FindingRow> of_power = power_rows(series, power);
    rows.insert(rows.end(), of_power.begin(), of_power.end());
    if (clocks.size() > 1)
        text += fmt::format(
            ", core clock {}", course_text(clocks, [](double mhz) { return fmt::format("{:.0f} MHz", mhz); }));
    return {finding_of(series, {.name = kLoad.word(series.id.options),
                                   .value = curve.back().y,
                                   .rows = std::move(rows),
                                   .text = text + power_text(series, power) + cap_text(series),
                                   .x = {curve.front().x, curve.back().x}})};
}
} // namespace

const Probe kSustained{
    .name = "sustained",
    .question = "Rate, clock and power under load?",
    .explanation =
        "All cores run independent chains of one operation, of arithmetic or of matrix units on small integers, or "
        "read a buffer far larger than all caches, for some seconds, in dispatches of up to 0.1 s that follow each "
        "other at once. The core clock and the card's power over the same time show whether they limit the rate.",
    .picture = "Flat where power and cooling suffice, else a fall with the clock in the first seconds.",
    .x = {"second"},
    .unit = "Gop/s",
    .other_unit = unit_of_load,
    .peak = Peak::documented,
    .run_noise = run_noise::levels,
    .paths = {"global"},
    .variants = sustained_variants(),
    .accepts = {kSeconds},
    .quick = {.seconds = 2.17, .variants = 2},
    .run = measure_sustained,
    .findings = sustained_findings,
    .kernel = sustained_kernel,
    .by_default = sustained_by_default,
};

} // namespace sonde
