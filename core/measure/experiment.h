// What a probe does at each x, told to the driver (Bench::measure), which owns all else: blocks, steps, pairs, the stop
// rule and the time.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/data/series.h"

namespace sonde {

/// How a point is measured: dispatches of a multiple of `granule` units of work, at most `most`.
struct Work {
    std::uint32_t granule = 1, most = 1;
    double times_longer = 1;                // Bench::take_pairs
    std::optional<double> x = std::nullopt; // where what is measured is not quite what was asked for
};

struct Experiment {
    std::function<void(int block)> begin = nullptr; // new memory, a new chain; null: a block needs nothing new
    Work work = {};                                 // of every x, where `prepare` is null
    std::function<Work(std::uint64_t x, const std::string& text)> prepare = nullptr; // a chain or pattern for x
    std::function<Sample(std::uint64_t x, std::uint32_t work)>
        dispatch;                           // one dispatch, its output checked (Bench::checked)
    std::function<void()> verify = nullptr; // what is checked once a point is complete
    bool kept = true;                       // as points of the series; else the values are returned alone
};

} // namespace sonde
