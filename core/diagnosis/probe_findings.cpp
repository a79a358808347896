// A file may hold anything: what a probe cannot read yields no finding.
#include "core/diagnosis/probe_findings.h"

#include <algorithm>
#include <stdexcept>

#include "core/analysis/findings.h"
#include "core/diagnosis/rules.h"
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

std::string own_text(const Finding& finding) { return finding.text.substr(fmt::format("{} {}: ", finding.series.device, finding.series.path).size()); }

std::vector<SharedFinding> shared_findings(const std::vector<Finding>& findings) {
    std::vector<SharedFinding> shared;
    for (const Finding& finding : findings) {
        const SeriesId& id = finding.series;
        const std::string text = own_text(finding);
        const auto found = std::ranges::find_if(shared, [&](const SharedFinding& each) {
            return each.series.probe == id.probe && each.series.path == id.path && each.series.options == id.options && each.text == text && std::ranges::find(each.devices, id.device) == each.devices.end();
        });
        if (found == shared.end()) shared.push_back({id, text, {id.device}});
        else found->devices.push_back(id.device);
    }
    return shared;
}

} // namespace sonde
