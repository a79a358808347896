// Footprints that a person asked for, within what a sweep can have.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/data/footprints.h"

namespace sonde {

class Bench;

/// nullopt: the sweep takes its own.
std::optional<Footprints> asked_footprints(const Bench&);
/// Where a sweep ends that could go to `largest`. Notes in `ending` where more was asked for. Throws Unsupported where
/// all that was asked for lies beyond.
std::uint64_t asked_end(Bench&, std::uint64_t largest);
/// The footprints of a list, as multiples of `granule` from `smallest` to `largest`; those below are `smallest`.
std::vector<std::uint64_t> listed(
    const Footprints& list, std::uint64_t smallest, std::uint64_t largest, std::uint64_t granule);
/// What of a probe's own footprints was asked for; of a list instead all of its. Throws Unsupported where that is none.
std::vector<std::uint64_t> asked_of(
    Bench&, std::vector<std::uint64_t> own, std::uint64_t smallest, std::uint64_t largest, std::uint64_t granule);

} // namespace sonde
