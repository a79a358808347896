// The kinds of arithmetic: operations, matrix units, and a stencil. Every kernel's result is compared with the host's.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "witness.h"

namespace {
constexpr unsigned kSteps = 512;    // of all chains in a trip
constexpr unsigned kRateChains = 8; // of a work-item
constexpr std::uint32_t
    kSeed = 1000,
    kA = 0x3f800001,
    kB = 0x3a83126f; // floats: 1 + 2^-23 and 0.001, by which a chain changes with every step for a million steps

/// What a chain holds after so many steps, as the kernel folds it. `fused`: multiplied and added with one rounding.
using Model = std::uint32_t (*)(std::uint32_t seed, std::uint32_t b, std::uint64_t steps, bool fused);

template <class Number> Number constant_of(std::uint32_t bits) {
    if constexpr (std::is_integral_v<Number>) return bits;
    else return Number{std::bit_cast<float>(bits)};
}
std::uint32_t bits_of(std::uint32_t v) { return v; }
std::uint32_t bits_of(float v) { return std::bit_cast<std::uint32_t>(v); }
std::uint32_t bits_of(double v) {
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(v) ^ std::bit_cast<std::uint64_t>(v) >> 32);
}

template <class Number, auto kStep>
std::uint32_t walked(std::uint32_t seed, std::uint32_t b_bits, std::uint64_t steps, bool fused) {
    const Number a = constant_of<Number>(kA), b = constant_of<Number>(b_bits);
    Number v = static_cast<Number>(seed), u = b;
    if constexpr (!std::is_integral_v<Number>) v /= 1024;
    for (std::uint64_t n = 0; n < steps; n++) kStep(v, u, a, b, fused);
    return bits_of(v);
}
constexpr auto kFma = [](auto& v, auto&, auto a, auto b, bool fused) {
    if (fused) v = std::fma(v, a, b);
    else v *= a, v += b;
};
constexpr auto kMad = [](std::uint32_t& v, std::uint32_t&, std::uint32_t a, std::uint32_t b, bool) { v = v * a + b; };
constexpr auto kAdd = [](std::uint32_t& v, std::uint32_t& u, std::uint32_t, std::uint32_t, bool) { v += u, u += v; };
constexpr auto kPopcount = [](std::uint32_t& v, std::uint32_t&, std::uint32_t, std::uint32_t b, bool) {
    v = static_cast<std::uint32_t>(std::popcount(v)) + b;
};
constexpr auto kReciprocal = [](float& v, float&, float, float b, bool) { v = 1 / v + b; };

struct Operation {
    const char* name; // and of its kernels, with _ for .
    unsigned in_step; // times that the operation stands in a step
    unsigned work;    // operations that count in a rate; 0: no such kernel
    Model model;
    std::uint32_t b = kB;
    bool approximate = false; // a chain of it ends near the host's number
};
constexpr std::uint32_t kOne = 0x3f800000; // the float 1
const Operation kOperations[] = {
    {"fma.f32", 1, 2, walked<float, kFma>},
    {"fma.f64", 1, 2, walked<double, kFma>},
    {"mad.u32", 1, 2, walked<std::uint32_t, kMad>},
    {"add.u32", 2, 0, walked<std::uint32_t, kAdd>},
    {"popcount.u32", 1, 0, walked<std::uint32_t, kPopcount>},
    {"rcp.f32", 1, 0, walked<float, kReciprocal>, kOne, true},
    {"rcp.denormal.f32", 1, 0, walked<float, kReciprocal>, kOne, true},
    {"rcp.ptx.f32", 1, 0, walked<float, kReciprocal>, kOne, true},
};

/// ns and cycles that twice as many trips take more than `trips`. `run` takes trips, and gives both.
Load difference(std::uint32_t trips, const std::function<Load(std::uint32_t)>& run) {
    Load once{1e30, 1e30}, twice = once;
    const auto least = [](Load& kept, const Load& now) {
        kept = {std::min(kept.ns, now.ns), std::min(kept.cycles, now.cycles)};
    };
    for (int repeat = 0; repeat < 4; repeat++) least(once, run(trips)), least(twice, run(2 * trips));
    if (twice.ns <= once.ns) throw std::runtime_error("twice as many steps took no longer");
    return {twice.ns - once.ns, twice.cycles - once.cycles};
}

/// One launch shape of an operation's kernel: so many chains of each work-item.
struct Chains {
    Card& card;
    const Operation& operation;
    std::string kernel;
    unsigned chains, groups, size;
    Buffer a{card, 256}, out{card, 4 * (4 + std::uint64_t{groups} * size)};
    std::map<std::pair<std::uint32_t, bool>, std::vector<std::uint32_t>>
        ends{}; // of each lane, by trips and whether fused

