// The modelled hierarchies.
#include "tests/model/model_hierarchy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/statistics.h"

namespace sonde {

namespace {

constexpr double kLine = 128;
constexpr double kGrid = 48; // points per octave on which the truth is computed

/// Share of lines in sets that hold at most `ways` of a Poisson-distributed number of lines with mean `mean`: P(X <=
/// ways - 1).
double poisson_share(double mean, int ways) {
    double term = std::exp(-mean), sum = term;
    for (int k = 1; k < ways; ++k) sum += term *= mean / k;
    return sum;
}

/// Of F lines in a cache of C: survival is exp(-misses until reuse / C), and misses until reuse are F (1 - hits).
double random_replacement_share(double ratio) {
    if (ratio <= 1) return 1;
    double hits = 0;
    for (int i = 0; i < 200; ++i) {
        const double before = std::exchange(hits, std::exp(-ratio * (1 - hits)));
        if (hits - before < 1e-7) break;
    }
    return hits;
}

double plateau_latency(const ModelHierarchy& hierarchy, std::size_t level, double footprint) {
    const auto& caches = hierarchy.caches;
    if (level == caches.size()) {
        const double share = std::clamp(std::log2(footprint / hierarchy.rise_from) / hierarchy.rise_octaves, 0.0, 1.0);
        return hierarchy.memory_latency * (1 + hierarchy.rise * share);
    }
    const double from = level == 0 ? hierarchy.smallest : caches[level - 1].bytes;
    const double share = std::clamp(std::log2(footprint / from) / std::log2(caches[level].bytes / from), 0.0, 1.0);
    return caches[level].latency * (1 + caches[level].drift * share);
}

ModelHierarchy draw(ModelRandom& random) {
    ModelHierarchy out;
    const int caches = random.whole(1, 4);
    double bytes = random.log_uniform(4096, 262144), latency = random.log_uniform(20, 130);
    for (int i = 0; i < caches; ++i) {
        ModelCache cache;
        cache.bytes = std::round(bytes / 1024) * 1024;
        cache.latency = latency;
        cache.replacement = static_cast<Replacement>(random.whole(0, 2));
        cache.ways = 4 << random.whole(0, 3);
        cache.drift = random.whole(0, 1) == 0 ? 0 : random.uniform(-0.01, 0.06);
        out.caches.push_back(cache);
        bytes *= random.log_uniform(3, 40);
        latency *= random.log_uniform(1.3, 5);
    }
    out.memory_latency = latency;
    out.rise_from = out.caches.back().bytes * random.log_uniform(2, 16);
    out.rise_octaves = random.uniform(2, 5);
    out.rise = random.whole(0, 2) == 0 ? 0 : random.uniform(-0.05, 0.17);
    return out;
}

} // namespace

ModelRandom::ModelRandom(std::uint64_t seed) : state_(seed) {}

std::uint64_t ModelRandom::next() { // splitmix64 (Steele et al. 2014)
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

double ModelRandom::uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
}
double ModelRandom::log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
double ModelRandom::normal() {
    return std::sqrt(-2 * std::log(uniform(1e-12, 1))) * std::cos(6.283185307179586 * uniform(0, 1));
}
int ModelRandom::whole(int low, int high) {
    return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
}

double hit_share(const ModelCache& cache, double footprint) {
    const double lines = std::max(1.0, footprint / kLine), sets = std::max(1.0, cache.bytes / kLine / cache.ways);
    switch (cache.replacement) {
    case Replacement::lru: { // a cyclic walk hits in the sets that are not over-full, and never in the others
        const double each = std::floor(lines / sets), fuller = lines - each * sets; // `fuller` sets hold one line more
        if (each + 1 <= cache.ways) return 1;
        return each > cache.ways ? 0 : (sets - fuller) * each / lines;
    }
    case Replacement::hashed_lru:
        return poisson_share(lines / sets, cache.ways);
    case Replacement::random:
        return random_replacement_share(footprint / cache.bytes);
    }
    return 0;
}

double simulated_hit_share(const ModelCache& cache, double footprint, std::uint64_t seed) {
    ModelRandom random(seed);
    const auto lines = static_cast<std::size_t>(footprint / kLine);
    const bool one_set = cache.replacement == Replacement::random;
    const auto capacity = static_cast<std::size_t>(cache.bytes / kLine);
    const std::size_t ways = one_set ? capacity : static_cast<std::size_t>(cache.ways), sets = capacity / ways;
    std::vector<std::size_t> order(lines), set_of(lines);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = lines; i > 1; --i) std::swap(order[i - 1], order[random.next() % i]);
    for (std::size_t i = 0; i < lines; ++i)
        set_of[i] = cache.replacement == Replacement::hashed_lru ? random.next() % sets : i % sets;

