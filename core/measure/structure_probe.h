// What the probes of a hierarchy's structure have in common: they look for the levels first, and ask one of them
// something.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/analysis/findings.h"
#include "core/measure/chase.h"

namespace sonde {

/// No L1 is larger; what looks for one need not look further, and finds the level behind it before.
inline constexpr std::uint64_t kFirstLevelEnds = 16ull << 20; // bytes

/// The numbers of the cores that workgroups meet, ascending: they need not begin at 0, nor be without gaps. Throws
/// Unsupported where there is one.
std::vector<std::uint32_t> core_numbers(Bench&);
/// Cores to ask: all, or, where time is short and cores are many, the first eight and every `every`-th.
std::vector<std::uint64_t> cores_to_ask(const Bench&, const std::vector<std::uint32_t>& all, std::size_t every);

/// The level with this index; throws NoneSeen where no level lies behind it, which a miss would hit.
Level level_of(const std::vector<Level>&, std::size_t index);

/// All blocks of a sweep over chains of the shape that belongs to x.
void sweep_shapes(
    Bench&, Chase&, const std::vector<std::uint64_t>& xs, const std::function<ChainShape(std::uint64_t x)>& shape);

} // namespace sonde
