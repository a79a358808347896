// How the series of a run ended, and what a person is told of it.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/data/results.h"

namespace sonde {

class Tally {
public:
    /// A series takes the place of an earlier one of the same name. `here`: this run measured it; of others nothing is
    /// told.
    void take(const Series&, bool here = true);
    std::map<Status, int> counts() const;
    /// Why series are unsupported or unstable: the reasons of most series first, a line each.
    std::string reasons_text() const;
    std::string failures_text() const;
    /// Which series the time did not suffice for; empty: none.
    std::string cut_short_text() const;

private:
    struct Ended {
        SeriesId id;
        Status status;
        std::string reason;
        bool cut_short, here;
    };
    std::vector<Ended> ended_;
};

} // namespace sonde
