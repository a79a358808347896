// A file may hold anything: what a probe cannot read yields no finding.
#include "core/diagnosis/probe_findings.h"

#include <stdexcept>

#include "core/probes/probe.h"

namespace sonde {

std::vector<Finding> probe_findings(const Series& series, const DeviceInfo& device) {
    const Probe* probe = find_probe(series.id.probe);
    if (!probe) return {};
    try {
        std::vector<Finding> found = findings_of(*probe, series, device);
        std::erase_if(found, [](const Finding& finding) { return finding.kind == "level" || finding.kind == "derived"; });
        return found;
    } catch (const std::exception&) { // an option that is missing or has another word
        return {};
    }
}

} // namespace sonde
