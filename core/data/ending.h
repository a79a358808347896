// Why a series ends where it does, as a fact, and the one place that makes a sentence of it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/base/json_fwd.h"

namespace sonde {

struct AxisText;

/// time: the series' or the run's was over. memory: the device has no more. reach: a limit of the path or the API.
/// device: a size that it refused. choice: the probe's, as beyond there is nothing to see, or it would take too long.
/// dispatch: a single one would last longer than it may.
enum class EndedBy { time, memory, reach, device, choice, dispatch };
std::span<const char* const> enum_names(EndedBy);

struct Ending {
    EndedBy by = EndedBy::choice;
    std::optional<std::uint64_t> bytes{}; // of memory, at which it ends
    std::optional<double> before{};       // the first x that is not measured
    std::optional<std::uint32_t> done{};  // repetitions that are complete; none: not even the first is
    std::optional<std::uint32_t> of{};    // so many repetitions
    std::string why{};                    // the limit's name, or what the driver said; empty where time was over
};
void to_json(Json&, const Ending&);
void from_json(const Json&, Ending&);

/// "ends at 4 GiB: maxMemoryAllocationSize", "2 of 3 blocks, the next ends before 1 MiB: the time budget was over".
std::string ending_text(const Ending&, const AxisText&);

} // namespace sonde
