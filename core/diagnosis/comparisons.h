// Rules of one shape as rows of a table: series that differ by their device alone, a number of each, and how far apart
// these lie.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/diagnosis/fact_of.h"

namespace sonde {

/// What series of one fact have in common: their path, the footprint of their accesses, and whether these are stores.
using FactKey = std::tuple<std::string, std::uint64_t, bool>;
inline FactKey one_fact(const Curve*) { return {}; }

/// The farthest apart of what is read from the series of a fact is told, the others stand below it.
struct Comparison {
    std::string_view rule{};
    Curves (*series)(const Card&, const Statements& told) = nullptr;
    std::vector<Compared> (*read)(const Card&, const Curves& of_fact) = nullptr;
    double times = 1; // so far apart
    bool (*apart)(const Ranked&, double times) = differ;
    FactKey (*fact)(const Curve*) = one_fact;
    Slots about{};           // the subject, besides the slots of what is told
    bool alike_below = true; // with rows of what does not differ
};

/// Where L1 ends through a device, which is sure; nullptr: not known.
const Finding* end_of_l1(const Card&, const std::string& device);

/// Whether the fact of a core's scratchpad tells that L1 is smaller through that device: one carve-out does both.
bool core_scratchpad_tells_l1(const Card&, const std::string& device);

/// Random loads and stores whose rates differ, where the slowest device's TLB reaches less than they span and the
/// fastest's all of it: by path and width, the farthest apart first.
std::vector<Compared> random_beyond_reach(const Card&);

/// Each row of that rule.
void compare(std::string_view rule, const Card&, Statements&);

} // namespace sonde
