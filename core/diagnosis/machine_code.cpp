// Rules about what compilers made of loads and atomic operations, where a driver hands out machine code.
#include <algorithm>
#include <string_view>

#include "core/diagnosis/rules.h"

namespace sonde {

namespace {
constexpr double kNothingDone = 0; // an effect: what a compiler did not do is told last

/// Empty where there is none, or where it is an intermediate representation.
const KernelEvidence* machine_code(const Curve& curve) {
    const auto& kernel = curve.series->evidence.kernel;
    return kernel && shows_machine_code(kernel->listing.kind) ? &*kernel : nullptr;
}

/// The memory path that is an instruction's own: "constant", "scalar"; empty: that of ordinary loads.
std::string_view other_path_of(std::string_view mnemonic) {
    for (const std::string_view of_constants : {"LDC", "ULDC", "LDCU"})
        if (mnemonic == of_constants || (mnemonic.starts_with(of_constants) && mnemonic[of_constants.size()] == '.'))
            return "constant";
    return mnemonic.starts_with("s_load") || mnemonic.starts_with("s_buffer_load") ? "scalar" : "";
}

bool is_atomic_in_memory(const Curve& curve) {
    return machine_code(curve) && machine_code(curve)->atomics && !machine_code(curve)->atomics->empty();
}
} // namespace

const Rule atomic_cache_control{
    "atomic_cache_control", "path", [](const Card& card, Statements& out) {
        Curves atomics = curves_of(card, kAtomics);
        std::erase_if(atomics, [](const Curve* curve) { return curve->series->id.path != "global"; });
        std::erase_if(atomics, [](const Curve* curve) { return !is_atomic_in_memory(*curve); });
        const auto devices = grouped(atomics, [](const Curve* curve) { return device_text(curve); });
        if (std::ranges::all_of(atomics,
                [](const Curve* curve) { return machine_code(*curve)->atomics->front().cache_control.empty(); }))
            return;
        const auto texts = texts_of(devices, [](const Curves& of_device) {
            const auto controlled = std::ranges::find_if(of_device,
                [](const Curve* curve) { return !machine_code(*curve)->atomics->front().cache_control.empty(); });
            const auto& first =
                machine_code(controlled == of_device.end() ? *of_device.front() : **controlled)->atomics->front();
            return fmt::format("{} behind {} through {}", first.cache_control.empty() ? "none" : first.cache_control,
                first.kind, device_text(of_device.front()));
        });
        say(out, atomics, "Cache control or fences in machine code directly behind atomic instructions on global: {}.",
            list_text(texts));
    }};

const Rule load_moved{
    "load_moved", "path", [](const Card& card, Statements& out) {
        Parts parts;
        bool any = false;
        for (const Curve* curve : curves_of(card, kLatency)) {
            const Path* path = find_path(curve->series->id.path);
            const KernelEvidence* kernel = machine_code(*curve);
            if (!path || !kernel || !curve->series->id.options.empty() || path->stage != Stage::nothing ||
                path->space != Space::global || kernel->load.kind.empty())
                continue;
            const std::string_view moved = other_path_of(kernel->load.kind);
            if (moved.empty() && !path->uniform) continue;
            any = any || !moved.empty();
            parts.add(fmt::format("{} through {} by {}{}", path->name, device_text(curve), kernel->load.kind,
                          moved.empty() ? ", as other loads" : fmt::format(", on the {} path", moved)),
                {curve});
        }
        if (any) return parts.tell(out, "Loads that a compiler may move to another path, by their machine code: {}.");
        parts.effect = kNothingDone;
        parts.tell(out, "Loads of one address for all lanes stay off the constant and scalar path: {}.");
        if (!parts.texts.empty()) out.back().tells_all = false;
    }};

} // namespace sonde
