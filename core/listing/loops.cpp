// Backward branches.
#include "core/listing/loops.h"

#include <algorithm>
#include <string>

namespace sonde {

std::vector<Loop> loops_of(const Program& program) {
    std::vector<Loop> loops;
    for (std::size_t i = 0; i < program.instructions.size(); ++i)
        for (const std::string& target : program.instructions[i].targets)
            if (const auto label = program.labels.find(target); label != program.labels.end() && label->second <= i)
                loops.push_back({label->second, i});
    std::ranges::stable_sort(loops, {}, &Loop::size);
    return loops;
}

} // namespace sonde
