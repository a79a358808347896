// What the probes of arithmetic have in common: the option `operation`, and how a step reads.
#pragma once
#include <algorithm>
#include <bit>

#include "core/analysis/derived_clock.h"
#include "core/measure/matrix_units.h"
#include "core/probes/probes.h"

namespace sonde {

/// A word for each of `all`, those of `first` in front.
inline Choice<const Operation*> choice_of_operations(
    std::span<const std::string_view> first, std::span<const Operation> all) {
    Choice<const Operation*> choice{option::operation, {}};
    for (const std::string_view word : first) choice.words.emplace_back(word, find_operation(word));
    for (const Operation& operation : all)
        if (std::ranges::find(first, operation.name) == first.end())
            choice.words.emplace_back(operation.name, &operation);
    return choice;
}

/// All operations; those that a quick run takes come first.
inline constexpr std::string_view kFirstOperations[] = {"fma.f32", "fma.f64", "fma.f16x2", "add.u32", "mad.u32",
    "logic.u32", "rcp.f32", "popcount.u32", "dot.u8x4", "shuffle.u32"};
inline constexpr std::size_t kQuickOperations = std::size(kFirstOperations);
inline const Choice<const Operation*> kOperation = choice_of_operations(kFirstOperations, all_operations());

/// Steps in a trip of a kernel's loop, of all its chains together: enough that the loop's own instructions are about
/// one percent, and no more than the first instruction cache holds (16 KiB of it: with code that came from the next
/// one, a sum over a subgroup took 211 cycles on an H200, most of them to fetch it). On a processor 64: LLVM takes
/// minutes for hundreds of steps of an operation that is a long function, or crashes.
inline std::uint32_t steps_of_trip(const DeviceInfo& info, const Operation& operation) {
    constexpr std::uint32_t kInstructions = 1024, kFewest = 32;
    return info.cpu ? 64 : std::clamp(std::bit_floor(kInstructions / operation.instructions), kFewest, kLatencySteps);
}

/// "; a step is 1 FFMA", or with what stands beside it, or that it is a sequence and which; "" where no listing tells.
/// `begin`: what stands before "step".
std::string step_text(const Series&, const Operation&, std::string_view begin = "; a");

} // namespace sonde
