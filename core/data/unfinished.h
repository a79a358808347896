// Which series more time would measure better.
#pragma once
#include "core/data/series.h"

namespace sonde {

/// Whether with more time it would have more points: its sweep ends early, or sizes at its edges are missing.
inline bool lacks_points(const Series& series) {
    const auto& refinement = series.evidence.refinement;
    return series.status == Status::ok &&
           (ends_early(series) || (refinement && refinement->ended_by == RefinementEnd::time));
}

/// Whether a later series of the same name counts instead.
inline bool gives_way(const Series& series) {
    return series.status == Status::failed || is_cut_short(series) || lacks_points(series);
}

} // namespace sonde
