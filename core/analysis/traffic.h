// What follows from the curves of traffic probes, as pure functions.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/card_view.h"
#include "core/analysis/structure.h"
#include "core/data/evidence.h"
#include "core/data/option.h"

namespace sonde {

/// Bytes of a lane's load, which option `width` says; 0: it says none.
double width_of(const Options&);

/// From how many workgroups on the rate no longer grows. `curve`: rate by workgroups. None where the rate still grows
/// at the end.
Conclusion levels_off(std::span<const CurvePoint> curve);

/// Banks of a scratchpad. `curve`: time of a subgroup's load of `width` bytes by the stride of its lanes, in elements.
/// Accesses to one bank are serialized: the first stride 2^k that costs more than stride 1 gives the bank's width, the
/// first at which the cost no longer grows the width of all of them. `lanes`: of a subgroup, an upper bound of how many
/// conflict.
struct Banks {
    Conclusion count; // banks
    double width_bytes = 0;
    double worst = 1; // times the time of stride 1
};
Banks scratchpad_banks(std::span<const CurvePoint> curve, double width, double lanes);

/// Workgroups that a core holds at once, where `of_core` of them one after another take `together_ns` each and one
/// alone takes `alone_ns`: they come in rounds.
double resident_workgroups(double of_core, double alone_ns, double together_ns);

/// Chunks of memory that are alike in rate.
struct SpeedClass {
    double rate = 0;                 // median
    std::vector<std::size_t> chunks; // their numbers in the curve, ascending
};
/// Classes by rate, the fastest first: neighbours in the order of rate are apart where one is `kClassGap` times the
/// other. A chunk alone in its class, between two of another, is one of theirs that something interrupted.
inline constexpr double kClassGap = 1.15;
std::vector<SpeedClass> speed_classes(std::span<const CurvePoint> curve);

/// Sectors by strided accesses of `width` bytes. `curve`: rate of the bytes asked for by stride, 1, 2, 4, ... The rate
/// halves with each doubled stride until each lane has a sector of its own; the next doubling takes a quarter at most.
/// nullopt: no such stride.
struct Sectors {
    double bytes = 0, stride = 0, next = 0, rate = 0; // the rate at `stride`
    std::optional<CurvePoint> floor{};                // behind it: the lower rate at which the curve holds to its end
};
std::optional<Sectors> sectors(std::span<const CurvePoint> curve, double width);

/// Of the orders of the probe `coalescing` the place where each load goes to any of a power of two of elements, and how
/// many bytes these have in a footprint.
inline constexpr double kScatteredPlace = 4;
double scattered_bytes(std::uint64_t footprint, std::uint32_t element_bytes);

/// How much faster other data are read than random data, by footprint (Evidence::random_reads).
struct DataEffect {
    double bytes = 0, random_gb_per_s = 0;
    double times = 1;         // mean over the blocks
    std::optional<bool> seen; // beyond what the blocks and `noise` explain; nullopt: one block tells no noise
};
/// `noise`: standard deviation of ln times that blocks do not show.
std::vector<DataEffect> effects_of_data(std::span<const RandomReads> reads, double noise);

/// The distance from which on streams that far apart meet in a part of the channels. `apart`: rate by distance (powers
/// of two); `beside`: the same a line farther apart each, where they meet no more. The value is the least such
/// distance; `high` the greatest factor lost.
Conclusion channel_stripe(std::span<const CurvePoint> apart, std::span<const CurvePoint> beside);

/// Where a series of `atomics` puts its cells: "neighbouring words", "one address".
std::string_view atomic_cells(const SeriesId&);

/// A processor copies to itself.
bool card_of_its_own(const Curve&);
/// Pinned copies that end faster than larger ones do, and than the host's link carries where that is known.
bool is_copied_from_cache(const Curve&);

} // namespace sonde
