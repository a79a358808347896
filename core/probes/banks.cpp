// banks: time of a subgroup's load from scratchpad by the stride of its lanes.
#include <array>
#include <bit>

#include "core/analysis/traffic.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kClockWords = 4;

std::uint32_t lanes_at_banks(const DeviceInfo& info) { return std::min(1024u, info.largest_group); }

/// NVIDIA's OpenCL reports 48 KiB and refuses a kernel that uses all of them, so stay well below.
std::uint32_t elements_of(const DeviceInfo& info, std::uint32_t width) {
    return std::bit_floor(std::min(info.scratchpad_bytes / 2, 32768u) / (width * 4));
}

/// Every power of two up to four times a subgroup's lanes (a bank of two words repeats at twice them, and must not get
/// worse beyond), as far as no two lanes of a subgroup come to share an element; their neighbours, and the small odd
/// and even ones.
std::vector<std::uint64_t> strides(const DeviceInfo& info, std::uint32_t width) {
    std::vector<std::uint64_t> all{3, 5, 6, 7, 12, 24};
    for (std::uint64_t stride = 1; stride <= 4 * info.subgroup && stride * info.subgroup <= elements_of(info, width);
         stride *= 2) {
        all.push_back(stride);
        if (stride >= 16) all.insert(all.end(), {stride - 1, stride + 1});
    }
    return distinct(all);
}

/// One workgroup that loads from its scratchpad.
struct Bank {
    Bench& bench;
    const Kernel& kernel;
    const std::uint32_t width; // words of an element
    const std::uint32_t lanes = lanes_at_banks(bench.info), elements = elements_of(bench.info, width),
                        staged = elements + kLoadsInFlight;
    const std::unique_ptr<Buffer> result = bench.allocate_result(kClockWords + lanes);
    std::unique_ptr<Buffer> memory = nullptr;
    std::vector<std::uint32_t> loads = {}; // by where they begin: the sum of the words of LOADS neighbours
    std::array<std::uint32_t, kLoadsInFlight> sums_of_round =
        {}; // of all loads of a lane until it is back where it began, by where that is

    void new_memory() {
        const std::uint64_t bytes = std::uint64_t{staged} * width * 4;
        memory = bench.allocate(bytes, 512);
        const std::uint32_t seed = bench.next_seed();
        bench.fill(*memory, bytes, seed);
        const FillSum sums(Bench::kFillPeriod, seed);
        loads.clear(), sums_of_round.fill(0);
        for (std::uint32_t begin = 0; begin < elements; ++begin)
            sums_of_round[begin % kLoadsInFlight] += loads.emplace_back(
                sums.range(std::uint64_t{begin} * width, std::uint64_t{begin + kLoadsInFlight} * width));
    }

    /// Steps are loads of one subgroup.
    Sample timed(std::uint32_t stride, std::uint32_t count) {
        const kernel_args::Banks args{.elements = elements, .stride = stride, .count = count, .stage = staged};
        const double steps = static_cast<double>(lanes) / bench.info.subgroup * count * kLoadsInFlight;
        auto [sample, out] = bench.launch(kernel, args,
            {.a = memory.get(), .out = *result, .scratchpad_bytes = staged * width * 4}, steps, kClockWords + lanes);
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
            if (const std::uint32_t sum = expected(lane * stride, count); out[kClockWords + lane] != sum)
                throw Error(fmt::format("lane {} read words that add up to {:#010x}, the host's sum is {:#010x}", lane,
                    out[kClockWords + lane], sum));
        bench.checked("the sum of every lane's words in every dispatch against the host's sum");
        sample.cycles = clock_difference(bench.info, out);
        return sample;
    }

    /// Sum of `count` times the neighbours that begin at `at`, at + kLoadsInFlight, ..., which wrap around.
    std::uint32_t expected(std::uint32_t at, std::uint32_t count) const {
        const std::uint32_t round = elements / kLoadsInFlight;
        std::uint32_t rest = 0;
        for (std::uint32_t n = 0; n < count % round; ++n) rest += loads[(at + n * kLoadsInFlight) & (elements - 1)];
        return count / round * sums_of_round[at % kLoadsInFlight] + rest;
    }
};

KernelChoice banks_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    return {.name = "banks",
        .group_size = lanes_at_banks(info),
        .defines = {
            {"WIDTH", std::to_string(option::width.in(options) / 4)}, {"LOADS", std::to_string(kLoadsInFlight)}}};
}

