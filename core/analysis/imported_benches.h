// What gpu-benches wrote, without its latencies (curve_tools.h).
#pragma once
#include <string>
#include <string_view>

#include "core/base/json.h"

namespace sonde {

/// Readers of imported.cpp's table: text of a results file, "" where the text is no output of the tool.
std::string read_gpu_caches(const Json&, std::string_view text, const std::string& name);
std::string read_gpu_stream(const Json&, std::string_view text, const std::string& name);

} // namespace sonde
