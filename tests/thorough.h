// How much a test does: CI's suite all of it, the everyday one (scripts/test) what fits into minutes and still goes
// everywhere.
#pragma once
#include <cstdlib>

inline bool thorough() {
    const char* said = std::getenv("SONDE_TEST_THOROUGH");
    return said && *said;
}
