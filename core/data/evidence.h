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
#include "core/data/evidence_kernel.h"
#include "core/data/evidence_telemetry.h"

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

/// A level of the path, from a curve taken in passing.
struct LevelEvidence {
    double ns = 0, on_bytes = 0;
    std::optional<double> off_bytes{};
    double confidence = 0;
};

/// Lines of one set that still hit, of a block: with strides of half a way, of the level, and of twice the level.
struct WaysEvidence {
    std::uint32_t half_way = 0, level = 0, double_level = 0;
    std::uint64_t stride_bytes = 0;
};

/// What the own clocks of a workgroup's subgroups say of one load, by how many of them there are.
struct SubgroupClocks {
    std::uint32_t subgroups = 0, loads = 0;
    double least = 0, median = 0, most = 0;
};

/// What a load of each of some lines takes from a core.
struct LineTimes {
    std::uint32_t core = 0;
    std::vector<double> counts{};
};

/// What single loads take over a footprint: how many, by bins of the time.
struct LoadTimes {
    std::uint64_t footprint_bytes = 0;
    double nothing = 0, bin = 1;
    std::vector<double> from{};
    std::vector<std::uint32_t> loads{};
};

/// Loads at changing places within their line.
struct MovedLoads {
    std::uint64_t bytes = 0;
    double ns = 0;
};

/// Reads of random data in the same memory as those of the series, of a block.
struct RandomReads {
    std::uint64_t bytes = 0;
    double gb_per_s = 0, times = 0;
};

/// Two chunks of the memory at the same time.
struct ChunkPair {
    std::pair<std::size_t, std::size_t> chunks{};
    double gb_per_s = 0, overlap = 0;
};

/// Cores that were asked: in a file a list of numbers, or a count.
struct CoresEvidence {
    std::vector<std::uint32_t> numbers{}; // core-to-core: by place
    std::optional<std::size_t> count{};   // core-sharing
    bool empty() const { return numbers.empty() && !count; }
};

/// What a unit of a series' work demands, which the card's limits turn into a time (core/diagnosis/workloads.h): from
/// that x on, up to the next one's.
struct Demand {
    double from_x = 0;
    std::optional<double> footprint_bytes{};
    double read_bytes = 0, written_bytes = 0, operations = 0, random_loads = 0, atomics = 0, scratchpad_bytes = 0,
           launches = 0, tile_bytes = 0;
    std::optional<double> random_footprint_bytes{}, loads_in_flight{}, tile_footprint_bytes{}, workgroups{};
    std::string operation{}, atomics_path{}, atomics_layout{};
};

/// A vendor's library that did the work.
struct LibraryEvidence {
    std::string name{}, version{}, file{};
    std::map<std::string, std::string> algorithms{};
};

/// The number at x; nullopt: there is none.
inline std::optional<double> at_x(const std::map<double, double>& by_x, double x) {
    const auto found = by_x.find(x);
    return found == by_x.end() ? std::nullopt : std::optional(found->second);
}

/// Everything besides the points that a series keeps.
struct Evidence {
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
    std::vector<Demand> demand{};
    std::optional<KernelEvidence> kernel{}, kernel_scattered{};
    std::optional<LibraryEvidence> library{};
    std::optional<PlacementEvidence> placement{};
    std::optional<AllocationsEvidence> allocations{};
    std::vector<LevelEvidence> levels{};
    std::vector<WaysEvidence> ways{};
    std::string inconclusive{};
    std::vector<MovedLoads> offset_within_line{};
    std::optional<double> first_visit_share{}, filling_bytes{};
    std::string by{};
    std::optional<std::uint32_t> core{};
    CoresEvidence cores{};
    std::string core_number{};
    std::optional<double> attempts_per_exchange{};
    std::optional<std::size_t> pairs{}, pairs_of_all_cores{};
    std::optional<std::uint32_t> groups_per_core{};
    std::optional<double> alone_ns{};
    std::map<double, double> alone_by_x_ns{}, registers_by_driver{}, one_lane_ns{}, resident_by_driver{},
        cores_of_groups{};
    std::vector<SubgroupClocks> subgroup_clocks{};
    std::vector<LineTimes> line_times{};
    std::vector<LoadTimes> load_times{};
    std::optional<std::uint64_t> chunk_bytes{}, chunks{}, memory_bytes{};
    std::optional<double> host_link_gb_per_s{}, copy_gb_per_s{}, unthrottled_gb_per_s{};
    std::vector<double> alone_gb_per_s{}, overlap{}, overlap_second{};
    std::vector<ChunkPair> outlier_pairs{};
    std::vector<RandomReads> random_reads{};
    std::optional<std::uint64_t> reported_bytes{}, accepted_bytes{}, rejected_bytes{}, static_bytes{};
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
