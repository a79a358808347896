// How each rule's facts are told: the one place of their wording, for terminal, page and JSON. Words that a rule
// chooses among: terms.h.
#include "core/diagnosis/words.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/diagnosis/terms.h"

namespace sonde {

namespace {
constexpr const char *kApart = "{subject}: {values}, {times} times apart[; {cause}].",
                     *kValues = "{subject}: {values}[; {cause}].",
                     *kRows = "{subject} through {first}: {rows}[; {cause}].",
                     *kDevices = "{subject} through {first}[; {cause}].";

constexpr std::array kKinds{
    Wording{"extra_cycles", "More cycles per load", {"A load on {path}[ {options}], {level}"}, kApart,
        "Cycles of a load whose address is that of the one before: computed from an index, or read as a pointer."},
    Wording{"scratchpad_limit", "Scratchpad limits differ", {"Largest scratchpad of a workgroup"}, kApart,
        "The largest scratchpad (CUDA: shared memory, OpenCL: local memory) with which a kernel runs."},
    Wording{"host_memory", "Where host memory lies", {"A load from host memory beyond its caches"}, kValues,
        "Latency of memory of the host: past its caches it is that of the link, or that of device memory where a "
        "driver keeps a copy."},
    Wording{"bandwidth_apart", "One path, bandwidths far apart", {"Reads on {path} ({options}) at {footprint}"}, kApart,
        "What all cores read a second over so many bytes."},
    Wording{"operation_apart", "Latency of an operation differs", {"{operation}, latency"}, kApart,
        "Cycles of an operation whose operand is the result of the one before, and the instructions that a step is "
        "compiled to."},
    Wording{"operation_rates_apart", "Rate of an operation differs", {"{operation}, rate of all cores"}, kApart,
        "Operations of all cores a second, of those whose latencies are alike."},
    Wording{"roundings", "Roundings of a product and a sum", {"Roundings of {operation}"}, kValues,
        "One of a fused multiply-add, two where the product is rounded before the sum."},
    Wording{"alternating_instructions", "Operations of two alternating instructions",
        {"{operations} by two alternating instructions"}, kRows,
        "A compiler alternates two instructions that compute the same. The rate is of both; what one alone takes is "
        "not measured."},
    Wording{"kinds_in_turn", "Two kinds of operation in one chain",
        {"Two kinds of operation in turn, times the mean of both,"}, kRows,
        "A chain that takes two kinds of operation in turn, with logic behind each. 1: turns cost nothing."},
    Wording{"denormals_flushed", "Denormals in f32", {"Denormals of {operation}, by its mnemonic"},
        "{subject}: flushed through {first}, kept through {last}[; {cause}].",
        "NVIDIA's FFMA.FTZ takes denormals for zero, FFMA computes with them."},
    Wording{"steps_removed", "Fewer operations than counted", {"{operation}, latency"}, kRows,
        "Less than any GPU is known to take, consistent with a compiler that removed steps of the chain."},
    Wording{"atomics_apart", "Rates of atomic operations by API",
        {"Atomics on {cells}, {path}", "{type} {operation}, {workgroups:workgroup|workgroups}"}, kApart,
        "Atomic operations of all work-items of so many workgroups, a second."},
    Wording{"clock_under_load", "A lower clock under load", {"Core clock under {loads:load|loads}"}, kRows,
        "The core clock that kernels count: before a load, and under it. Compare figures of such a load per clock."},
    Wording{"transfers_take_turns", "Copies both ways at once gain little",
        {"Copies both ways at once, times the faster way alone", "of {copy}"}, kValues,
        "Copies between pinned memory and the device, in both directions at the same time and in one alone."},
    Wording{"copies_from_cache", "Copies faster than the host's link or largest copy", {"{what}"}, kRows,
        "The rate of copies, or of stores to host memory, by their size, and what the host's link carries."},
    Wording{"copies_on_device", "Copies within the device differ", {"Copies within the device, {at}"}, kApart,
        "Bytes copied a second from one buffer of the card to another, by the size of a copy."},
    Wording{"other_card", "Another card's memory", {"Between two cards[, {link}]"}, kValues,
        "What an API moves between two cards a second, one way, beside what the links between them carry; without "
        "access "
        "of one to the other's memory the driver chooses the way of copies."},
    Wording{"copies_by_address", "Copies whose rate differs by the host's address", {label::copies_by_address}, kRows,
        "Copies whose memory of the host begins at an odd address, or at a multiple of 4 KiB."},
    Wording{"derived_cycles", "Cycles where an API has no clock of the core", {"Derived cycles of a load"}, kRows,
        "Kernels of such an API read no clock of the core: cycles from a chain whose steps another API of the same "
        "card counts."},
    Wording{"reruns_apart", "Later runs of the same code differ",
        {"An instruction of code without a loop", "the last of {at:launch|launches}"}, kApart,
        "Cycles of an instruction of code without a loop, launched for the first time and later."},
    Wording{"instruction_caches", "Instruction caches", {"An instruction in a loop ({options})"}, kRows,
        "Cycles of an instruction (fma.f32) in a loop, and the size of loops up to which each cache serves them."},
    Wording{"l1_not_reached", "A path that does not reach L1", {"Nearest level of {path}[ {options}], no L1"}, kValues,
        "A path whose loads hit no level as fast as L1, which another API or path of the card reaches."},
    Wording{"smaller_l1", "A smaller L1", {"Capacity of L1 on {path}[ {options}]"}, kApart,
        "Footprint at which loads no longer hit L1. Drivers split L1 and scratchpad anew for each kernel (carve-out)."},
    Wording{"cache_in_parts", "Two levels that may be one cache", {"Levels of one reported cache"}, kRows,
        "One core sees two levels where the driver reports one cache: partitions, or lines held twice. Either latency "
        "may be a mean of two kinds of hits."},
    Wording{"option_moves_l1", "An option changes the capacity of L1", {"Capacity of L1 on {path}"}, kRows,
        "Footprint at which loads no longer hit L1, by an option of the measurement."},
    Wording{"one_cache_two_paths", "Textures and loads as if of one cache", {"End of L1 by {path} and global"}, kValues,
        "Loads by texture units and by load instructions show levels of the same size: consistent with one cache "
        "behind both."},
    Wording{"uniform_apart", "Uniform addresses load otherwise", {"{path}, nearest level"}, kRows,
        "Loads whose address is the same for all lanes, as the compiler knows, beside loads of any address."},
    Wording{"constant_is_global", "Constant memory in buffer memory", {"{path}, nearest level"}, kValues,
        "Latency of constant memory: its own cache, or the levels of global memory where a driver keeps constants in a "
        "buffer."},
    Wording{"lanes_differ", "Latency by number of lanes", {"A subgroup's load from one address on global"}, kRows,
        "Latency with all lanes of a subgroup active and with one. Published latencies are mostly of one lane."},
    Wording{"lanes_apart", "Latency of lanes at addresses of their own",
        {"A load on {path} at {footprint}, {lanes:lane|lanes} {distance:byte|bytes} apart"}, kRows,
        "Latency of a load whose lanes read addresses so far apart; each further lane: what it adds on average."},
    Wording{"core_scratchpad", "A core's scratchpad differs",
        {"Scratchpad of a core, at least", "held by workgroups together"}, kApart,
        "The most that workgroups resident on one core hold, of the sizes tried, by how much longer more of them "
        "take."},
    Wording{"limit_unlike_reported", "A limit that is not what the driver reports", {"Largest {path} {what}"}, kRows,
        "The largest memory with which a kernel runs, and the limit that the driver reports."},
    Wording{"mean_of_two_kinds", "Levels whose loads are of two kinds",
        {"Single loads of two kinds on {path}", "the faster (the slower)"}, kRows,
        "Times of single loads, which fall into two groups: the level's latency is a mean of both."},
    Wording{"atomic_cache_control", "Cache control behind an atomic instruction",
        {"{control} behind an atomic instruction on global"}, kDevices,
        "What machine code holds directly behind an atomic instruction in global memory: a fence, or cache control."},
    Wording{"load_moved", "Loads that a compiler moved to another path",
        {"Loads on {path} by {instruction} ([{moved} path][{ordinary}])"}, kDevices,
        "The load instruction that a compiler chose where it may take the constant or the scalar path."},
    Wording{"cooperative_beside_mma", "Cooperative matrices beside mma.sync",
        {"{instruction}, times the rate of {other}[ {by}]"}, kValues,
        "Rates of the fastest shape with the same numbers: mma.sync through the same API where it was measured, else "
        "through the fastest."},
    Wording{"wgmma_beside_mma", "wgmma beside mma.sync", {"{instruction}, times the rate of {other}[ {by}]"}, kValues,
        "Rates of the fastest shape with the same numbers. wgmma takes four subgroups together, and operands from the "
        "scratchpad."},
    Wording{"sparse_beside_dense", "mma.sp and wgmma.sp beside mma.sync and wgmma",
        {"{instruction}, times the rate of {other}[ {by}]"}, kValues,
        "Rates of the fastest shape with the same numbers. Half of A's numbers are stored; the zeros between them are "
        "counted."},
    Wording{"zeros_as_integers", "Zeros in matrix units", {"Zeros, times the rate of small integers by clock"}, kValues,
        "The same matrix forms on zeros and on small integers, each by the clock that its kernel counts: data changes "
        "the power that they take, and so the clock."},
    Wording{"library_beside", "A library beside matrix units and Sonde's kernels",
        {"{library} {version}, [{numbers} matrices of {rows:row|rows}][transforms of {points:point|points}]"}, kRows,
        "A vendor's library at its largest size, the best rate of matrix units with these numbers, and Sonde's kernel "
        "at that size. Runs of unlike length may see unlike clocks."},
    Wording{"tlb_reach", "Loads that miss the TLB", {"Random loads over {footprint}", "of {lines} lines"}, kApart,
        "Loads of so many lines, all over a footprint: how much memory each level of the TLB reaches, and what a load "
        "beyond it waits longer."},
    Wording{"smallest_split", "L1 has its smallest size", {"Smallest of the card's L1 sizes ({sizes})"}, kRows,
        "Where L1 ends, beside the sizes that it has by the card's splits of L1 and scratchpad. A driver that takes "
        "the "
        "smallest leaves kernels most scratchpad."},
    Wording{"l1_by_scratchpad", "Capacity of L1 by scratchpad held", {"Capacity of L1"}, kRows,
        "The footprint at which L1 ends, of workgroups that hold so much scratchpad."},
    Wording{"evicts_as_own", "Eviction beside the path's own",
        {"Lines of {path} that loads on {other} evict, of those that its own evict", "over {footprint}"}, kValues,
        "How many of a walk's lines loads on another path evict from L1, as a share of what its own loads evict."},
    Wording{"slow_fills", "Fills of L2 slower than reads", {"Fills of L2, of its reads"}, kValues,
        "What all cores write of the last cache a second, as a share of what they read over the same footprints."},
    Wording{"dram_rates_apart", "DRAM bandwidth differs", {"{what} of DRAM on {path} ({options}[, {tiles}]) at {at}"},
        kApart, "What all cores read or write a second, beyond all caches."},
    Wording{"data_compressed", "Zeros read at another rate than random data",
        {"Reads of zeros over {footprint}, times random data"}, kValues,
        "Reads of memory that compresses well, and of memory that does not; data also changes the power that reads "
        "take."},
    Wording{"launches_apart", "Launch overhead differs", {"Empty kernel, {test}"}, kApart,
        "Time of an empty kernel of one workgroup: with the wait for its end, and of one that stands in a queue."},
    Wording{"loads_not_bytes", "Narrow loads at one load rate", {"Narrow loads on {path} from {from}"}, kRows,
        "Loads of these widths run at one rate of loads, so that wider ones read more bytes a second."},
    Wording{"consecutive_apart", "Contiguous narrow loads or stores differ",
        {"Contiguous {width}-byte {accesses}[ {lanes}] on {path}", "footprint {footprint}"}, kApart,
        "Neighbouring work-items at neighbouring addresses, within L2."},
    Wording{"random_apart", "Random loads or stores differ",
        {"Random {width}-byte {accesses} on {path}", "footprint {footprint}"}, kApart,
        "Work-items at addresses in random order."},
    Wording{"one_workgroup", "The read rate of one workgroup differs",
        {"Reads by one workgroup",
            "[of {items:work-item|work-items} with {loads:independent load|independent loads} over ]{footprint}"},
        kApart, "What a single workgroup reads a second, while the rest of the card is idle."},
    Wording{"memory_in_segments", "DRAM segments of unequal bandwidth", {"DRAM {test}s by address"}, kRows,
        "What all cores read or write a second in parts of the memory, by where these begin."},
    Wording{"buffer_elsewhere", "A buffer in the system's memory",
        {"Buffers of {found} of {all} series in the system's memory"}, kDevices,
        "The driver put the buffer where the system's memory is: the rates are those of the way to it."},
    Wording{"cores_disagree", "Numbers of cores that disagree", {"Cores of the card"}, kRows,
        "What APIs of one card tell, the table of boards by PCI id, and workgroups that run side by side. Rates of all "
        "cores are of the number told."},
    Wording{"reported_cache", "A reported cache that the curve does not show",
        {"Cache that the driver reports, no step on {path}"}, kRows,
        "The size that a driver reports lies within a level, where latency has no step."},
    Wording{"faster_than_peak", "Faster than the theoretical peak", {"Faster than {what}"}, kRows,
        "Not served by that memory: from a cache, or compressed."},
    Wording{"faster_than_l2", "Faster than L2 on a path that bypasses L1", {"Reads on {path}, which bypasses L1"},
        kRows, "Consistent with hits in a nearer cache, or fewer bytes than counted."},
    Wording{"card_in_use", "Others used the card", {"Others used the card"}, "{subject}: {rows}, {shown}.",
        "Another process computed on the card during most series: their numbers are not the card's own. Free the card "
        "and measure again."},
    Wording{"cut_short", "Series cut short by the time limit", {"{found} of {all} series end within their sweep"},
        "{subject}: the time was over.", "Some of their points are missing; a longer --time measures them."},
    Wording{"interrupted", "Interrupted dispatches", {"{found} of {all} series scatter"},
        "{subject}, and no other statement uses them.",
        "At a tenth of their points quartiles of a step lie far apart, or at a point the steps that long dispatches "
        "add "
        "take much longer than those of short ones: other work on the processor, or caches that serve short ones."},
    Wording{"timers_disagree", "Timers disagree", {"A step by the host's clock, times that by the device's"}, kValues,
        "Time by the host's clock and by the device's timestamps, of the same steps."},
    Wording{"clock_moved", "The clock moved", {"Core clock {where}"}, kValues,
        "Core cycles over time, of a series or of one beside others. Compare cycles, not ns."},
    Wording{"power_cap", "A power cap that the driver names", {"Power drawn where {source} names a power cap"}, kRows,
        "The driver names a power cap as what held the clocks back, in so many of its samples; and what the card drew "
        "meanwhile."},
    Wording{"series_failed", "A series failed", {"{found} series failed"}, "{subject} through {first}: {shown}.",
        "What the driver, or the check of the output, said."},
    Wording{"series_unstable", "Unstable series", {"{found} series unstable"},
        "{subject} through {first}, and no statement uses them: {shown}.",
        "The run judged them doubtful as it measured them."},
    Wording{"workload_apart", "A workload differs by API", {"{workload}[ on {numbers}]", "{size}"}, kApart,
        "The same kernel's work through several APIs, at the largest size that all of them have, and what its loop is "
        "compiled to."},
    Wording{"workload_bound", "A workload beside its limits", {"{workload}, of its limit", "by {limit} at {size}"},
        kValues,
        "What a unit of work demands, at the rate that other series measured through the same API, as a share of the "
        "time that it takes. The longest is the limit, from 85 % on."},
};
} // namespace

const Wording& words_of(std::string_view rule) {
    const auto found = std::ranges::find(kKinds, rule, &Wording::name);
    if (found == kKinds.end()) throw Error("no words for the rule " + std::string(rule));
    return *found;
}

} // namespace sonde
