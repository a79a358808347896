// The runs that tests rest on: what they are called stands here and nowhere else.
#pragma once
#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/file.h"
#include "tests/places.h"

namespace recorded {

inline std::string file(const std::string& name) {
    return fmt::format("{}/results/nvidia-h200/{}.jsonl.gz", sonde::places::source, name);
}

/// All probes of one card in the quick profile: 1 to 3.
inline std::string quick(int number) { return file(fmt::format("quick-{}", number)); }
/// What results/ does not hold twice: latency and bandwidth of another card in blocks, by two processes: 1 and 2.
inline std::string run(int number) {
    return fmt::format("{}/tests/recorded/run-{}.jsonl.gz", sonde::places::source, number);
}
/// Of one card: every path's latency and bandwidth and the structure of its caches; coalescing, streams, saturation.
/// Large: reading one takes seconds.
inline const std::string kMemory = file("standard-memory"), kTraffic = file("standard-traffic");
inline const std::string kArithmetic = file("standard-arithmetic"), kMatrix = file("standard-matrix");
/// All probes of an H100 in the quick profile.
inline const std::string kH100 = fmt::format("{}/results/nvidia-h100/quick.jsonl.gz", sonde::places::source);

/// The same without the series and findings of other probes and, where some are named, other paths.
inline std::string part_of(const std::string& from, const std::string& to, std::string_view probe,
    const std::vector<std::string_view>& paths = {}) {
    const auto in = sonde::open_to_read(from);
    std::ofstream out(to);
    for (std::string line; std::getline(*in, line);) {
        const std::string_view head = std::string_view(line).substr(0, 400);
        const auto has = [&](std::string_view field, std::string_view value) {
            return head.find(fmt::format(R"("{}":"{}")", field, value)) != head.npos;
        };
        const bool of_a_probe = has("type", "series") || has("type", "finding");
        if (!of_a_probe ||
            (has("probe", probe) && (paths.empty() || std::ranges::any_of(paths,
                                                          [&](std::string_view path) { return has("path", path); }))))
            out << line << "\n";
    }
    return to;
}

} // namespace recorded
