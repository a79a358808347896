// Words that rules choose among, and names of rows that hold a number: what a rule hands over is the term, or the name
// and its slots (core/facts/slots.h). The sentences in which they stand: words.cpp.
#pragma once
#include <string_view>

#include "core/facts/slots.h"

namespace sonde {

/// In a subject; the first word is for programs.
namespace term {
inline constexpr Term reads{"read", "Reads"};
inline constexpr Term fills{"fill", "Fills"};
inline constexpr Term a_group_for_each_tile{"once", "a workgroup for each tile"};
inline constexpr Term copies_to_device{"to-device", "Copies to the device"};
inline constexpr Term copies_to_host{"to-host", "Copies to the host"};
inline constexpr Term copies_above_link{"above-link", "Copies above the host link"};
inline constexpr Term stores_to_host{"stores", "Stores to host memory"};
inline constexpr Term memory_of_kernel{"kernel", "memory of a kernel"};
inline constexpr Term of_workgroup{"workgroup", "of a workgroup"};
inline constexpr Term dram{"dram", "DRAM"};
inline constexpr Term way_to_host{"host", "the way to the host"};
inline constexpr Term within_series{"within", "within a series"};
inline constexpr Term between_series{"between", "from series to series"};
inline constexpr Term waited{"waited", "launch and wait"};
inline constexpr Term queued{"queued", "queued"};
inline constexpr Term loads{"load", "loads"};
inline constexpr Term stores{"store", "stores"};
inline constexpr Term half_of_lanes{"half", "by half of the lanes"};
inline constexpr Term path_of_loads{"ordinary", "path of other loads"};
inline constexpr Term by_clock{"by-clock", "by clock"};
inline constexpr Term wgmma_not_run{"not-run", "wgmma not run"};
inline constexpr Term wgmma_unsupported{"unsupported", "wgmma unsupported"};
inline constexpr Term wgmma_without_result{"no-result", "wgmma without a result"};
} // namespace term

/// Of rows, of sections, in cells, and notes below a table.
namespace label {
inline constexpr std::string_view workgroups = "{workgroups:workgroup|workgroups}";
inline constexpr std::string_view atomic = "{type} {operation}";
inline constexpr std::string_view atomic_on = "{type} {operation} on {cells}, {path}";
inline constexpr std::string_view first_series = "in the first {series} series";
inline constexpr std::string_view next_series = "in the next {series}";
inline constexpr std::string_view shown_by = "shown by {source}";
inline constexpr std::string_view named_by = "named by {source}";
inline constexpr std::string_view copies_by_address = "Copies {direction} of {memory} memory";
inline constexpr std::string_view ends_at = "{level} ends at";
inline constexpr std::string_view begins = "{level} begins, after a rise";
inline constexpr std::string_view misses_of_tlb = "{level}, of it misses of the TLB";
inline constexpr std::string_view read = "{level}, read";
inline constexpr std::string_view read_by = "{level}, read by {width} bytes";
inline constexpr std::string_view fill = "{level}, fill";
inline constexpr std::string_view fill_by = "{level}, fill by {width} bytes";
inline constexpr std::string_view near_or_whole = "{cache} (near)";
inline constexpr std::string_view by_index = "{memory}, by index";
inline constexpr std::string_view index_adds = "{level}, indexing adds";
inline constexpr std::string_view cache_number = "cache {number}";
inline constexpr std::string_view step_of = "a step of {operation}";
inline constexpr std::string_view in_counts = "{what}, counts of the clock";
inline constexpr std::string_view of_loads = "{path}, {what}";
inline constexpr std::string_view level_over = "{level}, {footprint}";
inline constexpr std::string_view cores_in_turn = "{cores:core|cores} in turn";
inline constexpr std::string_view lanes_apart = "{lanes:lane|lanes} {distance:byte|bytes} apart";
inline constexpr std::string_view load = "{instruction} ([{moved} path][{ordinary}])";
inline constexpr std::string_view numbers = "{in} with sums in {sum}";
inline constexpr std::string_view emulated = "{instruction}, {numbers}, by {stand_in}";
inline constexpr std::string_view for_seconds = "{load} for {seconds} s";
inline constexpr std::string_view sustained = "[{in} ]{load}, {seconds} s";
inline constexpr std::string_view best_rate = "{in} {instruction}[, {stored} of {of} numbers of A stored]"
                                              "[ by a {subroutine}][ emulated by {stand_in}][, {faster}][, {device}]";
inline constexpr std::string_view share_of = "of {instruction}";
inline constexpr std::string_view loads_over = "a load of {lines} lines over {footprint}";
inline constexpr std::string_view workload_at = "{workload}, {size}";
inline constexpr std::string_view tlb_level = "TLB L{number}";
inline constexpr std::string_view random_accesses = "{width}-byte {accesses} on {path}, {footprint}";
inline constexpr std::string_view held = "{scratchpad} held";
inline constexpr std::string_view by_pointer = "{footprint}, by pointer";
inline constexpr std::string_view footprint = "{footprint}";
inline constexpr std::string_view reads_at = "{path} ({options}[, {tiles}]) at {at}";
inline constexpr std::string_view narrow_loads = "{path} from {from}, loads of {widths} bytes";
inline constexpr std::string_view of_width = "{width}-byte";
inline constexpr std::string_view all_cores = "all cores read by {width} bytes";
inline constexpr std::string_view accesses = "{width}-byte {accesses}[ {lanes}]";
inline constexpr std::string_view segment = "{size} from {from}";
inline constexpr std::string_view series = "{probe} {path}[ {options}]";
inline constexpr std::string_view on_path = "{path}[ {options}]";
inline constexpr std::string_view without_cap = "{operation}, without a cap";
inline constexpr std::string_view process = "pid {pid}";
inline constexpr std::string_view sweep_ends = "Through {device} at least: its sweep ends there.";
inline constexpr std::string_view sweep_ended = "The sweep through {device} {ending}.";
inline constexpr std::string_view step_in_full = "{operation}: {step}[; errors allowed: {errors}]";
inline constexpr std::string_view same_as = "no listing, takes the same as {device}";
} // namespace label

} // namespace sonde
