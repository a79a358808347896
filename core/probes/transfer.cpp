// bus: how many bytes per second go between the host's memory and the device's: each way and both at once, from pinned memory and from the
// program's own, by the copy engine and by a kernel; by the size of one transfer.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/measure/structure_probe.h"
#include "core/probes/probes.h"

namespace sonde {

static KernelChoice bus_kernel(const DeviceInfo& info, const Path&, const Options&);

namespace {
constexpr std::uint64_t kSmallestTransfer = 4096, kLargest = 64ull << 20, kLargestCpu = 8ull << 20; // bytes of a transfer
constexpr std::uint64_t kSizeFactor = 4;
constexpr std::uint32_t kMostTransfers = 1u << 14; // of a batch
constexpr double kMoved = 2.5; // times the rate of copies: no kernel reads so much over the same bus
constexpr std::uint32_t kUp = 1, kDown = 2; // copy queues

/// Random words that repeat, as kernels/fill.h writes them.
class HostPattern {
public:
    explicit HostPattern(std::uint32_t seed) : seed_(seed), period_(Bench::kFillPeriod) {
        for (std::uint32_t i = 0; i < period_.size(); ++i) period_[i] = fill_word(i, Bench::kFillPeriod, seed);
    }
    std::uint32_t seed() const { return seed_; }
    void write(std::vector<std::uint32_t>& words) const { in_periods(words.size(), [&](std::size_t at, std::size_t count) { std::copy_n(period_.begin(), count, words.begin() + static_cast<std::ptrdiff_t>(at)); }); }
    void expect(const std::vector<std::uint32_t>& words, const char* what) const {
        in_periods(words.size(), [&](std::size_t at, std::size_t count) {
            if (!std::equal(period_.begin(), period_.begin() + static_cast<std::ptrdiff_t>(count), words.begin() + static_cast<std::ptrdiff_t>(at)))
                throw Error(fmt::format("{} does not hold what was sent", what));
        });
    }

private:
    template <class Body> void in_periods(std::size_t words, const Body& body) const {
        for (std::size_t at = 0; at < words; at += period_.size()) body(at, std::min(period_.size(), words - at));
    }
    std::uint32_t seed_;
    std::vector<std::uint32_t> period_;
};

/// One end of a transfer: a buffer, or the program's own memory.
struct End {
    std::unique_ptr<Buffer> buffer;
    std::vector<std::uint32_t> words;
};

/// What moves `bytes` once or many times, in the ways that the options say.
class Transfers {
public:
    Transfers(Bench& bench, std::uint64_t largest, const Options& options)
        : bench_(bench), pageable_(options.at("memory") == "pageable"), to_device_(options.at("direction") != "to-host"), to_host_(options.at("direction") != "to-device"),
          kernel_(options.at("engine") == "kernel" ? bench.kernel(bus_kernel(bench.info, bench.path, options)) : nullptr) {
        if (to_device_) up_from_ = host_end(largest);
        if (to_host_) down_to_ = host_end(largest);
        // A kernel that moves both ways at once reads from the host and writes to it.
        if (to_device_ && !(kernel_ && to_host_)) up_to_.buffer = bench.device.allocate(Space::global, largest);
        if (to_host_ && !(kernel_ && to_device_)) down_from_.buffer = bench.device.allocate(Space::global, largest);
    }

    /// Sends something else than the last time.
    void renew(std::uint64_t bytes) {
        bytes_ = bytes;
        pattern_.emplace(bench_.next_seed());
        fill(to_device_ ? up_from_ : down_from_);
        if (to_device_ && to_host_ && !kernel_) fill(down_from_);
    }

    Sample timed(std::uint32_t transfers) { return {.steps = static_cast<double>(bytes_) * transfers * (to_device_ && to_host_ ? 2 : 1), .host_ns = kernel_ ? launched(transfers) : copied(transfers), .device_ns = std::nullopt, .cycles = std::nullopt}; }

