// One comparison: an item, what each side says of it, and what the judgement is.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/learned_noise.h"
#include "core/analysis/published.h"
#include "core/analysis/significance.h"
#include "core/compare/side.h"

namespace sonde {

/// Below this no difference is a difference, whatever the statistics say.
constexpr double kLeastEffect = 0.01;
/// Chance of one false alarm or more in a whole comparison of equals, by the book. What is asked for is 0.05; three
/// blocks know their noise badly, and modelled cards have shown 0.01 to 0.04 at this level
/// (tests/compare/test_compare.cpp).
constexpr double kFalseAlarms = 0.03;
/// Blocks (or runs) without which there is no measure of noise.
constexpr std::size_t kEnoughBlocks = 2;
/// Where a curve is steep, where it lies moves from run to run: by 4.5 % of a footprint covers 99 of 100 points beside
/// the levels there.
constexpr double kRunShift = 0.045;

/// edge: a point of a staircase beside which one of the two curves rises or falls.
enum class Kind { level, point, edge, capacity, levels };
const char* to_text(Kind);

/// What one side says on one item.
struct Measured {
    std::string label{};
    std::vector<double> units{}; // natural logarithms of the value, one per block or run
    bool of_runs = false;
    double run_noise = 0;                  // from run to run, as far as is known beforehand: a standard deviation
    double noise_of_place = 0;             // the part of it that edges, launches and launch shapes have
    double scatter = 0;                    // of its samples, as of one of them
    bool noise_unknown = false;            // one block of a processor, on which other programs run
    std::optional<LearnedNoise> learned{}; // of one block, from recorded runs; of an edge with that of the place, else
                                           // without it
    std::optional<LearnedNoise> edge{};    // of an edge that recorded runs had, whatever the blocks
    std::size_t count = 0;                 // blocks or runs that there are; 0: published
    std::optional<std::pair<double, double>>
        range{};                            // in place of units: a capacity, a conclusion, or what has been published
    std::optional<double> value{};          // for a person: the middle, in the item's unit
    std::vector<PublishedFigure> figures{}; // what it is, where it is published
    std::string shapes{};                   // launch shapes, where the probe chose among several
    bool one_block() const { return range ? count == 1 : units.size() == 1; }
    bool declared() const { return one_block() && !learned && !noise_unknown; }
};

struct Comparison {
    SeriesKey question{};
    std::string item{}, unit{}; // "L1", "at 1 MiB", "from 1 MiB to 50 MiB", "capacity of L1", "levels"
    Kind kind = Kind::level;
    bool rate = false; // more is faster
    Measured a{}, b{};
    std::string apart{}; // why it is told and not judged: what is published was found by another method
    // What judge() finds.
    std::optional<double> ratio{}, low{}, high{}; // b over a, and the interval; of a published range its nearest end
    std::optional<double> chance{};               // of such a difference without a cause
    bool differs = false;
    std::optional<double> by_index{}; // what an index costs more on side b, in `unit`, where that is the difference
    std::string not_comparable{};     // why: "run A has 12 points, the other side 60"
    bool levels_vary = false;         // from block to block, so that the two sides' are not held against each other
    bool same_shapes() const { return a.shapes.empty() || b.shapes.empty() || a.shapes == b.shapes; }
    bool one_block() const { return a.one_block() || b.one_block(); }
    bool noise_unknown() const { return a.noise_unknown || b.noise_unknown; } // and so it is not judged
    bool declared() const { return a.declared() || b.declared(); }            // judged by kOneBlockNoise
    std::string what() const { return question.text() + ": " + item; }        // "latency global: L1"
};

} // namespace sonde
