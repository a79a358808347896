#pragma once
#include <string>
#include <vector>

namespace sonde {

std::string list_text(const std::vector<std::string>& words); // "a, b and c"

} // namespace sonde
