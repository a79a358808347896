// latency: a chase along one random cycle over all slots of a footprint, by footprint.
#include "core/measure/chase.h"
#include "core/probes/probes.h"

namespace sonde {

KernelChoice latency_kernel(const DeviceInfo& info, const Path& path, const std::map<std::string, std::string>&) { return chase_kernel(info, path); }

void measure_latency(Bench& bench) {
    bench.wake_clocks();
    Chase chase(bench);
    bench.refined_sweeps(
        bench.path.smallest_bytes, chase.granule(), [&] { return chase.largest(); }, [&](int) { chase.new_memory(); },
        [&](int block, std::uint64_t size) {
            chase.build(size);
            return bench.take_pairs(static_cast<double>(size), block, 64, chase.most_steps(), [&](std::uint32_t steps) { return chase.timed(steps); });
        });
    bench.evidence["output_checked"] = "the last link of every lane of every dispatch against the host's walk";
}

} // namespace sonde
