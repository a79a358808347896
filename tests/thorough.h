// How much a test does: CI's suite all of it, the everyday one (scripts/test) what fits into minutes and still goes
// everywhere.
#pragma once
#include <cstdlib>

inline bool thorough() {
    const char* said = std::getenv("SONDE_TEST_THOROUGH");
    return said && *said;
}

/// Which of many like cases are taken: in full all of them, every day one of `every`, the first among them. `every` is
/// no divisor of how many values the innermost loop has, so that each value has its turn.
class CasesOfTheDay {
public:
    explicit CasesOfTheDay(unsigned every) : every_(thorough() ? 1 : every) {}
    bool take() { return next_++ % every_ == 0; }

private:
    unsigned every_, next_ = 0;
};
