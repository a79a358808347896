// How a series was measured and checked, beside its points. A field of this list that a series lacks was not asked, or
// not known.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json_fwd.h"
#include "core/data/evidence_cores.h"
#include "core/data/evidence_kernel.h"
#include "core/data/evidence_limits.h"
#include "core/data/evidence_memory_parts.h"
#include "core/data/evidence_resident.h"
#include "core/data/evidence_single_loads.h"
#include "core/data/evidence_structure.h"
#include "core/data/evidence_telemetry.h"
#include "core/data/evidence_workload.h"

namespace sonde {

/// Who measured a series, where that was not Sonde.
struct SourceEvidence {
    std::string tool{}, file{}, quantity{}, method{};
};

/// Which clock a point's value is taken from.
enum class Timer { host, device };
std::span<const char* const> enum_names(Timer);

struct TimersEvidence {
    Timer value_from = Timer::host;
    std::optional<double> host_over_device{};
    std::optional<double> error{};
    /// Whether they differ by more than `share` and what the ratio's error explains.
    bool disagree(double share) const {
        return host_over_device && std::abs(*host_over_device - 1) > share + 3 * error.value_or(0);
    }
};

struct ClockEvidence {
    std::string name{}, counts{};
    std::optional<double> before_mhz{}, after_mhz{};
    std::optional<int> points_repeated{};
};

/// One control measurement.
struct ControlPoint {
    double small_ns = 0, large_ns = 0;
    std::uint64_t large_bytes = 0;
    bool operator==(const ControlPoint&) const = default;
};

/// The same two latencies before and after every series of a device.
struct ControlEvidence {
    std::optional<ControlPoint> before{}, after{};
};

struct PlacementEvidence {
    std::optional<bool> device_local{};
    std::string text{};
};

/// Of the launches. What a probe does not choose is left out.
struct ShapeEvidence {
    std::optional<std::uint32_t> group_size{}, groups{}, loads_in_flight{}, turns{}, width{}, unroll{};
};

/// A launch shape that was chosen among several.
struct ShapeChoice {
    std::uint64_t from_bytes = 0;
    std::string shape{};
    std::map<std::string, double> tried{};
};

/// Memory of several allocations.
struct AllocationsEvidence {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
};

/// What ended the search for the sizes of a sweep: the curve needed no more of them, or time was over.
enum class RefinementEnd { curve, time };
std::span<const char* const> enum_names(RefinementEnd);

struct RefinementEvidence {
    double edges_known_to = 0;
    std::size_t sizes = 0;
    RefinementEnd ended_by = RefinementEnd::curve;
};

/// Reads of random data in the same memory as those of the series, of a block.
struct RandomReads {
    std::uint64_t bytes = 0;
    double gb_per_s = 0, times = 0;
};

/// The number at x; nullopt: there is none.
inline std::optional<double> at_x(const std::map<double, double>& by_x, double x) {
    const auto found = by_x.find(x);
    return found == by_x.end() ? std::nullopt : std::optional(found->second);
}

/// Everything besides the points that a series keeps: what all or several probes do, and what those of one kind do.
struct Evidence : StructureEvidence,
                  SingleLoadsEvidence,
                  AskedCoresEvidence,
                  ResidentEvidence,
                  MemoryPartsEvidence,
                  LimitsEvidence,
                  WorkloadEvidence {
    std::optional<SourceEvidence> source{};
    std::optional<std::uint32_t> seed{};
    std::optional<ClockEvidence> clock{};
    std::optional<ControlEvidence> control{};
    std::string operation{}, unit_of_work{}, bytes_counted{};
    std::optional<std::uint32_t> scratchpad_bytes{}, slot_bytes{}, slice_bytes{}, group_size{}, subgroup_size{},
        lanes{}, lines{};
    std::string rounding{}, footprint{};
    std::optional<std::uint64_t> footprint_bytes{}, streamed_bytes{};
    std::optional<ShapeEvidence> shape{}, chase_shape{};
    std::vector<ShapeChoice> shapes{};
    std::optional<KernelEvidence> kernel{}, kernel_scattered{};
    std::optional<PlacementEvidence> placement{};
    std::optional<AllocationsEvidence> allocations{};
    std::string peer{}, peer_link{};
    std::optional<std::uint32_t> cards_together{};
    std::optional<double> peer_link_gb_per_s{}, host_link_gb_per_s{}, copy_gb_per_s{}, unthrottled_gb_per_s{};
    std::vector<RandomReads> random_reads{};
    std::optional<RefinementEvidence> refinement{};
    std::string output_checked{};
    std::optional<std::uint64_t> dispatches_checked{};
    std::string none_seen{};
    std::optional<double> seconds{};
    TelemetryEvidence telemetry{};
    std::optional<TimersEvidence> timers{};
};
void to_json(Json&, const Evidence&);
void from_json(const Json&, Evidence&);

} // namespace sonde
