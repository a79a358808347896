// Common steps of structure probes.
#include "core/measure/structure_probe.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace sonde {

std::vector<std::uint32_t> core_numbers(Bench& bench) {
    const std::uint32_t groups = bench.info.cores * kMostGroupsPerCore;
    bench.step("ask workgroups for their cores");
    const auto met = bench.allocate_result(groups);
    auto numbers = distinct(bench
                                .launch(*bench.helper_kernel("cores"), kernel_args::Cores{.unused = 0},
                                    {.out = *met, .groups = groups}, 1, groups)
                                .out);
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
    throw NoneSeen(
        fmt::format("no level behind L{} seen up to {}", levels.size(), format_bytes(levels.back().capacity_on)));
}

void sweep_shapes(Bench& bench, Chase& chase, const std::vector<std::uint64_t>& xs,
    const std::function<ChainShape(std::uint64_t)>& shape) {
    bench.measure(chase.experiment([&](std::uint64_t x, const std::string& text) { chase.build(shape(x), text); },
                      [&](int block) {
                          if (block > 0) chase.renew_memory();
                      }),
        xs);
}

} // namespace sonde
