// workload.fft: Fourier transforms, by their points.
#include "core/measure/fft.h"
#include "core/probes/probes.h"

namespace sonde {

const Probe kWorkloadFft{
    .name = "workload.fft",
    .question = "Fourier transforms by size?",
    .explanation =
        "Complex transforms in single precision, forwards and back in turn, as many side by side as fill 128 MiB (2 "
        "MiB on a processor). Up to 2048 points are transformed in the scratchpad in one pass; longer transforms take "
        "two or three passes over memory, each with 8 bytes read and 8 written for a point. Operations are counted as "
        "other programs count them, 5 log2(points) for each point; the kernel, of radix 4, has fewer.",
    .picture = "A rise with the size, since each pass makes more operations of the same bytes; a fall wherever another "
               "pass begins.",
    .method = "Govindaraju et al., High Performance Discrete Fourier Transforms on Graphics Processors (SC 2008)",
    .workload = "FFT",
    .x = {"points"},
    .unit = "Gop/s",
    .run_noise = run_noise::alike,
    .paths = {"scratchpad"},
    .quick = {.seconds = 0.41},
    .run = measure_fft,
    .findings = workload_findings,
    .kernel = [](const DeviceInfo& info, const Path&, const Options&) { return fft_kernel(fft_passes(info)); },
};

} // namespace sonde
