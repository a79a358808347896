// atomics: how many additions by atomic instructions a memory takes, on one address and on addresses of each work-item's own.
#include <algorithm>

#include <fmt/format.h>

#include "core/measure/structure_probe.h"
#include "core/probes/probes.h"

namespace sonde {

static KernelChoice atomics_kernel(const DeviceInfo& info, const Path&, const Options&);

namespace {
constexpr std::uint32_t kUnrolled = 16; // additions of a trip

/// How many workgroups, and where the cell of each work-item lies, in words.
struct Cells {
    std::uint32_t group_size, groups, lane_stride, group_stride;
    std::uint32_t words() const { return (groups - 1) * group_stride + (group_size - 1) * lane_stride + 1; }
};

Cells cells_of(const Bench& bench, std::uint32_t groups) {
    const std::string& cells = bench.request.id.options.at("layout");
    const std::uint32_t size = atomics_kernel(bench.info, bench.path, {}).group_size, stride = cells == "same-address" ? 0 : cells == "consecutive" ? 1 : kLineWords;
    return {size, groups, stride, bench.path.stage == Stage::scratchpad ? 0 : size * stride};
}

class Adder {
public:
    Adder(Bench& bench, const Kernel& kernel, const Cells& cells)
        : bench_(bench), kernel_(kernel), cells_(cells), stage_(bench.path.stage == Stage::scratchpad ? cells.words() : 0),
          memory_(bench.allocate(std::uint64_t{cells.words()} * 4, std::uint64_t{cells.words()} * 4)), result_(bench.allocate_result(std::max(1u, stage_ * cells.groups))) {
        const std::vector<std::uint32_t> zeros(cells.words(), 0);
        const Copy copy{.from_host = zeros.data(), .to = memory_.get(), .bytes = zeros.size() * 4};
        bench.device.copy({&copy, 1});
    }

    Sample timed(std::uint32_t trips) {
        const kernel_args::Atomics args{.lane_stride = cells_.lane_stride, .group_stride = cells_.group_stride, .trips = trips, .stage = stage_};
        const double additions = static_cast<double>(cells_.group_size) * cells_.groups * trips * kUnrolled;
        const auto [sample, out] = bench_.launch(kernel_, args, {.a = memory_.get(), .out = *result_, .groups = cells_.groups, .scratchpad_bytes = stage_ * 4}, additions, std::size_t{stage_} * cells_.groups);
        added_ += trips * kUnrolled;
        // A scratchpad's cells begin at zero each time, those in memory go on counting.
        if (stage_ > 0) expect(out, trips * kUnrolled, 1);
        return sample;
    }

    /// What all dispatches have added to memory.
    void check() const {
        if (stage_ == 0) expect(bench_.read_words(*memory_, cells_.words()), added_, cells_.groups);
    }

private:
    /// `groups`: how many workgroups add to a cell that all share.
    void expect(const std::vector<std::uint32_t>& words, std::uint32_t each, std::uint32_t groups) const {
        const std::uint32_t sharing = cells_.lane_stride == 0 ? cells_.group_size * groups : 1, step = std::max(1u, cells_.lane_stride);
        for (std::size_t at = 0; at < words.size(); at += step)
            if (words[at] != each * sharing) throw Error(fmt::format("cell {} holds {} after {} additions", at, words[at], each * sharing));
        bench_.checked("every cell against the number of additions");
    }

    Bench& bench_;
    const Kernel& kernel_;
    const Cells cells_;
    const std::uint32_t stage_;
    std::unique_ptr<Buffer> memory_, result_;
    std::uint32_t added_ = 0; // to each cell by each work-item that has it
};
} // namespace

static KernelChoice atomics_kernel(const DeviceInfo& info, const Path&, const Options&) {
    return {.name = "atomics", .group_size = info.cpu ? info.subgroup : std::min(256u, info.largest_group), .defines = {}, .atomic = true};
}

static void measure_atomics(Bench& bench) {
    const bool local = bench.path.stage == Stage::scratchpad;
    if (local && bench.request.id.options.at("layout") == "distinct-lines") throw Unsupported("a scratchpad has no lines");
    const std::uint32_t scratchpad = cells_of(bench, 1).words() * 4;
    if (local && scratchpad > bench.info.scratchpad_bytes) throw Unsupported(fmt::format("a scratchpad has {} bytes, {} are needed", bench.info.scratchpad_bytes, scratchpad));
    bench.wake_clocks();
    const auto kernel = bench.kernel(atomics_kernel(bench.info, bench.path, bench.request.id.options));
    std::vector<std::uint64_t> counts{1};
    for (const std::uint64_t more : {std::uint64_t{bench.info.cores}, std::uint64_t{bench.info.cores} * 4})
        if (more > counts.back()) counts.push_back(more);
    const std::uint32_t most = bench.info.loop_trips ? bench.info.loop_trips - 1 : 1u << 22;
    std::optional<Adder> adder;
    const auto prepare = [&](std::uint64_t groups, const std::string&) {
        adder.emplace(bench, *kernel, cells_of(bench, static_cast<std::uint32_t>(groups)));
        return Work{.most = most};
    };
    bench.measure({.prepare = prepare, .dispatch = [&](std::uint64_t, std::uint32_t trips) { return adder->timed(trips); }, .verify = [&] { adder->check(); }}, counts);
    bench.evidence["shape"] = {{"group_size", cells_of(bench, 1).group_size}, {"unroll", kUnrolled}};
}

static std::vector<Finding> atomics_findings(const Series& series, const Json&) {
    const auto curve = curve_of(series);
    if (curve.empty()) return {};
    const auto best = std::max_element(curve.begin(), curve.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.latency < b.latency; });
    const std::string& cells = series.id.options.at("layout");
    const char* where = cells == "same-address" ? (series.id.path == "scratchpad" ? "an address for each workgroup" : "one address") : cells == "consecutive" ? "addresses side by side" : "addresses a line apart";
    const Conclusion conclusion{best->latency, 0, 0, 0.9, "", {best->bytes}};
    const auto digits = [](double value) { return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0); };
    return as_finding(series, conclusion, "atomics", cells, series.unit, [&](double rate) {
        return fmt::format("{} billion additions a second on {}, by {:g} workgroup{}; {} by one", digits(rate), where, best->bytes, best->bytes == 1 ? "" : "s", digits(curve.front().latency));
    });
}

const Probe kAtomics{
    .name = "atomics",
    .question = "Throughput of atomic additions?",
    .explanation = "All work-items add to one address, to neighbouring words, or to words a line apart, by the number of workgroups.",
    .x_name = "workgroups",
    .x_unit = "",
    .unit = "Gop/s",
    .measure = Measure::steps_per_time,
    .axis = Axis::amount,
    .chart = Chart::curve,
    .run_noise = run_noise::one_line,
    .paths = {"scratchpad", "global"},
    .variants = {{{"layout", "same-address"}}, {{"layout", "consecutive"}}, {{"layout", "distinct-lines"}}},
    .accepts = {},
    .quick = {.paths = {}, .variants = 1},
    .run = measure_atomics,
    .findings = atomics_findings,
    .kernel = atomics_kernel,
};

} // namespace sonde
