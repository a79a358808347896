#include "core/base/stop_rule.h"

#include "core/base/statistics.h"

namespace sonde {

bool StopRule::finished(std::span<const double> values) const {
    return values.size() >= at_most || (values.size() >= at_least && relative_error_of_median(values) <= target);
}

bool StopRule::missed(std::span<const double> values) const {
    return values.size() >= at_most && relative_error_of_median(values) > target;
}

} // namespace sonde
