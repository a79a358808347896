// How each rule's facts are told: the one place of their wording, for terminal, page and JSON.
#include "core/diagnosis/words.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"

namespace sonde {

namespace {
constexpr const char *kApart = "{subject}: {values}, {times} times apart{cause}.",
                     *kValues = "{subject}: {values}{cause}.", *kRows = "{subject} through {first}: {rows}{cause}.";

constexpr std::array kKinds{
    Wording{"extra_cycles", "More cycles per load", kApart,
        "Cycles of a load whose address is that of the one before: computed from an index, or read as a pointer."},
    Wording{"scratchpad_limit", "Scratchpad limits differ", kApart,
        "The largest scratchpad (CUDA: shared memory, OpenCL: local memory) with which a kernel runs."},
    Wording{"host_memory", "Where host memory lies"},
    Wording{"bandwidth_apart", "One path, bandwidths far apart", kApart,
        "What all cores read a second over so many bytes."},
    Wording{"operation_apart", "Latency of an operation differs", kApart,
        "Cycles of an operation whose operand is the result of the one before, and the instructions that a step is "
        "compiled to."},
    Wording{"operation_rates_apart", "Rate of an operation differs", kApart,
        "Operations of all cores a second, of those whose latencies are alike."},
    Wording{"operations_alike", "Operations take the same through all APIs"},
    Wording{"rounds_twice", "Rounding of a product and a sum"},
    Wording{"rounds_once", "Fused multiply-adds"},
    Wording{"alternating_instructions", "Operations of two alternating instructions"},
    Wording{"kinds_in_turn", "Two kinds of operation in one chain"},
    Wording{"denormals_flushed", "Denormals in f32"},
    Wording{"steps_removed", "Fewer operations than counted"},
    Wording{"atomics_apart", "Rates of atomic operations by API", kApart,
        "Atomic operations of all work-items of so many workgroups, a second."},
    Wording{"clock_under_load", "A lower clock under load"},
    Wording{"transfers_take_turns", "Copies both ways at once gain little"},
    Wording{"copies_from_cache", "Copies faster than the largest ones"},
    Wording{"copies_on_device", "Copies within the device differ", kApart,
        "Bytes copied a second from one buffer of the card to another, by the size of a copy."},
    Wording{"copies_by_address", "Copies whose rate differs by the host's address"},
    Wording{"derived_cycles", "Cycles where an API has no clock of the core"},
    Wording{"reruns_apart", "Later runs of the same code differ", kApart,
        "Cycles of an instruction of code without a loop, launched for the first time and later."},
    Wording{"instruction_caches", "Instruction caches"},
    Wording{"l1_not_reached", "A path that does not reach L1"},
    Wording{"smaller_l1", "A smaller L1"},
    Wording{"cache_in_parts", "Two levels that may be one cache"},
    Wording{"option_moves_l1", "An option changes the capacity of L1"},
    Wording{"one_cache_two_paths", "Textures and loads as if of one cache"},
    Wording{"uniform_apart", "Uniform addresses load otherwise"},
    Wording{"constant_is_global", "Constant memory in buffer memory"},
    Wording{"lanes_differ", "Latency by number of lanes"},
    Wording{"lanes_apart", "Latency of lanes at addresses of their own"},
    Wording{"core_scratchpad", "A core's scratchpad differs", kApart,
        "The most that workgroups resident on one core hold, of the sizes tried, by how much longer more of them "
        "take."},
    Wording{"limit_unlike_reported", "A limit that is not what the driver reports"},
    Wording{"mean_of_two_kinds", "Loads of L2 far as slow as DRAM's"},
    Wording{"atomic_cache_control", "Cache control behind an atomic instruction"},
    Wording{"load_moved", "Loads that a compiler moved to another path"},
    Wording{"cooperative_beside_mma", "Cooperative matrices beside mma.sync"},
    Wording{"wgmma_beside_mma", "wgmma beside mma.sync"},
    Wording{"sparse_beside_dense", "mma.sp and wgmma.sp beside mma.sync and wgmma"},
    Wording{"zeros_as_integers", "Zeros in matrix units"},
    Wording{"library_beside", "A library beside matrix units and Sonde's kernels"},
    Wording{"tlb_reach", "A smaller TLB reach", kApart,
        "Memory that loads in random order reach before a miss of the address translation costs, by what a miss "
        "costs."},
    Wording{"l1_by_scratchpad", "Capacity of L1 by scratchpad held"},
    Wording{"evicts_as_own", "Eviction beside the path's own"},
    Wording{"dram_rates_apart", "DRAM bandwidth differs", kApart,
        "What all cores read or write a second, beyond all caches."},
    Wording{"data_compressed", "Zeros read at another rate than random data"},
    Wording{"launches_apart", "Launch overhead differs", kApart,
        "Time of an empty kernel of one workgroup: with the wait for its end, and of one that stands in a queue."},
    Wording{"loads_not_bytes", "Narrow loads at one load rate"},
    Wording{"consecutive_apart", "Contiguous narrow loads or stores differ", kApart,
        "Neighbouring work-items at neighbouring addresses, within L2."},
    Wording{"random_apart", "Random loads or stores differ", kApart, "Work-items at addresses in random order."},
    Wording{"one_workgroup", "The read rate of one workgroup differs", kApart,
        "What a single workgroup reads a second, while the rest of the card is idle."},
    Wording{"memory_in_segments", "DRAM segments of unequal bandwidth"},
    Wording{"buffer_elsewhere", "A buffer in the system's memory"},
    Wording{"reported_cache", "A reported cache that the curve does not show"},
    Wording{"faster_than_peak", "Faster than the theoretical peak"},
    Wording{"faster_than_l2", "Faster than L2 on a path that bypasses L1"},
    Wording{"cut_short", "Series cut short by the time limit"},
    Wording{"interrupted", "Interrupted dispatches"},
    Wording{"timers_disagree", "Timers disagree"},
    Wording{"clock_moved", "The clock moved"},
    Wording{"cap_contradicted", "A power cap below the card's limit"},
    Wording{"series_failed", "A series failed"},
    Wording{"series_unstable", "Unstable series"},
    Wording{"workload_bound", "A workload beside its limits"},
};
} // namespace

const Wording& words_of(std::string_view rule) {
    const auto found = std::ranges::find(kKinds, rule, &Wording::name);
    if (found == kKinds.end()) throw Error("no words for the rule " + std::string(rule));
    return *found;
}

} // namespace sonde
