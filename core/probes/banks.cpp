// banks: what a wave's load from the scratchpad costs by the stride of its lanes.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/analysis/traffic.h"
#include "core/measure/structure_probe.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
constexpr std::uint32_t kClockWords = 4;

std::uint32_t lanes_at_banks(const DeviceInfo& info) { return std::min(1024u, info.largest_group); }

/// NVIDIA's OpenCL names 48 KiB and does not take all of them, so stay well below.
std::uint32_t elements_of(const DeviceInfo& info, std::uint32_t width) { return std::bit_floor(std::min(info.scratchpad_bytes / 2, 32768u) / (width * 4)); }

/// Every power of two up to four times a wave's lanes (a bank of two words is met again at twice them, and must not get worse beyond), as far
/// as no two lanes of a wave come to share an element; their neighbours, and the small odd and even ones.
std::vector<std::uint64_t> strides(const DeviceInfo& info, std::uint32_t width) {
    std::vector<std::uint64_t> all{3, 5, 6, 7, 12, 24};
    for (std::uint64_t stride = 1; stride <= 4 * info.subgroup && stride * info.subgroup <= elements_of(info, width); stride *= 2) {
        all.push_back(stride);
        if (stride >= 16) all.insert(all.end(), {stride - 1, stride + 1});
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

/// One workgroup that loads from its scratchpad.
class Bank {
public:
    Bank(Bench& bench, const Kernel& kernel, std::uint32_t width)
        : bench_(bench), kernel_(kernel), width_(width), lanes_(lanes_at_banks(bench.info)),
          elements_(elements_of(bench.info, width)), result_(bench.allocate_result(kClockWords + lanes_)) {}

    void new_memory() {
        memory_ = bench_.allocate(std::uint64_t{staged()} * width_ * 4, 512);
        const std::uint32_t seed = bench_.next_seed();
        bench_.fill(*memory_, std::uint64_t{staged()} * width_ * 4, seed);
        const FillSum sums(Bench::kFillPeriod, seed);
        loads_.clear();
        for (std::uint32_t begin = 0; begin < elements_; ++begin) loads_.push_back(sums.range(std::uint64_t{begin} * width_, std::uint64_t{begin + kLoadsInFlight} * width_));
    }

    /// Steps are loads of one wave.
    Sample timed(std::uint32_t stride, std::uint32_t count) {
        const kernel_args::Banks args{.elements = elements_, .stride = stride, .count = count, .stage = staged()};
        const double waves = static_cast<double>(lanes_) / bench_.info.subgroup;
        auto [sample, out] = bench_.launch(kernel_, args, {.a = memory_.get(), .out = *result_, .scratchpad_bytes = staged() * width_ * 4}, waves * count * kLoadsInFlight, kClockWords + lanes_);
        for (std::uint32_t lane = 0; lane < lanes_; ++lane)
            if (const std::uint32_t sum = expected(lane * stride, count); out[kClockWords + lane] != sum)
                throw Error(fmt::format("lane {} read words that add up to {:#010x}, the host's sum is {:#010x}", lane, out[kClockWords + lane], sum));
        bench_.checked("the sum of every lane's words in every dispatch against the host's sum");
        sample.cycles = clock_difference(bench_.info, out);
        return sample;
    }

private:
    std::uint32_t staged() const { return elements_ + kLoadsInFlight; }

    /// Of `count` times the neighbours that begin at `at`, at + kLoadsInFlight, ..., round and round.
    std::uint32_t expected(std::uint32_t at, std::uint32_t count) const {
        const std::uint32_t round = elements_ / kLoadsInFlight;
        std::uint32_t sum = 0, rest = 0;
        for (std::uint32_t n = 0; n < round; ++n) {
            const std::uint32_t loaded = loads_[(at + n * kLoadsInFlight) & (elements_ - 1)];
            sum += loaded;
            if (n < count % round) rest += loaded;
        }
        return count / round * sum + rest;
    }

    Bench& bench_;
    const Kernel& kernel_;
    const std::uint32_t width_, lanes_, elements_;
    std::unique_ptr<Buffer> result_, memory_;
    std::vector<std::uint32_t> loads_; // by where they begin: the sum of the words that LOADS neighbours have
};
} // namespace

static KernelChoice banks_kernel(const DeviceInfo& info, const Path&, const Options& options) {
    return {.name = "banks", .group_size = lanes_at_banks(info), .defines = {{"WIDTH", std::to_string(width_of(options))}, {"LOADS", std::to_string(kLoadsInFlight)}}};
}

static void measure_banks(Bench& bench) {
    if (bench.info.cpu) throw Unsupported("a processor's scratchpad is ordinary memory");
    if (bench.info.scratchpad_bytes < 4096) throw Unsupported("there is no scratchpad");
    bench.wake_clocks();
    const auto kernel = bench.kernel(banks_kernel(bench.info, bench.path, bench.request.id.options));
    bench.evidence["shape"] = {{"group_size", lanes_at_banks(bench.info)}, {"groups", 1}, {"loads_in_flight", kLoadsInFlight}};
    bench.evidence["subgroup_size"] = bench.info.subgroup;
    Bank bank(bench, *kernel, width_of(bench.request.id.options));
    const std::uint32_t most = bench.info.loop_trips ? bench.info.loop_trips - 8 : 1u << 20;
    bench.measure({.begin = [&](int) { bank.new_memory(); }, .work = {.most = most}, .dispatch = [&](std::uint64_t stride, std::uint32_t count) { return bank.timed(static_cast<std::uint32_t>(stride), count); }},
                  strides(bench.info, width_of(bench.request.id.options)));
}

static std::vector<Finding> banks_findings(const Series& series, const Json&) {
    const double width = std::stod(series.id.options.at("width"));
    const Banks banks = scratchpad_banks(curve_of(series), width, series.evidence.value("subgroup_size", 32.0));
    return as_finding(series, banks.count, "banks", "scratchpad", "banks", [&](double count) {
        return fmt::format("the scratchpad behaves like {:g} banks of {:g} bytes for loads of {:g} bytes; the worst stride costs {:.3g} times as much as none", count, banks.width_bytes, width, banks.worst);
    });
}

const Probe kBanks{
    .name = "banks",
    .question = "Scratchpad bank conflicts by stride?",
    .explanation = "Lanes of a subgroup load from scratchpad at a fixed stride. Lanes that meet in a bank wait for each other: strides that share a factor with the number of banks are slow.",
    .x_name = "stride",
    .x_unit = "",
    .unit = "ns",
    .measure = Measure::time_per_step,
    .axis = Axis::amount,
    .chart = Chart::curve,
    .run_noise = run_noise::alike,
    .paths = {"scratchpad"},
    .variants = {{{"width", "4"}}, {{"width", "8"}}, {{"width", "16"}}},
    .accepts = {"banks"},
    .quick = {.paths = {}, .variants = 1},
    .run = measure_banks,
    .findings = banks_findings,
    .kernel = banks_kernel,
};

} // namespace sonde
