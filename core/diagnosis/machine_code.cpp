// Rules about what compilers made of loads and atomic operations, where a driver hands out machine code.
#include <algorithm>
#include <string_view>

#include "core/diagnosis/fact_of.h"

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

const AtomicEvidence& atomic_of(const Curve& curve) { return machine_code(curve)->atomics->front(); }

bool has_control(const Curve* curve) { return !atomic_of(*curve).cache_control.empty(); }

/// One curve of each device: one with cache control, where there is any.
Curves atomics_by_device(const Card& card, Curves& all) {
    all = curves_of(card, kAtomics);
    std::erase_if(
        all, [](const Curve* curve) { return curve->series->id.path != "global" || !is_atomic_in_memory(*curve); });
    Curves shown;
    for (const Curves& of_device : grouped(all, device_text)) {
        const auto controlled = std::ranges::find_if(of_device, has_control);
        shown.push_back(controlled == of_device.end() ? of_device.front() : *controlled);
    }
    return shown;
}

void tell_cache_control(const Card& card, Statements& out) {
    Curves all;
    const Curves shown = atomics_by_device(card, all);
    Ranked with;
    for (const Curve* curve : shown)
        if (has_control(curve)) with.emplace_back(1, curve);
    if (with.empty()) return;
    Place instruction = instructions_of(shown, [](const Curve& curve) { return atomic_of(curve).kind; });
    Place behind = instructions_of(
        shown, [](const Curve& curve) { return has_control(&curve) ? atomic_of(curve).cache_control : "nothing"; });
    behind.name = "directly behind it";
    tell(out,
        fact_of(card, {{"control", atomic_of(*with[0].second).cache_control}}, with, {{"", {instruction, behind}}}),
        all);
}
} // namespace

std::optional<std::string_view> path_by_code(const Curve& curve) {
    const KernelEvidence* kernel = machine_code(curve);
    return kernel && !kernel->load.kind.empty() ? std::optional(other_path_of(kernel->load.kind)) : std::nullopt;
}

const Rule atomic_cache_control{"atomic_cache_control", "path", tell_cache_control};

namespace {
/// Loads that a compiler may move to another path, or has.
bool may_be_moved(const Curve& curve) {
    const Path* path = find_path(curve.series->id.path);
    const auto moved = path_by_code(curve);
    return path && moved && curve.series->id.options.empty() && path->stage == Stage::nothing &&
           path->space == Space::global && (path->uniform || !moved->empty());
}

Slots load_slots(const Curve& curve) {
    const std::string moved(path_by_code(curve).value_or(""));
    return {{"instruction", machine_code(curve)->load.kind},
        moved.empty() ? Slot{"ordinary", term::path_of_loads} : Slot{"moved", moved}};
}

/// "LDC.64 (constant path)"
std::string load_text(const Curve& curve) { return filled(label::load, load_slots(curve)); }

void tell_moved(const Card& card, Statements& out) {
    Curves loads = curves_of(card, kLatency);
    std::erase_if(loads, [](const Curve* curve) { return !may_be_moved(*curve); });
    if (loads.empty()) return;
    const auto moved = std::ranges::find_if(loads, [](const Curve* curve) { return path_by_code(*curve) != ""; });
    const Curve& told = moved == loads.end() ? *loads[0] : **moved;
    PlaceGroup rows{"load", {}};
    Ranked alike;
    for (const Curves& on_path : grouped(loads, [](const Curve* curve) { return curve->series->id.path; })) {
        rows.places.push_back(instructions_of(on_path, load_text));
        rows.places.back().name = on_path[0]->series->id.path;
    }
    for (const Curve* curve : loads)
        if (curve->series->id.path == told.series->id.path && load_text(*curve) == load_text(told))
            alike.emplace_back(1, curve);
    CardFact fact = fact_of(card, joined(load_slots(told), {{"path", told.series->id.path}}), alike, {rows});
    if (moved == loads.end()) fact.effect = kNothingDone;
    tell(out, std::move(fact), loads).tells_all = moved != loads.end();
}
} // namespace

const Rule load_moved{"load_moved", "path", tell_moved};

} // namespace sonde