    void check() {
        if (up_to_.buffer) pattern_->expect(bench_.read_words(*up_to_.buffer, bytes_ / 4), "the device's memory");
        if (to_host_ && down_to_.buffer) pattern_->expect(bench_.read_words(*down_to_.buffer, bytes_ / 4), "the host's memory");
        else if (to_host_) pattern_->expect({down_to_.words.begin(), down_to_.words.begin() + static_cast<std::ptrdiff_t>(bytes_ / 4)}, "the host's memory");
        bench_.checked("all words that arrived at each size against those that were sent");
    }

private:
    End host_end(std::uint64_t bytes) {
        if (pageable_) return {nullptr, std::vector<std::uint32_t>(bytes / 4)};
        return {bench_.allocate(bytes, bytes), {}};
    }

    void fill(End& end) {
        if (end.buffer) return bench_.fill(*end.buffer, bytes_, pattern_->seed());
        std::vector<std::uint32_t> words(bytes_ / 4);
        pattern_->write(words);
        std::copy(words.begin(), words.end(), end.words.begin());
    }

    static Copy between(End& from, End& to, std::uint64_t bytes, std::uint32_t queue) {
        return {.from = from.buffer.get(), .from_host = from.buffer ? nullptr : from.words.data(), .to = to.buffer.get(), .to_host = to.buffer ? nullptr : to.words.data(), .bytes = bytes, .queue = queue};
    }

    double copied(std::uint32_t transfers) {
        std::vector<Copy> copies;
        for (std::uint32_t n = 0; n < transfers; ++n) {
            if (to_device_) copies.push_back(between(up_from_, up_to_, bytes_, kUp));
            if (to_host_) copies.push_back(between(down_from_, down_to_, bytes_, kDown));
        }
        return bench_.device.copy(copies)[0].host_ns * static_cast<double>(copies.size());
    }

    double launched(std::uint32_t transfers) {
        const kernel_args::Copy args{.words = static_cast<std::uint32_t>(bytes_ / 4)};
        const std::uint32_t lanes = bus_kernel(bench_.info, bench_.path, {}).group_size;
        const std::uint32_t filling = bench_.info.cpu ? std::max(bench_.info.cores, args.words / lanes / 32768 + 1) : bench_.info.cores * std::max(1u, bench_.info.filling() / lanes);
        const End &from = to_device_ ? up_from_ : down_from_, &to = to_host_ ? down_to_ : up_to_;
        const Launch launch{.kernel = *kernel_, .a = from.buffer.get(), .out = *to.buffer, .args = Bench::words_of(args), .groups = std::clamp(args.words / lanes, 1u, filling)};
        const std::vector<Launch> launches(transfers, launch);
        return bench_.device.run(launches, Timed::whole)[0].host_ns * transfers;
    }

