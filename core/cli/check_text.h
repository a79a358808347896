// What a check says of cards: a line each, tables, JSON, and metrics.
#pragma once
#include <span>
#include <string>

#include "core/base/json_fwd.h"
#include "core/diagnosis/health.h"

namespace sonde {

/// "slow: cuda:0 (NVIDIA H200, GPU-1e18..., 0000:00:06.0): DRAM read 4.25 TB/s, 92 % of 4.62 TB/s (3 equal cards; at
/// least 97 %)": one line, whatever a terminal's width.
std::string health_line(const CardHealth&);
/// A row for each number: its value, what it is held against, and how much of that passes.
std::string health_table(const CardHealth&);
Json health_json(const CardHealth&);
/// Of all cards together, in OpenMetrics' text form, which node_exporter's textfile collector reads as well.
std::string health_metrics(std::span<const CardHealth>);

} // namespace sonde
