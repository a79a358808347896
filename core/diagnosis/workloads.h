// Workloads beside the limits that probes measured through the same API: what a unit of work demands, over the rate at
// which the card gives it.
#pragma once
#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnosis/statement.h"
#include "core/facts/grid.h"
#include "core/facts/quantity.h"

namespace sonde {

/// What a unit of work takes time of. few_cores: operations where there are fewer workgroups than cores.
enum class Resource {
    reads,
    writes,
    reads_and_writes,
    tiles,
    sectors,
    random_loads,
    latency,
    scratchpad,
    operations,
    few_cores,
    one_address,
    few_addresses
};

/// What bounds a workload, the same through all devices of a card.
struct LimitBy {
    Resource resource = Resource::reads;
    LevelName level{};       // of memory; none: of something else
    std::string operation{}; // as `Demand::operation`
    auto operator<=>(const LimitBy&) const = default;
};

/// A resource that a unit of work takes so long of, at the rate that other series measured.
struct WorkloadLimit {
    LimitBy by{};
    double ns = 0;                   // of a unit of work; 0: no rate was measured
    Curves measured = {};            // what the rate is from
    bool cached = false;             // a rate of DRAM at a footprint of which caches hold much
    std::optional<Quantity> of = {}; // bytes of a sector, or of random loads' footprint; loads in flight; cores
};

/// A point of a workload.
struct WorkloadPoint {
    const Curve* curve = nullptr;
    double x = 0, ns = 0;                   // of a unit of work
    std::vector<WorkloadLimit> limits = {}; // the longest first
    std::vector<LimitBy> missing = {};      // demands for which no rate was measured
    /// Times the longest limit that it takes.
    double ratio() const { return ns / limits.front().ns; }
};

/// Of all series with evidence `demand`, those points whose memory traffic has a measured rate, or that have none, and
/// of whose time launches are a small share.
std::vector<WorkloadPoint> workload_points(const Card&);

/// Workloads that are at no limit of those measured, at their largest size: the share of the time that each limit
/// accounts for, the longest first, and what they run at.
Grid workloads_grid(const Card&);

/// Workloads of a device by how many operations they do for each byte of memory, at the largest size, below the rates
/// of reads and of the operations that they do.
struct Roofline {
    struct Ceiling {
        std::string name; // "DRAM"
        double rate = 0;  // GB/s, or Gop/s
    };
    struct Place {
        std::string name;    // "workload.lbm", "stream triad f64"
        double x = 0, y = 0; // operations per byte, and in a ns
    };
    std::string device;
    std::vector<Ceiling> ceilings = {};
    std::vector<Ceiling> roofs = {}; // "FMA", "mma.f16.f32.m16n8k16"; Gop/s
    std::vector<Place> points = {};
};
/// Of devices that have ceilings, and a workload whose operations have a measured rate.
std::vector<Roofline> rooflines_of(const Card&);

/// Share of its time from which on a workload is at a limit. In recorded runs of two cards those known to be bound by
/// one (wide copies, a lattice, random loads, additions to one address) are at 87 % and more, all others at 81 % and
/// less: sums of narrow loads, which DRAM gives more slowly.
inline constexpr double kAtLimit = 0.85;
/// Share of its time from which on a workload beats a rate, which then is no limit of it: rates repeat within less.
inline constexpr double kBeaten = 1.05;

} // namespace sonde
