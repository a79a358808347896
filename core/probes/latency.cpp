// latency: a chase along one random cycle over all slots of a footprint, by footprint.
#include "core/chase.h"
#include "core/probes/probes.h"

namespace sonde {

KernelChoice latency_kernel(const DeviceInfo& info, const Path& path, const std::map<std::string, std::string>&) { return chase_kernel(info, path); }

void measure_latency(Bench& bench) {
    bench.wake_clocks();
    Chase chase(bench);
    for (int block = 0; block < bench.profile.blocks; ++block) {
        chase.new_memory();
        const auto sizes = bench.sizes(bench.path.smallest_bytes, chase.largest(), chase.granule());
        bench.sweep(block, sizes, [&](std::uint64_t size, const std::string&) {
            chase.build(size);
            bench.take_pairs(static_cast<double>(size), block, 64, chase.most_steps(), [&](std::uint32_t steps) { return chase.timed(steps); });
        });
    }
    bench.evidence["output_checked"] = "the last link of every lane of every dispatch against the host's walk";
}

} // namespace sonde
