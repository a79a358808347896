// The single values of an imported run, a line each.
#pragma once
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/data/results.h"

namespace sonde {

/// "cuda:0 transfer host engine=copy: DRAM 14 GB/s"
inline std::vector<std::string> figure_lines(const Run& run) {
    std::vector<std::string> lines;
    for (const Json& line : run.findings)
        lines.push_back(fmt::format("{} {} {}{}: {} {:.5g} {}", text_field(line, "device"), text_field(line, "probe"),
            text_field(line, "path"), line["options"].empty() ? "" : " " + options_text(line["options"].get<Options>()),
            text_field(line, "name"), line["value"].get<double>(), text_field(line, "unit")));
    return lines;
}

} // namespace sonde
