// The numbers that a card's health is judged by, and how far each may fall short: a table. Pure functions.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/card_view.h"
#include "core/facts/quantity.h"

namespace sonde {

/// A kind of number. `place`: what a number of the kind is of, a level of memory, an operation, a direction.
struct HealthRow {
    std::string_view name;                // "read": what a number is called behind its place
    bool more;                            // is better
    double tolerance;                     // share by which a good card may fall short of others of its model
    double of_peak;                       // share of what is documented that good cards reach; 0: nothing is
    std::string_view probe, kind, item;   // of recorded noise (learned_noise.h); item "": the place
    std::string_view metric, unit, about; // for Prometheus: "sonde_read_bytes_per_second"; its unit; its help
    std::string_view label;               // that says the place: "level"
    double base;                          // what a value is multiplied by to be in that unit
};

struct HealthNumber {
    const HealthRow* row = nullptr;
    std::string place{}, device{}, api{}; // "DRAM", "cuda:0", "cuda"
    Quantity value{};
    double peak = 0; // what is documented, in the value's unit; 0: not known

    std::string text() const; // "DRAM read"
    /// The share that it may fall short by: `tolerance`, the row's where that is negative, and never less than recorded
    /// runs of one card lie apart.
    double tolerance(double asked = -1) const;
};
using HealthNumbers = std::vector<HealthNumber>;

/// Of each device that was measured: latency and reads of each level, the operation fma.f32, f16 products of matrix
/// units, copies over the host's link, and rates under load. What is in doubt is none of them.
HealthNumbers health_numbers(const Card&);

} // namespace sonde
