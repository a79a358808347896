// How long series will take: by what others took before (Quick::seconds), and by how fast this machine turns out to be.
#pragma once
#include <vector>

#include "core/run/plan.h"

namespace sonde {

/// Of one series with all that it needs; none of one that its device is known to lack.
double expected_seconds(const Planned&, const Profile&);
/// Of a run: cards side by side, and processors behind them. `most`: that the run may take; 0: no limit.
double expected_seconds(const std::vector<Planned>&, const Profile&, double most = 0);

/// How much longer than expected series take here.
class Pace {
public:
    /// One that was expected to take `expected` took `seconds`.
    void take(double expected, double seconds) { expected_ += expected, seconds_ += seconds; }
    double factor() const { return seconds_ / expected_; }

private:
    static constexpr double kBelieved = 3; // seconds, that what others took counts as
    double expected_ = kBelieved, seconds_ = kBelieved;
};

/// "40 s", "12 min", "2.5 h"
std::string duration_text(double seconds);

} // namespace sonde
