// What the probes of arithmetic have in common: the option `operation`, and how a step reads.
#pragma once
#include "core/device/operation.h"
#include "core/probes/probes.h"

namespace sonde {

/// All operations; those that a quick run takes come first.
inline constexpr std::string_view kFirstOperations[] = {"fma.f32", "fma.f64", "fma.f16x2", "add.u32", "mad.u32", "logic.u32", "rcp.f32", "popcount.u32", "dot.u8x4", "shuffle.u32"};
inline constexpr std::size_t kQuickOperations = std::size(kFirstOperations);
inline const Choice<const Operation*> kOperation = [] {
    Choice<const Operation*> choice{"operation", {}};
    for (const std::string_view name : kFirstOperations) choice.words.emplace_back(name, find_operation(name));
    for (const Operation& operation : all_operations())
        if (std::ranges::find(kFirstOperations, operation.name) == std::end(kFirstOperations)) choice.words.emplace_back(operation.name, &operation);
    return choice;
}();

/// "; a step is 1 FFMA", or with what stands beside it; "" where no listing tells.
std::string step_text(const Series&, const Operation&);

} // namespace sonde
