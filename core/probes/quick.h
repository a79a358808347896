// What the quick profile takes of a probe where nothing was said: enough to know the card, in two minutes for three APIs.
#pragma once
#include <string_view>
#include <vector>

namespace sonde {

struct Brief {
    std::string_view probe;
    std::vector<std::string_view> paths; // empty: all
    std::size_t variants = 0;            // the first so many that the path takes; 0: all
};
/// nullptr: all of it.
const Brief* brief_of(std::string_view probe);

} // namespace sonde