    std::uint64_t steps(std::uint32_t trips) const { return std::uint64_t{trips} * kSteps / chains; }
    Load run(std::uint32_t trips) {
        const double ns = card.run({.kernel = kernel,
            .groups = groups,
            .size = size,
            .a = a.handle,
            .out = out.handle,
            .args = {kSeed, kA, trips, operation.b}});
        std::vector<std::uint32_t> words(4 + std::size_t{groups} * size);
        card.read(out.handle, words.data(), words.size() * 4);
        if (!agrees(words, trips, true) && !agrees(words, trips, false))
            throw std::runtime_error("the chains end elsewhere than the host's");
        return {ns, static_cast<double>(words[1])};
    }
    bool agrees(const std::vector<std::uint32_t>& words, std::uint32_t trips, bool fused) {
        std::vector<std::uint32_t>& expected = ends[{trips, fused}];
        const unsigned lanes = std::min(size, 32u);
        for (unsigned lane = static_cast<unsigned>(expected.size()); lane < lanes; lane++) {
            std::uint32_t word = 0;
            for (unsigned k = 0; k < chains; k++)
                word = word * 5 + operation.model(kSeed + lane * 8 + k, operation.b, steps(trips), fused);
            expected.push_back(word);
        }
        for (std::size_t item = 0; item + 4 < words.size(); item++)
            if (!same(words[4 + item], expected[item % lanes])) return false;
        return true;
    }
    bool same(std::uint32_t found, std::uint32_t expected) const {
        return operation.approximate
                   ? std::abs(std::bit_cast<float>(found) / std::bit_cast<float>(expected) - 1) < 1e-4f
                   : found == expected;
    }
    /// Of one step of a chain.
    Load measure() {
        run(1); // compiles, where that comes late
        std::uint32_t trips = 1;
        while (run(trips).ns < 3e5 && trips < 1 << 14) trips *= 2;
        const Load more = difference(trips, [&](std::uint32_t count) { return run(count); });
        const auto count = static_cast<double>(steps(trips));
        return {more.ns / count, more.cycles / count};
    }
};

std::string kernel_name(const Operation& operation, const char* prefix) {
    std::string name = prefix + std::string(operation.name);
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
}
} // namespace

/// A dependent operation of one subgroup.
void operation(Card& card) {
    for (const Operation& each : kOperations) {
        const std::string kernel = kernel_name(each, "chain_");
        if (!card.has(kernel) && !kernel.ends_with("_f64")) continue;
        attempt(card, "operation", each.name, [&] {
            if (!card.has(kernel)) throw Unsupported("the device has no such numbers");
            Load load = Chains{card, each, kernel, 1, 1, card.processor ? 1u : 32u}.measure();
            load.ns /= each.in_step, load.cycles /= each.in_step;
            print_load(card, "operation", each.name, load);
        });
    }
}

/// The best of some launch shapes, all cores at once; a multiply-add counts as two operations.
void operation_rate(Card& card) {
    for (const Operation& each : kOperations) {
        const std::string kernel = kernel_name(each, "rate_");
        if (each.work == 0) continue;
        attempt(card, "rate", each.name, [&] {
            if (!card.has(kernel)) throw Unsupported("the device has no such numbers");
            double best = 0;
            for (const unsigned size : {128u, 256u}) {
                for (const unsigned per_core : {1u, 2u, 4u}) {
                    if (card.processor && (size != 128 || per_core > 1)) continue;
                    const unsigned groups = per_core * card.cores;
                    best = std::max(best, 1.0 * each.work * kRateChains * groups * size /
                                              Chains{card, each, kernel, kRateChains, groups, size}.measure().ns);
                }
            }
            figure(card, "rate", each.name, best, "Gop/s");
        });
    }
}

// ---- matrix units

namespace {
constexpr unsigned kM = 16, kN = 8, kK = 16, kMultiplyAdds = 64; // of all chains in a trip

float entry(unsigned n) { return static_cast<float>(n % 4) - 1; } // of a matrix

/// The sum that the matrices' entry (row, column) grows by with each multiply-add.
float product(unsigned row, unsigned column, unsigned chain) {
    float sum = 0;
    for (unsigned k = 0; k < kK; k++) sum += entry(3 * row + 5 * k) * entry(7 * k + 3 * (column + chain));
    return sum;
}

struct MultiplyAdds {
    Card& card;
    const char* kernel;
    unsigned chains, groups, size;
    Buffer a{card, 256}, out{card, 4 * (4 + std::uint64_t{groups} * size * chains * 4)};

    Load run(std::uint32_t trips) {
        const double ns = card.run({.kernel = kernel,
            .groups = groups,
            .size = size,
            .a = a.handle,
            .out = out.handle,
            .args = {0, 0, trips}});
        std::vector<std::uint32_t> words(4 + std::size_t{groups} * size * chains * 4);
        card.read(out.handle, words.data(), words.size() * 4);
        const float steps = static_cast<float>(trips * kMultiplyAdds / chains);
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned n = 0; n < chains * 4; n++) {
                const float expected = steps * product(lane / 4 + n / 2 % 2 * 8, lane % 4 * 2 + n % 2, n / 4);
                for (std::size_t item = lane; item < std::size_t{groups} * size; item += 32)
                    if (std::bit_cast<float>(words[4 + item * chains * 4 + n]) != expected)
                        throw std::runtime_error("a sum differs from the host's");
            }
        return {ns, static_cast<double>(words[1])};
    }
    /// ns and cycles from one multiply-add of a chain to its next; sums stay below 2^24.
    Load measure() {
        constexpr std::uint32_t kTrips = 1000;
        const Load more = difference(kTrips, [&](std::uint32_t count) { return run(count); });
        const double count = double{kTrips} * kMultiplyAdds / chains;
        return {more.ns / count, more.cycles / count};
    }
};
} // namespace

