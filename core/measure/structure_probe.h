// What the probes of a hierarchy's structure have in common: they look for the levels first, and ask one of them something.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/analysis/structure.h"
#include "core/data/finding.h"
#include "core/measure/chase.h"

namespace sonde {

/// No first level is larger; what looks for one need not look further, and finds the level behind it before.
inline constexpr std::uint64_t kFirstLevelEnds = 16ull << 20; // bytes

/// A level as it stands in a series' evidence (Chase::levels).
struct NotedLevel {
    double ns, on_bytes;
};
std::vector<NotedLevel> levels_in(const Json& evidence);
/// A series' medians by x.
std::vector<CurvePoint> curve_of(const Series&);
/// The numbers of the cores that workgroups meet, ascending: they need not begin at 0, nor be without gaps. Throws Unsupported where there is one.
std::vector<std::uint32_t> core_numbers(Bench&);
/// Cores to ask: all, or, where time is short and cores are many, the first eight and every `every`-th.
std::vector<std::uint64_t> cores_to_ask(const Bench&, const std::vector<std::uint32_t>& all, std::size_t every);

/// The level with this index; throws Unsupported where it does not end, so that nothing can be told from a miss.
Level level_of(const std::vector<Level>&, std::size_t index);

/// All blocks of a sweep over chains of the shape that belongs to x.
void sweep_shapes(Bench&, Chase&, const std::vector<std::uint64_t>& xs, const std::function<ChainShape(std::uint64_t x)>& shape);

/// The finding that a conclusion is, or none. `text` says it without device and path in front.
std::vector<Finding> as_finding(const Series&, const Conclusion&, const std::string& kind, const std::string& name, const std::string& unit,
                                const std::function<std::string(double value)>& text);

} // namespace sonde
