// Common steps of structure probes.
#include "core/measure/structure_probe.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

std::vector<NotedLevel> levels_in(const Json& evidence) {
    std::vector<NotedLevel> levels;
    const auto noted = evidence.find("levels");
    if (noted == evidence.end() || !noted->is_array()) return levels;
    for (const Json& level : *noted) levels.push_back({level.value("ns", 0.0), level.value("on_bytes", 0.0)});
    return levels;
}

std::vector<CurvePoint> curve_of(const Series& series) {
    std::vector<CurvePoint> curve;
    for (const Point& point : series.points)
        if (point.median) curve.push_back({point.x, *point.median});
    return curve;
}

std::vector<std::uint32_t> core_numbers(Bench& bench) {
    const std::uint32_t groups = bench.info.cores * kMostGroupsPerCore;
    bench.step("ask workgroups for their cores");
    const auto met = bench.allocate_result(groups);
    auto numbers = bench.launch(*bench.helper_kernel("cores"), kernel_args::Cores{.unused = 0}, {.out = *met, .groups = groups}, 1, groups).out;
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    if (numbers.size() < 2) throw Unsupported("there is one core");
    return numbers;
}

std::vector<std::uint64_t> cores_to_ask(const Bench& bench, const std::vector<std::uint32_t>& all, std::size_t every) {
    constexpr std::size_t kMany = 32, kSideBySide = 8;
    if (bench.profile.blocks > 1 || all.size() <= kMany) return {all.begin(), all.end()};
    std::vector<std::uint64_t> some;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i < kSideBySide || i % every == 0) some.push_back(all[i]);
    return some;
}

Level level_of(const std::vector<Level>& levels, std::size_t index) {
    if (index + 1 < levels.size()) return levels[index];
    if (levels.empty()) throw Unsupported("no level was found on this path");
    throw Unsupported(levels.size() == 1 ? std::string("this path shows one level, and nothing behind it")
                                         : fmt::format("this path shows {} levels: nothing behind level {}", levels.size(), index + 1));
}

void sweep_shapes(Bench& bench, Chase& chase, const std::vector<std::uint64_t>& xs, const std::function<ChainShape(std::uint64_t)>& shape) {
    bench.measure(chase.experiment([&](std::uint64_t x, const std::string& text) { chase.build(shape(x), text); },
                                   [&](int block) { if (block > 0) chase.renew_memory(); }), xs);
}

std::vector<Finding> as_finding(const Series& series, const Conclusion& conclusion, const std::string& kind, const std::string& name,
                                const std::string& unit, const std::function<std::string(double)>& text) {
    if (!conclusion.value) return {};
    Finding finding{.kind = kind, .name = name, .series = series.id, .api = series.api, .card = series.card, .value = conclusion.value, .unit = unit,
                    .cycles = std::nullopt, .capacity_bytes = std::nullopt, .confidence = conclusion.confidence,
                    .text = fmt::format("{} {}: {}", series.id.device, series.id.path, text(*conclusion.value)), .x = conclusion.x};
    return {std::move(finding)};
}

} // namespace sonde
