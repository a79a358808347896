// Findings by what they say.
#include "core/diagnosis/shared_findings.h"

#include <algorithm>

namespace sonde {

std::vector<SharedFinding> shared_findings(const std::vector<Finding>& findings) {
    std::vector<SharedFinding> shared;
    for (const Finding& finding : findings) {
        const SeriesId& id = finding.series;
        const auto found = std::ranges::find_if(shared, [&](const SharedFinding& each) {
            return each.series.probe == id.probe && each.series.path == id.path && each.series.options == id.options &&
                   each.text == finding.text && std::ranges::find(each.devices, id.device) == each.devices.end();
        });
        if (found == shared.end()) shared.push_back({id, finding.text, {id.device}});
        else found->devices.push_back(id.device);
    }
    return shared;
}

} // namespace sonde