void measure_banks(Bench& bench) {
    if (bench.info.cpu) throw Unsupported("a processor's scratchpad is ordinary memory");
    if (bench.info.scratchpad_bytes < 4096) throw Unsupported("there is no scratchpad");
    bench.wake_clocks();
    const std::uint32_t width = option::width.in(bench.request.id.options) / 4,
                        most = bench.info.loop_trips ? bench.info.loop_trips - 8 : 1u << 20;
    const auto kernel = bench.kernel(banks_kernel(bench.info, bench.path, bench.request.id.options));
    bench.evidence.shape = {.group_size = lanes_at_banks(bench.info), .groups = 1, .loads_in_flight = kLoadsInFlight};
    bench.evidence.subgroup_size = bench.info.subgroup;
    Bank bank{.bench = bench, .kernel = *kernel, .width = width};
    const auto dispatch = [&](std::uint64_t stride, std::uint32_t count) {
        return bank.timed(static_cast<std::uint32_t>(stride), count);
    };
    bench.measure({.begin = [&](int) { bank.new_memory(); }, .work = {.most = most}, .dispatch = dispatch},
        strides(bench.info, width));
}

std::vector<Finding> banks_findings(const Series& series, const DeviceInfo&) {
    const double width = option::width.in(series.id.options);
    const double lanes = series.evidence.subgroup_size.value_or(32);
    Banks banks = scratchpad_banks(curve_of(series), width, lanes);
    // Loads wider than a bank are served in several passes, each by all banks: what conflicts is a row of them, and a
    // bank is a pass's share, one word at least.
    const double row = banks.count.value.value_or(0) * banks.width_bytes,
                 passes = row > 0 ? std::max(lanes * width / row, 1.0) : 1;
    const double bank = std::max(4.0, banks.width_bytes / passes), narrower = banks.width_bytes / bank;
    if (banks.count.value) *banks.count.value *= narrower, banks.count.low *= narrower, banks.count.high *= narrower;
    const std::string rows =
        passes > 1 ? fmt::format("; the {:g} lanes of a subgroup take {:g} passes at stride 1", lanes, passes) : "";
    constexpr double kAsMany = 0.99; // several strides are the worst: the smallest is named
    double most = 0;
    for (const Point& point : series.points) most = std::max(most, point.cycles.value_or(0));
    const auto worst = std::find_if(series.points.begin(), series.points.end(),
        [&](const Point& point) { return point.cycles && *point.cycles > kAsMany * most; });
    const std::string cost =
        worst != series.points.end() && worst->cycles
            ? fmt::format("A subgroup's load takes {:.3g} cycles at a stride of {:g} elements, {:.2g} at stride 1",
                  *worst->cycles, worst->x, series.points.front().cycles.value_or(0))
            : fmt::format("The worst stride takes {:.3g} times stride 1", banks.worst);
    Finding found = finding_of(series, banks.count, "scratchpad", "banks", [&](double count) {
        return fmt::format("scratchpad behaves like {:g} banks of {:g} bytes for loads of {:g} bytes{}. {}", count,
            bank, width, rows, cost);
    });
    if (!found.value) return {found};
    found.rows = {{"banks", *found.value, "banks"}, {"width of a bank", bank, "bytes"}};
    if (passes > 1) found.rows.push_back({"passes at stride 1", passes, "times"});
    if (worst != series.points.end() && worst->cycles)
        found.rows.push_back({"worst stride, elements", worst->x, "elements"}),
            found.rows.push_back({"a load at the worst stride", *worst->cycles, "cycles"}),
            found.rows.push_back({"a load at stride 1", series.points.front().cycles.value_or(0), "cycles"});
    else found.rows.push_back({"the worst stride, times stride 1", banks.worst, "times"});
    return {found};
}
} // namespace

const Probe kBanks{
    .name = "banks",
    .question = "Scratchpad bank conflicts by stride?",
    .explanation = "Lanes of a subgroup load from scratchpad at a fixed stride. Accesses to one bank are serialized: "
                   "strides that share a factor with the number of banks are slow.",
    .picture = "Low at odd strides; peaks at multiples of a power of two, the highest at a stride of as many words as "
               "there are banks (32).",
    .method = literature::kMei,
    .x = {"stride"},
    .run_noise = run_noise::alike,
    .compared = {{"banks", "banks"}},
    .paths = {"scratchpad"},
    .variants = option::width.each({"4", "8", "16"}),
    .accepts = {option::banks, option::subgroup},
    .quick = {.seconds = 0.33, .variants = 1},
    .run = measure_banks,
    .findings = banks_findings,
    .kernel = banks_kernel,
};

} // namespace sonde
