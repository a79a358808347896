// texture-walk: a dependent walk over all texels of a two-dimensional image, along rows, along columns or in Morton
// order, by the size of the image.
#include "core/measure/chase.h"
#include "core/measure/texel_order.h"
#include "core/measure/traffic.h"
#include "core/probes/probes.h"

namespace sonde {

namespace {
const Choice<TexelOrder> kTexelOrder{
    "order", {{"rows", TexelOrder::rows}, {"columns", TexelOrder::columns}, {"morton", TexelOrder::morton}}};
constexpr std::uint32_t kSmallestSide = 32, kMostTexelRows = 8192, kMostTexelRowsBriefly = 2048,
                        kMostTexelRowsCpu = 1024;
constexpr std::uint32_t kBandLines =
    8; // rows or columns that every dispatch is a multiple of: it meets each tile as often as a whole round does

/// As wide as high, until an image's rows are full.
TexelRectangle rectangle_of(std::uint64_t bytes) {
    TexelRectangle rectangle{kSmallestSide, kSmallestSide};
    while (rectangle.texels() * 4 < bytes) {
        rectangle.rows *= 2;
        rectangle.columns = std::min(rectangle.rows, kImageRow);
    }
    return rectangle;
}

class TexelWalk {
public:
    explicit TexelWalk(Bench& bench) : bench_(bench), order_(kTexelOrder.in(bench.request.id.options)) {
        bench.evidence.lanes = lanes_;
    }

    /// As far as an image reaches, and no farther than a walk has time for.
    std::vector<std::uint64_t> sizes() const {
        const std::uint32_t most_rows = bench_.info.cpu            ? kMostTexelRowsCpu
                                        : is_brief(bench_.profile) ? kMostTexelRowsBriefly
                                                                   : kMostTexelRows;
        std::vector<std::uint64_t> all;
        for (std::uint32_t rows = kSmallestSide; rows <= most_rows; rows *= 2) {
            const TexelRectangle rectangle{std::min(rows, kImageRow), rows};
            if (std::uint64_t{rows} * kImageRow * 4 <= bench_.info.reach_of(Space::image2d).bytes)
                all.push_back(rectangle.texels() * 4);
        }
        if (all.empty()) throw Unsupported("an image has too few rows here");
        return all;
    }

    /// Every texel holds the number of the next one.
    Work aim(std::uint64_t bytes) {
        rectangle_ = rectangle_of(bytes);
        position_ = 0;
        memory_.reset();
        const std::uint64_t all = std::uint64_t{rectangle_.rows} * kImageRow * 4;
        memory_ = bench_.allocate(all, all);
        std::vector<std::uint32_t> links(all / 4);
        for (std::uint64_t position = 0; position < rectangle_.texels(); ++position)
            links[rectangle_.word(order_, position)] = rectangle_.word(order_, position + 1);
        const auto linear = bench_.allocate_result(links.size());
        bench_.write_words(*linear, links);
        const Copy copy{.from = linear.get(), .to = memory_.get(), .bytes = all};
        bench_.device.copy({&copy, 1});
        const std::uint32_t granule = kBandLines * rectangle_.rows;
        return {.granule = granule,
            .most = std::max(
                granule, (bench_.info.loop_trips ? bench_.info.loop_trips - 1 : 1u << 18) * 64 / granule * granule)};
    }

    Sample timed(std::uint32_t steps) {
        Sample sample = walker_.launch(
            {.steps = steps, .start = rectangle_.word(order_, position_), .lanes = lanes_}, {.a = memory_.get()});
        position_ += steps;
        for (std::uint32_t lane = 0; lane < lanes_; ++lane)
            walker_.check(lane, steps, rectangle_.word(order_, position_));
        bench_.checked(kLinksChecked);
        sample.cycles = walker_.cycles(0);
        return sample;
    }

private:
    Bench& bench_;
    const TexelOrder order_;
    const std::uint32_t lanes_ = chase_lanes(bench_.info);
    Walker walker_{bench_, bench_.kernel(chase_kernel(bench_.info, bench_.path)), lanes_};
    TexelRectangle rectangle_;
    std::unique_ptr<Buffer> memory_;
    std::uint64_t position_ = 0;
};

void measure_texture_walk(Bench& bench) {
    bench.wake_clocks();
    TexelWalk walk(bench);
    bench.measure({.prepare = [&](std::uint64_t bytes, const std::string&) { return walk.aim(bytes); },
                      .dispatch = [&](std::uint64_t, std::uint32_t steps) { return walk.timed(steps); }},
        walk.sizes());
}

std::vector<Finding> texture_walk_findings(const Series& series, const DeviceInfo&) {
    std::vector<const Point*> points;
    for (const Point& point : series.points)
        if (point.median && *point.median > 0) points.push_back(&point);
    if (points.empty()) return {};
    const Point &least = *points.front(), &most = *points.back();
    const auto row = [&](const Point& point) {
        const TexelRectangle rectangle = rectangle_of(static_cast<std::uint64_t>(point.x));
        return FindingRow{fmt::format("a texel of {} x {}", rectangle.columns, rectangle.rows), *point.median,
            series.unit, {}, point.cycles};
    };
    Finding found{.name = kTexelOrder.word(series.id.options), .unit = "times", .rows = {row(least)}, .x = {least.x}};
    if (points.size() > 1) {
        found.value = *most.median / *least.median;
        found.rows.push_back(row(most));
        found.rows.push_back({"times as long", found.value, "times"});
        found.x.push_back(most.x);
    } else found.no_value = NoValue::inconclusive;
    return {finding_of(series, std::move(found))};
}

KernelChoice texture_walk_kernel(const DeviceInfo& info, const Path& path, const Options&) {
    return chase_kernel(info, path);
}
} // namespace

const Probe kTextureWalk{
    .name = "texture-walk",
    .question = "Does an image favour rows, columns or blocks?",
    .explanation = "One subgroup visits every texel of a two-dimensional image, one after the other: along rows, along "
                   "columns, or in Morton order. A texel holds the number of the next one. The value is the mean time "
                   "of a texel, misses and hits together.",
    .picture = "Alike while the image fits the texture's L1. Beyond it rows win where rows are stored as they are, and "
               "all three stay close where texels are stored in tiles.",
    .x = {"image", "bytes"},
    .value_of = "a texel",
    .run_noise = run_noise::alike,
    .paths = {"image2d"},
    .variants = kTexelOrder.each(),
    .accepts = {option::subgroup},
    .quick = {.seconds = 0.18},
    .run = measure_texture_walk,
    .findings = texture_walk_findings,
    .kernel = texture_walk_kernel,
};

} // namespace sonde