/// mma.sync: a dependent one of one subgroup, and all cores with 4 chains of each subgroup.
void matrix(Card& card) {
    const std::string name = "mma.f16.f32.m16n8k16";
    attempt(card, "matrix", name, [&] {
        if (!card.has("mma_rate")) throw Unsupported("compute capability below 8.0");
        print_load(card, "matrix", name + " latency", MultiplyAdds{card, "mma_chain", 1, 1, 32}.measure());
        double best = 0;
        for (const unsigned subgroups : {4u, 8u, 16u}) {
            const Load each = MultiplyAdds{card, "mma_rate", 4, card.cores, 32 * subgroups}.measure();
            best = std::max(best, 2.0 * kM * kN * kK * 4 * card.cores * subgroups / each.ns / 1000);
        }
        figure(card, "matrix", name, best, "TFLOP/s");
    });
}

// ---- stencil

namespace {
struct Tiling {
    const char* kernel;
    unsigned wide, high, depth; // of a workgroup's tile: bits of its sides; cells that a work-item walks over
};
constexpr Tiling kTilings[] = {{"stencil", 8, 0, 1}, {"stencil", 6, 2, 1}, {"stencil", 5, 3, 1},
    {"stencil_column", 8, 0, 32}, {"stencil_column", 6, 2, 32}, {"stencil_column", 5, 3, 32},
    {"stencil_column", 6, 2, 128}, {"stencil_column", 6, 4, 32}};

/// A box whose sides are powers of two, and numbers whose means are exact.
struct Box {
    unsigned first, second, third; // bits of its sides
    std::uint32_t cells() const { return 1u << (first + second + third); }
    std::string sides() const {
        return std::to_string(1 << first) + "x" + std::to_string(1 << second) + "x" + std::to_string(1 << third);
    }
    static float begins(std::uint32_t cell) { return static_cast<float>(cell * 0x9e3779b1u >> 16); }
    float ends(std::uint32_t cell) const {
        float around = 0;
        for (const unsigned low : {0u, first, first + second}) { // where the bits of a side begin
            const unsigned bits = low == 0 ? first : low == first ? second : third;
            const std::uint32_t unit = 1u << low, side = ((1u << bits) - 1) << low;
            around += begins((cell & ~side) | ((cell - unit) & side)) + begins((cell & ~side) | ((cell + unit) & side));
        }
        return 0.25f * begins(cell) + 0.125f * around;
    }
};
} // namespace

/// Means of each cell and its six neighbours, out of place, in a periodic box; each cell is read and written once where
/// caches keep the neighbours.
void stencil(Card& card) {
    const Box box = card.processor ? Box{8, 5, 7} : Box{10, 9, 9};
    constexpr std::uint32_t kChecked = 97; // every so many cells
    std::vector<float> numbers(box.cells());
    for (std::uint32_t cell = 0; cell < box.cells(); cell++) numbers[cell] = Box::begins(cell);
    Buffer a(card, std::uint64_t{4} * box.cells());
    card.write(a.handle, numbers.data(), numbers.size() * 4);
    for (const Tiling& tiling : kTilings) {
        const unsigned size = 1u << (tiling.wide + tiling.high);
        const std::string what = box.sides() + (tiling.depth == 1 ? " plain " : " column ") +
                                 std::to_string(1 << tiling.wide) + "x" + std::to_string(1 << tiling.high) + "x" +
                                 std::to_string(tiling.depth);
        attempt(card, "stencil", what, [&] {
            Buffer out(card, std::uint64_t{4} * box.cells());
            const Launch launch{.kernel = tiling.kernel,
                .groups = box.cells() / size / tiling.depth,
                .size = size,
                .a = a.handle,
                .out = out.handle,
                .args = {box.first | box.second << 8 | box.third << 16, tiling.wide | tiling.high << 8, tiling.depth}};
            double ns = 1e30;
            for (int repeat = 0; repeat < 8; repeat++) ns = std::min(ns, card.run(launch));
            card.read(out.handle, numbers.data(), numbers.size() * 4);
            for (std::uint32_t cell = 0; cell < box.cells(); cell += kChecked)
                if (numbers[cell] != box.ends(cell))
                    throw std::runtime_error("cell " + std::to_string(cell) + " differs from the host's");
            figure(card, "stencil", what, box.cells() / ns, "GLUP/s");
        });
    }
}
