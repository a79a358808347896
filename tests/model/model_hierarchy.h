// A memory hierarchy whose truth is known: caches with given sizes, latencies and replacement, drift, a TLB behind the
// last cache, noise.
#pragma once
#include <cstdint>
#include <vector>

#include "core/analysis/levels.h"

namespace sonde {

/// The same numbers on every platform (the distributions of <random> are not).
class ModelRandom {
public:
    explicit ModelRandom(std::uint64_t seed);
    std::uint64_t next();
    double uniform(double low, double high);
    double log_uniform(double low, double high);
    double normal();
    int whole(int low, int high); // both included

private:
    std::uint64_t state_;
};

enum class Replacement {
    lru,        // lines spread evenly over the sets
    hashed_lru, // lines spread over the sets by a hash
    random,     // any line may go
};

struct ModelCache {
    double bytes = 0;
    double latency = 0;
    Replacement replacement = Replacement::lru;
    int ways = 8;
    double drift = 0; // latency grows by this share over the plateau, evenly per octave
};

struct ModelHierarchy {
    std::vector<ModelCache> caches; // ascending
    double memory_latency = 0;
    double rise = 0;                               // share by which the latency of memory changes (a TLB, or a dip)
    double rise_from = 0, rise_octaves = 1;        // between these footprints
    double smallest = 512, largest = 4294967296.0; // bytes: what a test sweeps
};

/// Share of hits of a random cyclic chase over `footprint` bytes, 128-byte lines. Closed forms;
/// tests/analysis/test_levels.cpp holds them against a simulation.
double hit_share(const ModelCache& cache, double footprint);
/// The same by simulating the cache: some 10 ns per line and pass.
double simulated_hit_share(const ModelCache& cache, double footprint, std::uint64_t seed);

/// Latency of the model without noise.
double true_latency(const ModelHierarchy& hierarchy, double footprint);
/// A measurement: median of `samples`, each with `noise` (a share) and one in a hundred interrupted.
double measured_latency(
    const ModelHierarchy& hierarchy, double footprint, double noise, int samples, ModelRandom& random);

struct TrueLevel {
    double low = 0, high = 0; // latency: equal but for memory, whose TLB rise leaves open what "the" latency is
    double knee_first = 0, knee_last = 0; // bytes: the curve is 1 % and 12 % off the plateau; 0 for memory
    double octaves = 0;                   // of the curve within 3 % of the plateau
};
std::vector<TrueLevel> true_levels(const ModelHierarchy& hierarchy);

/// 2 to 5 levels, latency ratios 1.3-5, capacity ratios 3-40, each level visible over at least 0.75 octave (else it is
/// drawn again: under the ramps of its neighbours there may be nothing to find).
ModelHierarchy random_hierarchy(std::uint64_t seed);

/// Points per octave as measured.
std::vector<CurvePoint> sweep(
    const ModelHierarchy& hierarchy, double per_octave, double noise, int samples, ModelRandom& random);

/// Per level found: is it one of the true ones, latency within 2 % and the knee where the curve bends (5 %)?
std::vector<bool> correct_levels(const std::vector<Level>& found, const std::vector<TrueLevel>& truth);
/// All of them, and none missing.
bool all_correct(const std::vector<Level>& found, const std::vector<TrueLevel>& truth);

} // namespace sonde
