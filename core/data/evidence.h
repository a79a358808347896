// How a series was measured and checked, beside its points. A field of this list that a series lacks was not asked, or
// not known.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fields.h"
#include "core/data/evidence_kernel.h"
#include "core/data/evidence_telemetry.h"

namespace sonde {

/// Who measured a series, where that was not Sonde.
struct SourceEvidence {
    std::string tool{}, file{}, quantity{}, method{};
    static constexpr auto fields =
        std::tuple{Field{"tool", &SourceEvidence::tool, "name and version", R"({"minLength": 1})"},
            Field{"file", &SourceEvidence::file, "that the tool wrote"},
            where_known("quantity", &SourceEvidence::quantity, "as the tool calls it"),
            where_known("method", &SourceEvidence::method, "how the tool finds it")};
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
    static constexpr auto fields =
        std::tuple{where_known("value_from", &TimersEvidence::value_from, "whose time the values are"),
            Field{"host_over_device", &TimersEvidence::host_over_device,
                "ratio of their slopes; null: there is one timer, or dispatches are too short for the host's", "",
                Presence::lenient},
            where_known("error", &TimersEvidence::error, "standard error of the ratio, as a share of it")};
};

struct ClockEvidence {
    std::string name{}, counts{};
    std::optional<double> before_mhz{}, after_mhz{};
    std::optional<int> points_repeated{};
    static constexpr auto fields = std::tuple{where_known("name", &ClockEvidence::name, "the kernel's counter"),
        where_known("counts", &ClockEvidence::counts, "\"core cycles\", \"time\" or \"nothing\""),
        where_known("before_mhz", &ClockEvidence::before_mhz, "MHz of one core before the series"),
        where_known("after_mhz", &ClockEvidence::after_mhz, "MHz of one core after it"),
        where_known(
            "points_repeated", &ClockEvidence::points_repeated, "points measured again, as the clock had dropped")};
};

/// One control measurement.
struct ControlPoint {
    double small_ns = 0, large_ns = 0;
    std::uint64_t large_bytes = 0;
    bool operator==(const ControlPoint&) const = default;
    static constexpr auto fields =
        std::tuple{Field{"small_ns", &ControlPoint::small_ns, "ns per dependent load over 4 KiB"},
            Field{"large_ns", &ControlPoint::large_ns, "over large_bytes"},
            Field{"large_bytes", &ControlPoint::large_bytes, "bytes, beyond the card's largest cache"}};
};

/// The same two latencies before and after every series of a device.
struct ControlEvidence {
    std::optional<ControlPoint> before{}, after{};
    static constexpr auto fields = std::tuple{where_known("before", &ControlEvidence::before, "before the series"),
        where_known("after", &ControlEvidence::after, "after it")};
};

struct PlacementEvidence {
    std::optional<bool> device_local{};
    std::string text{};
    static constexpr auto fields = std::tuple{
        Field{"device_local", &PlacementEvidence::device_local,
            "whether the buffer lies in the device's memory; null: the API does not tell", "", Presence::lenient},
        where_known("text", &PlacementEvidence::text, "as the API names the memory")};
};

/// Of the launches. What a probe does not choose is left out.
struct ShapeEvidence {
    std::optional<std::uint32_t> group_size{}, groups{}, loads_in_flight{}, turns{}, width{}, unroll{};
    static constexpr auto fields =
        std::tuple{where_known("group_size", &ShapeEvidence::group_size, "work-items of a workgroup"),
            where_known("groups", &ShapeEvidence::groups, "workgroups"),
            where_known("loads_in_flight", &ShapeEvidence::loads_in_flight, "independent loads of a work-item"),
            where_known("turns", &ShapeEvidence::turns, "rounds of such loads in one loop trip"),
            where_known("width", &ShapeEvidence::width, "bytes per load"),
            where_known("unroll", &ShapeEvidence::unroll, "atomic instructions in one loop trip")};
};

/// A launch shape that was chosen among several.
struct ShapeChoice {
    std::uint64_t from_bytes = 0;
    std::string shape{};
    std::map<std::string, double> tried{};
    static constexpr auto fields =
        std::tuple{where_known("from_bytes", &ShapeChoice::from_bytes, "bytes of footprint from which on it was taken"),
            where_known("shape", &ShapeChoice::shape, "the fastest"),
            where_known("tried_gb_per_s", &ShapeChoice::tried, "GB/s, by shape")};
};

/// Memory of several allocations.
struct AllocationsEvidence {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    static constexpr auto fields = std::tuple{where_known("count", &AllocationsEvidence::count, "how many"),
        where_known("bytes", &AllocationsEvidence::bytes, "of each")};
};

/// How the search for the sizes of a sweep ended.
struct RefinementEvidence {
    double edges_known_to = 0;
    std::size_t sizes = 0;
    std::string ended_by{};
    static constexpr auto fields = std::tuple{where_known("edges_known_to", &RefinementEvidence::edges_known_to,
                                                  "width of an edge that needs no more sizes, as a share"),
        where_known("sizes", &RefinementEvidence::sizes, "how many were measured"),
        where_known("ended_by", &RefinementEvidence::ended_by, "\"the curve\" or \"the time budget\"")};
};

/// A level of the path, from a curve taken in passing.
struct LevelEvidence {
    double ns = 0, on_bytes = 0;
    std::optional<double> off_bytes{};
    double confidence = 0;
    static constexpr auto fields = std::tuple{where_known("ns", &LevelEvidence::ns, "latency"),
        where_known("on_bytes", &LevelEvidence::on_bytes, "bytes of the last footprint inside"),
        Field{"off_bytes", &LevelEvidence::off_bytes, "bytes of the first one outside; null: the curve ends inside", "",
            Presence::lenient},
        where_known("confidence", &LevelEvidence::confidence, "0 to 1, from the curve's shape")};
};

/// Lines of one set that still hit, of a block: with strides of half a way, of the level, and of twice the level.
struct WaysEvidence {
    std::uint32_t half_way = 0, level = 0, double_level = 0;
    std::uint64_t stride_bytes = 0;
    static constexpr auto fields = std::tuple{
        where_known("half_way_ns", &WaysEvidence::half_way, "lines that hit at a stride of half a way; 0: not tried"),
        where_known("level_ns", &WaysEvidence::level, "lines that hit at stride_bytes"),
        where_known("double_level_ns", &WaysEvidence::double_level, "lines that hit at twice stride_bytes"),
        where_known("stride_bytes", &WaysEvidence::stride_bytes, "bytes of the level, rounded up to a power of two")};
};

/// What the own clocks of a workgroup's subgroups say of one load, by how many of them there are.
struct SubgroupClocks {
    std::uint32_t subgroups = 0, loads = 0;
    double least = 0, median = 0, most = 0;
    static constexpr auto fields = std::tuple{where_known("subgroups", &SubgroupClocks::subgroups, "how many"),
        where_known("loads", &SubgroupClocks::loads, "of each, in the dispatch that the clocks are of"),
        where_known("least", &SubgroupClocks::least,
            "of the kernel's counter (clock.counts) for a load, by the fastest subgroup"),
        where_known("median", &SubgroupClocks::median, "by the one in the middle"),
        where_known("most", &SubgroupClocks::most, "by the slowest")};
};

/// What a load of each of some lines takes from a core.
struct LineTimes {
    std::uint32_t core = 0;
    std::vector<double> counts{};
    static constexpr auto fields = std::tuple{where_known("core", &LineTimes::core, "its number"),
        where_known("counts", &LineTimes::counts, "of the kernel's counter (clock.counts) for a load, by line")};
};

/// What single loads take over a footprint: how many, by bins of the time.
struct LoadTimes {
    std::uint64_t footprint_bytes = 0;
    double nothing = 0, bin = 1;
    std::vector<double> from{};
    std::vector<std::uint32_t> loads{};
    static constexpr auto fields =
        std::tuple{where_known("footprint_bytes", &LoadTimes::footprint_bytes, "bytes that the chain spans"),
            where_known("nothing", &LoadTimes::nothing,
                "of the kernel's counter (clock.counts) between two reads without a load, subtracted from each time"),
            where_known("bin", &LoadTimes::bin, "width of a bin, likewise"),
            where_known("from", &LoadTimes::from, "where each bin that is not empty begins, ascending"),
            where_known("loads", &LoadTimes::loads, "in each of these")};
};

/// Loads at changing places within their line.
struct MovedLoads {
    std::uint64_t bytes = 0;
    double ns = 0;
    static constexpr auto fields = std::tuple{
        where_known("bytes", &MovedLoads::bytes, "of stride"), where_known("ns", &MovedLoads::ns, "per load")};
};

/// Reads of random data in the same memory as those of the series, of a block.
struct RandomReads {
    std::uint64_t bytes = 0;
    double gb_per_s = 0, times = 0;
    static constexpr auto fields = std::tuple{where_known("bytes", &RandomReads::bytes, "of footprint"),
        where_known("gb_per_s", &RandomReads::gb_per_s, "GB/s of random data"),
        where_known("times", &RandomReads::times, "as fast are the series' own reads in that block")};
};

/// Two chunks of the memory at the same time.
struct ChunkPair {
    std::pair<std::size_t, std::size_t> chunks{};
    double gb_per_s = 0, overlap = 0;
    static constexpr auto fields = std::tuple{where_known("chunks", &ChunkPair::chunks, "their numbers"),
        where_known("gb_per_s", &ChunkPair::gb_per_s, "GB/s of both together"),
        where_known("overlap", &ChunkPair::overlap, "times as long as each alone")};
};

/// Cores that were asked: in a file a list of numbers, or a count.
struct CoresEvidence {
    std::vector<std::uint32_t> numbers{}; // core-to-core: by place
    std::optional<std::size_t> count{};   // core-sharing
    bool empty() const { return numbers.empty() && !count; }
};
inline void to_json(Json& json, const CoresEvidence& cores) {
    json = cores.count ? Json(*cores.count) : Json(cores.numbers);
}
/// Anything else in a file is left out: a later version's.
inline void from_json(const Json& json, CoresEvidence& cores) {
    if (json.is_number_unsigned()) cores.count = json.get<std::size_t>();
    else if (json.is_array() &&
             std::all_of(json.begin(), json.end(), [](const Json& number) { return number.is_number_unsigned(); }))
        cores.numbers = json.get<std::vector<std::uint32_t>>();
}

/// What a unit of a series' work demands, which the card's limits turn into a time (core/diagnosis/workloads.h): from
/// that x on, up to the next one's.
struct Demand {
    double from_x = 0;
    std::optional<double> footprint_bytes{};
    double read_bytes = 0, written_bytes = 0, operations = 0, random_loads = 0, atomics = 0, scratchpad_bytes = 0,
           launches = 0, tile_bytes = 0;
    std::optional<double> random_footprint_bytes{}, loads_in_flight{}, tile_footprint_bytes{}, workgroups{};
    std::string operation{}, atomics_path{}, atomics_layout{};
    static constexpr auto fields = std::tuple{Field{"from_x", &Demand::from_x, "place on the axis"},
        where_known(
            "footprint_bytes", &Demand::footprint_bytes, "bytes of memory that a step touches; none: x, of the path's"),
        Field{"read_bytes", &Demand::read_bytes, "bytes read from memory, those that several work-items read once", "",
            Presence::lenient},
        Field{"written_bytes", &Demand::written_bytes, "bytes written to memory", "", Presence::lenient},
        Field{"operations", &Demand::operations, "additions, multiplications and divisions", "", Presence::lenient},
        where_known("operation", &Demand::operation, "that these are, as the probe matrix calls it; none: f32"),
        Field{"random_loads", &Demand::random_loads, "loads of words at random places", "", Presence::lenient},
        where_known("random_footprint_bytes", &Demand::random_footprint_bytes, "bytes among which these lie"),
        where_known("loads_in_flight", &Demand::loads_in_flight, "random loads under way on the device at once"),
        Field{"atomics", &Demand::atomics, "atomic additions", "", Presence::lenient},
        where_known("atomics_path", &Demand::atomics_path, "where they are"),
        where_known("atomics_layout", &Demand::atomics_layout, "as the probe atomics calls it"),
        Field{"scratchpad_bytes", &Demand::scratchpad_bytes, "bytes read from and written to the scratchpad", "",
            Presence::lenient},
        Field{"launches", &Demand::launches, "of a kernel", "", Presence::lenient},
        Field{"tile_bytes", &Demand::tile_bytes,
            "bytes that workgroups load from caches or memory, tiles that several load each time", "",
            Presence::lenient},
        where_known("tile_footprint_bytes", &Demand::tile_footprint_bytes,
            "bytes of tiles that resident workgroups load at one time"),
        where_known("workgroups", &Demand::workgroups, "of the launch, where they may be fewer than cores")};
};

/// A vendor's library that did the work.
struct LibraryEvidence {
    std::string name{}, version{}, file{};
    std::map<std::string, std::string> algorithms{};
    static constexpr auto fields = std::tuple{where_known("name", &LibraryEvidence::name, "as its vendor calls it"),
        where_known("version", &LibraryEvidence::version, "as the library reports it"),
        where_known("file", &LibraryEvidence::file, "that was opened, links followed"),
        where_known("algorithms", &LibraryEvidence::algorithms, "that the library chose, by x")};
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
    static constexpr auto fields = std::tuple{
        where_known("source", &Evidence::source, "another tool that measured it; of its values no samples are known"),
        where_known("seed", &Evidence::seed, "of chains and data"),
        where_known("clock", &Evidence::clock, "what the kernel's counter says"),
        where_known("control", &Evidence::control, "one short latency measurement, the same around every series"),
        where_known("operation", &Evidence::operation, "\"read\", \"fill\", \"copy\", ..."),
        where_known("rounding", &Evidence::rounding,
            "as the results show: of a product and a sum \"once\" (fused) or \"twice\", of a conversion \"to nearest\" "
            "or \"toward zero\""),
        where_known("unit_of_work", &Evidence::unit_of_work, "which bytes are counted"),
        where_known("bytes_counted", &Evidence::bytes_counted, "how often a byte of a transfer is counted"),
        where_known(
            "scratchpad_bytes", &Evidence::scratchpad_bytes, "bytes of scratchpad that the workgroup holds besides"),
        where_known("slot_bytes", &Evidence::slot_bytes, "bytes from one link of the chain to its neighbour"),
        where_known("slice_bytes", &Evidence::slice_bytes, "bytes of one subgroup's chain"),
        where_known("group_size", &Evidence::group_size, "work-items of a workgroup"),
        where_known("subgroup_size", &Evidence::subgroup_size, "lanes of a subgroup"),
        where_known("lanes", &Evidence::lanes, "lanes of a subgroup that walk"),
        where_known("lines", &Evidence::lines, "lines of the chain, one per page"),
        where_known("footprint", &Evidence::footprint, "what it consists of, where it is no plain buffer"),
        where_known("footprint_bytes", &Evidence::footprint_bytes, "bytes, where it is the same at all points"),
        where_known("streamed_bytes", &Evidence::streamed_bytes, "footprint of what other cores stream beside a chain"),
        where_known("shape", &Evidence::shape, "of the launches; of several the last"),
        where_known("chase_shape", &Evidence::chase_shape, "of what walks a chain beside that, in the same launch"),
        where_known("shapes", &Evidence::shapes, "launch shapes chosen, by footprint"),
        where_known("demand", &Evidence::demand, "of a unit of work, by x"),
        where_known("kernel", &Evidence::kernel, "the measuring one; of several the last"),
        where_known("kernel_scattered", &Evidence::kernel_scattered,
            "the one for windows in random order, or for words at any byte"),
        where_known("library", &Evidence::library, "that did the work in place of a kernel of Sonde's"),
        where_known("placement", &Evidence::placement, "where the buffer landed"),
        where_known(
            "allocations", &Evidence::allocations, "what the memory is made of, where one allocation does not reach"),
        where_known("levels", &Evidence::levels, "of the path, from a curve taken in passing"),
        where_known("ways", &Evidence::ways, "by block"),
        where_known("inconclusive", &Evidence::inconclusive, "why a block shows no number of ways"),
        where_known("offset_within_line", &Evidence::offset_within_line,
            "loads at changing places within their line, by stride"),
        where_known("first_visit_share", &Evidence::first_visit_share,
            "share of a round's loads that meet their line for the first time"),
        where_known("filling_bytes", &Evidence::filling_bytes, "bytes of the other path that fill the level"),
        where_known("by", &Evidence::by, "\"core\": other cores are asked one by one; \"share\": all cores at once"),
        where_known("core", &Evidence::core, "number of the core that is asked"),
        where_known("cores", &Evidence::cores, "core-to-core: their numbers, by place; core-sharing: how many",
            R"({"type": ["array", "integer"]})"),
        where_known("core_number", &Evidence::core_number, "what tells a kernel its core"),
        where_known("attempts_per_exchange", &Evidence::attempts_per_exchange, "compare-and-swaps until one succeeds"),
        where_known("pairs", &Evidence::pairs, "of cores, measured"),
        where_known("pairs_of_all_cores", &Evidence::pairs_of_all_cores, "how many there are"),
        where_known("groups_per_core", &Evidence::groups_per_core,
            "workgroups launched for each core; by subgroups of a workgroup: as many times fewer"),
        where_known("alone_ns", &Evidence::alone_ns, "ns per round of one workgroup per core"),
        where_known("alone_by_x_ns", &Evidence::alone_by_x_ns, "ns per round of one workgroup per core, by x"),
        where_known("registers_by_driver", &Evidence::registers_by_driver,
            "registers of a work-item by the driver's count, by x"),
        where_known("one_lane_ns", &Evidence::one_lane_ns, "ns per load of one lane alone, by bytes of footprint"),
        where_known("line_times", &Evidence::line_times, "of lines of the LLC, by core"),
        where_known("load_times", &Evidence::load_times, "of single loads, by footprint"),
        where_known("subgroup_clocks", &Evidence::subgroup_clocks, "the subgroups' own clocks, by their number"),
        where_known("resident_by_driver", &Evidence::resident_by_driver,
            "workgroups resident on a core by the driver's occupancy query, by x"),
        where_known("cores_of_groups", &Evidence::cores_of_groups,
            "cores that the workgroups ran on as these told, by number of workgroups"),
        where_known("chunk_bytes", &Evidence::chunk_bytes, "bytes of a chunk of the memory"),
        where_known("chunks", &Evidence::chunks, "how many were allocated"),
        where_known("memory_bytes", &Evidence::memory_bytes, "bytes of the device's memory"),
        where_known(
            "host_link_gb_per_s", &Evidence::host_link_gb_per_s, "GB/s of the link to the host, as the driver tells"),
        where_known("copy_gb_per_s", &Evidence::copy_gb_per_s, "GB/s of a copy over that link"),
        where_known("unthrottled_gb_per_s", &Evidence::unthrottled_gb_per_s,
            "GB/s that all other cores stream without a wait, while one follows a chain"),
        where_known("alone_gb_per_s", &Evidence::alone_gb_per_s, "GB/s of each chunk alone"),
        where_known("overlap", &Evidence::overlap, "by chunk, beside another one: times as long as each alone"),
        where_known("overlap_second", &Evidence::overlap_second,
            "likewise beside a second one, as far as there is one, roughly"),
        where_known("outlier_pairs", &Evidence::outlier_pairs, "of chunks whose overlap is unlike the others'"),
        where_known("random_reads", &Evidence::random_reads,
            "of random data, by block and footprint, where the series reads other data"),
        where_known("reported_bytes", &Evidence::reported_bytes, "bytes that the driver reports as the limit"),
        where_known("accepted_bytes", &Evidence::accepted_bytes, "the most bytes that were taken"),
        where_known("static_bytes", &Evidence::static_bytes,
            "bytes that were taken as an array that the kernel declares, where fewer were taken at launch than the "
            "driver reports; 0: these were refused as well"),
        where_known("rejected_bytes", &Evidence::rejected_bytes,
            "the fewest bytes that were refused; none, or null in older files: no size was",
            R"({"type": ["integer", "null"]})"),
        where_known("refinement", &Evidence::refinement, "how the search for sizes ended"),
        where_known("output_checked", &Evidence::output_checked, "what of each output was held against the host's"),
        where_known("dispatches_checked", &Evidence::dispatches_checked, "how many"),
        where_known("none_seen", &Evidence::none_seen, "why there is nothing to sweep"),
        where_known("seconds", &Evidence::seconds, "s that the series took"),
        where_known("telemetry", &Evidence::telemetry, "what the card's instruments told before, during and after it"),
        where_known("timers", &Evidence::timers, "whose time the values are, and how far the two are apart")};
};

} // namespace sonde
