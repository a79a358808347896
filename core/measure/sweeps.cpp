// Sweeps of a bench: which sizes, when to stop, where a size does not fit.
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/analysis/refinement.h"
#include "core/base/text.h"
#include "core/measure/asked_footprints.h"
#include "core/measure/bench.h"

namespace sonde {

namespace {
constexpr double kMostOverBudget = 3; // times the budget after which a sweep is cut short
} // namespace

std::vector<std::uint64_t> Bench::sizes(std::uint64_t smallest, std::uint64_t largest, std::uint64_t granule) const {
    if (const auto asked = asked_footprints(*this)) {
        if (!asked->sizes.empty()) return listed(*asked, smallest, largest, granule);
        largest = std::min(largest, std::max(smallest, asked->most));
        smallest = std::clamp((asked->least + granule - 1) / granule * granule, smallest, largest);
    }
    std::vector<std::uint64_t> result;
    for (int k = 0;; ++k) {
        const double exact = static_cast<double>(smallest) * std::exp2(k / profile.sizes_per_octave);
        const auto size =
            std::min(largest, static_cast<std::uint64_t>(std::llround(exact / static_cast<double>(granule))) * granule);
        const std::uint64_t floor_size = size / granule * granule;
        if (floor_size == 0) continue;
        if (result.empty() || floor_size > result.back()) result.push_back(floor_size);
        if (size >= largest) return result;
    }
}

Bench::Largest Bench::largest_footprint() const {
    Largest largest{info.cpu ? profile.largest_cpu : profile.largest_gpu, std::nullopt};
    if (const auto asked = asked_footprints(*this); asked && asked->most != UINT64_MAX)
        largest.bytes = std::max(asked->most, kSmallestFootprint); // beyond the profile's end, too
    const auto end = [&](EndedBy by, std::uint64_t bytes, const std::string& why) {
        if (bytes < largest.bytes) largest = {bytes, Ending{.by = by, .bytes = bytes, .why = why}};
    };
    end(EndedBy::memory, info.memory_free / 2,
        info.memory_free < info.memory_bytes ? "half of the memory that is free" : "half of the device's memory");
    const Reach reach = info.reach_of(path.space);
    end(EndedBy::reach, reach.bytes, std::string(reach.limit));
    return largest;
}

std::uint64_t Bench::end_of_sweep() {
    const Largest largest = largest_footprint();
    if (largest.ending) ending = largest.ending;
    return largest.bytes;
}

void Bench::end_early(int block, std::uint64_t before) {
    ending = {.by = EndedBy::time, .before = static_cast<double>(before)};
    if (block > 0) ending->done = block, ending->of = profile.blocks;
    ended_ = true;
}

std::optional<std::uint64_t> Bench::sweep_while(int block, std::size_t expected,
    const std::function<std::optional<std::uint64_t>()>& next, const Measuring& measure) {
    if (!begun_) begin_ = device.now(); // the budget is for measuring, not for compiling and waking
    begun_ = true;
    const std::size_t all = expected * static_cast<std::size_t>(profile.blocks),
                      before = expected * static_cast<std::size_t>(block);
    std::optional<std::uint64_t> too_large;
    for (std::size_t done = before; !ended_ && !too_large; ++done) {
        const auto size = next();
        if (!size) break;
        const std::string text = x_unit == "bytes" ? format_bytes(*size) : fmt::format("{} {}", x_name, *size);
        point_seconds_ = std::max(0.0, (seconds_ - seconds_used()) / static_cast<double>(done < all ? all - done : 1));
        if (time_over() || seconds_used() > kMostOverBudget * seconds_) return end_early(block, *size), too_large;
        in_context("at " + text, [&] {
            try {
                measure(*size, text);
            } catch (const TimeOver&) {
                end_early(block, *size);
            } catch (const TooLong& error) {
                if (done == 0) throw;
                too_large = size;
                ending = {.by = EndedBy::dispatch, .before = static_cast<double>(*size), .why = error.what()};
            } catch (const DoesNotFit& error) {
                if (done == 0) throw;
                too_large = size;
                ending = {.by = EndedBy::device, .before = static_cast<double>(*size), .why = error.what()};
            }
        });
    }
    return too_large;
}

void Bench::sweep(int block, const std::vector<std::uint64_t>& sizes, const Measuring& measure) {
    auto next = sizes.begin();
    sweep_while(
        block, sizes.size(), [&] { return next == sizes.end() ? std::nullopt : std::optional(*next++); }, measure);
}

std::uint64_t Bench::largest_taken(
    std::uint64_t refused, std::uint64_t granule, const std::vector<CurvePoint>& curve, const Measuring& measure) {
    for (;;) {
        std::uint64_t taken = 0;
        for (const CurvePoint& point : curve) taken = std::max(taken, static_cast<std::uint64_t>(point.x));
        const std::uint64_t middle = (taken + refused) / 2 / granule * granule;
        if (ended_ || middle <= taken ||
            static_cast<double>(refused) <= (1 + profile.edge) * static_cast<double>(taken))
            return taken;
        std::optional<std::uint64_t> once = middle;
        if (const auto again = sweep_while(
                0, 1, [&] { return std::exchange(once, std::nullopt); }, measure))
            refused = *again;
    }
}

double Bench::measure_point(
    const Experiment& experiment, const Work& work, int block, std::uint64_t x, const std::string& text) {
    step("measure " + text);
    const double ns = take_pairs(
        work.x.value_or(static_cast<double>(x)), block, work,
        [&](std::uint32_t count) { return experiment.dispatch(x, count); }, experiment.kept);
    if (experiment.verify) experiment.verify();
    return ns;
}

std::map<std::uint64_t, double> Bench::measure_block(
    const Experiment& experiment, int block, const std::vector<std::uint64_t>& xs) {
    std::map<std::uint64_t, double> ns;
    std::optional<double> last;
    sweep(block, xs, [&](std::uint64_t x, const std::string& text) {
        const Work work = experiment.prepare ? experiment.prepare(x, text) : experiment.work;
        const double at = work.x.value_or(static_cast<double>(x));
        if (last == at) return; // two sizes that are so many tiles alike are one point
        last = at;
        ns[x] = measure_point(experiment, work, block, x, text);
    });
    return ns;
}

void Bench::measure(const Experiment& experiment, const std::vector<std::uint64_t>& xs) {
    long_work_.clear(), last_long_work_ = 0;
    each_block([&](int block) {
        if (experiment.begin) experiment.begin(block);
        measure_block(experiment, block, xs);
    });
}

void Bench::each_block(const std::function<void(int block)>& body) {
    for (int block = 0; block < profile.blocks && !ended_; ++block) body(block);
}

/// All blocks over the footprints of a list; the first block's curve.
static std::vector<CurvePoint> measure_listed(Bench& bench, const Experiment& experiment, const Footprints& list,
    std::uint64_t smallest, std::uint64_t granule, const std::function<std::uint64_t()>& largest) {
    std::vector<CurvePoint> curve;
    bench.each_block([&](int block) {
        experiment.begin(block);
        for (const auto& [bytes, ns] :
            bench.measure_block(experiment, block, listed(list, smallest, largest(), granule)))
            if (block == 0) curve.push_back({static_cast<double>(bytes), ns});
    });
    return curve;
}

std::vector<CurvePoint> Bench::measure_refined(const Experiment& experiment, std::uint64_t smallest,
    std::uint64_t granule, const std::function<std::uint64_t()>& largest) {
    constexpr std::size_t kExpected = 48; // sizes of a whole hierarchy, on the average of many
    const auto asked = asked_footprints(*this);
    if (asked && !asked->sizes.empty()) return measure_listed(*this, experiment, *asked, smallest, granule, largest);
    long_work_.clear(), last_long_work_ = 0;
    experiment.begin(0);
    std::vector<CurvePoint> curve;
    std::uint64_t end = largest();
    if (asked) smallest = std::clamp((asked->least + granule - 1) / granule * granule, smallest, end);
    bool in_time = true;
    const auto next = [&]() -> std::optional<std::uint64_t> {
        const auto size = next_size(
            curve, profile.edge, static_cast<double>(smallest), static_cast<double>(end), static_cast<double>(granule));
        // The coarse sizes, which come first and ascend to the end, are the curve; what follows sharpens it, as long as
        // there is time.
        const bool coarse = std::none_of(curve.begin(), curve.end(),
            [&](const CurvePoint& point) { return point.x > static_cast<double>(end - granule); });
        if (size && !coarse && seconds_used() > seconds_ / profile.blocks) in_time = false;
        return size && in_time ? std::optional(static_cast<std::uint64_t>(std::llround(*size))) : std::nullopt;
    };
    const auto first = [&](std::uint64_t size, const std::string& text) {
        curve.push_back(
            {static_cast<double>(size), measure_point(experiment, experiment.prepare(size, text), 0, size, text)});
    };
    if (const auto refused = sweep_while(0, kExpected, next, first)) {
        end = largest_taken(*refused, granule, curve, first);
        sweep_while(0, kExpected, next, first);
    }
    std::vector<std::uint64_t> sizes;
    for (const CurvePoint& point : merge_points(curve)) sizes.push_back(static_cast<std::uint64_t>(point.x));
    evidence.refinement = {.edges_known_to = profile.edge,
        .sizes = sizes.size(),
        .ended_by = in_time && !ended_ ? RefinementEnd::curve : RefinementEnd::time};
    for (int block = 1; block < profile.blocks && !ended_; ++block) {
        experiment.begin(block);
        while (!sizes.empty() && sizes.back() > largest()) sizes.pop_back();
        measure_block(experiment, block, sizes);
    }
    return merge_points(curve);
}

} // namespace sonde
