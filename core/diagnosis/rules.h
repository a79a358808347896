// The rules, by what they look at, and the words they share.
#pragma once
#include <string>
#include <vector>

#include "core/diagnosis/statement.h"

namespace sonde {

using Statements = std::vector<Statement>;
using Curves = std::vector<const Curve*>;

// levels.cpp: which levels a path reaches.
void no_first_level(const Card&, Statements&);
void smaller_first_level(const Card&, Statements&);
void cache_in_parts(const Card&, Statements&);
void option_moves_first_level(const Card&, Statements&);
void one_cache_two_paths(const Card&, Statements&);
void uniform_apart(const Card&, Statements&);
void constant_is_global(const Card&, Statements&);
// apart.cpp: where APIs of one card differ.
void extra_cycles(const Card&, Statements&);
void scratchpad_limit(const Card&, Statements&);
void host_memory(const Card&, Statements&);
void bandwidth_apart(const Card&, Statements&);
// structure.cpp: what structure probes found, API against API.
void translation_apart(const Card&, Statements&);
void scratchpad_takes_first_level(const Card&, Statements&);
// traffic.cpp: what many work-items, atomics, copies and launches found.
void stores_slower(const Card&, Statements&);
void atomics_joined(const Card&, Statements&);
void bus_takes_turns(const Card&, Statements&);
void copies_from_cache(const Card&, Statements&);
void launches_apart(const Card&, Statements&);
void core_scratchpad(const Card&, Statements&);
void room_unlike_said(const Card&, Statements&);
void memory_in_segments(const Card&, Statements&);
// suspects.cpp: what makes a number doubtful.
void buffer_elsewhere(const Card&, Statements&);
void reported_cache(const Card&, Statements&);
void faster_than_bus(const Card&, Statements&);
void timers_disagree(const Card&, Statements&);
void clock_moved(const Card&, Statements&);
void series_failed(const Card&, Statements&);

/// The statement with the curves' levels and load instructions as evidence.
Statement statement(std::string text, const Curves& curves);

/// Usable curves of a probe without options, by path where one is named.
Curves plain_curves(const Card&, std::string_view probe, std::string_view path = {});
const Curve* plain_curve(const Card&, std::string_view probe, const std::string& device, std::string_view path);
/// Names of the paths of these curves, each once.
std::vector<std::string> paths_in(const Curves&);

/// Two levels' latencies in one unit: core cycles where both have them, else ns.
struct Latencies {
    double a, b;
    const char* unit;
};
Latencies latencies(const Finding& a, const Finding& b);

double on(const Finding& level);  // the last footprint inside
double off(const Finding& level); // the first one outside; infinity where the curve ends inside
inline constexpr double kOneStep = 1.05; // with this slack, ranges that only touch meet too
/// Whether two levels may end at the same footprint: their ranges overlap when widened by the factor `slack`.
bool ends_meet(const Finding& a, const Finding& b, double slack = 1);

std::string latency_text(const Finding& level);  // "39.2 cycles"
std::string level_text(const Finding& level);    // "39.2 cycles to 215-256 KiB"
std::string list_text(const std::vector<std::string>& words); // "a, b and c"
std::string devices_text(const Curves&);         // "cuda:0 and vulkan:0"
/// The curve's value at a footprint between two of its own, by the logarithm of both; nullopt: outside.
std::optional<double> value_between(const Series&, double x);
/// A number in evidence, "/timers/host_over_device"; nullopt where there is none.
std::optional<double> evidence_number(const Series&, const char* pointer);

} // namespace sonde
