// The fields of a series' evidence.
#pragma once
#include <tuple>

#include "core/base/fields.h"
#include "core/data/evidence.h"
#include "core/device/telemetry_fields.h"

namespace sonde {

void to_json(Json&, const AbsentTelemetry&);
void from_json(const Json&, AbsentTelemetry&);
void to_json(Json&, const CoresEvidence&);
void from_json(const Json&, CoresEvidence&);

template <> inline constexpr auto fields_of<LoadEvidence> =
    std::tuple{where_known("instruction", &LoadEvidence::instruction, "as it stands in the listing"),
        where_known("kind", &LoadEvidence::kind, "without widths and types, with cache flags"),
        where_known("line", &LoadEvidence::line, "of the listing, from 1"),
        where_known("unroll", &LoadEvidence::unroll, "such loads in one loop trip"),
        where_known("address_instructions", &LoadEvidence::address_instructions, "between two dependent loads"),
        where_known("readfirstlane_in_loop", &LoadEvidence::readfirstlane_in_loop,
            "AMD: a lane's value is moved to a scalar register in the loop"),
        where_known("note", &LoadEvidence::note, "why there is none")};

template <> inline constexpr auto fields_of<AtomicEvidence> =
    std::tuple{where_known("instruction", &AtomicEvidence::instruction, "as it stands in the listing"),
        where_known("kind", &AtomicEvidence::kind, "its mnemonic"),
        where_known("line", &AtomicEvidence::line, "of the listing, from 1"),
        where_known("unroll", &AtomicEvidence::unroll, "equal ones in the listing"),
        Field{"cache_control", &AtomicEvidence::cache_control, "the fence or cache invalidation that follows", "",
            Presence::lenient},
        where_known("combined_by", &AtomicEvidence::combined_by,
            "the instruction that counts or adds up a subgroup's lanes for it: it is executed once for all of them"),
        where_known("lock_loop", &AtomicEvidence::lock_loop,
            "a loop that tries until it succeeds, by a lock or by compare-and-swap, instead of an atomic instruction")};

template <> inline constexpr auto fields_of<ListingEvidence> =
    std::tuple{Field{"kind", &ListingEvidence::kind, "\"sass\", \"gcn\", \"ptx\", \"spirv\", ...; empty: there is none",
                   "", Presence::lenient},
        Field{"hash", &ListingEvidence::hash, "64-bit FNV-1a of its text", "", Presence::lenient},
        Field{"note", &ListingEvidence::note, "why there is none, or what it is where it is no machine code", "",
            Presence::lenient},
        where_known("instructions", &ListingEvidence::instructions,
            "instructions of machine code, those of a loop once; not of arithmetic, whose steps are counted")};

template <> inline constexpr auto fields_of<LoopIssueEvidence> =
    std::tuple{Field{"instructions", &LoopIssueEvidence::instructions, "of one trip"},
        Field{"stall_cycles", &LoopIssueEvidence::stall_cycles, "cycles that the compiler has between them, in all"},
        Field{"dual_issued", &LoopIssueEvidence::dual_issued, "how many are issued together with the next one"},
        Field{"waiting", &LoopIssueEvidence::waiting, "how many wait for a barrier: for results of no fixed latency"},
        where_known("steps", &LoopIssueEvidence::steps, "of arithmetic: steps of a chain in one trip")};

template <> inline constexpr auto fields_of<KernelEvidence> =
    std::tuple{where_known("name", &KernelEvidence::name, "of its text"),
        where_known("text_hash", &KernelEvidence::text_hash, "64-bit FNV-1a of its text"),
        where_known("defines", &KernelEvidence::defines, "words that it was built with"),
        where_known("listing", &KernelEvidence::listing, "what the compiler made of it"),
        where_known("load", &KernelEvidence::load, "the measured load"),
        where_known("atomics", &KernelEvidence::atomics, "atomic instructions, the measured one first"),
        where_known("step_instructions", &KernelEvidence::step_instructions,
            "of arithmetic: instructions in one step of a chain, by mnemonic"),
        where_known("loop_issue", &KernelEvidence::loop_issue,
            "NVIDIA: what the compiler tells the scheduler in the loop with most instructions"),
        where_known("facts", &KernelEvidence::facts, "what the driver reports of it, by the driver's names"),
        where_known("held_scratchpad_bytes", &KernelEvidence::held_scratchpad_bytes,
            "bytes of scratchpad that a workgroup holds while the kernel runs, static and dynamic")};

template <> inline constexpr auto fields_of<NumberRange> = std::tuple{Field{"low", &NumberRange::low, "the least"},
    Field{"median", &NumberRange::median, "of all"}, Field{"high", &NumberRange::high, "the highest"}};

template <> inline constexpr auto fields_of<CardDuring> = std::tuple_cat(
    std::tuple{Field{"samples", &CardDuring::samples, "how many", "", Presence::lenient}},
    fields_of<CardNumbers<NumberRange>>,
    std::tuple{where_known("throttled_by", &CardDuring::throttled_by, "what held the clocks back in any of them"),
        where_known("throttled_samples", &CardDuring::throttled_samples, "in how many of them, by what it was")});

template <> inline constexpr auto fields_of<CardAtPoint> = std::tuple_cat(
    std::tuple{Field{"x", &CardAtPoint::x, "the point"}}, fields_of<CardNumbers<double>>,
    std::tuple{where_known("energy_watts", &CardAtPoint::energy_watts, "W by the counter of energy")});

template <> inline constexpr auto fields_of<TelemetryEvidence> = std::tuple{
    where_known("source", &TelemetryEvidence::source, "\"NVML\" or \"sysfs\"; none: there are no instruments"),
    where_known("before", &TelemetryEvidence::before, "the series"),
    Field{"during", &TelemetryEvidence::during, "the series", "", Presence::lenient},
    where_known("after", &TelemetryEvidence::after, "the series"),
    where_known("state", &TelemetryEvidence::state, "what seldom changes, before the series"),
    where_known("state_after", &TelemetryEvidence::state_after, "the same behind the series, where it is another"),
    where_known("others", &TelemetryEvidence::others, "processes of other programs that used the card before or after"),
    Field{"absent", &TelemetryEvidence::absent,
        "why fields could not be read, by field; a text: why there are no instruments",
        R"({"type": ["object", "string"]})", Presence::lenient},
    where_known("by_x", &TelemetryEvidence::by_x, "of points that lasted half a second or more")};

template <> inline constexpr auto fields_of<SourceEvidence> =
    std::tuple{Field{"tool", &SourceEvidence::tool, "name and version", R"({"minLength": 1})"},
        Field{"file", &SourceEvidence::file, "that the tool wrote"},
        where_known("quantity", &SourceEvidence::quantity, "as the tool calls it"),
        where_known("method", &SourceEvidence::method, "how the tool finds it")};

template <> inline constexpr auto fields_of<TimersEvidence> =
    std::tuple{where_known("value_from", &TimersEvidence::value_from, "whose time the values are"),
        Field{"host_over_device", &TimersEvidence::host_over_device,
            "ratio of their slopes; null: there is one timer, or dispatches are too short for the host's", "",
            Presence::lenient},
        where_known("error", &TimersEvidence::error, "standard error of the ratio, as a share of it")};

template <> inline constexpr auto fields_of<ClockEvidence> = std::tuple{
    where_known("name", &ClockEvidence::name, "the kernel's counter"),
    where_known("counts", &ClockEvidence::counts, "\"core cycles\", \"time\" or \"nothing\""),
    where_known("before_mhz", &ClockEvidence::before_mhz, "MHz of one core before the series"),
    where_known("after_mhz", &ClockEvidence::after_mhz, "MHz of one core after it"),
    where_known("points_repeated", &ClockEvidence::points_repeated, "points measured again, as the clock had dropped")};

template <> inline constexpr auto fields_of<ControlPoint> =
    std::tuple{Field{"small_ns", &ControlPoint::small_ns, "ns per dependent load over 4 KiB"},
        Field{"large_ns", &ControlPoint::large_ns, "over large_bytes"},
        Field{"large_bytes", &ControlPoint::large_bytes, "bytes, beyond the card's largest cache"}};

template <> inline constexpr auto fields_of<ControlEvidence> =
    std::tuple{where_known("before", &ControlEvidence::before, "before the series"),
        where_known("after", &ControlEvidence::after, "after it")};

template <> inline constexpr auto fields_of<PlacementEvidence> = std::tuple{
    Field{"device_local", &PlacementEvidence::device_local,
        "whether the buffer lies in the device's memory; null: the API does not tell", "", Presence::lenient},
    where_known("text", &PlacementEvidence::text, "as the API names the memory")};

template <> inline constexpr auto fields_of<ShapeEvidence> =
    std::tuple{where_known("group_size", &ShapeEvidence::group_size, "work-items of a workgroup"),
        where_known("groups", &ShapeEvidence::groups, "workgroups"),
        where_known("loads_in_flight", &ShapeEvidence::loads_in_flight, "independent loads of a work-item"),
        where_known("turns", &ShapeEvidence::turns, "rounds of such loads in one loop trip"),
        where_known("width", &ShapeEvidence::width, "bytes per load"),
        where_known("unroll", &ShapeEvidence::unroll, "atomic instructions in one loop trip")};

template <> inline constexpr auto fields_of<ShapeChoice> =
    std::tuple{where_known("from_bytes", &ShapeChoice::from_bytes, "bytes of footprint from which on it was taken"),
        where_known("shape", &ShapeChoice::shape, "the fastest"),
        where_known("tried_gb_per_s", &ShapeChoice::tried, "GB/s, by shape")};

template <> inline constexpr auto fields_of<AllocationsEvidence> =
    std::tuple{where_known("count", &AllocationsEvidence::count, "how many"),
        where_known("bytes", &AllocationsEvidence::bytes, "of each")};

template <> inline constexpr auto fields_of<RefinementEvidence> =
    std::tuple{where_known("edges_known_to", &RefinementEvidence::edges_known_to,
                   "width of an edge that needs no more sizes, as a share"),
        where_known("sizes", &RefinementEvidence::sizes, "how many were measured"),
        where_known("ended_by", &RefinementEvidence::ended_by, "the time budget: edges may be wider")};

template <> inline constexpr auto fields_of<LevelEvidence> =
    std::tuple{where_known("ns", &LevelEvidence::ns, "latency"),
        where_known("on_bytes", &LevelEvidence::on_bytes, "bytes of the last footprint inside"),
        Field{"off_bytes", &LevelEvidence::off_bytes, "bytes of the first one outside; null: the curve ends inside", "",
            Presence::lenient},
        where_known("confidence", &LevelEvidence::confidence, "0 to 1, from the curve's shape")};

template <> inline constexpr auto fields_of<WaysEvidence> = std::tuple{
    where_known("half_way_ns", &WaysEvidence::half_way, "lines that hit at a stride of half a way; 0: not tried"),
    where_known("level_ns", &WaysEvidence::level, "lines that hit at stride_bytes"),
    where_known("double_level_ns", &WaysEvidence::double_level, "lines that hit at twice stride_bytes"),
    where_known("stride_bytes", &WaysEvidence::stride_bytes, "bytes of the level, rounded up to a power of two")};

template <> inline constexpr auto fields_of<SubgroupClocks> =
    std::tuple{where_known("subgroups", &SubgroupClocks::subgroups, "how many"),
        where_known("loads", &SubgroupClocks::loads, "of each, in the dispatch that the clocks are of"),
        where_known("least", &SubgroupClocks::least,
            "of the kernel's counter (clock.counts) for a load, by the fastest subgroup"),
        where_known("median", &SubgroupClocks::median, "by the one in the middle"),
        where_known("most", &SubgroupClocks::most, "by the slowest")};

template <> inline constexpr auto fields_of<LineTimes> = std::tuple{where_known("core", &LineTimes::core, "its number"),
    where_known("counts", &LineTimes::counts, "of the kernel's counter (clock.counts) for a load, by line")};

template <> inline constexpr auto fields_of<LoadTimes> =
    std::tuple{where_known("footprint_bytes", &LoadTimes::footprint_bytes, "bytes that the chain spans"),
        where_known("nothing", &LoadTimes::nothing,
            "of the kernel's counter (clock.counts) between two reads without a load, subtracted from each time"),
        where_known("bin", &LoadTimes::bin, "width of a bin, likewise"),
        where_known("from", &LoadTimes::from, "where each bin that is not empty begins, ascending"),
        where_known("loads", &LoadTimes::loads, "in each of these")};

template <> inline constexpr auto fields_of<FootprintLatency> =
    std::tuple{where_known("bytes", &FootprintLatency::bytes, "of footprint"),
        where_known("ns", &FootprintLatency::ns, "per load")};

template <> inline constexpr auto fields_of<OtherAllocation> = std::tuple{
    where_known("points", &OtherAllocation::points, "latency about the ends of levels, in the order of measuring")};

template <> inline constexpr auto fields_of<MovedLoads> =
    std::tuple{where_known("bytes", &MovedLoads::bytes, "of stride"), where_known("ns", &MovedLoads::ns, "per load")};

template <> inline constexpr auto fields_of<RandomReads> =
    std::tuple{where_known("bytes", &RandomReads::bytes, "of footprint"),
        where_known("gb_per_s", &RandomReads::gb_per_s, "GB/s of random data"),
        where_known("times", &RandomReads::times, "as fast are the series' own reads in that block")};

template <> inline constexpr auto fields_of<ChunkPair> =
    std::tuple{where_known("chunks", &ChunkPair::chunks, "their numbers"),
        where_known("gb_per_s", &ChunkPair::gb_per_s, "GB/s of both together"),
        where_known("overlap", &ChunkPair::overlap, "times as long as each alone")};

template <> inline constexpr auto fields_of<Demand> = std::tuple{Field{"from_x", &Demand::from_x, "place on the axis"},
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
        "bytes that workgroups load from caches or memory, tiles that several load each time", "", Presence::lenient},
    where_known("tile_footprint_bytes", &Demand::tile_footprint_bytes,
        "bytes of tiles that resident workgroups load at one time"),
    where_known("workgroups", &Demand::workgroups, "of the launch, where they may be fewer than cores")};

