// The facts that no probe needs and every reader of the results may want.
#pragma once
#include <vector>

#include "backends/vulkan/answers.h"
#include "backends/vulkan/physical.h"

namespace sonde::vulkan {

void add_facts(std::vector<Fact>& facts, const Answers&, const PhysicalDevice&);

} // namespace sonde::vulkan