    struct Slot {
        std::size_t line = ~std::size_t{0}, used = 0;
    };
    std::vector<Slot> slots(capacity);
    std::vector<std::size_t> where(lines, capacity); // slot of each line, `capacity` when it is in none
    std::size_t hits = 0, time = 0;
    constexpr int warm = 6, counted = 4;
    for (int pass = 0; pass < warm + counted; ++pass) {
        for (const std::size_t line : order) {
            ++time;
            if (where[line] != capacity) {
                hits += pass >= warm;
                slots[where[line]].used = time;
                continue;
            }
            const std::size_t first = set_of[line] * ways;
            std::size_t victim = first + random.next() % ways;
            if (one_set && time <= capacity) victim = time - 1; // empty slots first
            if (!one_set)
                for (std::size_t i = first; i < first + ways; ++i)
                    if (slots[i].used < slots[victim].used) victim = i;
            if (slots[victim].line < lines) where[slots[victim].line] = capacity;
            slots[victim] = {line, time};
            where[line] = victim;
        }
    }
    return static_cast<double>(hits) / (static_cast<double>(lines) * counted);
}

double true_latency(const ModelHierarchy& hierarchy, double footprint) {
    double reached = 0, latency = 0; // share that was served so far, nearest cache first
    for (std::size_t i = 0; i < hierarchy.caches.size(); ++i) {
        const double share = std::max(reached, hit_share(hierarchy.caches[i], footprint));
        latency += (share - reached) * plateau_latency(hierarchy, i, footprint);
        reached = share;
    }
    return latency + (1 - reached) * plateau_latency(hierarchy, hierarchy.caches.size(), footprint);
}

double measured_latency(
    const ModelHierarchy& hierarchy, double footprint, double noise, int samples, ModelRandom& random) {
    std::vector<double> values;
    for (int i = 0; i < samples; ++i) {
        const double interrupted = random.uniform(0, 1) < 0.01 ? random.uniform(1.5, 3) : 1;
        values.push_back(true_latency(hierarchy, footprint) * std::exp(noise * random.normal()) * interrupted);
    }
    return median(values);
}

std::vector<TrueLevel> true_levels(const ModelHierarchy& hierarchy) {
    std::vector<TrueLevel> levels;
    const double octaves = std::log2(hierarchy.largest / hierarchy.smallest);
    for (std::size_t level = 0; level <= hierarchy.caches.size(); ++level) {
        const bool memory = level == hierarchy.caches.size();
        TrueLevel out;
        std::vector<double> on;
        for (double x = 0; x <= octaves; x += 1 / kGrid) {
            const double footprint = hierarchy.smallest * std::exp2(x),
                         plateau = plateau_latency(hierarchy, level, footprint);
            const double off = true_latency(hierarchy, footprint) / plateau - 1;
            if (std::abs(off) <= 0.03) on.push_back(true_latency(hierarchy, footprint));
            if (memory || on.empty()) continue;
            if (out.knee_first == 0 && off > 0.01) out.knee_first = footprint;
            if (out.knee_last == 0 && off > 0.12) out.knee_last = footprint;
        }
        out.octaves = static_cast<double>(on.size()) / kGrid;
        if (!on.empty()) out.low = out.high = median(on);
        if (memory && !on.empty()) {
            out.low = *std::min_element(on.begin(), on.end());
            out.high = *std::max_element(on.begin(), on.end());
        }
        levels.push_back(out);
    }
    return levels;
}

ModelHierarchy random_hierarchy(std::uint64_t seed) {
    ModelRandom random(seed);
    while (true) {
        const ModelHierarchy hierarchy = draw(random);
        if (hierarchy.caches.back().bytes > hierarchy.largest / 8) continue;
        const auto levels = true_levels(hierarchy);
        if (std::all_of(levels.begin(), levels.end(), [](const TrueLevel& level) { return level.octaves >= 0.75; }))
            return hierarchy;
    }
}

std::vector<CurvePoint> sweep(
    const ModelHierarchy& hierarchy, double per_octave, double noise, int samples, ModelRandom& random) {
    std::vector<CurvePoint> points;
    const double octaves = std::log2(hierarchy.largest / hierarchy.smallest);
    for (double x = 0; x <= octaves + 1e-9; x += 1 / per_octave) {
        const double footprint = std::round(hierarchy.smallest * std::exp2(x) / kLine) * kLine;
        points.push_back({footprint, measured_latency(hierarchy, footprint, noise, samples, random)});
    }
    return points;
}

std::vector<bool> correct_levels(const std::vector<Level>& found, const std::vector<TrueLevel>& truth) {
    std::vector<bool> correct;
    for (const Level& level : found) {
        correct.push_back(std::any_of(truth.begin(), truth.end(), [&](const TrueLevel& real) {
            if (level.latency < real.low * 0.98 || level.latency > real.high * 1.02) return false;
            if (real.knee_last == 0 || !level.capacity_off) return real.knee_last == 0 && !level.capacity_off;
            return level.capacity_on <= real.knee_last * 1.05 && *level.capacity_off >= real.knee_first / 1.05;
        }));
    }
    return correct;
}

bool all_correct(const std::vector<Level>& found, const std::vector<TrueLevel>& truth) {
    const std::vector<bool> correct = correct_levels(found, truth);
    return found.size() == truth.size() && std::find(correct.begin(), correct.end(), false) == correct.end();
}

} // namespace sonde
