// The test program: doctest, plus --require API,... (an API that is absent then fails the run instead of being skipped).
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "tests/required.h"

namespace sonde {
std::string& required_apis() {
    static std::string apis;
    return apis;
}
} // namespace sonde

int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    for (int i = 1; i + 1 < argc; ++i)
        if (std::string(argv[i]) == "--require") sonde::required_apis() = argv[i + 1];
    const int failed = context.run();
    return failed;
}
