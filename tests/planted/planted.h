// Faults that are in the program on purpose, to see which test notices (scripts/plant). Sources of a build for that
// include this; no other does.
#pragma once
#include <cstdlib>

namespace sonde {

/// Whether the fault of that number is on: SONDE_PLANTED names the one that is.
inline bool planted(int number) {
    static const int on = [] {
        const char* said = std::getenv("SONDE_PLANTED");
        return said ? std::atoi(said) : 0;
    }();
    return on == number;
}

} // namespace sonde
