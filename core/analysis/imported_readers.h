// The readers of tools whose files are no mere lines of known shapes.
#pragma once
#include "core/analysis/imported_file.h"
#include "core/data/shared_options.h"

namespace sonde {

inline constexpr const char* kNoCounterpart = "not imported: no series of a probe is known to say the same";

// What figures of many tools ask.
inline ImportedQuestion copy_question(Direction direction, const Options& memory = {}, Engine engine = Engine::copy) {
    return {.probe = &kTransfer,
        .path = "host",
        .options = option::direction.as(direction) * option::engine.as(engine) * memory};
}
inline ImportedQuestion bandwidth_question(const Options& options = {}) {
    return {.probe = &kBandwidth, .options = options};
}
inline ImportedQuestion rate_question(const char* operation) {
    return {.probe = &kRate, .options = option::operation.as(operation)};
}
inline ImportedQuestion latency_question(const char* path) { return {.probe = &kLatency, .path = path}; }
inline ImportedQuestion stream_question(const char* operation, const Options& of) {
    return {.probe = &kStream, .options = option::operation.as(operation) * of};
}

std::optional<ImportedFile> read_clpeak(const ImportSource&);
std::optional<ImportedFile> read_clpeak_xml(const ImportSource&);
std::optional<ImportedFile> read_clpeak_text(const ImportSource&);
std::optional<ImportedFile> read_nvbandwidth(const ImportSource&); // JSON, also within a log
std::optional<ImportedFile> read_nvbandwidth_text(const ImportSource&);
std::optional<ImportedFile> read_gpu_caches(const ImportSource&);
std::optional<ImportedFile> read_gpu_stream(const ImportSource&);
std::optional<ImportedFile> read_gpu_roofline(const ImportSource&);
std::optional<ImportedFile> read_gpu_small_kernels(const ImportSource&); // known, and nothing in it can be used

} // namespace sonde