template <> inline constexpr auto fields_of<LibraryEvidence> =
    std::tuple{where_known("name", &LibraryEvidence::name, "as its vendor calls it"),
        where_known("version", &LibraryEvidence::version, "as the library reports it"),
        where_known("file", &LibraryEvidence::file, "that was opened, links followed"),
        where_known("algorithms", &LibraryEvidence::algorithms, "that the library chose, by x")};

template <> inline constexpr auto fields_of<Evidence> = std::tuple{
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
    where_known(
        "offset_within_line", &Evidence::offset_within_line, "loads at changing places within their line, by stride"),
    where_known("other_allocations", &Evidence::other_allocations,
        "where levels end in memory that was allocated anew: a driver's placement may move an edge"),
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
    where_known(
        "registers_by_driver", &Evidence::registers_by_driver, "registers of a work-item by the driver's count, by x"),
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
    where_known("peer", &Evidence::peer, "the other card, by its id in the API"),
    where_known("peer_link", &Evidence::peer_link, "what joins the two cards, as the system tells"),
    where_known("cards_together", &Evidence::cards_together, "equal cards that copied at the same time"),
    where_known("peer_link_gb_per_s", &Evidence::peer_link_gb_per_s, "GB/s of that, one way"),
    where_known(
        "host_link_gb_per_s", &Evidence::host_link_gb_per_s, "GB/s of the link to the host, as the driver tells"),
    where_known("copy_gb_per_s", &Evidence::copy_gb_per_s, "GB/s of a copy over that link"),
    where_known("unthrottled_gb_per_s", &Evidence::unthrottled_gb_per_s,
        "GB/s that all other cores stream without a wait, while one follows a chain"),
    where_known("alone_gb_per_s", &Evidence::alone_gb_per_s, "GB/s of each chunk alone"),
    where_known("overlap", &Evidence::overlap, "by chunk, beside another one: times as long as each alone"),
    where_known(
        "overlap_second", &Evidence::overlap_second, "likewise beside a second one, as far as there is one, roughly"),
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

} // namespace sonde
