// segment-share: read bandwidth by the share of the traffic that goes to the slowest chunk of the memory, the rest
// going to the fastest.
#include "core/base/statistics.h"
#include "core/probes/segments.h"

namespace sonde {

namespace {
constexpr std::uint32_t kShares = 20; // of so many workgroups some read the slow chunk: 5 % is the least share
constexpr std::uint64_t kLeastShare = 100 / kShares;
constexpr std::size_t kBriefly = 16; // chunks: where time is short they tell whether there is a second segment
constexpr double kSameRate = 0.9;    // times: chunks of one rate
constexpr double kChanged = 1.05,
                 kStep = 1.02; // times: of two readings of one rate, and of readings before a step and behind it
constexpr std::size_t kFewestBeside = 3; // readings, before a step or behind it
constexpr double kMoreTogether = 1.03;   // times: rates of two runs differ by less

std::vector<std::uint64_t> shares(const Profile& profile) {
    const std::uint64_t step = is_brief(profile) ? 5 * kLeastShare : 2 * kLeastShare;
    std::vector<std::uint64_t> all{kLeastShare, 100 - kLeastShare};
    for (std::uint64_t percent = 0; percent <= 100; percent += step) all.push_back(percent);
    return distinct(all);
}

/// The fastest and the slowest; of chunks that are all of one speed the first and the middle one.
std::pair<std::size_t, std::size_t> ends_of(const std::vector<SpeedClass>& classes) {
    const std::vector<std::size_t>& fast = classes.front().chunks;
    return {fast.front(), classes.size() > 1 ? classes.back().chunks.front() : fast[fast.size() / 2]};
}

void measure_segment_share(Bench& bench) {
    bench.wake_clocks();
    Chunks all(bench, seconds_to_allocate(bench));
    if (is_brief(bench.profile)) all.thin_out(kBriefly);
    Traffic traffic(bench, all.chunk_bytes(), kShares);
    bench.step("fill all chunks");
    for (Chunk& chunk : all.chunks) traffic.write_whole(chunk);
    bench.wake_again();
    const auto alone = rates_alone(bench, all, traffic, false);
    for (const CurvePoint& point : alone) bench.evidence.alone_gb_per_s.push_back(point.y);
    const auto ends = ends_of(speed_classes(alone));
    Chunk &fast = all.chunks[ends.first], &slow = all.chunks[ends.second];
    const auto dispatch = [&](std::uint64_t percent, std::uint32_t count) {
        if (percent == 100) return traffic.timed({}, slow, nullptr, count);
        return traffic.timed(
            {.of = kShares, .on_b = static_cast<std::uint32_t>(percent / kLeastShare)}, fast, &slow, count);
    };
    bench.measure({.work = {.granule = traffic.passes(1), .most = traffic.most(false)}, .dispatch = dispatch},
        shares(bench.profile));
}

std::string rate_text(double rate) { return format_si(rate * 1e9, "B/s"); }
std::string range_text(std::span<const double> rates) {
    return fmt::format("{} to {}", rate_text(std::ranges::min(rates)), rate_text(std::ranges::max(rates)));
}
/// "they read 5.6 GB/s to 6.4 GB/s"; where one alone lies farther from the median than a class does: "15 of them read
/// ..., one 3.5 GB/s".
std::string but_one_text(std::span<const double> rates) {
    const double middle = median({rates.begin(), rates.end()});
    std::vector<double> others(rates.begin(), rates.end());
    std::erase_if(others, [&](double rate) { return std::max(rate, middle) > kClassGap * std::min(rate, middle); });
    if (others.size() + 1 != rates.size()) return "they read " + range_text(rates);
    const auto far =
        std::ranges::max_element(rates, {}, [&](double rate) { return std::abs(std::log(rate / middle)); });
    return fmt::format("{} of them read {}, one {}", others.size(), range_text(others), rate_text(*far));
}
bool same_rate(double a, double b) { return std::max(a, b) < kChanged * std::min(a, b); }

/// How many chunks were read before the rate changed for all behind them; 0: it did not.
std::size_t step_in_time(std::span<const double> rates) {
    for (std::size_t i = kFewestBeside; i + kFewestBeside <= rates.size(); ++i) {
        const auto before = rates.first(i), after = rates.subspan(i);
        if (std::ranges::max(before) * kStep < std::ranges::min(after) ||
            std::ranges::max(after) * kStep < std::ranges::min(before))
            return i;
    }
    return 0;
}

/// What chunks one by one tell of a slow segment, and two of them beside it where both are read at one rate.
std::string alone_text(const Series& series, const CurvePoint& first, const CurvePoint& second) {
    const std::span<const double> alone = series.evidence.alone_gb_per_s;
    std::string two = same_rate(first.y, second.y)
                          ? fmt::format("this kernel reads {} from one chunk, {} from another", rate_text(first.y),
                                rate_text(second.y))
                          : fmt::format("the rate changed meanwhile, from {} to {}: mixes are not compared",
                                rate_text(first.y), rate_text(second.y));
    if (alone.empty()) return two;
    std::vector<CurvePoint> chunks;
    for (const double each : alone) chunks.push_back({static_cast<double>(chunks.size()), each});
    const std::string tried = fmt::format("{} of {} chunks", alone.size(), series.evidence.chunks.value_or(0));
    const std::size_t step = step_in_time(alone);
    const bool in_time = step > 0 && same_rate(first.y, alone.back()); // the first chunk again
    if (in_time)
        return fmt::format("no slow segment seen in {}: the first {} read {}, those behind them {}, the first again {}",
            tried, step, range_text(alone.first(step)), range_text(alone.subspan(step)), rate_text(first.y));
    if (std::ranges::min(alone) >= kSameRate * std::ranges::max(alone))
        return fmt::format("no slow segment seen in {}: one by one they read {}; {}", tried, range_text(alone), two);
    if (speed_classes(chunks).size() == 1)
        return fmt::format(
            "no group of slow chunks seen in {}: one by one {}, so that a chunk slower by less does not show; {}",
            tried, but_one_text(alone), two);
    return fmt::format("inconclusive: {}, tried one by one, read {}, but {}", tried, range_text(alone), two);
}

std::vector<Finding> segment_share_findings(const Series& series, const DeviceInfo&) {
    const auto curve = curve_of(series);
    if (curve.size() < 3 || curve.front().x != 0 || curve.back().x != 100) return {};
    const CurvePoint &fast = curve.front(), &slow = curve.back(), best = highest(curve);
    const auto half = std::ranges::find_if(curve, [&](const CurvePoint& point) { return point.y < fast.y / 2; });
    const bool alike = slow.y > kSameRate * fast.y;
    std::string text = alike ? alone_text(series, fast, slow)
                             : fmt::format("all reads from the fastest chunk reach {}, from the slowest {}",
                                   rate_text(fast.y), rate_text(slow.y));
    const bool both = best.x > 0 && best.x < 100 && best.y > kMoreTogether * std::max(fast.y, slow.y);
    if (!alike || same_rate(fast.y, slow.y))
        text += !both ? ". No mix of both reads faster"
                      : fmt::format(". From both {} at {:g} % from the {}", rate_text(best.y), best.x,
                            alike ? "other" : "slowest");
    if (!alike && half != curve.end()) text += fmt::format(", half of the fastest's rate from {:g} % on", half->x);
    const std::string fastest = alike ? "all reads from one chunk" : "all reads from the fastest chunk",
                      slowest = alike ? "all from another" : "all from the slowest";
    std::vector<FindingRow> rows{{fastest, fast.y, series.unit}, {slowest, slow.y, series.unit}};
    if (both)
        rows.push_back({"most from both", best.y, series.unit}),
            rows.push_back({"at this share of the other", best.x, "%"});
    if (!alike && half != curve.end()) rows.push_back({"half of the fastest's rate from this share on", half->x, "%"});
    if (const std::span<const double> alone = series.evidence.alone_gb_per_s; !alone.empty())
        rows.push_back({"chunks one by one", median(alone), series.unit,
            std::pair(std::ranges::min(alone), std::ranges::max(alone))}),
            rows.push_back({"chunks tried", static_cast<double>(alone.size()), "chunks"}),
            rows.push_back({"of so many chunks", static_cast<double>(series.evidence.chunks.value_or(0)), "chunks"});
    return {finding_of(series, {.name = alike ? "alike" : "slow",
                                   .value = best.y,
                                   .rows = std::move(rows),
                                   .text = std::move(text),
                                   .x = {fast.x, best.x, slow.x}})};
}
} // namespace

const Probe kSegmentShare{
    .name = "segment-share",
    .question = "Bandwidth by the share of reads that go to the slowest segment?",
    .explanation = "Some of every 20 workgroups read the slowest chunk of the memory, the others the fastest; all read "
                   "as many bytes. Where all chunks are alike two of them are read.",
    .picture = "Flat where all of the memory is alike. With a slow segment a peak at its share of the whole rate, and "
               "then a fall to the slow one's own.",
    .x = {"share of the slowest chunk", "%"},
    .unit = "GB/s",
    .run_noise = run_noise::alike,
    .structure = true,
    .paths = {"global"},
    .quick = {.seconds = 0.95},
    .run = measure_segment_share,
    .findings = segment_share_findings,
    .kernel = segments_kernel,
};

} // namespace sonde