    Bench& bench_;
    const bool pageable_, to_device_, to_host_;
    std::unique_ptr<Kernel> kernel_; // null: the copy engine
    End up_from_, up_to_, down_from_, down_to_;
    std::uint64_t bytes_ = 0;
    std::optional<HostPattern> pattern_;
};

/// ns a byte, roughly.
double rough_ns(Bench& bench, Transfers& transfers, std::uint64_t bytes) {
    transfers.renew(bytes);
    return bench.rough_slope(1, kMostTransfers, [&](std::uint32_t count) { return transfers.timed(count); });
}

/// Some drivers take memory that is asked of the host from the device: a kernel's rate there says nothing of the bus.
void refuse_moved_memory(Bench& bench, Transfers& transfers, std::uint64_t largest) {
    if (bench.info.cpu) return;
    Transfers copies(bench, largest, {{"engine", "copy"}, {"memory", "pinned"}, {"direction", "to-device"}});
    const double copy_ns = rough_ns(bench, copies, largest), kernel_ns = rough_ns(bench, transfers, largest);
    bench.evidence["copy_gb_per_s"] = 1 / copy_ns;
    if (copy_ns > kMoved * kernel_ns)
        throw Unsupported(fmt::format("the memory asked of the host lies in the device: a kernel moves {:.4g} GB/s, over the bus come {:.3g}", 1 / kernel_ns, 1 / copy_ns));
}

std::string ways_text(const std::string& way) { return way == "both" ? "both ways at once" : way == "to-device" ? "to the device" : "to the host"; }
} // namespace

static KernelChoice bus_kernel(const DeviceInfo& info, const Path&, const Options&) { return {.name = "copy", .group_size = info.cpu ? info.subgroup : std::min(256u, info.largest_group), .defines = {}}; }

static void measure_bus(Bench& bench) {
    const Options& options = bench.request.id.options;
    const std::uint64_t largest = std::min({bench.info.cpu ? kLargestCpu : kLargest, bench.info.memory_bytes / 8 / 4096 * 4096, bench.info.reach_of(Space::host).bytes / 4096 * 4096});
    Transfers transfers(bench, largest, options);
    transfers.renew(kSmallestTransfer);
    transfers.timed(1); // what cannot be done is refused here
    bench.wake_clocks();
    if (options.at("engine") == "kernel") refuse_moved_memory(bench, transfers, largest);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t bytes = kSmallestTransfer; bytes <= largest; bytes *= kSizeFactor) sizes.push_back(bytes);
    const auto prepare = [&](std::uint64_t bytes, const std::string&) {
        transfers.renew(bytes);
        return Work{.most = kMostTransfers};
    };
    bench.measure({.prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t count) { return transfers.timed(count); }, .verify = [&] { transfers.check(); }}, sizes);
    bench.evidence["bytes_counted"] = options.at("direction") == "both" ? "each byte once on its way up and once on its way down" : "each byte once";
}

static std::vector<Finding> bus_findings(const Series& series, const Json&) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    const CurvePoint& large = curve.back(); // not the fastest: small ones may not have left a cache
    const auto half = std::find_if(curve.begin(), curve.end(), [&](const CurvePoint& point) { return point.latency >= large.latency / 2; });
    const Options& options = series.id.options;
    const Conclusion conclusion{large.latency, 0, 0, 0.9, "", {half->bytes, large.bytes}};
    return as_finding(series, conclusion, "transfer", options.at("direction"), series.unit, [&](double rate) {
        return fmt::format("{} of {} memory {}: {:.3g} GB/s, half of it from {} a transfer on; the smallest takes {:.3g} us", options.at("engine") == "kernel" ? "a kernel's loads and stores" : "copies", options.at("memory"), ways_text(options.at("direction")),
                           rate, format_bytes(half->bytes), curve.front().bytes * (options.at("direction") == "both" ? 2 : 1) / curve.front().latency / 1e3);
    });
}

const Probe kTransfer{
    .name = "transfer",
    .question = "Host link bandwidth by transfer size?",
    .explanation = "Copies between host and device, each way and both at once, from pinned and pageable memory, by the copy engine and by a kernel. Small transfers show the fixed cost, large ones the link.",
    .x_name = "transfer",
    .x_unit = "bytes",
    .unit = "GB/s",
    .measure = Measure::steps_per_time,
    .axis = Axis::amount,
    .chart = Chart::curve,
    .run_noise = run_noise::by_host,
    .paths = {"host"},
    .variants = {{{"engine", "copy"}, {"memory", "pinned"}, {"direction", "to-device"}}, {{"engine", "copy"}, {"memory", "pinned"}, {"direction", "to-host"}}, {{"engine", "copy"}, {"memory", "pinned"}, {"direction", "both"}}, {{"engine", "copy"}, {"memory", "pageable"}, {"direction", "to-device"}}, {{"engine", "copy"}, {"memory", "pageable"}, {"direction", "to-host"}}, {{"engine", "copy"}, {"memory", "pageable"}, {"direction", "both"}}, {{"engine", "kernel"}, {"memory", "pinned"}, {"direction", "to-device"}}, {{"engine", "kernel"}, {"memory", "pinned"}, {"direction", "to-host"}}, {{"engine", "kernel"}, {"memory", "pinned"}, {"direction", "both"}}},
    .accepts = {},
    .quick = {.paths = {}, .variants = 3},
    .run = measure_bus,
    .findings = bus_findings,
    .kernel = bus_kernel,
};

} // namespace sonde
