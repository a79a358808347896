// The facts that CUDA and OpenCL tell of a chip.
#include "core/device/capability.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace sonde {

int compute_capability(std::span<const Fact> facts) {
    int capability = 0;
    for (const Fact& fact : facts) {
        if (fact.name == "compute capability") return static_cast<int>(std::lround(std::atof(fact.value.c_str()) * 10));
        if (fact.name == "compute capability, major") capability += std::atoi(fact.value.c_str()) * 10;
        if (fact.name == "compute capability, minor") capability += std::atoi(fact.value.c_str());
    }
    return capability;
}

double number_of_fact(std::span<const Fact> facts, std::string_view name) {
    const auto fact = std::ranges::find(facts, name, &Fact::name);
    return fact == facts.end() ? 0 : std::atof(fact->value.c_str());
}

} // namespace sonde
