// Loops of a listing, by their backward branches.
#pragma once
#include <cstddef>
#include <vector>

#include "core/listing/listing_syntax.h"

namespace sonde {

/// Instructions first..last, the last one branching back to the first.
struct Loop {
    std::size_t first, last;
    std::size_t size() const { return last - first + 1; }
    bool holds(const Loop& other) const { return first <= other.first && other.last <= last; }
};

/// By size, so that an inner loop comes before the one around it.
std::vector<Loop> loops_of(const Program& program);

} // namespace sonde
