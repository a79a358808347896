// Reads the latency curves of tools that are known by their text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/curve_file.h"

namespace sonde {

/// The curves of a text that a tool is known by; none for a table.
std::vector<FileCurve> curves_of_tool(std::string_view text, const std::string& name);

} // namespace sonde
