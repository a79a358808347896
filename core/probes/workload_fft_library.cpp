// workload.fft-library: Fourier transforms by a library, by their points: a yardstick for workload.fft.
#include "core/measure/fft.h"
#include "core/probes/probes.h"

namespace sonde {

const Probe kWorkloadFftLibrary{
    .name = "workload.fft-library",
    .question = "Fourier transforms by a library?",
    .explanation = "The transforms of workload.fft by VkFFT, whose module is opened at run time where it is built: a "
                   "yardstick for workload.fft. Sizes, transforms side by side, counts of operations and the check are "
                   "the same; points are transformed in place.",
    .picture = "As workload.fft: a rise with the size, and a fall wherever another pass over memory begins.",
    .method = "Tolmachev, VkFFT - A Performant, Cross-Platform and Open-Source GPU FFT Library (IEEE Access 2023)",
    .workload = "Fft-library",
    .x = {"points"},
    .unit = "Gop/s",
    .run_noise = run_noise::alike,
    .paths = {"global"},
    .quick = {.seconds = 1.62},
    .run = measure_library_fft,
    .findings = library_findings,
    .kernel =
        [](const DeviceInfo& info, const Path&, const Options&) {
            return KernelChoice{.name = "distances",
                .group_size = info.cpu ? info.subgroup : std::min(256u, info.largest_group),
                .defines = {{"TYPE_F32", "1"}, {"WIDE_B", "1"}},
                .b = find_path("global")};
        }, // the check's
};

} // namespace sonde
